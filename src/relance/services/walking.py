"""Steps that need no mailbox: a wait that is over, a branch that can be decided, an e-mail that is only recorded."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from relance.core import planning
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.events import EventName
from relance.core.mailbox import Mailbox
from relance.core.sequence import BranchStep, EmailStep, SequenceStatus, WaitStep
from relance.core.situation import Situation
from relance.ports.store import Reader, Transaction
from relance.services import moving
from relance.services.leasing import ALL_SHARDS, these
from relance.services.refusals import LostRaceError
from relance.services.sending import record_only
from relance.services.sending.reserve import lock
from relance.services.situations import Keys, gather, workspace_of, zone_for


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    at: datetime  #: A wait ends when it is over, however late that is noticed: due times do not slide.
    event: EventName
    cause: str
    target: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """An enrollment whose wait or branch may be over, and whose business that is."""

    workspace_id: int
    id: int
    shard: int


def due(reader: Reader, *, now: datetime, limit: int, shards: Collection[int] = ALL_SHARDS) -> list[Due]:
    """Return the enrollments of these shards whose wait or branch may be over, the most due first."""
    return reader.all(Due, "enrollments.due_to_walk", shard_list=these(shards), now=now, limit=limit)


def walk(tx: Transaction, *, workspace_id: int, enrollment_id: int, worker: str, keys: Keys, now: datetime) -> bool:
    """Move one enrollment through its wait or branch; return whether it moved."""
    enrollment = lock(tx, workspace_id, enrollment_id)
    if enrollment is None or enrollment.status not in {EnrollmentStatus.WAITING, EnrollmentStatus.ACTIVE}:
        return False
    if enrollment.ready_at is None or enrollment.ready_at > now:
        return False
    mailbox = None
    if enrollment.mailbox_id is not None:
        mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=enrollment.mailbox_id)
    workspace = workspace_of(tx, workspace_id)
    situation = gather(
        tx,
        workspace=workspace,
        enrollment=enrollment,
        woken_counter=enrollment.step_counter,
        mailbox=mailbox,
        worker=worker,
        keys=keys,
        now=now,
    )
    if situation.sequence.status is not SequenceStatus.LIVE or situation.recovering:
        return False
    zone = zone_for(situation.plan, workspace, situation.lead, mailbox)
    if isinstance(situation.step, EmailStep):
        if not record_only.allowed(tx, situation):
            return False
        recipient = situation.lead.email
        enrollment = record_only.write_down(tx, enrollment, situation.step, recipient=recipient, keys=keys, now=now)
    ended = _ended(enrollment, situation, now)
    if isinstance(ended, planning.NotYet):
        return _look_again(tx, enrollment, ended.until, now)
    if ended is None:
        return False
    moving.note(tx, enrollment, ended.event, ended.cause, now)
    moving.advance(
        tx,
        enrollment,
        situation.plan,
        zone=zone,
        event=ended.event,
        cause=ended.cause,
        now=now,
        ended_at=ended.at,
        target=ended.target,
    )
    return True


def _ended(enrollment: Enrollment, situation: Situation, now: datetime) -> _Ended | planning.NotYet | None:
    """Say how the step has ended, or when that can be said; None for a step that is somebody else's business."""
    match situation.step:
        case WaitStep(id=step_id):
            over = enrollment.next_due_at or now
            return _Ended(at=over, event=EventName.WAIT_ENDED, cause=f"wait {step_id} is over", target=None)
        case BranchStep() as step:
            match planning.decide(step, enrollment, situation.lead, now):
                case planning.NotYet() as not_yet:
                    return not_yet
                case planning.Decided(target=way):
                    cause = f"branch {step.id} goes to {way or 'the next step'}"
                    return _Ended(at=now, event=EventName.BRANCH_DECIDED, cause=cause, target=way)
        case EmailStep(id=step_id):
            return _Ended(
                at=now, event=EventName.STEP_RECORDED, cause=f"step {step_id} is recorded, not delivered", target=None
            )
        case None:
            return None


def _look_again(tx: Transaction, enrollment: Enrollment, until: datetime, now: datetime) -> bool:
    if until <= now:
        raise LostRaceError(f"branch of enrollment {enrollment.id} is due but undecided")
    changed = tx.run(
        "enrollments.put_off",
        workspace_id=enrollment.workspace_id,
        id=enrollment.id,
        read_revision=enrollment.revision,
        until=until,
        reason="branch",
        now=now,
    )
    return changed == 1
