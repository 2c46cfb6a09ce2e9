"""Every definite way back from sending: nothing left, so slot and gap return and the attempt may be tried again.

Whose trouble it was decides what moves: see `relance.core.failure`.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from relance.core import backoff, defaults, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.counts import Outcome
from relance.core.enrollment import WALKING, Enrollment, EnrollmentStatus, StopReason
from relance.core.events import Event, EventName
from relance.core.failure import AddressRejected, Failure, MailboxTrouble, TryLater, Withdrawn
from relance.core.mailbox import OPTION_OF_FIELD, Mailbox
from relance.core.suppression import SuppressionReason
from relance.ports.store import Transaction
from relance.services import counting, moving, slots
from relance.services.records import record, save_attempt, save_enrollment
from relance.services.sending.reserve import Reserved, lock
from relance.services.suppressions import suppress_address

BLOCKED = "blocked"  #: The reason of a mailbox whose message was refused as unwanted.
TOLD_LATE = "its sender was told so after it had been given up on"  #: What settles an outcome that was not lost.
UNWANTED = "refused_as_unwanted"  #: The hold reason of a person whose message was, time and again.
BREAKS = "server_hangs_up"  #: The same for one at whose message the server closes the connection, and not at others'.
_LAST = {UNWANTED: "refused as unwanted", BREAKS: "the server hung up"}


def fail(tx: Transaction, held: Attempt, *, failure: Failure, now: datetime) -> None:
    """Record one try that definitely did not leave, give back what it took, and decide what comes next.

    `held` is the attempt as the sender reserved or began it. Safe to apply again after a CommitUnknownError: the row
    may be on its way again by then, from another mailbox, and that try is not this one's to fail. One that a successor
    has called unknown meanwhile is settled by this: nobody knows better than who was told.
    """
    workspace_id = held.workspace_id
    attempt = tx.one(Attempt, "attempts.get", workspace_id=workspace_id, id=held.id)
    if attempt is None or not _is_still(attempt, held):
        return
    enrollment = lock(tx, workspace_id, attempt.enrollment_id)
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=attempt.mailbox_id)
    if enrollment is None or mailbox is None:
        return
    slots.give_back(tx, attempt, mailbox=mailbox, enrollment=enrollment)
    if attempt.status is AttemptStatus.UNKNOWN:
        attempt, enrollment = _known_after_all(tx, attempt, enrollment, now)
    match failure:
        case AddressRejected(reason=reason, response=response):
            _give_up(tx, attempt, response)
            _bounce(tx, enrollment, attempt, reason, response, now)
        case TryLater(reason=reason, response=response):
            _cool_down(tx, enrollment, attempt, reason, response, now)
        case MailboxTrouble():
            _rest_mailbox(tx, enrollment, attempt, mailbox, failure, now)
        case Withdrawn(reason=reason):
            _back_to_reserved(tx, attempt, enrollment, reason)
            freed = moving.unlocked(enrollment)
            if not enrollment.terminal:
                freed = replace(freed, skip_until=now + moving.RACE_PAUSE, last_skip_reason=reason, last_skip_at=now)
            save_enrollment(tx, enrollment, moving.unpinned(freed))


def quarantine(tx: Transaction, reserved: Reserved, *, hold_reason: str, now: datetime) -> None:
    """Hold an enrollment whose message lacks a value or cannot be written: it never goes out with a gap.

    `hold_reason` is `missing_value:FIELD` or `cannot_compose: …`; a person sets the value and resumes it.
    """
    attempt = tx.one(Attempt, "attempts.get", workspace_id=reserved.attempt.workspace_id, id=reserved.attempt.id)
    enrollment = tx.one(
        Enrollment, "enrollments.lock", workspace_id=reserved.attempt.workspace_id, id=reserved.enrollment.id
    )
    if attempt is None or enrollment is None or attempt.status is not AttemptStatus.RESERVED:
        return
    slots.give_back(tx, attempt, mailbox=reserved.mailbox, enrollment=enrollment)
    _back_to_reserved(tx, attempt, enrollment, hold_reason)
    if enrollment.status not in WALKING:
        save_enrollment(tx, enrollment, moving.unlocked(enrollment))
        return
    kind, _, what = hold_reason.partition(":")
    who = f"mailbox {reserved.mailbox.address}" if what in OPTION_OF_FIELD else "the lead"
    missing = f"{who} has no value for {what} and the template gives no default"
    cause = missing if kind == "missing_value" else f"the message cannot be written: {what.strip()}"
    after, entry = transitions.change(
        moving.unpinned(moving.unlocked(enrollment)),
        event=EventName.VALUE_MISSED,
        to=EnrollmentStatus.HELD,
        now=now,
        cause=cause,
        hold_reason=hold_reason,
    )
    save_enrollment(tx, enrollment, after, entry)
    moving.note(tx, enrollment, EventName.VALUE_MISSED, cause, now)


def put_mailbox_off(tx: Transaction, mailbox: Mailbox, trouble: MailboxTrouble, now: datetime) -> None:
    """Write a mailbox's trouble once on the mailbox; its leads show it without being touched."""
    tx.run(
        "mailboxes.put_off_for_trouble",
        workspace_id=mailbox.workspace_id,
        id=mailbox.id,
        status=trouble.status or mailbox.status,
        reason=trouble.reason,
        detail=trouble.response[:500],
        until=trouble.until,
    )
    record(
        tx,
        Event(
            workspace_id=mailbox.workspace_id,
            at=now,
            name=EventName.BLOCK_RECEIVED if trouble.reason == "blocked" else EventName.MAILBOX_FAILED,
            detail=f"{trouble.reason}: {trouble.response[:500]}",
            mailbox_id=mailbox.id,
        ),
    )


