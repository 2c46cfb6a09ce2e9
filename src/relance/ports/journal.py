"""A second memory outside the database, for what must survive a restored backup: who opted out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class OptOut:
    """One line: a keyed hash, never an address."""

    at: datetime
    workspace_uid: str
    digest: str
    reason: str  #: One word, such as `unsubscribed`.


class OptOutJournal(Protocol):
    """Append-only."""

    def append(self, entries: Iterable[OptOut]) -> None:
        """Write and make durable. Raises StoreUnavailableError; nothing counts then, appending again is harmless."""
        ...

    def entries(self) -> Iterator[OptOut]:
        """Yield every whole line, oldest first; none if there is nothing yet."""
        ...
