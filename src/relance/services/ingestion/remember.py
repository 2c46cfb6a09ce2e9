"""Our own mail that this database does not know of: it left after the backup was made that has been put back.

Rule 1: marks are keyed hashes of enrollment and step counter, so that a copy in Sent says of which step it is.
Rule 2: the step that an enrollment stands on is recorded as sent, and the walk goes on. Waits before it are over.
Rule 3: where the way there can only be guessed, a person decides.
"""

from datetime import datetime

from relance.core import identifiers
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import WALKING, Enrollment
from relance.core.events import EventName
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import EmailStep, WaitStep
from relance.mail.message import Message
from relance.ports.store import Transaction
from relance.services import enrollments, moving
from relance.services.ingestion.stage import StagedMessage
from relance.services.sending.reserve import insert_attempt, lock, variant_of
from relance.services.sending.settle import settle_sent
from relance.services.situations import Keys, buckets_for, plan_of, workspace_of, zone_for

#: Steps beyond the one that an enrollment stands on; a copy of a later one is not recognised.
MOST_AHEAD = 20


def remember(
    tx: Transaction, *, staged: StagedMessage, message: Message, trace: str, keys: Keys, now: datetime
) -> bool:
    """Record that the message with this mark left, if it is a step of somebody it was written to; else return False."""
    ids = {"workspace_id": staged.workspace_id}
    for address in message.to:
        lead = tx.one(Lead, "leads.by_email", **ids, email=address.address.casefold())
        runs = tx.all(Enrollment, "enrollments.chosen", **ids, sequence_id=None, lead_id=lead.id) if lead else []
        for run in runs:
            counters = range(run.step_counter, run.step_counter + MOST_AHEAD)
            marks = {identifiers.trace_header(keys.trace, run.uid, counter)[1]: counter for counter in counters}
            if lead is not None and trace in marks:
                _recognise(tx, run.id, marks[trace], staged=staged, message=message, lead=lead, keys=keys, now=now)
                return True
    return False


def _recognise(
    tx: Transaction,
    enrollment_id: int,
    counter: int,
    *,
    staged: StagedMessage,
    message: Message,
    lead: Lead,
    keys: Keys,
    now: datetime,
) -> None:
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=staged.workspace_id, id=staged.mailbox_id)
    run = lock(tx, staged.workspace_id, enrollment_id)
    run = _past_waits(tx, run, counter, lead, mailbox, now) if run is not None else None
    if run is None or mailbox is None:
        return
    step = plan_of(tx, run.workspace_id, run.sequence_id, run.version).step(run.step)
    if run.step_counter != counter or not isinstance(step, EmailStep):
        cause = f"a later step ({counter}) left from {mailbox.address} before this state was put back"
        enrollments.pause(tx, workspace_id=run.workspace_id, enrollment_id=run.id, cause=cause, now=now)
        return
    left_at = min(staged.internal_date, now)
    buckets = buckets_for(mailbox, workspace_of(tx, run.workspace_id), left_at)
    own_id = identifiers.message_id(keys.message_id, run.uid, counter, mailbox.domain)
    forgotten = Attempt(
        workspace_id=run.workspace_id,
        id=0,
        enrollment_id=run.id,
        lead_id=run.lead_id,
        sequence_id=run.sequence_id,
        mailbox_id=mailbox.id,
        step=run.step,
        version=run.version,
        step_counter=counter,
        variant=variant_of(run, step).id,
        status=AttemptStatus.RESERVED,
        message_id=own_id,
        trace=identifiers.trace_header(keys.trace, run.uid, counter)[1],
        recipient=lead.email,
        subject=message.subject,
        opens_thread=not message.in_reply_to,
        planned_at=left_at,
        holds_slot=False,
        slot_day=buckets.mailbox_day,
        slot_hour=buckets.mailbox_hour,
        sent_copy_at=now,
        created_at=now,
    )
    settle_sent(
        tx,
        workspace_id=run.workspace_id,
        attempt_id=insert_attempt(tx, forgotten),
        by=f"its copy in {staged.folder}, of which this database knew nothing",
        now=now,
        sent_at=left_at,
        wire_message_id=message.message_id if message.message_id != own_id else None,
    )


def _past_waits(
    tx: Transaction, run: Enrollment, counter: int, lead: Lead, mailbox: Mailbox | None, now: datetime
) -> Enrollment:
    """Let the waits end that stand between an enrollment and a step that has left."""
    plan = plan_of(tx, run.workspace_id, run.sequence_id, run.version)
    zone = zone_for(plan, workspace_of(tx, run.workspace_id), lead, mailbox)
    while run.status in WALKING and run.step_counter < counter and isinstance(plan.step(run.step), WaitStep):
        cause = f"wait {run.step} is over: a later step had left before this state was put back"
        run = moving.advance(tx, run, plan, zone=zone, event=EventName.WAIT_ENDED, cause=cause, now=now)
    return run
