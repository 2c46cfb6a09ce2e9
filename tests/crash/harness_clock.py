"""The harness's clock: time that stands in a file, survives every kill, and moves only when the harness says so.

Rule 1: the file holds the world's time, by which the servers log and judge, and how far the product's host is off it.
Rule 2: the product reads it through its own `SystemClock`, so that a clock set back meets what production does then.
"""

import mmap
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path

from relance.app.clocks import SystemClock
from relance.sandbox.clock import SandboxClock

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_FORM = struct.Struct("=qq")  #: Microseconds since the epoch, and microseconds that the product's host is ahead.
_ONE = timedelta(microseconds=1)


class WorldClock(SandboxClock):
    """The writing end, in the harness."""

    def __init__(self, path: Path) -> None:
        super().__init__(START)
        self._path = path
        self._ahead = timedelta(0)
        self.host_moved: list[datetime] = []  #: When, by the world's time, the host's clock was set.
        self.move_to(path)

    @property
    def ahead(self) -> timedelta:
        """How far the product's host is ahead of the world."""
        return self._ahead

    def move_to(self, path: Path) -> None:
        """Write into another file from now on: whoever reads the one before sees time stand still."""
        path.write_bytes(_FORM.pack(0, 0))
        with path.open("r+b") as handle:
            self._file = mmap.mmap(handle.fileno(), _FORM.size)
        self._write()

    def begin_anew(self) -> None:
        """Go back to the start, and to the first file, for another run."""
        self._now, self._ahead, self.host_moved = START, timedelta(0), []
        self.move_to(self._path)

    def jump(self, to: datetime) -> None:
        """Move to a later instant."""
        super().jump(to)
        self._write()

    def set_host(self, ahead: timedelta) -> None:
        """Set the product's host's clock this far ahead of the world's time, or behind."""
        self._ahead = ahead
        self.host_moved.append(self.now())
        self._write()

    def _write(self) -> None:
        self._file[:] = _FORM.pack((self._now - _EPOCH) // _ONE, self._ahead // _ONE)


class HostClock:
    """The reading end, in the product's process; implements `ports.clock.Clock`."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as handle:
            self._file = mmap.mmap(handle.fileno(), _FORM.size, access=mmap.ACCESS_READ)
        self._inner = SystemClock(machine=self._machine, seconds=self._seconds)

    def now(self) -> datetime:
        """Return the present instant."""
        return self._inner.now()

    def _machine(self) -> datetime:
        world, ahead = _FORM.unpack(self._file[:])
        return _EPOCH + timedelta(microseconds=world + ahead)

    def _seconds(self) -> float:
        world, _ = _FORM.unpack(self._file[:])
        return float(world) / 1_000_000
