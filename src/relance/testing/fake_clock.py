"""Two kinds of time for tests, both still until somebody moves them.

`FakeClock` is the domain's time; `FakeMonotonic` is the time for patience and back-off, whose sleepers wake when it
moves past them. Nothing here waits.
"""

import asyncio
from datetime import UTC, datetime, timedelta

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)  #: A Monday morning on which nobody has a holiday.


class FakeClock:
    """Implements `ports.clock.Clock`."""

    def __init__(self, now: datetime = MONDAY) -> None:
        self._now = now

    def now(self) -> datetime:
        """Return the instant it stands at."""
        return self._now

    def advance(self, by: timedelta) -> datetime:
        """Move on and return the new instant. Raises ValueError for a step back: the domain's time never takes one."""
        if by < timedelta(0):
            raise ValueError(f"a clock does not go back by {-by}")
        self._now += by
        return self._now

    def jump(self, to: datetime) -> None:
        """Move on to an instant; one that has passed leaves it where it is."""
        self._now = max(self._now, to)


class FakeMonotonic:
    """Implements `ports.clock.Monotonic`. `advance` wakes whoever has slept long enough, in order."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def seconds(self) -> float:
        """Return the seconds it stands at."""
        return self._seconds

    async def sleep(self, seconds: float) -> None:
        """Return once it was moved that far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._seconds + seconds, waiter))
        await waiter

    @property
    def sleepers(self) -> tuple[float, ...]:
        """Seconds until each sleeper wakes, the next one first."""
        return tuple(sorted(at - self._seconds for at, waiter in self._sleepers if not waiter.done()))

    def advance(self, seconds: float) -> None:
        """Move on, and wake who was to sleep no longer than that."""
        self._seconds += seconds
        due = sorted((s for s in self._sleepers if s[0] <= self._seconds), key=lambda sleeper: sleeper[0])
        self._sleepers = [s for s in self._sleepers if s[0] > self._seconds]
        for _, waiter in due:
            if not waiter.done():
                waiter.set_result(None)
