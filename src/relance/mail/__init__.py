"""Bytes to values and back: composing, parsing and understanding mail. No sockets."""
