"""Bringing a PostgreSQL database's schema up to date, under an advisory lock, in one transaction."""

from collections.abc import Sequence

import psycopg

from relance.storage.migrate import Applied, Migration, bring_up, ledger_table, load_migrations
from relance.storage.postgres_connection import connected, store_error
from relance.storage.postgres_transaction import PostgresTransaction
from relance.storage.statements import Dialect, load_statements

ADVISORY_LOCK = 7_352_262_310  #: Ours; any number that no other program on the database uses.


class PostgresTarget:
    """Implements `relance.storage.migrate.Target` over an open transaction that holds the advisory lock."""

    def __init__(self, connection: "psycopg.Connection[tuple[object, ...]]") -> None:
        self._connection = connection
        self._transaction = PostgresTransaction(connection, load_statements(Dialect.POSTGRES))

    def applied(self) -> Sequence[Applied]:
        """Return the ledger, making its table first if it is missing."""
        self._transaction.all(str, "migrations.lock", number=ADVISORY_LOCK)
        self._connection.execute(ledger_table(Dialect.POSTGRES))
        return self._transaction.all(Applied, "migrations.list")

    def apply(self, migration: Migration) -> None:
        """Run one file and write it into the ledger."""
        self._connection.execute(migration.sql)
        line = {"number": migration.number, "name": migration.name, "checksum": migration.checksum}
        self._transaction.run("migrations.record", **line)


def migrate_postgres(url: str, known: Sequence[Migration] | None = None) -> int:
    """Apply what is pending and return how many changes that were. Raises SchemaError and StoreError."""
    changes = load_migrations(Dialect.POSTGRES) if known is None else known
    try:
        with connected(url) as connection:
            return bring_up(PostgresTarget(connection), changes)
    except psycopg.Error as error:
        raise store_error(error, "bringing the schema up to date") from error
