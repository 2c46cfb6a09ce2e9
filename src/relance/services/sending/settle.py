"""An outcome that was lost: perhaps the message left, perhaps not. Nothing is tried again until it is settled.

Rule 1: any find, answer, bounce or Sent copy that names the message settles it as sent, at once.
Rule 2: "not sent" is said only after release_by + the ambiguity grace, and only where absence proves something; and
        only of the try that was looked for.
"""

from datetime import datetime

from relance.core import defaults, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.events import EventName
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.values import replace
from relance.ports.store import Transaction
from relance.services import moving, slots
from relance.services.records import save_attempt, save_enrollment
from relance.services.sending.confirm import record_acceptance


def lose(tx: Transaction, *, workspace_id: int, attempt_id: int, error: str, now: datetime) -> None:
    """Mark an attempt whose outcome was lost `unknown`; the slot stays taken and the enrollment waits where it is."""
    attempt = tx.one(Attempt, "attempts.get", workspace_id=workspace_id, id=attempt_id)
    if attempt is None or attempt.status is not AttemptStatus.IN_FLIGHT:
        return
    lost = transitions.change_attempt(attempt, AttemptStatus.UNKNOWN, error=error[:500], next_look_at=now)
    save_attempt(tx, attempt, lost)
    enrollment = tx.one(Enrollment, "enrollments.lock", workspace_id=workspace_id, id=attempt.enrollment_id)
    if enrollment is None:
        return
    moving.note(tx, enrollment, EventName.OUTCOME_LOST, f"step {attempt.step}: {error}"[:500], now)
    freed = moving.unlocked(enrollment)
    if not enrollment.terminal:
        freed = replace(
            freed,
            skip_until=(attempt.release_by or now) + defaults.AMBIGUITY_GRACE,
            last_skip_reason="outcome_unknown",
            last_skip_at=now,
        )
    save_enrollment(tx, enrollment, freed)


def settle_sent(  # noqa: PLR0913  # what the evidence tells of the message
    tx: Transaction,
    *,
    workspace_id: int,
    attempt_id: int,
    by: str,
    now: datetime,
    sent_at: datetime | None = None,
    latest: datetime | None = None,
    wire_message_id: str | None = None,
    subject: str | None = None,
    left_from: Mailbox | None = None,
) -> bool:
    """Say that a message did leave; return whether that was news.

    `sent_at` is when, if that is known; otherwise it is when it began, and never after `latest`. `subject` and
    `left_from` are what its copy tells: an attempt that was only reserved, as a restored state says, has no subject for
    its follow-ups yet, and may have left from another mailbox than the one that was reserved.
    """
    attempt = tx.one(Attempt, "attempts.get", workspace_id=workspace_id, id=attempt_id)
    if attempt is None or attempt.status in {AttemptStatus.SENT, AttemptStatus.NOT_DELIVERED}:
        return False
    if attempt.status is AttemptStatus.IN_FLIGHT and attempt.release_by is not None and now <= attempt.release_by:
        return False  # its sender is still speaking and will say so itself
    left_at = sent_at or min(attempt.began_at or now, latest or now)
    attempt = slots.count_as_left(tx, attempt, left_from, left_at=left_at)
    sent = transitions.change_attempt(
        attempt,
        AttemptStatus.SENT,
        sent_at=left_at,
        settled_by=by,
        next_look_at=None,
        wire_message_id=wire_message_id or attempt.wire_message_id,
        subject=attempt.subject if attempt.subject is not None else subject,
    )
    saved = save_attempt(tx, attempt, sent)
    enrollment = tx.one(Enrollment, "enrollments.lock", workspace_id=workspace_id, id=attempt.enrollment_id)
    if enrollment is not None:
        moving.note(tx, enrollment, EventName.OUTCOME_SETTLED, f"step {attempt.step} was sent: {by}", now)
        if left_from is not None and enrollment.last_sent_at is None and enrollment.mailbox_id != left_from.id:
            enrollment = save_enrollment(tx, enrollment, replace(enrollment, mailbox_id=left_from.id))
        if enrollment.last_skip_reason == "outcome_unknown":
            cleared = replace(enrollment, skip_until=None, last_skip_reason=None)
            save_enrollment(tx, enrollment, cleared)
    record_acceptance(tx, saved, cause=f"was sent: {by}", now=now)
    return True


def settle_failed(
    tx: Transaction, *, workspace_id: int, attempt_id: int, by: str, now: datetime, tries: int | None = None
) -> bool:
    """Say that a message did not leave: slot and gap go back, the step is tried again. Return whether it was news.

    `tries`: of the try that was looked for. Somebody may have settled that one meanwhile, and of the next one, lost as
    well, nothing is known yet. None: a person says it of whatever is unknown now.
    """
    attempt = tx.one(Attempt, "attempts.get", workspace_id=workspace_id, id=attempt_id)
    if attempt is None or attempt.status is not AttemptStatus.UNKNOWN or tries not in {None, attempt.tries}:
        return False
    enrollment = tx.one(Enrollment, "enrollments.lock", workspace_id=workspace_id, id=attempt.enrollment_id)
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=attempt.mailbox_id)
    if enrollment is None or mailbox is None:
        return False
    slots.give_back(tx, attempt, mailbox=mailbox, enrollment=enrollment)
    failed = transitions.change_attempt(
        attempt,
        AttemptStatus.FAILED,
        settled_by=by,
        holds_slot=False,
        next_look_at=None,
        release_by=None,
        began_at=None,
    )
    save_attempt(tx, attempt, failed)
    moving.note(tx, enrollment, EventName.OUTCOME_SETTLED, f"step {attempt.step} was not sent: {by}", now)
    cleared = enrollment  # with its lock: somebody may have claimed the row meanwhile
    if mailbox.status is MailboxStatus.REMOVED:
        cleared = moving.unpinned(cleared)  # nobody else would ever take it
    if not enrollment.terminal:
        cleared = replace(cleared, skip_until=None, last_skip_reason=None)
    save_enrollment(tx, enrollment, cleared)
    return True
