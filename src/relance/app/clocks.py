"""The two clocks of a real process: the domain's time, and the time that passes while one waits."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

#: Of real time, while the machine's clock stands behind what was already said. Standing still would be wrong: a mailbox
#: read a moment ago would stay freshly read, and a deadline would never pass, until the machine had caught up.
SLOWEST = 0.5


def _machine_time() -> datetime:
    return datetime.now(UTC)


class SystemClock:
    """Implements `ports.clock.Clock`: the machine's time, or the database's where several hosts share one."""

    def __init__(
        self, *, machine: Callable[[], datetime] = _machine_time, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._machine = machine
        self._seconds = seconds
        self._offset = timedelta(0)
        self._last = machine()
        self._asked = seconds()

    def now(self) -> datetime:
        """Return the present instant: never earlier than the last one, and never the same one for long."""
        asked = self._seconds()
        slowest = self._last + timedelta(seconds=(asked - self._asked) * SLOWEST)
        self._last, self._asked = max(slowest, self._machine() + self._offset), asked
        return self._last

    def correct(self, offset: timedelta) -> None:
        """Follow another clock, which is ahead of the machine's by `offset`."""
        self._offset = offset


class RealMonotonic:
    """Implements `ports.clock.Monotonic`."""

    def seconds(self) -> float:
        """Return seconds since an arbitrary start."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after that many real seconds."""
        await asyncio.sleep(seconds)
