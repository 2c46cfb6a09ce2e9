"""A mail world on this machine: servers, people who answer, and a clock that jumps."""
