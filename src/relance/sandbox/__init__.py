"""A mail world on this machine: servers, people who answer, and a clock that jumps.

Rule 1: the world shares no code with the product it judges; the engine meets it over real sockets only.
Rule 2: what looks like chance is derived from a seed (`chance`), what looks like time comes from `SandboxClock`.
"""
