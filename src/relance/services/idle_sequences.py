"""Live sequences that send nothing, though people are in them and they are meant to: the part of `stuck` about them.

Rule 1: a limit that is over by itself (a cap, a gap, a window that opens again) is no standstill.
Rule 2: hours that are the same for everyone are worked out here, whether or not an engine has met them; hours that are
        the lead's own are known by the reason that a gate has written on the lead.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from relance.core import calendar, explaining
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.pacing import cap_today
from relance.core.sequence import Delivery, Plan, Sequence, SequenceStatus
from relance.core.workday import meets, workday_of
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services.dispatching import mailboxes_of
from relance.services.situations import plan_of, quiet_hours_of, workspace_of
from relance.services.standstill import Stuck

#: Statuses of a mailbox that sends, or will by itself.
_SENDS = frozenset({MailboxStatus.ACTIVE, MailboxStatus.RECOVERING})
#: Hours that never come, and what to do: for the whole sequence, or for some of its leads.
_NEVER = {
    "window_never_opens": "holidays and blackout dates leave no hour; publish it with another window",
    "quiet_hours_cover_window": (
        "quiet hours cover all that its window opens; publish it with other hours, or change the workspace's with "
        "`relance workspace set --quiet-hours`"
    ),
    "workday_misses_window": (
        "no mailbox of it works while its window is open; `relance mailbox set ADDRESS --workday`, or publish it with "
        "another window"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _PutOff:
    reason: str
    number: int
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """A live sequence that sends nothing for a reason that does not pass."""

    sequence: Sequence
    why: str
    first: bool = False  #: Whether that keeps back whoever walks its version and was not written to yet.
    follow_ups: bool = False  #: Whether it keeps back those who were.

    def keeps_back(self, row: Enrollment) -> bool:
        """Whether this is why a person waits to be written to."""
        walks = (row.sequence_id, row.version) == (self.sequence.id, self.sequence.version)
        return walks and (self.first if row.last_sent_at is None else self.follow_ups)


def idle(reader: Reader, workspace_id: int, now: datetime) -> list[Idle]:
    """Return live sequences that send nothing, though people are in them and they are meant to."""
    workspace = workspace_of(reader, workspace_id)
    boxes = reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id)
    states = {box.id: never_sends(box, workspace, now) for box in boxes}
    found = (_idle(reader, workspace, sequence, states, now) for sequence in _sending(reader, workspace_id))
    return [one for one in found if one is not None]


def standing(reader: Reader, workspace_id: int, found: list[Idle], now: datetime) -> list[Stuck]:
    """Name what was found, and the other live sequences that send nothing to some of their people."""
    whole = {one.sequence.id: one for one in found}
    stuck = []
    for sequence in _sending(reader, workspace_id):
        if sequence.id in whole:
            why = whole[sequence.id].why
            stuck.append(Stuck(kind="sequence", subject=sequence.name, since=sequence.last_served_at, remedy=why))
        else:
            stuck += _some_wait_for_ever(reader, sequence, now)
    return stuck


def _sending(reader: Reader, workspace_id: int) -> Iterator[Sequence]:
    """Yield live sequences that do not only record."""
    for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id):
        if sequence.status is SequenceStatus.LIVE:
            plan = plan_of(reader, workspace_id, sequence.id, sequence.version)
            if plan.delivery is Delivery.SEND:
                yield sequence


def _idle(
    reader: Reader, workspace: Workspace, sequence: Sequence, states: Mapping[int, str | None], now: datetime
) -> Idle | None:
    plan = plan_of(reader, workspace.id, sequence.id, sequence.version)
    boxes = mailboxes_of(reader, workspace.id, plan)
    if not boxes:
        where = f"pool {plan.pool!r} is empty" if plan.pool else "none of its mailboxes is connected"
        why = f"no_mailbox: {where}; connect one with `relance mailbox add`"
        return Idle(sequence=sequence, why=why)
    ids = {"workspace_id": workspace.id, "sequence_id": sequence.id}
    if reader.one(int, "enrollments.any_due_in", **ids, now=now) is None:
        return None
    sending = [box for box in boxes if states[box.id] is None]
    if not sending:
        told = ", ".join(sorted({state for box in boxes if (state := states[box.id]) is not None}))
        why = f"none of its mailboxes sends ({told}); `relance mailbox resume`, `check` or `set` one of them"
        return Idle(sequence=sequence, why=why)
    if plan.daily_cap == 0:
        return Idle(sequence=sequence, why="its daily_cap is 0; publish it with another", first=True, follow_ups=True)
    if plan.max_new_per_day == 0 and reader.one(int, "enrollments.any_new_due_in", **ids, now=now) is not None:
        why = "its max_new_per_day is 0, so that nobody is written to first; publish it with another"
        return Idle(sequence=sequence, why=why, first=True)
    reasons = {_never(plan, workspace, box, now) for box in sending}
    if None in reasons:
        return None
    reason = min(reason for reason in reasons if reason is not None)
    return Idle(sequence=sequence, why=f"{reason}: {_NEVER[reason]}", first=True, follow_ups=True)


def never_sends(box: Mailbox, workspace: Workspace, now: datetime) -> str | None:
    """Return why a mailbox sends nothing until a person changes that; None if it does, or will by itself."""
    if box.status not in _SENDS:
        return str(box.status)
    today = now.astimezone(calendar.first_zone(box.timezone, workspace.timezone)).date()
    return "its cap is 0" if not box.hourly_cap or cap_today(box, today=today) == 0 else None


def _never(plan: Plan, workspace: Workspace, box: Mailbox, now: datetime) -> str | None:
    """Return why the hours of plan and mailbox never come; hours of the lead's own zone are taken to."""
    window = plan.window
    zone = calendar.zone_of(
        window, lead_timezone=None, mailbox_timezone=box.timezone, workspace_timezone=workspace.timezone
    )
    if isinstance(calendar.opens_at(window, zone, now), calendar.Never):
        return "window_never_opens"
    if window.timezone == "lead":
        return None
    quiet = plan.quiet_hours or quiet_hours_of(workspace)
    quiet_zone = calendar.first_zone(quiet.timezone if quiet else None, workspace.timezone)
    if calendar.quiet_covers(window, zone, quiet, quiet_zone, at=now):
        return "quiet_hours_cover_window"
    if box.workday is None:
        return None
    hours, at_work = workday_of(box.workday), calendar.first_zone(box.timezone, workspace.timezone)
    days = calendar.SEARCH_DAYS  # a window that opens once a year may meet them then
    met = meets(hours, window, zone=at_work, window_zone=zone, at=now, days=days, key=box.address)
    return None if met else "workday_misses_window"


def _some_wait_for_ever(reader: Reader, sequence: Sequence, now: datetime) -> list[Stuck]:
    """Return the reasons for which some of a sequence's people are put off again and again, each once."""
    rows = reader.all(
        _PutOff,
        "enrollments.put_off_for_ever",
        workspace_id=sequence.workspace_id,
        sequence_id=sequence.id,
        reason_list=sorted(_NEVER),
        now=now,
    )
    return [
        Stuck(
            kind="sequence",
            subject=sequence.name,
            since=row.since,
            remedy=f"{row.reason}: {row.number} of its people wait for ever, since {explaining.in_words(row.reason)}",
        )
        for row in rows
    ]
