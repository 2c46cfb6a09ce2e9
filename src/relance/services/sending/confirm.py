"""Write acceptance and the next due time together.

Acceptance is recorded whatever became of the enrollment meanwhile; only one that still walks moves on.
"""

from datetime import datetime

from relance.core import transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import WALKING, Enrollment
from relance.core.events import EventName
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.values import replace
from relance.ports.connector import Accepted
from relance.ports.store import Transaction
from relance.services import moving
from relance.services.records import save_attempt, save_enrollment
from relance.services.situations import plan_of, workspace_of, zone_for

#: Reasons for which a mailbox rests that a message which was taken disproves.
SENDING_TROUBLE = ("smtp_login_refused", "smtp_unreachable", "sender_refused", "quota", "blocked")


def confirm(
    tx: Transaction,
    *,
    workspace_id: int,
    attempt_id: int,
    accepted: Accepted,
    raw: bytes,
    content_key: str,
    now: datetime,
    trace: str,
) -> Attempt:
    """Turn an accepted attempt into `sent`, keep the message as it left, and enter the next step.

    `raw` is without the contents of its attachments: they are kept already, once for everybody.

    Safe to apply again after a CommitUnknownError: an attempt that is `sent` is returned as it is. Raises LookupError
    where an older state was put back meanwhile, in which there is no such attempt, or another one of that number, which
    is told by its `trace`.
    """
    attempt = tx.one(Attempt, "attempts.get", workspace_id=workspace_id, id=attempt_id)
    if attempt is None or trace != attempt.trace:
        raise LookupError(f"attempt {attempt_id} was accepted by the server but is not in the database")
    if attempt.status is AttemptStatus.SENT:  # by our own first try, or by its copy that was seen in Sent before
        keep_outgoing(tx, attempt, _lead_of(tx, attempt), raw=raw, content_key=content_key, now=now)
        return attempt
    sent = transitions.change_attempt(
        attempt,
        AttemptStatus.SENT,
        sent_at=now,
        error=None,
        next_look_at=None,
        provider_message_id=accepted.provider_message_id,
        provider_thread_id=accepted.provider_thread_id,
    )
    saved = save_attempt(tx, attempt, sent)
    lead, mailbox = _lead_of(tx, saved), _mailbox_of(tx, saved)
    keep_outgoing(tx, saved, lead, raw=raw, content_key=content_key, now=now)
    if mailbox.consecutive_failures:
        ids = {"workspace_id": workspace_id, "id": mailbox.id}
        tx.run("mailboxes.mark_works", **ids, reason_list=SENDING_TROUBLE, now=now)
    _record(tx, saved, lead, mailbox, cause=f"accepted by the server: {accepted.response}", now=now)
    return saved


def keep_outgoing(
    tx: Transaction, attempt: Attempt, lead: Lead, *, raw: bytes, content_key: str, now: datetime
) -> None:
    """Keep the message as it left: for the thread view, and for the copy where the server saves none.

    Nothing is kept of one to a person who was erased while it was on its way.
    """
    if lead.erased:
        return
    tx.run(
        "messages.insert_outgoing",
        workspace_id=attempt.workspace_id,
        mailbox_id=attempt.mailbox_id,
        at=now,
        message_id=attempt.message_id,
        to_address=attempt.recipient,
        subject=attempt.subject,
        content_key=content_key,
        raw=raw,
        lead_id=attempt.lead_id,
        enrollment_id=attempt.enrollment_id,
        attempt_id=attempt.id,
    )


def record_acceptance(tx: Transaction, attempt: Attempt, *, cause: str, now: datetime) -> None:
    """Write on the enrollment that this attempt left, and move it on if it still stands on that step and walks."""
    _record(tx, attempt, _lead_of(tx, attempt), _mailbox_of(tx, attempt), cause=cause, now=now)


def _record(tx: Transaction, attempt: Attempt, lead: Lead, mailbox: Mailbox, *, cause: str, now: datetime) -> None:
    ids = {"workspace_id": attempt.workspace_id}
    enrollment = tx.one(Enrollment, "enrollments.lock", **ids, id=attempt.enrollment_id)
    if enrollment is None:
        raise LookupError(f"attempt {attempt.id} has no enrollment")
    moving.note(tx, enrollment, EventName.STEP_ACCEPTED, f"step {attempt.step} {cause}", now, attempt_id=attempt.id)
    left_at = attempt.sent_at or now
    seen = replace(
        enrollment,
        last_sent_at=max(left_at, enrollment.last_sent_at or left_at),
        mailbox_id=enrollment.mailbox_id or attempt.mailbox_id,  # the pin of a withdrawn try was let go
    )
    if enrollment.status not in WALKING or enrollment.step_counter != attempt.step_counter:
        save_enrollment(tx, enrollment, moving.unlocked(seen))
        return
    plan = plan_of(tx, attempt.workspace_id, attempt.sequence_id, enrollment.version)
    zone = zone_for(plan, workspace_of(tx, attempt.workspace_id), lead, mailbox)
    moving.advance(
        tx, seen, plan, zone=zone, event=EventName.STEP_ACCEPTED, cause=f"step {attempt.step} {cause}", now=now
    )


def _lead_of(tx: Transaction, attempt: Attempt) -> Lead:
    found = tx.one(Lead, "leads.get", workspace_id=attempt.workspace_id, id=attempt.lead_id)
    if found is None:
        raise LookupError(f"attempt {attempt.id} has no lead")
    return found


def _mailbox_of(tx: Transaction, attempt: Attempt) -> Mailbox:
    found = tx.one(Mailbox, "mailboxes.get", workspace_id=attempt.workspace_id, id=attempt.mailbox_id)
    if found is None:
        raise LookupError(f"attempt {attempt.id} has no mailbox")
    return found
