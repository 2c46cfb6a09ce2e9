"""A step that left, or may have, before an older state was put back: the attempt that this database lacks is written.

Rule 1: what left is written as sent, and the walk goes on from there.
Rule 2: what may have left is written as unknown, and settled like every lost outcome: looked for where the server keeps
        copies, asked about where it does not.
Rule 3: a step is known by its name; a copy tells only the number that it had, which is taken for the same step's.
Rule 4: where its mailbox is not connected here, nothing can be written, and a person decides. So does a person, once,
        where later steps left and this one did not.
Rule 5: either counts for the mailbox, and at the time, that it left from.
"""

from collections.abc import Mapping
from datetime import datetime

from relance.core import defaults, identifiers, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import EmailStep
from relance.core.values import replace
from relance.ports.store import Reader, Transaction
from relance.services import slots
from relance.services.records import insert_attempt, new_attempt, pin, save_attempt
from relance.services.sending import forgotten
from relance.services.sending.forgotten import ACCEPTED, HOLD_REASON, UNKNOWN, ForgottenSend
from relance.services.sending.settle import lose, settle_sent
from relance.services.sending.wording import variant_of
from relance.services.situations import Keys


def catch_up(tx: Transaction, run: Enrollment, step: EmailStep, *, lead: Lead, keys: Keys, now: datetime) -> str | None:
    """Write what is known of the step on which an enrollment stands, whose row is locked; return it in words.

    None: nothing is, and it may be sent.
    """
    if not forgotten.any_in(tx, run.workspace_id):
        return None
    left = forgotten.of_run(tx, run, keys)
    of_here = left.get(run.step_counter)
    seen = next((one for one in left.values() if one.step == run.step), None)
    if seen is None and of_here is not None and of_here.step is None:
        seen = of_here
    if seen is None:
        return _ask_once(tx, run, step, left, now)
    mailbox = mailbox_of(tx, seen.workspace_id, seen.mailbox)
    said = "may have left" if seen.folder == UNKNOWN else "left"
    if mailbox is None:
        cause = (
            f"step {step.id} {said} from {seen.mailbox} at {seen.left_at:%Y-%m-%d %H:%M} UTC, before an older state "
            "was put back, and that mailbox is not connected here"
        )
        forgotten.hold(tx, run, hold_reason=HOLD_REASON, cause=cause, now=now)
        return cause
    record(tx, run, step, seen, mailbox=mailbox, lead=lead, keys=keys, now=now)
    return f"step {step.id} {said} before an older state was put back"


def _ask_once(
    tx: Transaction, run: Enrollment, step: EmailStep, left: Mapping[int, ForgottenSend], now: datetime
) -> str | None:
    """Hold whoever went another way before: of this step nothing is known, but later ones left. Once is enough."""
    elsewhere = next((one for one in left.values() if one.step is not None and one.asked_at is None), None)
    if elsewhere is None:
        return None
    cause = (
        f"step {elsewhere.step} left at {elsewhere.left_at:%Y-%m-%d %H:%M} UTC, before an older state was put back, "
        f"and step {step.id} did not: this person went another way then"
    )
    for one in left.values():
        tx.run("forgotten_sends.mark_asked", workspace_id=run.workspace_id, trace=one.trace, now=now)
    forgotten.hold(tx, run, hold_reason=HOLD_REASON, cause=cause, now=now)
    return cause


def record(
    tx: Transaction,
    run: Enrollment,
    step: EmailStep,
    seen: ForgottenSend,
    *,
    mailbox: Mailbox,
    lead: Lead,
    keys: Keys,
    now: datetime,
) -> None:
    """Write the attempt, from `mailbox`, as what is known of it. `run` is locked and stands on `step`."""
    own_id = identifiers.message_id(keys.message_id, run.uid, run.step_counter, mailbox.domain)
    attempt = _known(tx, run) or _insert(tx, run, step, seen, mailbox=mailbox, lead=lead, keys=keys)
    rewritten = seen.wire_message_id if seen.wire_message_id != own_id else None
    if seen.folder == UNKNOWN:
        _lose(tx, run, attempt, seen, mailbox=mailbox, own_id=own_id, rewritten=rewritten, now=now)
    else:
        proof = "the server's yes" if seen.folder == ACCEPTED else f"its copy in {seen.folder}"
        settle_sent(
            tx,
            workspace_id=run.workspace_id,
            attempt_id=attempt.id,
            by=f"{proof}, of which this database knew nothing",
            now=now,
            sent_at=seen.left_at,
            wire_message_id=rewritten,
            subject=seen.subject,
            left_from=mailbox,
        )
    tx.run("forgotten_sends.mark_recorded", workspace_id=run.workspace_id, trace=seen.trace, now=now)


