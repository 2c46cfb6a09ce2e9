"""A database that can go back: the real schema, the real statements, and a savepoint for every step.

Going back is what lets an explorer try every way to go on from one state without walking there again. SQLite stands in
memory; over PostgreSQL everything happens in one transaction that is never committed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import apsw
import psycopg

from exhaustive.puppet import run_through
from relance.ports.store import Reader, Transaction
from relance.storage.migrate import load_migrations
from relance.storage.postgres_connection import connection_arguments, prepare
from relance.storage.postgres_transaction import PostgresTransaction
from relance.storage.sqlite_transaction import SqliteTransaction
from relance.storage.statements import Dialect, load_statements

T = TypeVar("T")
P = ParamSpec("P")
IN_MEMORY = Path(":memory:")


class AnyGround(ABC):
    """Implements `ports.store.Store`; every write is carried out at once."""

    @abstractmethod
    def rows(self, sql: str) -> tuple[Any, ...]:
        """Return what a statement of the test's own finds."""

    @abstractmethod
    def _begin(self) -> SqliteTransaction | PostgresTransaction: ...

    def carry_out(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a service; what raises leaves nothing behind."""
        self.rows("SAVEPOINT service")
        transaction = self._begin()
        try:
            value = fn(transaction, *args, **kwargs)
            if transaction.failure:
                raise transaction.failure  # noqa: TRY301  # as the stores do
        except BaseException:
            self.rows("ROLLBACK TO service")
            raise
        finally:
            transaction.end()
            self.rows("RELEASE service")
        return value

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry it out."""
        return self.carry_out(fn, *args, **kwargs)

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Look."""
        return self.carry_out(fn, *args, **kwargs)

    @abstractmethod
    async def close(self) -> None:
        """Forget everything."""


class Ground(AnyGround):
    """SQLite in memory."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(str(IN_MEMORY), statementcachesize=512)
        self._connection.pragma("foreign_keys", 1)
        self._statements = load_statements(Dialect.SQLITE)
        for change in load_migrations(Dialect.SQLITE):
            self._connection.execute(change.sql)

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Take back whatever is written in this block."""
        self.rows("SAVEPOINT tried")
        try:
            yield
        finally:
            self.rows("ROLLBACK TO tried")
            self.rows("RELEASE tried")

    def rows(self, sql: str) -> tuple[Any, ...]:
        """Return what a statement of the test's own finds."""
        return tuple(self._connection.execute(sql))

    async def close(self) -> None:
        """Forget everything."""
        self._connection.close()

    def _begin(self) -> SqliteTransaction:
        return SqliteTransaction(self._connection, self._statements, IN_MEMORY)


class PostgresGround(AnyGround):
    """One open transaction over a PostgreSQL database that has its schema and nothing else."""

    def __init__(self, url: str) -> None:
        self._statements = load_statements(Dialect.POSTGRES)
        self._connection = psycopg.connect(**connection_arguments(url))  # type: ignore[arg-type]  # as the store does
        self._connection.execute("SET idle_in_transaction_session_timeout = 0")
        prepare(self._connection)

    def rows(self, sql: str) -> tuple[Any, ...]:
        """Return what a statement of the test's own finds."""
        cursor = self._connection.execute(sql.encode())
        return tuple(cursor.fetchall()) if cursor.description else ()

    async def close(self) -> None:
        """Forget everything."""
        self._connection.rollback()
        self._connection.close()

    def _begin(self) -> PostgresTransaction:
        return PostgresTransaction(self._connection, self._statements)


@contextmanager
def postgres_ground(url: str) -> Iterator[PostgresGround]:
    """Forget everything at the end."""
    ground = PostgresGround(url)
    try:
        yield ground
    finally:
        run_through(ground.close())
