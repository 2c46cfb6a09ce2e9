"""The store over one SQLite file: one writer thread with group commit, and readers beside it."""

import asyncio
import functools
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

import apsw

from relance.ports.store import Reader, StoreUnavailableError, Transaction
from relance.storage.sqlite_connection import PATIENCE, READER, connect, store_error
from relance.storage.sqlite_transaction import SqliteTransaction
from relance.storage.sqlite_writer import CLOSED, SqliteWriter
from relance.storage.statements import Dialect, load_statements

T = TypeVar("T")
P = ParamSpec("P")
READERS = 4  #: Threads that read, each with a connection of its own.
READ_LIMIT = 10.0  #: Real seconds one reading may last: until it ends, no checkpoint can pass its snapshot.
_STEPS_BETWEEN_LOOKS = 20_000  #: Virtual-machine steps after which a long statement looks at the limit.


class SqliteStore:
    """Implements `relance.ports.store.Store`. The file must have its schema (see `relance.storage.opening`)."""

    def __init__(
        self,
        path: Path,
        *,
        read_limit: float = READ_LIMIT,
        patience: float = PATIENCE,
        vfs: str | None = None,
        shared: int | None = None,
    ) -> None:
        """Open it. `shared`: a handle that says that it is in use, which is closed with it."""
        self._shared = shared
        self._path = path
        self._vfs = vfs
        self._read_limit = read_limit
        self._statements = load_statements(Dialect.SQLITE)
        self._writer = SqliteWriter(connect(path, patience=patience, vfs=vfs), self._statements, path)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="relance-sqlite-reader")
        self._local = threading.local()
        self._open: list[apsw.Connection] = []
        self._closed = False

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` in one durable transaction; cancelling the caller does not undo it."""
        return cast("T", await asyncio.shield(self._writer.submit(lambda tx: fn(tx, *args, **kwargs), fn)))

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` over one snapshot, for at most the read limit."""
        if self._closed:
            raise StoreUnavailableError(CLOSED)
        call = functools.partial(self._read, lambda reader: fn(reader, *args, **kwargs))
        return cast("T", await asyncio.get_running_loop().run_in_executor(self._readers, call))

    async def close(self) -> None:
        """Commit what was accepted, end the readers, and let go of the file."""
        self._closed = True
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._readers.shutdown(wait=True)
        while self._open:
            self._open.pop().close()
        self._writer.close()
        if self._shared is not None:
            os.close(self._shared)
            self._shared = None

    def _read(self, call: Callable[[Reader], object]) -> object:
        deadline = time.monotonic() + self._read_limit
        try:
            connection = self._reader()
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_BETWEEN_LOOKS)
            connection.execute("BEGIN")
        except apsw.Error as error:
            raise store_error(error, self._path, "starting a read") from error
        transaction = SqliteTransaction(connection, self._statements, self._path, deadline=deadline)
        try:
            value = call(transaction)
            if transaction.failure:
                raise transaction.failure
            return value
        finally:
            transaction.end()
            connection.set_progress_handler(None)
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _reader(self) -> apsw.Connection:
        found = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = connect(self._path, flags=READER, vfs=self._vfs)
            self._open.append(found)
        return cast("apsw.Connection", found)
