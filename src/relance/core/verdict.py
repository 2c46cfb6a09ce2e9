"""What a gate can say. Outcomes are types, read with `match`."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from relance.core.enrollment import EnrollmentStatus, StopReason


class Holds(StrEnum):
    """Whose gate it is, hence where its reason and its `until` are written."""

    LEAD = "lead"  #: On the enrollment's own row.
    MAILBOX = "mailbox"  #: Once on the mailbox.
    SEQUENCE = "sequence"  #: Once on the sequence.
    WORKSPACE = "workspace"  #: Once on the workspace.
    NEW_LEADS = "new_leads"  #: Once on the sequence, for first messages only.


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """This gate has nothing against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defer:
    """Not now. `until` is the next time that it could be yes."""

    until: datetime
    reason: str  #: Skip reason, a snake_case word such as `window` or `daily_cap`.
    holds: Holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Never: the enrollment ends in this status."""

    status: EnrollmentStatus
    reason: StopReason | None
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """The world moved: someone else acts on it, or it is not what it was woken for. Touch nothing."""

    reason: str


Verdict = Pass | Defer | Stop | Leave
PASS = Pass()


def lead_waits(reason: str, *, until: datetime) -> Defer:
    """Return a deferral that is the lead's own, and is written to its row."""
    return Defer(until=until, reason=reason, holds=Holds.LEAD)
