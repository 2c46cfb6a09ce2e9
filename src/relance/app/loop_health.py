"""How the loops of a running engine do, in a file beside its lock: `relance doctor` is another process.

Rule 1: the file is written whole, or not at all; one that cannot be written is a warning in the log, and no more.
Rule 2: it names its engine and its time, so that what a dead engine left behind is not taken for news.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from relance.engine.supervisor import Health

#: The report lies beside the engine's lock, under the same name.
HEALTH_SUFFIX = ".health"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    """What an engine last said of its loops."""

    worker: str
    at: datetime
    loops: tuple[Health, ...]


def write_health(path: Path, loops: Sequence[Health], *, worker: str, at: datetime) -> None:
    """Replace the report at `path`. Raises OSError."""
    report = {"worker": worker, "at": at.isoformat(), "loops": [asdict(one) for one in loops]}
    fresh = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(report, file)
    fresh.replace(path)


def reports_of(data: Path) -> list[HealthReport]:
    """Return what the engines of a data directory last said, those that are gone among them."""
    found = (read_health(path) for path in sorted(data.glob(f"engine*{HEALTH_SUFFIX}")))
    return [report for report in found if report is not None]


def read_health(path: Path) -> HealthReport | None:
    """Return the report at `path`, or None where there is none that can be read."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        loops = tuple(Health(**one) for one in report["loops"])
        return HealthReport(worker=str(report["worker"]), at=datetime.fromisoformat(report["at"]), loops=loops)
    except (OSError, ValueError, KeyError, TypeError):
        return None
