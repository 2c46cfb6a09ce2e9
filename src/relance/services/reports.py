"""What ought to move and does not: every kind of it, with what to do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from relance.core import defaults
from relance.core.answer import AnswerStatus
from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.ports.store import Reader
from relance.services import idle_sequences, overdue, stuck_people
from relance.services.recovering import recovery_remedy
from relance.services.remembering import Remembering
from relance.services.standstill import Stuck
from relance.services.stuck_people import who

#: An outcome that was looked for so long in vain is a person's to settle.
LOOKED_IN_VAIN = timedelta(days=30)
#: What is looked for is looked for by now; one that was due this long ago is looked for by nobody.
NOBODY_LOOKS = timedelta(minutes=15)
#: A mailbox that was not read for so long is silent.
SILENT = 2 * defaults.SWEEP_MOST
#: What the reconciler writes into the error of an attempt that it cannot settle by itself.
SETTLE = "relance attempt settle"
#: Rests of a mailbox that a person should know of, and what to do.
REFUSED = MappingProxyType(
    {
        "blocked": "receiving servers refuse its mail as unwanted; look at its content, volume, SPF, DKIM and DMARC",
        "sender_refused": "its own server refuses it as a sender; look at the address and what the account may send",
        "health": "too much of what it sent came back; look at where its leads come from before it sends again",
        "quota": "its server says that it has sent its share; lower its caps if this comes back",
    }
)


def stuck(reader: Reader, *, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return what ought to move and does not, of every kind: what an engine would do first, then what a person must."""
    reader = Remembering(reader)
    idle = idle_sequences.idle(reader, workspace_id, now)
    return [
        *_locks(reader, workspace_id, now),
        *_attempts(reader, workspace_id, now),
        *_answers(reader, workspace_id, now),
        *overdue.overdue(reader, workspace_id, idle, now),
        *idle_sequences.standing(reader, workspace_id, idle, now),
        *stuck_people.held(reader, workspace_id),
        *stuck_people.unread(reader, workspace_id, now),
        *stuck_people.not_understood(reader, workspace_id, now),
        *_mailboxes(reader, workspace_id, now),
        *overdue.behind_a_stopped_mailbox(reader, workspace_id, now),
    ]


def _locks(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    rows = reader.all(Enrollment, "enrollments.lock_expired", workspace_id=workspace_id, now=now)
    return [
        Stuck(
            kind="lock",
            subject=who(reader, row),
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
                remedy=_settle(reader, a, now),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _LostAnswer:
    id: int
    status: AnswerStatus
    recipient: str
    began_at: datetime
    mailbox: str


def _answers(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return answers by hand of which nobody knows whether they left."""
    lost = reader.all(_LostAnswer, "answers.stuck", workspace_id=workspace_id, now=now)
    return [
        Stuck(
            kind="answer",
            subject=f"answer {one.id} to {one.recipient} from {one.mailbox}",
            since=one.began_at,
            remedy="its worker is gone; start `relance run`, which looks it up"
            if one.status is AnswerStatus.IN_FLIGHT
            else "it is looked for in Sent; if you know what became of it, say so in its conversation",
        )
        for one in lost
    ]


def _settle(reader: Reader, lost: Attempt, now: datetime) -> str:
    box = reader.one(Mailbox, "mailboxes.get", workspace_id=lost.workspace_id, id=lost.mailbox_id)
    command = f"`relance attempt settle {lost.id} sent` or `failed`"
    if lost.next_look_at is None:
        if box is not None and box.saves_sent is False:
            return (
                "an empty Sent folder says nothing here: its server keeps no copies. Ask the server's log or the "
                f"person, then {command}; an answer settles it as well"
            )
        return f"look into the mailbox's Sent folder, then {command}"
    if box is not None and box.status is MailboxStatus.REMOVED:
        return f"it is still looked for in the mailbox that was removed; if you know what became of it, {command}"
    if SETTLE in (lost.error or ""):
        return f"{(lost.error or '').partition(';')[0]}: look into the mailbox's Sent folder, then {command}"
    if lost.next_look_at < now - NOBODY_LOOKS:
        return f"nobody looks for it: start `relance run`; if you know what became of it, {command}"
    if (lost.began_at or lost.planned_at) < now - LOOKED_IN_VAIN:
        return f"it was looked for {lost.looks} times in vain: ask the server's log or the person, then {command}"
    return "it is being looked for; nothing to do yet"


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
