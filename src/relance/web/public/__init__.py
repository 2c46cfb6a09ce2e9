"""What the public may call without a session: it stands in front, and works where the console does not."""