def _is_still(attempt: Attempt, held: Attempt) -> bool:
    """Whether an attempt is still in the very reservation that its sender took: not begun, begun, or given up on."""
    return (
        attempt.status in {AttemptStatus.RESERVED, AttemptStatus.IN_FLIGHT, AttemptStatus.UNKNOWN}
        and attempt.holds_slot
        and (attempt.mailbox_id, attempt.planned_at) == (held.mailbox_id, held.planned_at)
    )


def _known_after_all(
    tx: Transaction, attempt: Attempt, enrollment: Enrollment, now: datetime
) -> tuple[Attempt, Enrollment]:
    """Return both, the revisions as read, with what waits for the lost outcome taken away."""
    moving.note(tx, enrollment, EventName.OUTCOME_SETTLED, f"step {attempt.step} was not sent: {TOLD_LATE}", now)
    if enrollment.last_skip_reason == "outcome_unknown":
        enrollment = replace(enrollment, skip_until=None, last_skip_reason=None)
    return replace(attempt, settled_by=TOLD_LATE), enrollment


def _rest_behind_others(enrollment: Enrollment, trouble: MailboxTrouble, now: datetime) -> timedelta:
    """Return how long a person rests after the mailbox's trouble, since it may be about their message only.

    Others go first then, and no other mailbox tries at once. A server that is lost once has simply gone.
    """
    before, sent = enrollment.last_failure_at, enrollment.last_sent_at
    again = trouble.person_named and before is not None and (sent is None or before > sent)
    return backoff.growing(now - before) if again and before is not None else timedelta()


def _rest_mailbox(
    tx: Transaction, enrollment: Enrollment, attempt: Attempt, mailbox: Mailbox, trouble: MailboxTrouble, now: datetime
) -> None:
    """Put the mailbox off, and the person too where it may be about their message."""
    reason, response, until = trouble.reason, trouble.response, trouble.until
    _back_to_reserved(tx, attempt, enrollment, response)
    put_mailbox_off(tx, mailbox, trouble, now)
    _note_try(tx, enrollment, f"mailbox {mailbox.address}: {reason} until {until.isoformat()}: {response}", now)
    if reason == BLOCKED:
        _rest_or_ask(
            tx, enrollment, attempt, trouble, hold_reason=UNWANTED, rest_until=until + defaults.BLOCK_LEAD_REST, now=now
        )
        return
    rest = _rest_behind_others(enrollment, trouble, now)
    if rest and _others_got_through(tx, enrollment, mailbox):
        _rest_or_ask(tx, enrollment, attempt, trouble, hold_reason=BREAKS, rest_until=until + rest, now=now)
        return
    freed = moving.unpinned(moving.unlocked(enrollment))
    if trouble.person_named:
        freed = replace(freed, last_failure_at=now)
    if rest and not enrollment.terminal:
        freed = replace(freed, skip_until=until + rest, last_skip_reason=reason, last_skip_at=now)
    save_enrollment(tx, enrollment, freed)


def _others_got_through(tx: Transaction, enrollment: Enrollment, mailbox: Mailbox) -> bool:
    """Whether a mailbox has sent to others since a person's last failure: then the trouble is not its server's."""
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id}
    return bool(tx.one(int, "attempts.count_sent", **ids, since=enrollment.last_failure_at))


