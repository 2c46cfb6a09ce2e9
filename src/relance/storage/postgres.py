"""The store over PostgreSQL: plain functions in threads, each in a transaction on a pooled connection.

Rule 1: what was lost before COMMIT was sent did not happen, and is tried again a few times.
Rule 2: what was lost inside COMMIT may have happened: CommitUnknownError, never a second try.
Rule 3: writes are READ COMMITTED and lock rows in the order of their ids; reads are one REPEATABLE READ snapshot.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar, cast

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from relance.ports.faultpoints import reach
from relance.ports.store import (
    CommitUnknownError,
    Reader,
    StoreBusyError,
    StoreUnavailableError,
    Transaction,
)
from relance.storage.postgres_connection import connection_arguments, prepare, store_error
from relance.storage.postgres_transaction import PostgresTransaction
from relance.storage.statements import Dialect, load_statements

T = TypeVar("T")
P = ParamSpec("P")
Connection = psycopg.Connection[tuple[object, ...]]
CONNECTIONS = 8  #: Per process. Work comes in batches: more connections would wait for each other's locks.
TRIES = 3  #: Of one transaction, where the loser of a deadlock or a lost connection changed nothing.
PATIENCE = 15.0  #: Real seconds to wait for a connection.


class PostgresStore:
    """Implements `relance.ports.store.Store`. The database must have its schema (see `relance.storage.opening`)."""

    def __init__(self, url: str, *, connections: int = CONNECTIONS, patience: float = PATIENCE) -> None:
        self._statements = load_statements(Dialect.POSTGRES)
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="relance-postgres")
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            kwargs=connection_arguments(url),
            min_size=1,
            max_size=connections,
            timeout=patience,
            configure=prepare,
            open=True,
            name="relance",
        )
        self._closed = False

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` in one durable transaction, perhaps more than once; cancelling the caller does not undo it."""
        call = functools.partial(self._write, lambda tx: fn(tx, *args, **kwargs), fn)
        return cast("T", await asyncio.shield(self._submit(call)))

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` over one snapshot."""
        call = functools.partial(self._read, lambda reader: fn(reader, *args, **kwargs))
        return cast("T", await self._submit(call))

    async def close(self) -> None:
        """Finish what was accepted and close the connections."""
        self._closed = True
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._threads.shutdown(wait=True)
        self._pool.close()

    def _submit(self, call: Callable[[], object]) -> "asyncio.Future[object]":
        if self._closed:
            raise StoreUnavailableError("The store is closed")
        return asyncio.get_running_loop().run_in_executor(self._threads, call)

    def _write(self, call: Callable[[Transaction], object], named: Callable[..., object]) -> object:
        for left in reversed(range(TRIES)):
            connection = self._connect()
            try:
                return self._write_once(connection, call, named)
            except (StoreBusyError, StoreUnavailableError) as error:
                if left == 0 or not _worth_another_try(connection, error):
                    raise
            finally:
                self._give_back(connection)
        raise AssertionError("the last try returns or raises")  # pragma: no cover - for the type checker

    def _write_once(
        self, connection: Connection, call: Callable[[Transaction], object], named: Callable[..., object]
    ) -> object:
        connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        connection.read_only = False
        transaction = PostgresTransaction(connection, self._statements)
        try:
            value = call(transaction)
            if transaction.failure:
                raise transaction.failure  # noqa: TRY301 - the function swallowed it; it is final all the same
        except BaseException:
            _roll_back(connection)
            raise
        finally:
            transaction.end()
        reach("commit", named, "before")
        try:
            connection.commit()
        except psycopg.Error as error:
            if connection.closed:
                raise CommitUnknownError(f"The connection was lost inside COMMIT ({error}): read again") from error
            _roll_back(connection)
            raise store_error(error, "committing") from error
        reach("commit", named, "after")
        return value

    def _read(self, call: Callable[[Reader], object]) -> object:
        for left in reversed(range(TRIES)):
            connection = self._connect()
            try:
                return self._read_once(connection, call)
            except StoreUnavailableError:
                if left == 0 or not connection.closed:
                    raise
            finally:
                self._give_back(connection)
        raise AssertionError("the last try returns or raises")  # pragma: no cover - for the type checker

    def _read_once(self, connection: Connection, call: Callable[[Reader], object]) -> object:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        transaction = PostgresTransaction(connection, self._statements)
        try:
            value = call(transaction)
            if transaction.failure:
                raise transaction.failure
            # Not a rollback: psycopg forgets with it whatever it has prepared, and everything would be planned anew.
            connection.commit()
        except psycopg.Error as error:
            raise store_error(error, "reading") from error
        finally:
            transaction.end()
            _roll_back(connection)
        return value

    def _connect(self) -> Connection:
        try:
            return self._pool.getconn()
        except PoolTimeout as error:
            raise StoreUnavailableError(
                "PostgreSQL does not answer, or all its connections are taken: look whether it runs, and try again"
            ) from error
        except PoolClosed as error:
            raise StoreUnavailableError("The store is closed") from error
        except psycopg.Error as error:
            raise store_error(error, "connecting") from error

    def _give_back(self, connection: Connection) -> None:
        lost = connection.closed
        self._pool.putconn(connection)
        if lost:
            self._pool.check()  # a server that restarted has broken the others too


def _worth_another_try(connection: Connection, error: StoreBusyError | StoreUnavailableError) -> bool:
    """Nothing was changed. A lost connection or a deadlock is chance; a lock that was waited for is not."""
    if connection.closed:
        return not isinstance(error, StoreBusyError)
    cause = error.__cause__
    return isinstance(cause, psycopg.errors.SerializationFailure | psycopg.errors.DeadlockDetected)


def _roll_back(connection: Connection) -> None:
    if connection.closed or connection.info.transaction_status is TransactionStatus.IDLE:
        return
    try:
        connection.rollback()
    except psycopg.Error:
        connection.close()  # the server rolls back what is lost
