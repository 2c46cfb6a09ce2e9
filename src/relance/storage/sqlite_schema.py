"""Bringing a SQLite file's schema up to date, alone, in one transaction."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from relance.storage.migrate import Applied, Migration, bring_up, ledger_table, load_migrations, pending
from relance.storage.parameters import sqlite_parameters
from relance.storage.rows import build_rows
from relance.storage.sqlite_connection import connect, store_error
from relance.storage.statements import Dialect, load_statements


class SqliteTarget:
    """Implements `relance.storage.migrate.Target` inside BEGIN EXCLUSIVE."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._statements = load_statements(Dialect.SQLITE)

    def applied(self) -> Sequence[Applied]:
        """Return the ledger, making its table first if it is missing."""
        self._connection.execute(ledger_table(Dialect.SQLITE))
        rows = list(self._connection.execute(self._statements["migrations.list"].sql))
        return build_rows(Applied, ("number", "name", "checksum"), rows)

    def apply(self, migration: Migration) -> None:
        """Run one file and write it into the ledger."""
        self._connection.execute(migration.sql)
        line = {"number": migration.number, "name": migration.name, "checksum": migration.checksum}
        self._connection.execute(self._statements["migrations.record"].sql, sqlite_parameters(line))


def migrate_sqlite(path: Path, known: Sequence[Migration] | None = None, *, vfs: str | None = None) -> int:
    """Apply what is pending and return how many changes that were. Raises SchemaError and StoreError."""
    changes = load_migrations(Dialect.SQLITE) if known is None else known
    connection = connect(path, vfs=vfs)
    try:
        if connection.table_exists(None, "schema_migrations") and not pending(changes, _ledger(connection)):
            return 0  # the usual start takes no lock: an engine may be writing
        connection.execute("BEGIN EXCLUSIVE")
        try:
            count = bring_up(SqliteTarget(connection), changes)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    except apsw.Error as error:
        raise store_error(error, path, "bringing the schema up to date") from error
    else:
        return count
    finally:
        connection.close()


def _ledger(connection: apsw.Connection) -> Sequence[Applied]:
    rows = list(connection.execute(load_statements(Dialect.SQLITE)["migrations.list"].sql))
    return build_rows(Applied, ("number", "name", "checksum"), rows)
