"""Where state lives: transactions over named statements.

A service is a plain function `fn(tx, …)`. `Store.write` runs it inside one durable transaction, `Store.read` inside
a read-only one. Statements are named `noun.verb_phrase` and stand in `storage/queries/noun.sql`; parameters are
plain values: str, int, float, bytes, bool, None, aware UTC datetime, date, StrEnum, and (stored as JSON) tuple,
list, frozenset or mapping. A parameter named `…_list` is an array for `json_each`/`unnest`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Concatenate, ParamSpec, Protocol, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
Row = Mapping[str, object]


class StoreError(Exception):
    """The state could not be read or written; the sentence says what to do."""


class StoreBusyError(StoreError):
    """Another process holds what was needed. Try again; nothing was changed."""


class StoreUnavailableError(StoreError):
    """The database cannot be reached, or the disk is full or read-only. Nothing was changed."""


class CommitUnknownError(StoreError):
    """The connection was lost inside COMMIT: the writes may or may not be there.

    Where `begin` ends so, nothing is released and the row is read anew; where `confirm` does, it is applied once more.
    """


class ConflictError(StoreError):
    """A UNIQUE, CHECK or foreign key constraint refused the write. Read again and decide again."""


class SchemaError(StoreError):
    """The database's schema is newer than this program, or its migrations were changed."""


class Reader(Protocol):
    """Reads inside one transaction."""

    def one(self, into: type[T], statement: str, /, **params: object) -> T | None:
        """Return the only row as a value of type `into`, or None. More than one row is an error.

        `into` is a frozen dataclass whose fields are the columns, or a scalar type for a one-column row.
        """
        ...

    def all(self, into: type[T], statement: str, /, **params: object) -> list[T]:
        """Return every row as values of type `into`, in the statement's order."""
        ...


class Transaction(Reader, Protocol):
    """Reads and writes that become durable together, or not at all."""

    def run(self, statement: str, /, **params: object) -> int:
        """Run a writing statement and return how many rows it changed."""
        ...

    def many(self, statement: str, rows: Iterable[Row], /) -> None:
        """Run one writing statement for every set of parameters."""
        ...


class Store(Protocol):
    """One installation's state."""

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` in one durable transaction and return its result once it is committed.

        Shielded from cancellation. An exception from `fn` rolls its own writes back and reaches the caller alone.
        Raises StoreError and its kinds.
        """
        ...

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` over one consistent snapshot that includes every write this process was told is committed."""
        ...

    async def close(self) -> None:
        """Finish what was accepted and let go of the database."""
        ...
