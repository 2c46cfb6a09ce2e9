"""What the state that is put aside knows of the world, taken along into the older one that takes its place.

Rule 1: facts about the world go along: what left, what may have left, and who ended a conversation. What people decided
        since the backup does not, for a restore may be there to undo it.
Rule 2: what left is kept as if its copy had been seen. Where only a person can say more, the enrollment is held.
Rule 3: what the older state knows itself is left to it.
"""

from dataclasses import dataclass, fields
from datetime import datetime

from relance.core import defaults
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment, StopReason
from relance.core.mailbox import Mailbox
from relance.ports.store import Reader, Transaction
from relance.services.sending import forgotten
from relance.services.sending.forgotten import ForgottenSend
from relance.services.sending.reserve import lock
from relance.services.workspaces import Installation, everyone

#: Endings that somebody outside has brought about.
FROM_OUTSIDE = (
    StopReason.REPLIED,
    StopReason.MANUAL_REPLY,
    StopReason.MEETING_BOOKED,
    StopReason.UNSUBSCRIBED,
    StopReason.COMPLAINED,
    StopReason.BOUNCED,
    StopReason.NO_LONGER_THERE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Departed:
    """A message that left, or may have. Ids are the older state's too, where the uids agree."""

    workspace: str
    run: str
    mailbox: str
    workspace_id: int
    enrollment_id: int
    mailbox_id: int
    status: AttemptStatus
    trace: str
    recipient: str
    subject: str | None
    wire_message_id: str | None
    opens_thread: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """An enrollment that somebody outside has ended, or that waits for a person who has to look."""

    workspace: str
    run: str
    workspace_id: int
    enrollment_id: int
    reason: str  #: A stop reason, or `answered` where it was set aside for that, or `doubted` after a restore before.
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept(ForgottenSend):
    """What that state itself had not known, and kept."""

    workspace: str
    mailbox: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one state knows of the world since a moment."""

    installation: str
    departed: tuple[Departed, ...]
    ended: tuple[Ended, ...]
    kept: tuple[Kept, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenAlong:
    """How many messages are kept as sent, and how many enrollments wait for a person.

    `unknown_mailboxes` sent since, and the older state does not have them: what left from them is known again once they
    are connected again and read back.
    """

    sent: int
    held: int
    unknown_mailboxes: tuple[str, ...] = ()


def alive_at(reader: Reader) -> datetime | None:
    """Return the time to which a state was certainly worked on; None: nobody knows."""
    found = reader.one(Installation, "installation.get")
    return found.alive_at if found is not None else None


def facts_since(reader: Reader, backup_at: datetime | None) -> Facts:
    """Return what a state knows that another, last worked on then, may not."""
    found = reader.one(Installation, "installation.get")
    since = backup_at - defaults.RECOVERY_MARGIN if backup_at is not None else None
    outside = {"reason_list": list(FROM_OUTSIDE), "doubted": forgotten.HOLD_REASON}
    return Facts(
        installation=found.uid if found is not None else "",
        departed=tuple(reader.all(Departed, "attempts.departed_since", since=since)),
        ended=tuple(reader.all(Ended, "enrollments.ended_since", since=since, **outside)),
        kept=tuple(reader.all(Kept, "forgotten_sends.kept_since", since=since)),
    )


def take_along(tx: Transaction, facts: Facts, *, now: datetime) -> TakenAlong:
    """Write them into the older state; nothing, if they are another installation's."""
    found = tx.one(Installation, "installation.get")
    if found is None or found.uid != facts.installation:
        return TakenAlong(sent=0, held=0)
    workspaces = {workspace.id: workspace.uid for workspace in everyone(tx)}
    departed = [one for one in facts.departed if workspaces.get(one.workspace_id) == one.workspace]
    ended = [one for one in facts.ended if workspaces.get(one.workspace_id) == one.workspace]
    for one in facts.kept:
        if workspaces.get(one.workspace_id) == one.workspace and _has_mailbox(tx, one):
            forgotten.keep(tx, ForgottenSend(**{each.name: getattr(one, each.name) for each in fields(ForgottenSend)}))
    sent = sum([_keep(tx, one, now) for one in departed])
    held = sum([_doubt(tx, one, now) for one in departed]) + sum([_end(tx, one, now) for one in ended])
    missing = sorted({one.mailbox for one in departed if not _has_mailbox(tx, one)})
    return TakenAlong(sent=sent, held=held, unknown_mailboxes=tuple(missing))


def _keep(tx: Transaction, one: Departed, now: datetime) -> bool:
    """Keep what left, or may have left to somebody who is not known here; return whether it is kept as sent."""
    sent = one.status is AttemptStatus.SENT
    if not _has_mailbox(tx, one) or (_is_known(tx, one) if sent else _run(tx, one) is not None):
        return False
    seen = ForgottenSend(
        workspace_id=one.workspace_id,
        trace=one.trace,
        mailbox_id=one.mailbox_id,
        recipient=one.recipient,
        subject=one.subject,
        wire_message_id=one.wire_message_id,
        opens_thread=one.opens_thread,
        folder=forgotten.ACCEPTED if sent else forgotten.UNKNOWN,
        left_at=one.at,
        seen_at=now,
    )
    forgotten.keep(tx, seen)
    return sent


def _doubt(tx: Transaction, one: Departed, now: datetime) -> bool:
    """Hold whoever may have been written to, where the older state neither knows nor can be told so."""
    sent = one.status is AttemptStatus.SENT
    if _is_known(tx, one) or (sent and _has_mailbox(tx, one)):
        return False
    said = "left" if sent else "may have left"
    cause = f"a message {said} from {one.mailbox} at {one.at:%Y-%m-%d %H:%M} UTC, says the state that was put aside"
    return _hold(tx, one, cause, now)


def _end(tx: Transaction, one: Ended, now: datetime) -> bool:
    cause = f"it was {one.reason} at {one.at:%Y-%m-%d %H:%M} UTC, says the state that was put aside"
    return _hold(tx, one, cause, now)


def _hold(tx: Transaction, one: Departed | Ended, cause: str, now: datetime) -> bool:
    run = _run(tx, one)
    if run is None or run.terminal:
        return False
    forgotten.hold(tx, run, hold_reason=forgotten.HOLD_REASON, cause=cause, now=now)
    return True


def _run(tx: Transaction, one: Departed | Ended) -> Enrollment | None:
    """Lock and return the enrollment, if the older state has it."""
    run = lock(tx, one.workspace_id, one.enrollment_id)
    return run if run is not None and run.uid == one.run else None


def _is_known(reader: Reader, one: Departed) -> bool:
    """Whether the older state knows as much: that it left, or that it may have."""
    found = reader.all(Attempt, "attempts.by_traces", workspace_id=one.workspace_id, trace_list=[one.trace])
    status = found[0].status if found else None
    doubtful = {AttemptStatus.IN_FLIGHT, AttemptStatus.UNKNOWN}
    return status is AttemptStatus.SENT or (status in doubtful and one.status in doubtful)


def _has_mailbox(reader: Reader, one: Departed | Kept) -> bool:
    found = reader.one(Mailbox, "mailboxes.get", workspace_id=one.workspace_id, id=one.mailbox_id)
    return found is not None and found.address == one.mailbox
