"""A store whose COMMIT is sometimes not heard, so that what was written is written again."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from relance.ports.store import ConflictError, Reader, Store, Transaction
from relance.services.refusals import LostRaceError, NotFoundError, RefusedError

T = TypeVar("T")
P = ParamSpec("P")


class RepeatingStore:
    """Implements `ports.store.Store` over another one. The next `again` writes happen twice."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.again = 0

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write; what is heard is the answer to the last time that went through."""
        heard = await self.inner.write(fn, *args, **kwargs)
        if self.again == 0:
            return heard
        self.again -= 1
        try:
            return await self.inner.write(fn, *args, **kwargs)
        except (LostRaceError, ConflictError, NotFoundError, RefusedError):  # it finds that it was done
            return heard

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Read."""
        return await self.inner.read(fn, *args, **kwargs)

    async def close(self) -> None:
        """Close it."""
        await self.inner.close()
