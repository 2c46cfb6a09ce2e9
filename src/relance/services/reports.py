"""What ought to move and does not: every kind of it, with what to do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from relance.core import defaults
from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import Sequence, SequenceStatus
from relance.ports.store import Reader
from relance.services.dispatching import mailboxes_of
from relance.services.recovering import recovery_remedy
from relance.services.situations import plan_of

#: A due row that a free mailbox has not taken for so long is stuck.
OVERDUE = timedelta(minutes=15)
#: A mailbox that was not read for so long is silent.
SILENT = 2 * defaults.SWEEP_MOST
#: Rests of a mailbox that a person should know of, and what to do.
REFUSED = MappingProxyType(
    {
        "blocked": "receiving servers refuse its mail as unwanted; look at its content, volume, SPF, DKIM and DMARC",
        "sender_refused": "its own server refuses it as a sender; look at the address and what the account may send",
        "health": "too much of what it sent came back; look at where its leads come from before it sends again",
        "quota": "its server says that it has sent its share; lower its caps if this comes back",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """One thing that ought to move and does not, with what to do."""

    kind: str
    subject: str
    since: datetime | None
    remedy: str


def stuck(reader: Reader, *, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return what ought to move and does not: locks, lost outcomes, due rows, idle sequences, silent mailboxes."""
    return [
        *_locks(reader, workspace_id, now),
        *_attempts(reader, workspace_id, now),
        *_overdue(reader, workspace_id, now),
        *_sequences(reader, workspace_id),
        *_mailboxes(reader, workspace_id, now),
    ]


def _locks(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    rows = reader.all(Enrollment, "enrollments.lock_expired", workspace_id=workspace_id, now=now)
    return [
        Stuck(
            kind="lock",
            subject=_who(reader, row),
            since=row.lock_expires_at,
            remedy="its worker is gone; start `relance run`, which takes it over",
        )
        for row in rows
    ]


def _attempts(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    lost = reader.all(Attempt, "attempts.unsettled", workspace_id=workspace_id)
    flying = reader.all(Attempt, "attempts.overdue_in_flight", workspace_id=workspace_id, now=now)
    return [
        *(
            Stuck(
                kind="unknown",
                subject=f"attempt {a.id}: step {a.step} to {a.recipient}",
                since=a.began_at,
                remedy=(
                    f"look into the mailbox's Sent folder, then `relance attempt settle {a.id} sent` or `failed`"
                    if a.next_look_at is None
                    else "it is being looked for; nothing to do yet"
                ),
            )
            for a in lost
        ),
        *(
            Stuck(
                kind="in_flight",
                subject=f"attempt {a.id}: step {a.step} to {a.recipient}",
                since=a.release_by,
                remedy="its worker is gone; start `relance run`, which looks it up",
            )
            for a in flying
        ),
    ]


def _overdue(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return due rows behind nothing that would explain the wait: no engine takes them."""
    if reader.one(int, "mailboxes.any_recovering", workspace_id=workspace_id) is not None:
        return []  # they wait for the mailboxes that recover, which are listed
    rows = reader.all(Enrollment, "enrollments.overdue", workspace_id=workspace_id, before=now - OVERDUE, limit=50)
    found = []
    for row in rows:
        plan = plan_of(reader, workspace_id, row.sequence_id, row.version)
        boxes = [m for m in mailboxes_of(reader, workspace_id, plan) if row.mailbox_id in {None, m.id}]
        if row.step_kind == "email" and not boxes:
            why = "no_mailbox: its mailbox was removed or its pool is empty; connect one with `relance mailbox add`"
        elif row.step_kind == "email" and not any(_is_free(m, now) for m in boxes):
            continue
        else:
            why = "no engine takes it; start `relance run`"
        found.append(Stuck(kind="overdue", subject=_who(reader, row), since=row.ready_at, remedy=why))
    return found


def _is_free(mailbox: Mailbox, now: datetime) -> bool:
    waits = (mailbox.skip_until, mailbox.next_allowed_at)
    return mailbox.status is MailboxStatus.ACTIVE and all(at is None or at <= now for at in waits)


def _sequences(reader: Reader, workspace_id: int) -> list[Stuck]:
    found = []
    for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id):
        if sequence.status is not SequenceStatus.LIVE:
            continue
        plan = plan_of(reader, workspace_id, sequence.id, sequence.version)
        if not mailboxes_of(reader, workspace_id, plan):
            where = f"pool {plan.pool!r} is empty" if plan.pool else "none of its mailboxes is connected"
            found.append(
                Stuck(
                    kind="sequence",
                    subject=sequence.name,
                    since=sequence.last_served_at,
                    remedy=f"no_mailbox: {where}; connect one with `relance mailbox add`",
                )
            )
    return found


def _mailboxes(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    found = []
    for mailbox in reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id):
        if mailbox.status is MailboxStatus.RECOVERING:
            troubled = mailbox.last_skip_reason is not None  # then the reason says what to do
            remedy = f"{mailbox.status}: {mailbox.status_reason}"
            remedy = remedy if troubled else f"{remedy}; {recovery_remedy(mailbox)}"
        elif mailbox.status in {MailboxStatus.AUTH_ERROR, MailboxStatus.UNREACHABLE}:
            remedy = f"{mailbox.status}: {mailbox.status_reason}; try `relance mailbox check {mailbox.address}`"
        elif (why := REFUSED.get(mailbox.last_skip_reason or "")) and (mailbox.skip_until or now) > now:
            remedy = f"{mailbox.last_skip_reason}: {why}; it rests until {mailbox.skip_until:%Y-%m-%d %H:%M} UTC"
        elif (mailbox.last_read_at or mailbox.created_at) < now - SILENT:
            remedy = "silent: it was not read for long; start `relance run`, or try `relance mailbox check`"
        else:
            continue
        found.append(Stuck(kind="mailbox", subject=mailbox.address, since=mailbox.last_read_at, remedy=remedy))
    return found


def _who(reader: Reader, row: Enrollment) -> str:
    lead = reader.one(Lead, "leads.get", workspace_id=row.workspace_id, id=row.lead_id)
    return f"enrollment {row.id}: {lead.email if lead else 'a lead'} at step {row.step}"
