"""Statements inside one PostgreSQL transaction. An error is final for its function, as it is for the server."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import psycopg

from relance.ports.store import Row, StoreError
from relance.storage.parameters import postgres_parameters
from relance.storage.postgres_connection import store_error
from relance.storage.rows import builder
from relance.storage.statements import Statement, StatementError

T = TypeVar("T")


class PostgresTransaction:
    """Implements `relance.ports.store.Transaction` over a connection, until `end` is called."""

    def __init__(
        self,
        connection: "psycopg.Connection[tuple[object, ...]]",
        statements: Mapping[str, Statement],
    ) -> None:
        self._connection = connection
        self._statements = statements
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
            cursor = self._connection.execute(found.sql, postgres_parameters(params))
            rows = cursor.fetchall()
            build = found.builders.get(into)
            if build is None:
                build = found.builders[into] = builder(into, [column.name for column in cursor.description or ()])
        except psycopg.Error as error:
            raise self._fail(error, statement) from error
        return [build(row) for row in rows]

    def run(self, statement: str, /, **params: object) -> int:
        """Run a writing statement and return how many rows it changed."""
        found = self._find(statement, params)
        try:
            return max(self._connection.execute(found.sql, postgres_parameters(params)).rowcount, 0)
        except psycopg.Error as error:
            raise self._fail(error, statement) from error

    def many(self, statement: str, rows: Iterable[Row], /) -> None:
        """Run one writing statement for every set of parameters, in one pipeline."""
        listed = list(rows)
        if not listed:
            return
        found = self._find(statement, listed[0])
        for row in listed:
            found.check(row)
        try:
            with self._connection.cursor() as cursor:
                cursor.executemany(found.sql, [postgres_parameters(row) for row in listed])
        except psycopg.Error as error:
            raise self._fail(error, statement) from error

    def end(self) -> None:
        """Refuse every further statement: the function has returned."""
        self._ended = True

    def _find(self, name: str, params: Mapping[str, object]) -> Statement:
        if self._ended:
            raise StoreError(f"{name} came after its transaction had ended")
        if self.failure:
            raise StoreError(f"{name} came after an error in its transaction: {self.failure}") from self.failure
        found = self._statements.get(name)
        if found is None:
            raise StatementError(f"there is no statement named {name}")
        found.check(params)
        return found

    def _fail(self, error: psycopg.Error, statement: str) -> StoreError:
        self.failure = store_error(error, statement)
        return self.failure
