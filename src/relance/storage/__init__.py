"""Where state lives: named SQL statements over SQLite or PostgreSQL."""
