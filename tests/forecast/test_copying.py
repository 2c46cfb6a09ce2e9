"""The copy in memory has every row that an engine decides by, as the original has it."""

import contextlib
from pathlib import Path

import apsw
import psycopg
import pytest

from forecast.founders import Founders
from relance.app.copying import copy_of
from relance.storage.parameters import time_text
from relance.storage.state_copy import EMPTIED, LEFT_OUT

FILLED = {"mailboxes", "leads", "enrollments", "sequences", "sequence_versions", "events", "workspaces", "lead_lists"}


def copied(store, table, columns):
    """Return a copied table's rows."""
    wanted = ", ".join(f'"{column}"' for column in columns)
    return sorted(store._connection.execute(f'SELECT {wanted} FROM "{table}"'), key=str)  # noqa: SLF001 - as it is kept


def compared(store):
    """Return the tables and columns that are to be the same."""
    return {
        table: [column for column in columns if (table, column) not in EMPTIED]
        for table, columns in store.tables().items()
        if table not in LEFT_OUT
    }


async def test_a_file_is_copied_row_by_row(founders: Founders):
    """Every table, but for what says who works now; and no secret comes along."""
    store = await copy_of(founders.installation)
    path = Path(founders.installation.config.database)
    with contextlib.closing(apsw.Connection(str(path))) as original:
        for table, columns in compared(store).items():
            wanted = ", ".join(f'"{column}"' for column in columns)
            there = sorted(original.execute(f'SELECT {wanted} FROM "{table}"'), key=str)

            assert there == copied(store, table, columns), table
            assert there or table not in FILLED, table

    assert [(None,), (None,)] == copied(store, "mailboxes", ["sealed_credentials"])
    await store.close()


@pytest.mark.postgres
async def test_a_server_is_copied_row_by_row(founders_over_postgres: Founders):
    """The same, in the form in which SQLite keeps it."""

    def as_sqlite(value):
        match value:
            case bool():
                return int(value)
            case dict() | list():
                return "json"
            case None | int() | float() | str() | bytes():
                return value
            case _ if hasattr(value, "tzinfo"):
                return time_text(value)
            case _:
                return value.isoformat()

    def plain(value):
        return "json" if isinstance(value, str) and value[:1] in {"{", "["} else value

    store = await copy_of(founders_over_postgres.installation)
    with psycopg.connect(str(founders_over_postgres.installation.config.database)) as original:
        for table, columns in compared(store).items():
            wanted = ", ".join(f'"{column}"' for column in columns)
            rows = [
                tuple(as_sqlite(value) for value in row) for row in original.execute(f'SELECT {wanted} FROM "{table}"')
            ]
            kept = [tuple(plain(value) for value in row) for row in copied(store, table, columns)]

            assert sorted(rows, key=str) == sorted(kept, key=str), table
            assert rows or table not in FILLED, table
    await store.close()
