"""Statements inside one SQLite transaction, and the rule that an error is final for its function.

SQLite would let a function go on after a refused statement, PostgreSQL would not. Here neither does: after the first
StoreError every further statement raises, and the writer undoes the function even if it swallowed the error.
SQLite ends the whole transaction by itself on some errors (disk full, I/O): a statement after that would be committed
alone, so each one looks first.
"""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import apsw

from relance.ports.store import Row, StoreBusyError, StoreError
from relance.storage.parameters import sqlite_parameters
from relance.storage.rows import builder
from relance.storage.sqlite_connection import store_error
from relance.storage.statements import Statement, StatementError

T = TypeVar("T")


class SqliteTransaction:
    """Implements `relance.ports.store.Transaction` over a connection inside BEGIN, until `end` is called."""

    def __init__(
        self,
        connection: apsw.Connection,
        statements: Mapping[str, Statement],
        path: Path,
        *,
        deadline: float | None = None,
    ) -> None:
        self._connection = connection
        self._statements = statements
        self._path = path
        self._deadline = deadline
        self._ended = False
        self.failure: StoreError | None = None

    def one(self, into: type[T], statement: str, /, **params: object) -> T | None:
        """Return the only row, or None."""
        rows = self.all(into, statement, **params)
        if len(rows) > 1:
            raise StatementError(f"{statement} was to find one row at most and found {len(rows)}")
        return rows[0] if rows else None

    def all(self, into: type[T], statement: str, /, **params: object) -> list[T]:
        """Return every row, in the statement's order."""
        found = self._find(statement, params)
        try:
            cursor = self._connection.execute(found.sql, sqlite_parameters(params))
            first = next(cursor, None)
            if first is None:
                return []
            build = found.builders.get(into)
            if build is None:
                build = found.builders[into] = builder(into, [column[0] for column in cursor.get_description()])
            rows = [first, *cursor]
        except apsw.Error as error:
            raise self._fail(error, statement) from error
        return [build(row) for row in rows]

    def run(self, statement: str, /, **params: object) -> int:
        """Run a writing statement and return how many rows it changed."""
        found = self._find(statement, params)
        before = self._connection.total_changes()
        try:
            self._connection.execute(found.sql, sqlite_parameters(params)).close()
        except apsw.Error as error:
            raise self._fail(error, statement) from error
        return self._connection.changes() if self._connection.total_changes() != before else 0

    def many(self, statement: str, rows: Iterable[Row], /) -> None:
        """Run one writing statement for every set of parameters."""
        listed = list(rows)
        if not listed:
            return
        found = self._find(statement, listed[0])
        for row in listed:
            found.check(row)
        try:
            self._connection.executemany(found.sql, [sqlite_parameters(row) for row in listed]).close()
        except apsw.Error as error:
            raise self._fail(error, statement) from error

    def end(self) -> None:
        """Refuse every further statement: the function has returned."""
        self._ended = True

    def _find(self, name: str, params: Mapping[str, object]) -> Statement:
        if self._ended:
            raise StoreError(f"{name} came after its transaction had ended")
        if self.failure:
            raise StoreError(f"{name} came after an error in its transaction: {self.failure}") from self.failure
        if not self._connection.in_transaction:
            self.failure = StoreError(f"{name} came after SQLite had ended the transaction by itself")
            raise self.failure
        if self._deadline is not None and time.monotonic() > self._deadline:
            self.failure = StoreBusyError(f"{name} came when its reading had lasted too long: ask for less at once")
            raise self.failure
        found = self._statements.get(name)
        if found is None:
            raise StatementError(f"there is no statement named {name}")
        found.check(params)
        return found

    def _fail(self, error: apsw.Error, statement: str) -> StoreError:
        self.failure = store_error(error, self._path, statement)
        return self.failure
