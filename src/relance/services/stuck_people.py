"""What of sequences, of people in them and of mail that came in stands still: the part of `stuck` that needs a person.

Rule 1: a limit that is over by itself (a cap, a gap, a window that opens again) is no standstill.
Rule 2: at most `MOST` of a kind are named; a list of a million helps nobody.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.core import calendar, defaults, explaining
from relance.core.enrollment import Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import OPTION_OF_FIELD, Mailbox, MailboxStatus
from relance.core.sequence import Delivery, Plan, Sequence, SequenceStatus
from relance.ports.store import Reader
from relance.services.dispatching import mailboxes_of
from relance.services.situations import plan_of, workspace_of
from relance.services.standstill import Stuck

MOST = 50
#: A message that was fetched and not understood for so long is stuck.
NOT_UNDERSTOOD = timedelta(minutes=15)
#: Who was due that long ago and is still put off for answers that cannot be read is stuck.
UNREAD_FOR = timedelta(hours=6)
#: Statuses of a mailbox that sends, or will by itself.
_SENDS = frozenset({MailboxStatus.ACTIVE, MailboxStatus.RECOVERING})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lying:
    """A message that was fetched and not understood."""

    address: str
    folder: str
    uid: int
    stored_at: datetime


def sequences(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return live sequences that send nothing, though people are in them and they are meant to."""
    found = []
    for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id):
        if sequence.status is not SequenceStatus.LIVE:
            continue
        plan = plan_of(reader, workspace_id, sequence.id, sequence.version)
        why = _sends_nothing(reader, sequence, plan, now)
        if why is not None and plan.delivery is Delivery.SEND:
            found.append(Stuck(kind="sequence", subject=sequence.name, since=sequence.last_served_at, remedy=why))
    return found


def _sends_nothing(reader: Reader, sequence: Sequence, plan: Plan, now: datetime) -> str | None:
    boxes = mailboxes_of(reader, sequence.workspace_id, plan)
    if not boxes:
        where = f"pool {plan.pool!r} is empty" if plan.pool else "none of its mailboxes is connected"
        return f"no_mailbox: {where}; connect one with `relance mailbox add`"
    ids = {"workspace_id": sequence.workspace_id, "sequence_id": sequence.id}
    if reader.one(int, "enrollments.any_due_in", **ids, now=now) is None:
        return None
    if all(_never_sends(box) for box in boxes):
        states = ", ".join(sorted({_state(box) for box in boxes}))
        return f"none of its mailboxes sends ({states}); `relance mailbox resume` or `check` one of them"
    if plan.daily_cap == 0 or (plan.max_new_per_day == 0 and sequence.last_served_at is None):
        return "its daily_cap or max_new_per_day is 0; publish it with another"
    zone = calendar.zone_of(
        plan.window,
        lead_timezone=None,
        mailbox_timezone=None,
        workspace_timezone=workspace_of(reader, sequence.workspace_id).timezone,
    )
    if isinstance(calendar.opens_at(plan.window, zone, now), calendar.Never):
        return "window_never_opens: holidays and blackout dates leave no hour; publish it with another window"
    return None


def _never_sends(box: Mailbox) -> bool:
    return box.status not in _SENDS or not box.daily_cap or not box.hourly_cap


def _state(box: Mailbox) -> str:
    return str(box.status) if box.status not in _SENDS else "its cap is 0"


def held(reader: Reader, workspace_id: int) -> list[Stuck]:
    """Return who waits for a person's decision."""
    found: list[Stuck] = []
    for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id):
        ids = {"workspace_id": workspace_id, "sequence_id": sequence.id}
        found += (
            Stuck(kind="held", subject=who(reader, row), since=row.next_due_at, remedy=_decide(reader, row))
            for row in reader.all(Enrollment, "enrollments.held", **ids, limit=MOST - len(found))
        )
    return found


def _decide(reader: Reader, row: Enrollment) -> str:
    email = _email(reader, row)
    kind, _, what = (row.hold_reason or "").partition(":")
    if kind == "missing_value" and what in OPTION_OF_FIELD:
        given = f"`relance mailbox set ADDRESS {OPTION_OF_FIELD[what]} …`"
        return f"{given}, and then `relance enrollment resume --lead {email}`"
    if kind == "missing_value":
        return f"`relance lead add {email} {what}=…`, and then `relance enrollment resume --lead {email}`"
    why = explaining.in_words(kind) if kind else "undecided"
    return f"{why}: read `relance explain {email}`, then `relance enrollment resume` or `stop --lead {email}`"


def unread(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return who gets no follow-up because a mailbox that wrote to them cannot be read."""
    rows = reader.all(
        Enrollment,
        "enrollments.put_off_for",
        workspace_id=workspace_id,
        reason="mailbox_unread",
        before=now - UNREAD_FOR,
        soon=now + 2 * defaults.RECHECK,
        limit=MOST,
    )
    return [
        Stuck(
            kind="unread",
            subject=who(reader, row),
            since=row.next_due_at,
            remedy=(
                "mailbox_unread: an answer may lie in a mailbox that cannot be read; repair it (`relance mailbox list`,"
                " `check`), connect it again, `relance mailbox hand-over` a removed one, or"
                f" `relance enrollment stop --lead {_email(reader, row)}`"
            ),
        )
        for row in rows
    ]


def not_understood(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return what was fetched long ago and nobody has read."""
    rows = reader.all(
        _Lying, "raw_messages.left_lying", workspace_id=workspace_id, before=now - NOT_UNDERSTOOD, limit=MOST
    )
    return [
        Stuck(
            kind="not_understood",
            subject=f"message {row.uid} of {row.folder} in {row.address}",
            since=row.stored_at,
            remedy="it may be an answer: start `relance run`, which reads it, or holds whoever it may be from",
        )
        for row in rows
    ]


def who(reader: Reader, row: Enrollment) -> str:
    """Name an enrollment as a person recognises it."""
    return f"enrollment {row.id}: {_email(reader, row)} at step {row.step}"


def _email(reader: Reader, row: Enrollment) -> str:
    lead = reader.one(Lead, "leads.get", workspace_id=row.workspace_id, id=row.lead_id)
    return lead.email if lead else "a lead"
