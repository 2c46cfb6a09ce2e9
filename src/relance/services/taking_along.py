"""What the state that is put aside knows of the world, taken along into the older one that takes its place.

Rule 1: facts about the world go along: what left, what may have left, who ended a conversation, and whoever is not to
        be written to (`taking_wishes.py`). What else people decided since the backup does not, for a restore may be
        there to undo it.
Rule 2: what left is kept as if its copy had been seen, and what may have left as a doubt: when its step comes, it is
        written as what it is (`sending/catching_up.py`). Who ended a conversation is held, for a person to look.
Rule 3: what the older state knows itself is left to it.
"""

from dataclasses import dataclass, fields
from datetime import datetime

from relance.core import defaults
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import StopReason
from relance.core.events import EventName
from relance.ports.store import Reader, Transaction
from relance.services import taking_wishes
from relance.services.sending import forgotten
from relance.services.sending.catching_up import mailbox_of
from relance.services.sending.forgotten import ForgottenSend
from relance.services.sending.reserve import lock
from relance.services.sending.settle import settle_sent
from relance.services.taking_wishes import Wishes, wishes_since
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


_DOUBTFUL = frozenset({AttemptStatus.IN_FLIGHT, AttemptStatus.UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Departed:
    """A message that left, or may have. The id of its workspace is the older state's too, where the uids agree."""

    workspace: str
    mailbox: str
    workspace_id: int
    status: AttemptStatus
    trace: str
    step: str
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
    reason: str  #: A stop reason, or `answered` however it stands, or `doubted` after a restore before.
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept(ForgottenSend):
    """What that state itself had not known, and kept."""

    workspace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one state knows of the world since a moment."""

    installation: str
    departed: tuple[Departed, ...]
    ended: tuple[Ended, ...]
    kept: tuple[Kept, ...]
    wishes: Wishes


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenAlong:
    """How many messages are kept as sent, how many as a doubt, and how many enrollments wait for a person.

    `unknown_mailboxes` sent since, and the older state does not have them: they have to be connected again before the
    steps that left from them can be written, and who these went to is held until then.
    """

    sent: int
    doubted: int
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
    outside = {
        "reason_list": list(FROM_OUTSIDE),
        "doubted": forgotten.HOLD_REASON,
        "doubting": EventName.SEND_DOUBTED,
    }
    return Facts(
        installation=found.uid if found is not None else "",
        departed=tuple(reader.all(Departed, "attempts.departed_since", since=since)),
        ended=tuple(reader.all(Ended, "enrollments.ended_since", since=since, **outside)),
        kept=tuple(reader.all(Kept, "forgotten_sends.kept_since", since=since)),
        wishes=wishes_since(reader, since),
    )


def take_along(tx: Transaction, facts: Facts, *, now: datetime) -> TakenAlong:
    """Write them into the older state; nothing, if they are another installation's."""
    found = tx.one(Installation, "installation.get")
    if found is None or found.uid != facts.installation:
        return TakenAlong(sent=0, doubted=0, held=0)
    workspaces = {workspace.id: workspace.uid for workspace in everyone(tx)}
    taking_wishes.take(tx, facts.wishes, workspaces=workspaces.items(), now=now)
    for kept in facts.kept:
        if workspaces.get(kept.workspace_id) == kept.workspace:
            forgotten.keep(tx, ForgottenSend(**{each.name: getattr(kept, each.name) for each in fields(ForgottenSend)}))
    departed = [one for one in facts.departed if workspaces.get(one.workspace_id) == one.workspace]
    news = [one for one in departed if not _is_known(tx, one)]
    for one in news:
        _keep(tx, one, now)
    ended = [one for one in facts.ended if workspaces.get(one.workspace_id) == one.workspace]
    sent = sum(one.status is AttemptStatus.SENT for one in news)
    return TakenAlong(
        sent=sent,
        doubted=len(news) - sent,
        held=sum([_end(tx, one, now) for one in ended]),
        unknown_mailboxes=tuple(
            sorted({one.mailbox for one in departed if mailbox_of(tx, one.workspace_id, one.mailbox) is None})
        ),
    )


def _keep(tx: Transaction, one: Departed, now: datetime) -> None:
    """Keep what left, or may have; what the older state itself was not sure of is settled."""
    sent = one.status is AttemptStatus.SENT
    seen = ForgottenSend(
        workspace_id=one.workspace_id,
        trace=one.trace,
        step=one.step,
        mailbox=one.mailbox,
        recipient=one.recipient,
        subject=one.subject,
        wire_message_id=one.wire_message_id,
        opens_thread=one.opens_thread,
        folder=forgotten.ACCEPTED if sent else forgotten.UNKNOWN,
        left_at=one.at,
        seen_at=now,
    )
    forgotten.keep(tx, seen)
    known = _attempt(tx, one)
    if sent and known is not None and known.status in _DOUBTFUL:
        by = "the state that was put aside says so"
        settle_sent(tx, workspace_id=one.workspace_id, attempt_id=known.id, by=by, now=now, sent_at=one.at)


def _end(tx: Transaction, one: Ended, now: datetime) -> bool:
    """Hold whoever somebody outside has ended; return whether there was anybody to hold."""
    run = lock(tx, one.workspace_id, one.enrollment_id)
    if run is None or run.uid != one.run or run.terminal:
        return False
    cause = f"it was {one.reason} at {one.at:%Y-%m-%d %H:%M} UTC, says the state that was put aside"
    forgotten.hold(tx, run, hold_reason=forgotten.HOLD_REASON, cause=cause, now=now)
    return True


def _is_known(reader: Reader, one: Departed) -> bool:
    """Whether the older state knows as much: that it left, or that it may have."""
    found = _attempt(reader, one)
    status = found.status if found is not None else None
    return status is AttemptStatus.SENT or (status in _DOUBTFUL and one.status in _DOUBTFUL)


def _attempt(reader: Reader, one: Departed) -> Attempt | None:
    found = reader.all(Attempt, "attempts.by_traces", workspace_id=one.workspace_id, trace_list=[one.trace])
    return found[0] if found else None
