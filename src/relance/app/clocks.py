"""The two clocks of a real process: the domain's time, and the time that passes while one waits."""

import asyncio
import time
from datetime import UTC, datetime, timedelta


class SystemClock:
    """Implements `ports.clock.Clock`: the machine's time, or the database's where several hosts share one."""

    def __init__(self) -> None:
        self._offset = timedelta(0)
        self._last = datetime.now(UTC)

    def now(self) -> datetime:
        """Return the present instant, never earlier than the last one returned."""
        self._last = max(self._last, datetime.now(UTC) + self._offset)
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
