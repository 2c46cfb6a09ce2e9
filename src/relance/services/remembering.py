"""A reader that asks for the same thing once: for reports whose parts all look at mailboxes and sequences."""

from typing import TypeVar, cast

from relance.ports.store import Reader

T = TypeVar("T")


class Remembering:
    """Implements `ports.store.Reader` over one snapshot, in which nothing changes."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[type, str, object], list[object]] = {}

    def one(self, into: type[T], statement: str, /, **params: object) -> T | None:
        """Return the only row, or None."""
        return self._reader.one(into, statement, **params)

    def all(self, into: type[T], statement: str, /, **params: object) -> list[T]:
        """Return every row; lists of what a workspace has are read once."""
        if params.keys() != {"workspace_id"}:
            return self._reader.all(into, statement, **params)
        key = into, statement, params["workspace_id"]
        if key not in self._known:
            self._known[key] = cast("list[object]", self._reader.all(into, statement, **params))
        return cast("list[T]", self._known[key])
