"""Throttling: so many tries, and one more each so often; by whatever name one tries.

Rule 1: it is kept in memory and bounded: who is forgotten first has waited longest.
Rule 2: two names count for a login, where it comes from and who is meant, so that neither many addresses guess one
        person's password nor one address everybody's.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

_NAMES_KEPT = 10_000


@dataclass(slots=True, kw_only=True)
class Throttle:
    """A bucket of tries for each name."""

    tries: int  #: At once.
    one_each: timedelta  #: After which one more is allowed.
    #: When each name has all its tries again.
    _full_at: OrderedDict[str, datetime] = field(default_factory=OrderedDict)

    def wait(self, name: str, now: datetime) -> timedelta:
        """Return how long this name has to wait for its next try; zero: it may try now."""
        full_at = self._full_at.get(name, now)
        return max(timedelta(0), full_at - now - self.one_each * (self.tries - 1))

    def took(self, name: str, now: datetime) -> None:
        """Count one try."""
        self._full_at[name] = max(self._full_at.get(name, now), now) + self.one_each
        self._full_at.move_to_end(name)
        while len(self._full_at) > _NAMES_KEPT:
            self._full_at.popitem(last=False)

    def forgive(self, name: str) -> None:
        """Forget the tries of a name that turned out to be right."""
        self._full_at.pop(name, None)
