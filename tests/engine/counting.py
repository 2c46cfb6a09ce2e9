"""A store that counts which statements are run, so that a test can say what something costs."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Concatenate, ParamSpec, TypeVar

from relance.ports.store import Reader, Row, Store, Transaction

T = TypeVar("T")
P = ParamSpec("P")


class _Counted:
    def __init__(self, inner: Transaction, counts: Counter[str], rows: Counter[str]) -> None:
        self._inner = inner
        self._counts = counts
        self._rows = rows

    def one(self, into: type[T], statement: str, /, **params: object) -> T | None:
        self._counts[statement] += 1
        found = self._inner.one(into, statement, **params)
        self._rows[statement] += found is not None
        return found

    def all(self, into: type[T], statement: str, /, **params: object) -> list[T]:
        self._counts[statement] += 1
        found = self._inner.all(into, statement, **params)
        self._rows[statement] += len(found)
        return found

    def run(self, statement: str, /, **params: object) -> int:
        self._counts[statement] += 1
        changed = self._inner.run(statement, **params)
        self._rows[statement] += changed
        return changed

    def many(self, statement: str, rows: Iterable[Row], /) -> None:
        self._counts[statement] += 1
        self._inner.many(statement, rows)


class CountingStore:
    """Wraps a store. `counts`: by statement, how often it was run; `rows`: how many rows it gave or changed."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.counts: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()

    def forget(self) -> None:
        """Begin to count anew."""
        self.counts.clear()
        self.rows.clear()

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write, and count."""

        def counted(tx: Transaction) -> T:
            return fn(_Counted(tx, self.counts, self.rows), *args, **kwargs)

        return await self.inner.write(counted)

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Read, and count."""

        def counted(reader: Reader) -> T:
            return fn(_Counted(reader, self.counts, self.rows), *args, **kwargs)  # type: ignore[arg-type]  # reads only

        return await self.inner.read(counted)

    async def close(self) -> None:
        """Close what it wraps."""
        await self.inner.close()
