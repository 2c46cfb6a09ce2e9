"""The one thread that writes to a SQLite file, and its group commit.

Rule 1: what is waiting goes into one durable transaction, each function in its own savepoint.
Rule 2: a function that fails loses its own writes and hurts nobody else.
Rule 3: after any error the writer looks whether the transaction still stands; if not, the whole group has failed.
Rule 4: nobody is told of success before COMMIT has returned, with the WAL synced to the disk.
"""

import asyncio
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import apsw

from relance.ports.faultpoints import reach
from relance.ports.store import CommitUnknownError, StoreError, StoreUnavailableError, Transaction
from relance.storage.sqlite_connection import store_error
from relance.storage.sqlite_transaction import SqliteTransaction
from relance.storage.statements import Statement

GROUP_LIMIT = 256  #: Functions in one COMMIT at most, so that nobody waits long for a turn.
CLOSED = "The store is closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A function to run over a transaction, and whom to tell; `named` is what it is called where it came from."""

    call: Callable[[Transaction], object]
    named: Callable[..., object]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[object]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failed:
    error: BaseException


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lost:
    """The transaction is gone, and with it the group."""

    error: BaseException


_Outcome = _Done | _Failed


class SqliteWriter:
    """Owns the writing connection. `submit` may be called from any thread's event loop."""

    def __init__(self, connection: apsw.Connection, statements: Mapping[str, Statement], path: Path) -> None:
        self._connection = connection
        self._statements = statements
        self._path = path
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="relance-sqlite-writer", daemon=True)
        self._thread.start()

    def submit(self, call: Callable[[Transaction], object], named: Callable[..., object]) -> "asyncio.Future[object]":
        """Queue a function; the future resolves once its group is durable. Raises StoreUnavailableError if closed."""
        loop = asyncio.get_running_loop()
        job = Job(call=call, named=named, loop=loop, future=loop.create_future())
        with self._gate:
            if self._closed:
                raise StoreUnavailableError(CLOSED)
            self._queue.put(job)
        return job.future

    def close(self) -> None:
        """Commit everything that was submitted, then let go of the file. Blocks."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        waiting = self._queue.get()
        while waiting is not None:
            jobs = [waiting]
            waiting = None
            closing = False
            while len(jobs) < GROUP_LIMIT and not self._queue.empty():
                following = self._queue.get()
                if following is None:
                    closing = True
                    break
                jobs.append(following)
            while jobs:
                jobs = self._commit_group(jobs)
            if not closing:
                waiting = self._queue.get()
        self._connection.close()

    def _commit_group(self, jobs: list[Job]) -> list[Job]:
        """Run and commit one group, tell everybody in it, and return the jobs that were not reached."""
        outcomes: list[tuple[Job, _Outcome]] = []
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for position, job in enumerate(jobs):
                outcome = self._run_one(job)
                if isinstance(outcome, _Lost):
                    lost = [(done, self._also_lost(result, outcome)) for done, result in outcomes]
                    _tell([*lost, (job, _Failed(error=outcome.error))])
                    return jobs[position + 1 :]
                outcomes.append((job, outcome))
        except BaseException as error:  # noqa: BLE001 - this thread outlives everything; the waiting ones are told
            self._abandon()
            told = store_error(error, self._path, "starting a write") if isinstance(error, apsw.Error) else error
            _tell([(job, _Failed(error=told)) for job in jobs])
            return []
        _reach(jobs, "before")
        failure = self._commit()
        _reach(jobs, "after")
        if failure is None:
            _tell(outcomes)
        else:
            _tell([(job, o if isinstance(o, _Failed) else _Failed(error=failure)) for job, o in outcomes])
        return []

    def _run_one(self, job: Job) -> _Outcome | _Lost:
        self._connection.execute("SAVEPOINT one")
        transaction = SqliteTransaction(self._connection, self._statements, self._path)
        try:
            value = job.call(transaction)
            if transaction.failure:
                raise transaction.failure  # noqa: TRY301 - the function swallowed it; it is final all the same
        except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to its caller and to nobody else
            transaction.end()
            if not self._undo_one():
                return _Lost(error=error if isinstance(error, StoreError) else transaction.failure or error)
            return _Failed(error=error)
        transaction.end()
        if not self._connection.in_transaction:
            return _Lost(error=StoreError("SQLite ended the transaction by itself; nothing was changed"))
        self._connection.execute("RELEASE one")
        return _Done(value=value)

    def _undo_one(self) -> bool:
        """Take back one function's writes; False if the transaction is gone."""
        if not self._connection.in_transaction:
            return False
        try:
            self._connection.execute("ROLLBACK TO one")
            self._connection.execute("RELEASE one")
        except apsw.Error:
            self._abandon()
        return bool(self._connection.in_transaction)

    def _commit(self) -> StoreError | None:
        try:
            self._connection.execute("COMMIT")
        except apsw.IOError as error:
            # The frames may have reached the disk without their sync: after a crash they could be found.
            self._abandon()
            return CommitUnknownError(f"The disk of {self._path} failed inside COMMIT ({error}): read again")
        except apsw.Error as error:
            self._abandon()
            return store_error(error, self._path, "committing")
        return None

    def _abandon(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _also_lost(self, outcome: _Outcome, lost: _Lost) -> _Outcome:
        if isinstance(outcome, _Failed):
            return outcome
        reason = StoreUnavailableError(f"Undone together with another write that failed: {lost.error}")
        reason.__cause__ = lost.error
        return _Failed(error=reason)


def _reach(jobs: list[Job], moment: str) -> None:
    for job in jobs:
        reach("commit", job.named, moment)


def _tell(outcomes: list[tuple[Job, _Outcome]]) -> None:
    """Resolve futures, with one wake-up per event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Job, _Outcome]]] = {}
    for job, outcome in outcomes:
        by_loop.setdefault(job.loop, []).append((job, outcome))
    for loop, told in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, told)
        except RuntimeError:
            continue  # that loop is closed: nobody waits any more, and the writes stand


def _resolve(told: list[tuple[Job, _Outcome]]) -> None:
    for job, outcome in told:
        if job.future.done():
            continue
        match outcome:
            case _Done(value=value):
                job.future.set_result(value)
            case _Failed(error=StopIteration() as error):
                job.future.set_exception(RuntimeError(f"a transaction's function raised {error!r}"))
            case _Failed(error=error):
                job.future.set_exception(error)
