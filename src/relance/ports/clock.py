"""Two kinds of time, never mixed.

`Clock` is the domain's time: stored, compared with due times, and virtual in the sandbox and the forecast.
`Monotonic` is for I/O limits, polls and keep-alives: always real, never something that virtual time jumps to.
"""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The domain's time."""

    def now(self) -> datetime:
        """Return the present instant, aware UTC, never earlier than the last one returned."""
        ...


class Monotonic(Protocol):
    """Real time for waiting on the world."""

    def seconds(self) -> float:
        """Return seconds since an arbitrary start."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after that many real seconds."""
        ...
