"""Our own mail that this database does not know of: it left after the backup was made that has been put back.

Rule 1: marks are keyed hashes of enrollment and step counter, so that a copy in Sent says of which step it is.
Rule 2: the step that an enrollment stands on is recorded as sent, and the walk goes on. Waits before it are over.
Rule 3: where the way there can only be guessed, a person decides.
Rule 4: while a mailbox recovers, every such copy is kept: whoever it went to may not be known yet, or enter later.
Rule 5: an attempt is written before its message leaves and is never deleted. So a valid mark of a step without one is
        proof of an older state, and everything recovers. A mark proves nothing that belongs to nobody here: it may be
        of somebody who was erased, or of another installation.
"""

from datetime import datetime
from enum import StrEnum

from relance.core import identifiers
from relance.core.enrollment import WALKING, Enrollment
from relance.core.events import EventName
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import EmailStep, WaitStep
from relance.mail.message import Message
from relance.ports.store import Transaction
from relance.services import moving, recovering
from relance.services.ingestion.stage import StagedMessage
from relance.services.mailboxes import own_addresses
from relance.services.sending import forgotten
from relance.services.sending.catching_up import record
from relance.services.sending.forgotten import ForgottenSend
from relance.services.sending.reserve import lock
from relance.services.situations import Keys, plan_of, workspace_of, zone_for


class Remembered(StrEnum):
    """What a copy with a mark tells."""

    NOTHING = "nothing"  #: It belongs to nobody here.
    KEPT = "kept"  #: What is read back after a restore: recorded, or kept for whoever enters later.
    PROOF = "proof"  #: This database is older than the world; everything recovers from now on.


def remember(
    tx: Transaction, *, staged: StagedMessage, message: Message, trace: str, keys: Keys, now: datetime
) -> Remembered:
    """Record that the message with this mark left, if it is a step of somebody it was written to."""
    ids = {"workspace_id": staged.workspace_id}
    mailbox = tx.one(Mailbox, "mailboxes.get", **ids, id=staged.mailbox_id)
    if mailbox is None:
        return Remembered.NOTHING
    own = own_addresses(tx, staged.workspace_id)
    seen = [
        _seen(staged, message, trace, mailbox=mailbox.address, recipient=recipient, now=now)
        for recipient in (address.address.casefold() for address in message.to)
        if recipient not in own
    ]
    recovers = mailbox.status is MailboxStatus.RECOVERING
    kept = recovers and bool(seen)
    if kept:
        forgotten.keep(tx, seen[0])
    for copy in seen:
        lead = tx.one(Lead, "leads.by_email", **ids, email=copy.recipient)
        runs = tx.all(Enrollment, "enrollments.chosen", **ids, sequence_id=None, lead_id=lead.id) if lead else []
        for run in runs:
            counters = range(run.step_counter, run.step_counter + forgotten.MOST_AHEAD)
            marks = {identifiers.trace_header(keys.trace, run.uid, counter)[1]: counter for counter in counters}
            if lead is not None and trace in marks:
                proven = not recovers and _recover(tx, copy, now)
                _recognise(tx, run.id, marks[trace], copy, mailbox=mailbox, lead=lead, keys=keys, now=now)
                return Remembered.PROOF if proven else Remembered.KEPT
    return Remembered.KEPT if kept else Remembered.NOTHING


def _recover(tx: Transaction, copy: ForgottenSend, now: datetime) -> bool:
    """Let everything recover, for this database is older than the world; return False for a copy read once more."""
    known = {"workspace_id": copy.workspace_id, "trace": copy.trace}
    if tx.one(ForgottenSend, "forgotten_sends.of_mark", **known) is not None:
        return False
    forgotten.keep(tx, copy)
    why = f"{copy.folder} holds a message of {copy.left_at:%Y-%m-%d %H:%M} UTC that this database knows nothing of"
    recovering.enter(tx, alive_at=copy.left_at, why=why, now=now)
    return True


def _seen(
    staged: StagedMessage, message: Message, trace: str, *, mailbox: str, recipient: str, now: datetime
) -> ForgottenSend:
    return ForgottenSend(
        workspace_id=staged.workspace_id,
        trace=trace,
        mailbox=mailbox,
        recipient=recipient,
        subject=message.subject,
        wire_message_id=message.message_id,
        opens_thread=not message.in_reply_to,
        folder=staged.folder,
        left_at=min(staged.internal_date, now),
        seen_at=now,
    )


def _recognise(
    tx: Transaction,
    enrollment_id: int,
    counter: int,
    copy: ForgottenSend,
    *,
    mailbox: Mailbox,
    lead: Lead,
    keys: Keys,
    now: datetime,
) -> None:
    run = lock(tx, mailbox.workspace_id, enrollment_id)
    run = _past_waits(tx, run, counter, lead, mailbox, now) if run is not None else None
    if run is None:
        return
    step = plan_of(tx, run.workspace_id, run.sequence_id, run.version).step(run.step)
    known = tx.one(ForgottenSend, "forgotten_sends.of_mark", workspace_id=copy.workspace_id, trace=copy.trace)
    another = known is not None and known.step not in {None, run.step}
    if run.step_counter != counter or another or not isinstance(step, EmailStep):
        cause = f"a later step ({counter}) left from {mailbox.address} before this state was put back"
        if not run.terminal:
            forgotten.hold(tx, run, hold_reason=forgotten.HOLD_REASON, cause=cause, now=now)
        return
    record(tx, run, step, copy, mailbox=mailbox, lead=lead, keys=keys, now=now)


def _past_waits(
    tx: Transaction, run: Enrollment, counter: int, lead: Lead, mailbox: Mailbox, now: datetime
) -> Enrollment:
    """Let the waits end that stand between an enrollment and a step that has left."""
    plan = plan_of(tx, run.workspace_id, run.sequence_id, run.version)
    zone = zone_for(plan, workspace_of(tx, run.workspace_id), lead, mailbox)
    while run.status in WALKING and run.step_counter < counter and isinstance(plan.step(run.step), WaitStep):
        cause = f"wait {run.step} is over: a later step had left before this state was put back"
        run = moving.advance(tx, run, plan, zone=zone, event=EventName.WAIT_ENDED, cause=cause, now=now)
    return run