def lose_held(tx: Transaction, held: Attempt, *, mailbox: str, error: str, now: datetime) -> None:
    """Mark an attempt unknown whose outcome this process has lost; `mailbox` is the address that it was sent from.

    Where an older state was put back meanwhile that knows nothing of this try, the doubt is kept until its step comes.
    """
    known = tx.one(Attempt, "attempts.get", workspace_id=held.workspace_id, id=held.id)
    if known is None or known.trace != held.trace or known.tries < held.tries:
        forgotten.keep_departed(tx, held, mailbox=mailbox, folder=UNKNOWN, now=now)
    else:
        lose(tx, workspace_id=held.workspace_id, attempt_id=held.id, error=error, now=now)


def _lose(
    tx: Transaction,
    run: Enrollment,
    found: Attempt,
    seen: ForgottenSend,
    *,
    mailbox: Mailbox,
    own_id: str,
    rewritten: str | None,
    now: datetime,
) -> None:
    """Write the attempt as begun when it may have left, and its outcome as lost."""
    attempt = slots.count_as_left(tx, found, mailbox, left_at=seen.left_at)
    if attempt.status is AttemptStatus.FAILED:
        attempt = save_attempt(tx, attempt, transitions.change_attempt(attempt, AttemptStatus.RESERVED))
    begun = transitions.change_attempt(
        attempt,
        AttemptStatus.IN_FLIGHT,
        began_at=seen.left_at,
        release_by=seen.left_at + defaults.RELEASE_DEADLINE,
        subject=seen.subject,
        wire_message_id=rewritten or attempt.wire_message_id,
        tries=attempt.tries + 1,
    )
    save_attempt(tx, attempt, replace(begun, message_id=own_id, opens_thread=seen.opens_thread))
    sender = mailbox.id if run.last_sent_at is None else run.mailbox_id or mailbox.id
    pin(tx, run, mailbox_id=sender, variants={**run.variants, attempt.step: attempt.variant})
    error = "it may have left before an older state was put back"
    lose(tx, workspace_id=run.workspace_id, attempt_id=attempt.id, error=error, now=now)


def mailbox_of(reader: Reader, workspace_id: int, address: str) -> Mailbox | None:
    """Return the mailbox of an address, even if it was removed; None where it was never connected."""
    where = {"workspace_id": workspace_id, "address": address}
    connected = reader.one(Mailbox, "mailboxes.by_address", **where)
    return connected or reader.one(Mailbox, "mailboxes.removed_by_address", **where)


def _known(reader: Reader, run: Enrollment) -> Attempt | None:
    ids = {"workspace_id": run.workspace_id, "enrollment_id": run.id}
    return reader.one(Attempt, "attempts.of_step", **ids, step_counter=run.step_counter)


def _insert(
    tx: Transaction,
    run: Enrollment,
    step: EmailStep,
    seen: ForgottenSend,
    *,
    mailbox: Mailbox,
    lead: Lead,
    keys: Keys,
) -> Attempt:
    buckets = slots.count(tx, run, mailbox, lead.email, left_at=seen.left_at)
    lacking = new_attempt(
        run,
        mailbox_id=mailbox.id,
        variant=variant_of(run, step).id,
        status=AttemptStatus.RESERVED,
        message_id=identifiers.message_id(keys.message_id, run.uid, run.step_counter, mailbox.domain),
        trace=identifiers.trace_header(keys.trace, run.uid, run.step_counter)[1],
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
    return replace(lacking, id=insert_attempt(tx, lacking))
