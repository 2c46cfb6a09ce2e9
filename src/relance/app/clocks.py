"""The two clocks of a real process: the domain's time, and the time that passes while one waits."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

#: Of real time, while the machine's clock stands behind what was already said. Standing still would be wrong: a mailbox
#: read a moment ago would stay freshly read, and a deadline would never pass, until the machine had caught up.
SLOWEST = 0.5


def _real_seconds() -> float:
    """Return seconds that also pass while the machine sleeps: a lease does not wait for who slept."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _machine_time() -> datetime:
    return datetime.now(UTC)


class SystemClock:
    """Implements `ports.clock.Clock`: the machine's time, or the database's where several hosts share one.

    The database's is sampled once a pass; between two samples a stopwatch goes on, not the machine's clock.
    """

    def __init__(
        self, *, machine: Callable[[], datetime] = _machine_time, seconds: Callable[[], float] = _real_seconds
    ) -> None:
        self._machine = machine
        self._seconds = seconds
        self._followed: tuple[datetime, float] | None = None  #: What another clock showed, and when.
        self._last = machine()
        self._asked = seconds()

    def now(self) -> datetime:
        """Return the present instant: never earlier than the last one, and never the same one for long."""
        asked = self._seconds()
        slowest = self._last + timedelta(seconds=(asked - self._asked) * SLOWEST)
        self._last, self._asked = max(slowest, self._present(asked)), asked
        return self._last

    def _present(self, at: float) -> datetime:
        if self._followed is None:
            return self._machine()
        shown, then = self._followed
        return shown + timedelta(seconds=at - then)

    def correct(self, offset: timedelta) -> None:
        """Follow another clock, which is ahead of the machine's by `offset` now; the machine's counts no more."""
        self._followed = (self._machine() + offset, self._seconds())


class RealMonotonic:
    """Implements `ports.clock.Monotonic`."""

    def seconds(self) -> float:
        """Return seconds since an arbitrary start."""
        return _real_seconds()

    async def sleep(self, seconds: float) -> None:
        """Return after that many real seconds."""
        await asyncio.sleep(seconds)