def _rest_or_ask(
    tx: Transaction,
    enrollment: Enrollment,
    attempt: Attempt,
    trouble: MailboxTrouble,
    *,
    hold_reason: str,
    rest_until: datetime,
    now: datetime,
) -> None:
    """Let a person whose message a server will not have rest behind others; hold them after so many times in a row.

    It was refused as unwanted, or the server hung up on it and not on others. Nobody can tell a message that will
    always be refused from a mailbox whose every message is. So the mailbox rests and the lead stays on the step, but
    each time is a failure of the step (B8): else one message would rest one mailbox after another for ever. Held and
    not stopped, because the lead has done nothing: once a person has seen to the text or the mailbox, resuming goes on
    from the same step and counts anew.
    """
    failures = enrollment.consecutive_failures + 1
    freed = replace(moving.unpinned(moving.unlocked(enrollment)), consecutive_failures=failures, last_failure_at=now)
    if failures >= defaults.FAILURES_CAP and enrollment.status in WALKING:
        cause = f"step {attempt.step} failed {failures} times in a row, last {_LAST[hold_reason]}: {trouble.response}"
        after, entry = transitions.change(
            replace(freed, consecutive_failures=0),
            event=EventName.STEP_FAILED,
            to=EnrollmentStatus.HELD,
            now=now,
            cause=cause[:500],
            hold_reason=hold_reason,
        )
        save_enrollment(tx, enrollment, after, entry)
        moving.note(tx, enrollment, EventName.STEP_FAILED, cause[:500], now)
        return
    if not enrollment.terminal:
        freed = replace(freed, skip_until=rest_until, last_skip_reason=trouble.reason, last_skip_at=now)
    save_enrollment(tx, enrollment, freed)


def _back_to_reserved(tx: Transaction, attempt: Attempt, enrollment: Enrollment, why: str) -> None:
    """Let the step be tried again; withdraw it for good if the enrollment has ended meanwhile."""
    back = attempt
    match attempt.status:
        case AttemptStatus.IN_FLIGHT:
            back = transitions.change_attempt(attempt, AttemptStatus.RESERVED, release_by=None, began_at=None)
        case AttemptStatus.UNKNOWN:
            back = transitions.change_attempt(attempt, AttemptStatus.FAILED, release_by=None, began_at=None)
        case _:
            pass
    if enrollment.terminal and back.status is AttemptStatus.RESERVED:
        back = transitions.change_attempt(back, AttemptStatus.VOIDED)
    save_attempt(tx, attempt, replace(back, holds_slot=False, error=why[:500]))


def _give_up(tx: Transaction, attempt: Attempt, why: str) -> None:
    failed = transitions.change_attempt(
        attempt, AttemptStatus.FAILED, holds_slot=False, error=why[:500], release_by=None, began_at=None
    )
    save_attempt(tx, attempt, failed)


def _bounce(
    tx: Transaction, enrollment: Enrollment, attempt: Attempt, reason: str, response: str, now: datetime
) -> None:
    cause = f"{attempt.recipient} was refused at send time ({reason}): {response}"
    suppress_address(
        tx,
        workspace_id=enrollment.workspace_id,
        address=attempt.recipient,
        reason=SuppressionReason.HARD_BOUNCE,
        source=cause[:500],
        now=now,
    )
    counting.came_of_it(tx, attempt, Outcome.BOUNCED, now=now)
    ids = {"workspace_id": enrollment.workspace_id}
    seen = replace(moving.unlocked(enrollment), bounced_at=now, last_failure_at=now)
    if enrollment.terminal:
        save_enrollment(tx, enrollment, seen)
    for run in tx.all(Enrollment, "enrollments.unfinished_of_lead", **ids, lead_id=enrollment.lead_id):
        other = run.id != enrollment.id
        moving.end(
            tx,
            run if other else seen,
            event=EventName.BOUNCE_RECEIVED,
            to=EnrollmentStatus.STOPPED,
            stop_reason=StopReason.BOUNCED,
            cause=cause,
            now=now,
            elsewhere=other,
        )


def _cool_down(
    tx: Transaction, enrollment: Enrollment, attempt: Attempt, reason: str, response: str, now: datetime
) -> None:
    failures = enrollment.consecutive_failures + 1
    seen = replace(moving.unpinned(moving.unlocked(enrollment)), consecutive_failures=failures, last_failure_at=now)
    if failures >= defaults.FAILURES_CAP and not enrollment.terminal:
        _give_up(tx, attempt, response)
        moving.end(
            tx,
            seen,
            event=EventName.STEP_FAILED,
            to=EnrollmentStatus.STOPPED,
            stop_reason=StopReason.DISPATCH_FAILURES,
            cause=f"step {attempt.step} failed {failures} times in a row, last with: {response}",
            now=now,
        )
        return
    _back_to_reserved(tx, attempt, enrollment, response)
    _note_try(tx, enrollment, f"step {attempt.step} put off ({reason}): {response}", now)
    if not enrollment.terminal:
        seen = replace(seen, skip_until=now + backoff.cooldown(failures), last_skip_reason="cooldown", last_skip_at=now)
    save_enrollment(tx, enrollment, seen)


def _note_try(tx: Transaction, enrollment: Enrollment, detail: str, now: datetime) -> None:
    moving.note(tx, enrollment, EventName.STEP_TRIED, detail[:500], now)
