"""The last look: everything that may have changed is read again, and the attempt becomes `in_flight`, or not.

A reply, pause or opt-out that was committed a moment ago wins here.
"""

from dataclasses import dataclass
from datetime import datetime

from relance.core import gates, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.core.values import replace
from relance.core.verdict import Defer, Leave, Pass, Stop
from relance.ports.store import Transaction
from relance.services import moving, slots
from relance.services.records import save_attempt, save_enrollment
from relance.services.sending.reserve import Reserved, lock_with_lead
from relance.services.situations import Keys, gather, workspace_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The message may leave until `attempt.release_by`."""

    attempt: Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """The world moved while the message was prepared; nothing leaves and the slot went back."""

    reason: str


def begin(
    tx: Transaction, reserved: Reserved, *, subject: str, worker: str, keys: Keys, now: datetime, release_by: datetime
) -> Begun | Withheld:
    """Mark the attempt in flight if, read again under lock, nothing speaks against it."""
    held = reserved.attempt
    workspace_id = held.workspace_id
    lead, enrollment = lock_with_lead(tx, workspace_id, held.enrollment_id)
    attempt = tx.one(Attempt, "attempts.get", workspace_id=workspace_id, id=held.id)
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=held.mailbox_id)
    if enrollment is None or attempt is None or mailbox is None:
        return Withheld(reason="the enrollment, its attempt or its mailbox no longer exists")
    if attempt.status is not AttemptStatus.RESERVED or attempt.revision != held.revision:
        if attempt.status is AttemptStatus.VOIDED:
            _return_slot(tx, attempt, mailbox, enrollment)
        if enrollment.lock_holder == worker:
            save_enrollment(tx, enrollment, _freed(attempt, enrollment))
        return Withheld(reason=f"the attempt is {attempt.status}, by another hand")
    situation = gather(
        tx,
        workspace=workspace_of(tx, workspace_id),
        enrollment=enrollment,
        locked_lead=lead,
        woken_counter=held.step_counter,
        mailbox=mailbox,
        worker=worker,
        keys=keys,
        now=now,
    )
    _, verdict = gates.last_look(situation)
    if isinstance(verdict, Pass):
        flying = transitions.change_attempt(
            attempt,
            AttemptStatus.IN_FLIGHT,
            began_at=now,
            release_by=release_by,
            subject=subject,
            tries=attempt.tries + 1,
        )
        return Begun(attempt=save_attempt(tx, attempt, flying))
    _return_slot(tx, attempt, mailbox, enrollment)
    match verdict:
        case Defer(reason=reason):
            moving.defer(tx, situation, verdict)
            return Withheld(reason=reason)
        case Stop(cause=cause):
            moving.stop_for_gate(tx, situation, verdict)
            return Withheld(reason=cause)
        case Leave(reason=reason):
            if enrollment.lock_holder == worker:
                save_enrollment(tx, enrollment, moving.unpinned(moving.unlocked(enrollment)))
            return Withheld(reason=reason)


def _freed(attempt: Attempt, enrollment: Enrollment) -> Enrollment:
    """Let the row go; its mailbox too, where nothing of it can have left."""
    freed = moving.unlocked(enrollment)
    return moving.unpinned(freed) if attempt.status is AttemptStatus.RESERVED else freed


def _return_slot(tx: Transaction, attempt: Attempt, mailbox: Mailbox, enrollment: Enrollment) -> None:
    slots.give_back(tx, attempt, mailbox=mailbox, enrollment=enrollment)
    save_attempt(tx, attempt, replace(attempt, holds_slot=False))
