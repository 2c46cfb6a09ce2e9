"""A store that fails where a test says so: before a write, or in its COMMIT, with the write done or not.

It wraps a real store; what is not scripted passes through.
"""

from collections import defaultdict, deque
from collections.abc import Callable
from enum import StrEnum
from typing import Concatenate, ParamSpec, TypeVar

from relance.ports.store import CommitUnknownError, Reader, Store, StoreError, StoreUnavailableError, Transaction

T = TypeVar("T")
P = ParamSpec("P")


class Failure(StrEnum):
    """How one write fails."""

    DOWN = "down"  #: The database cannot be reached; nothing was changed.
    REFUSED = "refused"  #: The database does not take these values, whenever it is asked; nothing was changed.
    COMMIT_DONE = "commit_done"  #: The connection was lost inside COMMIT, and the write is there.
    COMMIT_UNDONE = "commit_undone"  #: The connection was lost inside COMMIT, and the write is not there.


class FaultyStore:
    """Implements `ports.store.Store`. `fail("confirm", …)` lets the next writes of the service of that name fail."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.down = False
        self.writes: list[str] = []  #: Names of the services that wrote, in order, failures included.
        self._scripts: defaultdict[str, deque[Failure]] = defaultdict(deque)

    def fail(self, service: str, *failures: Failure) -> None:
        """Let the next writes of a service meet these, one each."""
        self._scripts[service].extend(failures)

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write, or fail as scripted."""
        name = getattr(fn, "__name__", "write")
        self.writes.append(name)
        if self.down:
            raise StoreUnavailableError("the database was taken away")
        match self._scripts[name].popleft() if self._scripts[name] else None:
            case Failure.DOWN:
                raise StoreUnavailableError("the database does not answer")
            case Failure.REFUSED:
                raise StoreError("a value is out of range")
            case Failure.COMMIT_DONE:
                await self.inner.write(fn, *args, **kwargs)
                raise CommitUnknownError("the connection was lost inside COMMIT")
            case Failure.COMMIT_UNDONE:
                raise CommitUnknownError("the connection was lost inside COMMIT")
            case None:
                return await self.inner.write(fn, *args, **kwargs)

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Read, unless the database was taken away."""
        if self.down:
            raise StoreUnavailableError("the database was taken away")
        return await self.inner.read(fn, *args, **kwargs)

    async def close(self) -> None:
        """Close what it wraps."""
        await self.inner.close()
