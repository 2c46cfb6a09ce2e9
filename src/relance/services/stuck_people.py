"""What of people in sequences and of mail that came in stands still: the part of `stuck` that needs a person.

At most `MOST` of a kind are named; a list of a million helps nobody.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.core import defaults, explaining
from relance.core.enrollment import Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import OPTION_OF_FIELD
from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.services.standstill import Stuck

MOST = 50
#: A message that was fetched and not understood for so long is stuck.
NOT_UNDERSTOOD = timedelta(minutes=15)
#: Who was due that long ago and is still put off for answers that cannot be read is stuck.
UNREAD_FOR = timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lying:
    """A message that was fetched and not understood."""

    address: str
    folder: str
    uid: int
    stored_at: datetime


def held(reader: Reader, workspace_id: int) -> list[Stuck]:
    """Return who waits for a person's decision."""
    found: list[Stuck] = []
    for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id):
        ids = {"workspace_id": workspace_id, "sequence_id": sequence.id}
        found += (
            Stuck(
                kind="held",
                subject=who(reader, row),
                since=row.next_due_at,
                remedy=what_to_decide(row.hold_reason, _email(reader, row)),
            )
            for row in reader.all(Enrollment, "enrollments.held", **ids, limit=MOST - len(found))
        )
    return found


def what_to_decide(hold_reason: str | None, email: str) -> str:
    """Return why somebody is held, and the commands by which a person decides."""
    kind, _, what = (hold_reason or "").partition(":")
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
