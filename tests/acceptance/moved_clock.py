"""The product and its servers on machines whose clocks a test sets ahead together: an hour's wait takes a moment.

Run as a program it is `relance` on such a machine: its first argument is the file that says how far ahead.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from relance.cli.main import run
from relance.sandbox.clock import SandboxClock


class MovedClock(SandboxClock):
    """Real time, and so many seconds more as stand in a file; implements `ports.clock.Clock`."""

    def __init__(self, path: Path) -> None:
        super().__init__(datetime.now(UTC))  # noqa: TID251 - real time goes on here
        self._path = path

    def now(self) -> datetime:
        """Return the present instant."""
        ahead = float(self._path.read_text("ascii")) if self._path.exists() else 0.0
        return datetime.now(UTC) + timedelta(seconds=ahead)  # noqa: TID251 - as above

    @property
    def command(self) -> list[str | Path]:
        """How to call the product on a machine with this clock."""
        return [sys.executable, Path(__file__), self._path]

    def jump(self, to: datetime) -> None:
        """Set every machine's clock to a later instant."""
        ahead = (to - datetime.now(UTC)).total_seconds()  # noqa: TID251 - as above
        new = self._path.with_suffix(".new")
        new.write_text(f"{ahead:.6f}", "ascii")
        new.replace(self._path)


if __name__ == "__main__":
    sys.exit(run(sys.argv[2:], clock=MovedClock(Path(sys.argv[1]))))
