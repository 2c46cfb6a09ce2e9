"""Copying what an engine decides by into memory, from one snapshot of the state, while engines work on it.

Left out is what says who works now, what nobody has understood yet, the words of messages, what they attach, and what
was counted.
"""

import contextlib
from collections.abc import Sequence
from pathlib import Path

import apsw

from relance.storage.opening import is_postgres
from relance.storage.scratch import ScratchStore
from relance.storage.sqlite_connection import READER, store_error

#: Whose rows stay behind; the copy keeps what its own schema brought along.
LEFT_OUT = frozenset(
    {
        "answers",
        "attachments",
        "message_effects",
        "moves",
        "number_changes",
        "numbers",
        "outcomes",
        "raw_messages",
        "schema_migrations",
        "shards",
        "standing",
        "step_kinds",
        "threads",
        "workers",
    }
)
#: Columns whose value is not copied.
EMPTIED = frozenset({("messages", "raw"), ("messages", "new_text"), ("mailboxes", "sealed_credentials")})


def copy_into_memory(location: str | Path) -> ScratchStore:
    """Return a store that holds a copy of the state a URL or a path names, whose schema is up to date. Blocks.

    Raises StoreError.
    """
    scratch = ScratchStore.empty()
    tables = {name: columns for name, columns in scratch.tables().items() if name not in LEFT_OUT}
    selections = {name: (columns, _selection(name, columns)) for name, columns in tables.items()}
    if isinstance(location, str) and is_postgres(location):
        # An extra: asked for only when it is used.
        from relance.storage.postgres_reading import tables_of  # noqa: PLC0415

        scratch.fill(tables_of(location, selections))
        return scratch
    path = Path(location)
    try:
        with contextlib.closing(apsw.Connection(str(path), flags=READER)) as reading:
            reading.set_busy_timeout(10_000)
            reading.execute("BEGIN")
            scratch.fill((name, columns, reading.execute(select)) for name, (columns, select) in selections.items())
    except apsw.Error as error:
        raise store_error(error, path, "copying it") from error
    return scratch


def _selection(table: str, columns: Sequence[str]) -> str:
    wanted = ", ".join("NULL" if (table, column) in EMPTIED else f'"{column}"' for column in columns)
    return f'SELECT {wanted} FROM "{table}"'
