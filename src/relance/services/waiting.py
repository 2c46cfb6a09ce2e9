"""Why the people of a sequence wait: by step and reason, of so many as a page can look at.

Rule 1: a read costs the same however many wait; beyond `MOST` of a status it says that it looked at a part.
Rule 2: a reason that many share (a mailbox's cap, a rest of the sequence) stands once, where it belongs, and is joined.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from relance.core.enrollment import EnrollmentStatus
from relance.core.mailbox import MailboxStatus
from relance.core.sequence import Sequence
from relance.ports.store import Reader

MOST: Final = 500  #: People of each status who are looked at.
_LOOKED_AT: Final = (EnrollmentStatus.ACTIVE, EnrollmentStatus.WAITING, EnrollmentStatus.HELD, EnrollmentStatus.PAUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    step: str
    hold_reason: str | None
    own: str | None  #: Its own skip reason, while it lasts.
    mailbox_status: MailboxStatus | None
    mailbox_reason: str | None  #: Its mailbox's, while it lasts.
    due: bool
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """People of one step who wait for the same."""

    step: str
    reason: str  #: A skip or hold reason, `not_due`, `ready` or `paused`.
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Why people wait."""

    groups: tuple[Group, ...]  #: The largest first.
    sampled: bool  #: There are more than were looked at.
    shared: str | None  #: A reason that concerns the whole sequence or workspace.
    until: datetime | None  #: When that ends.

    def at(self, step: str) -> tuple[Group, ...]:
        """Return the reasons at one step."""
        return tuple(group for group in self.groups if group.step == step)


def reasons(reader: Reader, *, workspace_id: int, sequence_id: int, now: datetime) -> Waiting:
    """Return why the people of a sequence wait."""
    found: Counter[tuple[str, str]] = Counter()
    sampled = False
    for status in _LOOKED_AT:
        rows = reader.all(
            _Row,
            "enrollments.why_waiting",
            workspace_id=workspace_id,
            sequence_id=sequence_id,
            status=status,
            now=now,
            limit=MOST,
        )
        sampled = sampled or sum(row.people for row in rows) >= MOST
        for row in rows:
            found[row.step, _reason(status, row)] += row.people
    sequence = reader.one(Sequence, "sequences.get", workspace_id=workspace_id, id=sequence_id)
    rests = sequence is not None and sequence.skip_until is not None and sequence.skip_until > now
    return Waiting(
        groups=tuple(Group(step=step, reason=reason, people=people) for (step, reason), people in found.most_common()),
        sampled=sampled,
        shared=sequence.last_skip_reason if sequence is not None and rests else None,
        until=sequence.skip_until if sequence is not None and rests else None,
    )


def _reason(status: EnrollmentStatus, row: _Row) -> str:
    if status is EnrollmentStatus.HELD:
        return row.hold_reason or "held"
    if status is EnrollmentStatus.PAUSED:
        return "paused"
    if not row.due:
        return "not_due"
    if row.own is not None:
        return row.own
    if row.mailbox_status is not None and row.mailbox_status is not MailboxStatus.ACTIVE:
        return f"mailbox_{row.mailbox_status}"
    return row.mailbox_reason or "ready"
