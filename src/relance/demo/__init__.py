"""The demo: the production engine over the sandbox's mail world, with a clock that jumps from event to event."""
