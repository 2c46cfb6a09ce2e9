"""Messages of ours that the database does not know of: they left after the backup was made that has been put back.

Rule 1: what a copy in Sent says by its mark is kept, whether or not its step can be found now: before any step is
        sent, its mark is looked up here.
Rule 2: whoever enters a sequence and was written to unknown to us waits for a person, who can see why.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from relance.core import identifiers, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.events import EventName
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import EmailStep
from relance.ports.store import Reader, Transaction
from relance.services import moving, slots
from relance.services.records import columns, insert_attempt, new_attempt, save_enrollment
from relance.services.sending.settle import settle_sent
from relance.services.sending.wording import variant_of
from relance.services.situations import Keys

#: Why somebody waits for a person: they may have been written to unknown to us.
HOLD_REASON = "written_before_restore"
#: Instead of a folder: no copy was seen, but the server's answer heard.
ACCEPTED = "(accepted)"
#: No copy was seen, and nobody knows whether it left.
UNKNOWN = "(unknown)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenSend:
    """One copy of ours in a Sent folder."""

    workspace_id: int
    trace: str
    mailbox_id: int
    recipient: str
    subject: str | None
    wire_message_id: str | None
    opens_thread: bool
    folder: str
    left_at: datetime
    answered_at: datetime | None = None
    seen_at: datetime


def keep(tx: Transaction, seen: ForgottenSend) -> None:
    """Keep a copy."""
    tx.run("forgotten_sends.add", **columns(seen))


def keep_accepted(tx: Transaction, attempt: Attempt, *, mailbox_id: int, now: datetime) -> None:
    """Keep what a server took of a process that lived on while an older state was put back under it."""
    seen = ForgottenSend(
        workspace_id=attempt.workspace_id,
        trace=attempt.trace,
        mailbox_id=mailbox_id,
        recipient=attempt.recipient,
        subject=attempt.subject,
        wire_message_id=None,
        opens_thread=attempt.opens_thread,
        folder=ACCEPTED,
        left_at=now,
        seen_at=now,
    )
    keep(tx, seen)


def of_step(reader: Reader, run: Enrollment, keys: Keys) -> ForgottenSend | None:
    """Return the copy that shows that the step on which an enrollment stands has left, if there is one."""
    trace = identifiers.trace_header(keys.trace, run.uid, run.step_counter)[1]
    return reader.one(ForgottenSend, "forgotten_sends.of_mark", workspace_id=run.workspace_id, trace=trace)


def any_in(reader: Reader, workspace_id: int) -> bool:
    """Whether a workspace has any: almost none ever has."""
    return reader.one(int, "forgotten_sends.any", workspace_id=workspace_id) is not None


def to_people(reader: Reader, workspace_id: int, addresses: Collection[str]) -> list[ForgottenSend]:
    """Return what was sent to any of these addresses, oldest first."""
    return reader.all(
        ForgottenSend, "forgotten_sends.to_people", workspace_id=workspace_id, address_list=list(addresses)
    )


def all_forgotten(reader: Reader, workspace_id: int) -> list[ForgottenSend]:
    """Return every copy of a workspace, oldest first."""
    return reader.all(ForgottenSend, "forgotten_sends.of_workspace", workspace_id=workspace_id)


def record_as_sent(
    tx: Transaction, run: Enrollment, step: EmailStep, seen: ForgottenSend, *, lead: Lead, keys: Keys, now: datetime
) -> bool:
    """Write the attempt that the database has forgotten, as sent, and let the walk go on from there.

    Return whether that was news. `run` is locked and stands on `step`.
    """
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=run.workspace_id, id=seen.mailbox_id)
    if mailbox is None:
        raise LookupError(f"mailbox {seen.mailbox_id} has gone")
    own_id = identifiers.message_id(keys.message_id, run.uid, run.step_counter, mailbox.domain)
    known = tx.one(
        Attempt,
        "attempts.of_step",
        workspace_id=run.workspace_id,
        enrollment_id=run.id,
        step_counter=run.step_counter,
    )
    return settle_sent(
        tx,
        workspace_id=run.workspace_id,
        attempt_id=known.id
        if known is not None
        else _insert(tx, run, step, seen, mailbox=mailbox, lead=lead, own_id=own_id),
        by=f"{_proof(seen)}, of which this database knew nothing",
        now=now,
        sent_at=seen.left_at,
        wire_message_id=seen.wire_message_id if seen.wire_message_id != own_id else None,
        subject=seen.subject,
        left_from=mailbox,
    )


def _proof(seen: ForgottenSend) -> str:
    told = {ACCEPTED: "the server's yes", UNKNOWN: "nobody: it may have left, and is not tried again"}
    return told.get(seen.folder, f"its copy in {seen.folder}")


def _where(seen: ForgottenSend) -> str:
    told = {ACCEPTED: "were taken by the server", UNKNOWN: "may have left"}
    return told.get(seen.folder, f"lie in {seen.folder}")


def _insert(
    tx: Transaction,
    run: Enrollment,
    step: EmailStep,
    seen: ForgottenSend,
    *,
    mailbox: Mailbox,
    lead: Lead,
    own_id: str,
) -> int:
    buckets = slots.count(tx, run, mailbox, lead.email, left_at=seen.left_at)
    forgotten = new_attempt(
        run,
        mailbox_id=mailbox.id,
        variant=variant_of(run, step).id,
        status=AttemptStatus.RESERVED,
        message_id=own_id,
        trace=seen.trace,
        recipient=lead.email,
        subject=seen.subject,
        opens_thread=seen.opens_thread,
        planned_at=seen.left_at,
        holds_slot=True,
        slot_day=buckets.mailbox_day,
        slot_hour=buckets.mailbox_hour,
        sent_copy_at=None if seen.folder in {ACCEPTED, UNKNOWN} else seen.seen_at,
        created_at=seen.seen_at,
    )
    return insert_attempt(tx, forgotten)


def hold_if_written_to(tx: Transaction, run: Enrollment, addresses: Collection[str], *, now: datetime) -> Enrollment:
    """Hold somebody who has just entered a sequence and was written to unknown to us; return the row as it is then."""
    seen = to_people(tx, run.workspace_id, addresses)
    if not seen or run.terminal:
        return run
    last = seen[-1]
    answered = next((one.answered_at for one in seen if one.answered_at is not None), None)
    said = f", and answered at {answered:%Y-%m-%d %H:%M} UTC" if answered is not None else ""
    cause = (
        f"{len(seen)} messages of ours to {last.recipient} {_where(last)}, the last of "
        f"{last.left_at:%Y-%m-%d %H:%M} UTC: this person was written to before an older state was put back{said}"
    )
    return hold(tx, run, hold_reason=HOLD_REASON, cause=cause, now=now)


def hold(tx: Transaction, run: Enrollment, *, hold_reason: str, cause: str, now: datetime) -> Enrollment:
    """Set an enrollment aside for a person, because it may have gone further than this database knows."""
    event = EventName.SEND_DOUBTED
    after, entry = transitions.change(
        moving.unlocked(run), event=event, to=EnrollmentStatus.HELD, now=now, cause=cause, hold_reason=hold_reason
    )
    saved = save_enrollment(tx, run, after, entry)
    moving.note(tx, saved, event, cause, now)
    return saved
