"""One thing that ought to move and does not."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """What it is, which one, since when, and what to do."""

    kind: str
    subject: str
    since: datetime | None
    remedy: str
