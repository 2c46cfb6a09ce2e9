"""Changing a database by hand, past everything that would refuse it: checks, keys, triggers, unique indexes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import psycopg
from psycopg import sql

from store_places import postgres_place


@contextmanager
def without_guards(databases) -> Iterator[str]:
    """Make a PostgreSQL database whose constraints were taken away, and yield its URL."""
    url = postgres_place(databases)
    with psycopg.connect(url, autocommit=True) as beside:
        found = beside.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE connamespace = "
            "current_schema()::regnamespace AND conislocal "
            "AND (contype IN ('c', 'f') OR (contype = 'u' AND conrelid = 'attempts'::regclass))"
        ).fetchall()
        for table, name in found:
            drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT IF EXISTS {} CASCADE")
            beside.execute(drop.format(sql.Identifier(table), sql.Identifier(name)))
        beside.execute("DROP INDEX attempts_open")
    yield url
    databases.drop(url)


def plant_in_sqlite(path: Path, statements: list[str]) -> None:
    """Run statements past checks, keys, triggers and the indexes that keep attempts unique."""
    beside = apsw.Connection(str(path))
    for pragma in ("ignore_check_constraints = ON", "foreign_keys = OFF", "busy_timeout = 5000"):
        beside.execute(f"PRAGMA {pragma}")
    for (name,) in beside.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        beside.execute(f"DROP TRIGGER {name}")
    _without_unique(beside)
    for statement in statements:
        beside.execute(statement)
    beside.close()


def _without_unique(beside: apsw.Connection) -> None:
    """Make the table of attempts once more, without what keeps a step from having two: SQLite cannot let it go."""
    unique = "UNIQUE (workspace_id, enrollment_id, step_counter),"
    ((found,),) = beside.execute("SELECT sql FROM sqlite_schema WHERE name = 'attempts'").fetchall()
    schema = str(found)
    assert unique in schema
    beside.execute(schema.replace(unique, "").replace("CREATE TABLE attempts", "CREATE TABLE damaged"))
    beside.execute("INSERT INTO damaged SELECT * FROM attempts")
    beside.execute("DROP TABLE attempts")
    beside.execute("PRAGMA legacy_alter_table = ON")  # what else names the table shall name it still
    beside.execute("ALTER TABLE damaged RENAME TO attempts")


def plant_in_postgres(url: str, statements: list[str]) -> None:
    """Run statements past keys and triggers; the constraints are gone."""
    with psycopg.connect(url, autocommit=True) as beside:
        beside.execute("SET session_replication_role = replica")
        for statement in statements:
            beside.execute(statement.encode())


def empty(url: str) -> None:
    """Take everything away but what the schema brings along, and begin to count ids anew."""
    with psycopg.connect(url, autocommit=True) as beside:
        tables = beside.execute(
            "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = current_schema() "
            "AND tablename NOT IN ('schema_migrations', 'shards', 'step_kinds')"
        ).fetchall()
        beside.execute(f"TRUNCATE {tables[0][0]} RESTART IDENTITY CASCADE".encode())
        beside.execute("INSERT INTO shards (id) SELECT generate_series(0, 255) ON CONFLICT DO NOTHING")
        beside.execute("UPDATE shards SET owner = NULL, lease_until = NULL")
