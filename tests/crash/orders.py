"""What the harness tells a process, and what a process tells the harness: one JSON object a line over a Unix socket.

Rule 1: a process that is about to be killed or stopped at a place says so first, from whatever thread it is in.
Rule 2: time moves only between `rest` and `jumped`, or while the harness has the process stopped.
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from crash.plan import At


class What(StrEnum):
    """What to do at a place."""

    KILL = "kill"  #: SIGKILL.
    STOP = "stop"  #: SIGSTOP, until the harness sends SIGCONT.
    CUT = "cut"  #: SIGSTOP, until the harness has ended all connections of the database.
    RESTART = "restart"  #: SIGSTOP, until the harness has killed the database server and it has recovered.


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """Something to do at a place."""

    at: At
    what: What


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How one process shall live."""

    control: str  #: Path of the harness's socket.
    clock: str  #: Path of the clock's file.
    data: str
    database_url: str | None = None
    lease: float = 1.0  #: Real seconds.
    shares: bool = False  #: With others, so that having a part of the shards is no reason to wait for the rest.
    traps: tuple[Trap, ...] = ()
    record: bool = False  #: Tell every place in the end.
    without: tuple[str, ...] = ()
    poison: bool = False
    full_disk: tuple[int, int] | None = None

    def __str__(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` wrote."""
        facts: dict[str, Any] = json.loads(text)
        facts["traps"] = tuple(Trap(at=At(**each["at"]), what=What(each["what"])) for each in facts["traps"])
        facts["without"] = tuple(facts["without"])
        facts["full_disk"] = tuple(facts["full_disk"]) if facts["full_disk"] else None
        return cls(**facts)
