"""Databases with the schema in place: a SQLite file, or a copy of a PostgreSQL template made once per session."""

from pathlib import Path

from postgres_server import Databases
from relance.storage.postgres_schema import migrate_postgres
from relance.storage.sqlite_schema import migrate_sqlite


def sqlite_place(folder: Path) -> Path:
    """Make a SQLite database in the folder and return its path."""
    path = folder / "relance.db"
    migrate_sqlite(path)
    return path


def postgres_place(databases: Databases) -> str:
    """Make a PostgreSQL database and return its URL; `databases.drop` takes it away."""

    def fill(url: str) -> None:
        migrate_postgres(url)

    return databases.create(template=databases.template("schema", fill))
