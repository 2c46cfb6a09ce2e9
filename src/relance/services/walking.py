"""Steps that need no mailbox: a wait that is over, a branch that can be decided."""

from datetime import datetime

from relance.core import planning
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.events import EventName
from relance.core.mailbox import Mailbox
from relance.core.sequence import BranchStep, SequenceStatus, WaitStep
from relance.ports.store import Reader, Transaction
from relance.services import moving
from relance.services.refusals import LostRaceError
from relance.services.sending.reserve import lock
from relance.services.situations import Keys, gather, workspace_of, zone_for


def due(reader: Reader, *, now: datetime, limit: int) -> list[tuple[int, int]]:
    """Return (workspace_id, id) of enrollments whose wait or branch may be over, the most due first."""
    rows = reader.all(Enrollment, "enrollments.due_to_walk", now=now, limit=limit)
    return [(row.workspace_id, row.id) for row in rows]


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
    situation = gather(
        tx,
        enrollment=enrollment,
        woken_counter=enrollment.step_counter,
        mailbox=mailbox,
        worker=worker,
        keys=keys,
        now=now,
    )
    if situation.sequence.status is not SequenceStatus.LIVE:
        return False
    zone = zone_for(situation.plan, workspace_of(tx, workspace_id), situation.lead, mailbox)
    match situation.step:
        case WaitStep(id=step_id):
            event, cause, target = EventName.WAIT_ENDED, f"wait {step_id} is over", None
        case BranchStep() as step:
            match planning.decide(step, enrollment, situation.lead, now):
                case planning.NotYet(until=until):
                    return _look_again(tx, enrollment, until, now)
                case planning.Decided(target=target):
                    way = target or "the next step"
                    event, cause = EventName.BRANCH_DECIDED, f"branch {step.id} goes to {way}"
        case _:
            return False
    moving.note(tx, enrollment, event, cause, now)
    moving.advance(tx, enrollment, situation.plan, zone=zone, event=event, cause=cause, now=now, target=target)
    return True


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
