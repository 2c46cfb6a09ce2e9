"""A store in memory for questions of the kind "what if": it has every table and statement, and nothing in it lasts.

Functions run one after the other in the caller's thread: nobody else can write, and there is no disk to wait for.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

import apsw

from relance.ports.store import Reader, StoreUnavailableError, Transaction
from relance.storage.migrate import bring_up, load_migrations
from relance.storage.sqlite_connection import keep_plans, store_error
from relance.storage.sqlite_schema import SqliteTarget
from relance.storage.sqlite_transaction import SqliteTransaction
from relance.storage.statements import Dialect, load_statements

T = TypeVar("T")
P = ParamSpec("P")
_NOWHERE = Path(":memory:")
_CLOSED = "The store is closed"


class ScratchStore:
    """Implements `relance.ports.store.Store`. Made by `empty`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._statements = load_statements(Dialect.SQLITE)
        self._closed = False

    @classmethod
    def empty(cls) -> Self:
        """Make one with the newest schema and no rows."""
        connection = apsw.Connection(str(_NOWHERE), statementcachesize=512)
        connection.pragma("foreign_keys", 1)
        keep_plans(connection)
        with connection:
            bring_up(SqliteTarget(connection), load_migrations(Dialect.SQLITE))
            connection.execute("DROP TRIGGER sequence_versions_never_change")  # another window may be supposed
        return cls(connection)

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` in one transaction."""
        if self._closed:
            raise StoreUnavailableError(_CLOSED)
        self._connection.execute("BEGIN")
        tx = SqliteTransaction(self._connection, self._statements, _NOWHERE)
        try:
            value = fn(tx, *args, **kwargs)
        except BaseException:
            self._undo(tx)
            raise
        if tx.failure:
            self._undo(tx)
            raise tx.failure
        tx.end()
        self._connection.execute("COMMIT")
        await asyncio.sleep(0)
        return value

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` over what is there."""
        return await self.write(fn, *args, **kwargs)

    async def close(self) -> None:
        """Forget everything."""
        await asyncio.sleep(0)
        self._closed = True
        self._connection.close()

    # --- filling it

    def tables(self) -> dict[str, tuple[str, ...]]:
        """Return every table with the columns that can be written."""
        kinds = self._connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        names = [name for (name,) in kinds]  # without the search, whose tables are its own business
        return {
            name: tuple(row[1] for row in self._connection.execute("SELECT * FROM pragma_table_info(?)", (name,)))
            for name in names
            if not name.startswith("sqlite_")
        }

    def fill(self, rows: Iterable[tuple[str, Sequence[str], Iterable[Sequence[object]]]]) -> None:
        """Put rows of another database, as SQLite keeps them, in the place of what the tables hold.

        They come table by table: its name, its columns, its rows. What they point at may come later, or not at all.
        """
        self._connection.pragma("foreign_keys", 0)
        try:
            with self._connection:
                for table, columns, values in rows:
                    places = ", ".join("?" * len(columns))
                    into = ", ".join(f'"{column}"' for column in columns)
                    self._connection.execute(f'DELETE FROM "{table}"')
                    insert = f'INSERT INTO "{table}" ({into}) VALUES ({places})'
                    self._connection.executemany(insert, values)
        except apsw.Error as error:
            raise store_error(error, _NOWHERE, "copying into memory") from error
        finally:
            self._connection.pragma("foreign_keys", 1)

    def _undo(self, tx: SqliteTransaction) -> None:
        tx.end()
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
