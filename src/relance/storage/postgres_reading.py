"""Whole tables out of one snapshot of a PostgreSQL database, as SQLite would keep their rows."""

from collections.abc import Iterator, Mapping, Sequence

import psycopg

from relance.storage.parameters import sqlite_value
from relance.storage.postgres_connection import connected, store_error

_ROWS = 2_000  #: On the way at once.

Table = tuple[str, Sequence[str], Iterator[Sequence[object]]]


def tables_of(url: str, selections: Mapping[str, tuple[Sequence[str], str]]) -> Iterator[Table]:
    """Yield name, columns and rows of each table: `selections` says, by table, its columns and what selects them.

    Each table's rows must be taken before the next table is. Raises StoreError.
    """
    try:
        with connected(url) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            for table, (columns, select) in selections.items():
                with connection.cursor(name="relance_copy") as cursor:
                    cursor.itersize = _ROWS
                    cursor.execute(select.encode())
                    yield table, columns, (tuple(map(sqlite_value, row)) for row in cursor)
    except psycopg.Error as error:
        raise store_error(error, "copying the state") from error
