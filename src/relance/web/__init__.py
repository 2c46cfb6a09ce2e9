"""The console, the API, and what the public may call: one ASGI application over the services."""
