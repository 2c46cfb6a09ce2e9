"""The forecast: the engine of production over a copy of the state, a clock that jumps, and silent mailboxes."""
