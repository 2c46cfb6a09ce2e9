"""What the engine needs from the outside: Protocols, and the errors they may raise."""
