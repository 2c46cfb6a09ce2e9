"""Write down that a step is about to be sent, and take everything it uses up, before anything is rendered.

Rule 1: the lead's row is locked first, so that everything about one person is decided one after the other.
Rule 2: an attempt that exists is done, goes on or is being looked up; only a definite failure lets it begin again.
Rule 3: a step whose copy was seen in Sent after a restore has left, whatever the attempts say; one that may have left
        is looked for first.
Rule 4: slot, gap and every wider counter are taken in this transaction, or none of them is.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from relance.core import defaults, gates, identifiers, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.events import EventName
from relance.core.health import Sick, factor
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import EmailStep, Plan, Variant
from relance.core.situation import Situation
from relance.core.values import replace
from relance.core.verdict import Defer, Leave, Pass, Stop
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import moving, slots, verifying
from relance.services.limits import Buckets, buckets_for, measured
from relance.services.records import insert_attempt, new_attempt, pin, save_attempt, save_enrollment
from relance.services.sending.catching_up import catch_up
from relance.services.sending.thread import Thread, thread_of
from relance.services.sending.wording import variant_of
from relance.services.situations import Keys, gather, workspace_of, zone_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """The right to send is held; everything needed to compose the message comes with it."""

    attempt: Attempt
    enrollment: Enrollment
    workspace: Workspace
    mailbox: Mailbox
    lead: Lead
    plan: Plan
    step: EmailStep
    variant: Variant
    thread: Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """Not now; the reason stands where it belongs and the row was let go."""

    gate: str
    reason: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The enrollment ended, or went on without a send (its step had already been accepted)."""

    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """The world moved since the row was claimed; nothing was touched."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Only fresh answers are wanting: read these mailboxes and ask again. Nothing was touched; the lock is kept."""

    mailbox_ids: tuple[int, ...]


ReserveOutcome = Reserved | Deferred | Ended | Left | Unread


def reserve(
    tx: Transaction,
    *,
    workspace_id: int,
    enrollment_id: int,
    woken_counter: int,
    mailbox_id: int,
    worker: str,
    keys: Keys,
    now: datetime,
) -> ReserveOutcome:
    """Run every gate over one claimed enrollment and take its slot, or write why not."""
    lead, enrollment = lock_with_lead(tx, workspace_id, enrollment_id)
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=mailbox_id)
    if enrollment is None or mailbox is None:
        return Left(reason="the enrollment or its mailbox no longer exists")
    workspace = workspace_of(tx, workspace_id)
    bare = gather(
        tx,
        workspace=workspace,
        enrollment=enrollment,
        locked_lead=lead,
        woken_counter=woken_counter,
        mailbox=mailbox,
        worker=worker,
        keys=keys,
        now=now,
    )
    situation = measured(tx, bare, workspace)
    health = situation.mailbox_health
    if isinstance(health, Sick):
        until = now + defaults.HEALTH_REST
        tx.run("mailboxes.put_off", workspace_id=workspace_id, id=mailbox.id, until=until, reason="health")
        _let_go(tx, enrollment, worker)
        return Deferred(gate="mailbox", reason=f"health: {health.reason}", until=until)
    gate, verdict = gates.evaluate(situation)
    match verdict:
        case Pass():
            return _take(tx, situation, workspace, mailbox, keys)
        case Defer(until=until) if gate == "reply_freshness" and until <= now:
            stale = [w.mailbox_id for w in situation.written if not w.is_fresh(at=now, within=situation.freshness)]
            return Unread(mailbox_ids=tuple(stale))
        case Defer(until=until, reason=reason):
            if gate == "verification":
                verifying.want(tx, situation.lead, situation.plan.verification, now=now)
            moving.defer(tx, situation, verdict)
            return Deferred(gate=gate, reason=reason, until=until)
        case Stop(cause=cause):
            moving.stop_for_gate(tx, situation, verdict)
            return Ended(cause=cause)
        case Leave(reason=reason):
            _let_go(tx, enrollment, worker)
            return Left(reason=reason)


def lock(tx: Transaction, workspace_id: int, enrollment_id: int) -> Enrollment | None:
    """Lock the lead's row, then the enrollment's, and return the latter as it is now."""
    return lock_with_lead(tx, workspace_id, enrollment_id)[1]


def lock_with_lead(tx: Transaction, workspace_id: int, enrollment_id: int) -> tuple[Lead | None, Enrollment | None]:
    """Lock the lead's row, then the enrollment's, and return both as they are now; the lead may be its former one."""
    lead = tx.one(Lead, "leads.lock_of_enrollment", workspace_id=workspace_id, enrollment_id=enrollment_id)
    return lead, tx.one(Enrollment, "enrollments.lock", workspace_id=workspace_id, id=enrollment_id)


def _let_go(tx: Transaction, enrollment: Enrollment, worker: str) -> None:
    if enrollment.lock_holder == worker:
        save_enrollment(tx, enrollment, moving.unlocked(enrollment))


def _take(tx: Transaction, situation: Situation, workspace: Workspace, mailbox: Mailbox, keys: Keys) -> ReserveOutcome:
    enrollment, plan, now = situation.enrollment, situation.plan, situation.now
    step = situation.step
    if not isinstance(step, EmailStep):
        _let_go(tx, enrollment, situation.worker)
        return Left(reason="the step is not an e-mail")
    existing = tx.one(
        Attempt,
        "attempts.of_step",
        workspace_id=enrollment.workspace_id,
        enrollment_id=enrollment.id,
        step_counter=enrollment.step_counter,
    )
    match existing.status if existing else None:
        case AttemptStatus.SENT | AttemptStatus.NOT_DELIVERED:
            zone = zone_for(plan, workspace, situation.lead, mailbox)
            cause = f"step {step.id} had already been accepted"
            moving.advance(tx, enrollment, plan, zone=zone, event=EventName.STEP_ACCEPTED, cause=cause, now=now)
            return Ended(cause=cause)
        case AttemptStatus.IN_FLIGHT | AttemptStatus.UNKNOWN | AttemptStatus.VOIDED:
            _let_go(tx, enrollment, situation.worker)
            return Left(reason=f"its attempt is {existing.status}" if existing else "")
        case None | AttemptStatus.RESERVED | AttemptStatus.FAILED:
            pass
    caught_up = catch_up(tx, enrollment, step, lead=situation.lead, keys=keys, now=now)
    if caught_up is not None:
        return Ended(cause=caught_up)
    buckets = buckets_for(mailbox, workspace, now)
    key = slots.gap_key(enrollment.uid, enrollment.step_counter)
    if existing is not None and existing.holds_slot:
        held_by = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace.id, id=existing.mailbox_id) or mailbox
        slots.give_back(tx, existing, mailbox=held_by, enrollment=enrollment)
    wanted = slots.counters(
        workspace=workspace,
        mailbox=mailbox,
        recipient=situation.lead.email,
        sequence_id=enrollment.sequence_id,
        plan=plan,
        buckets=buckets,
        first_contact=situation.first_contact,
        factor=factor(situation.mailbox_health),
    )
    refused = slots.take(tx, mailbox, wanted, key=key, now=now)
    if refused is not None:
        if existing is not None and existing.holds_slot:
            save_attempt(tx, existing, replace(existing, holds_slot=False))
        _let_go(tx, enrollment, situation.worker)
        return Left(reason=f"another send took the last of {refused.scope}")
    variant = variant_of(enrollment, step)
    thread = thread_of(tx, enrollment, variant, mailbox)
    attempt = _write(
        tx, situation, mailbox, variant=variant, thread=thread, existing=existing, keys=keys, buckets=buckets
    )
    variants = {**enrollment.variants, step.id: variant.id}
    pinned = pin(tx, enrollment, mailbox_id=mailbox.id, variants=variants)
    tx.run("sequences.mark_served", workspace_id=workspace.id, id=enrollment.sequence_id, now=now)
    return Reserved(
        attempt=attempt,
        enrollment=pinned,
        workspace=workspace,
        mailbox=mailbox,
        lead=situation.lead,
        plan=plan,
        step=step,
        variant=variant,
        thread=thread,
    )


def _write(
    tx: Transaction,
    situation: Situation,
    mailbox: Mailbox,
    *,
    variant: Variant,
    thread: Thread,
    existing: Attempt | None,
    keys: Keys,
    buckets: Buckets,
) -> Attempt:
    enrollment, now = situation.enrollment, situation.now
    counter = enrollment.step_counter
    message_id = identifiers.message_id(keys.message_id, enrollment.uid, counter, mailbox.domain)
    facts: dict[str, Any] = {
        "mailbox_id": mailbox.id,
        "variant": variant.id,
        "message_id": message_id,
        "recipient": situation.lead.email,
        "opens_thread": thread.opens,
        "planned_at": now,
        "holds_slot": True,
        "slot_day": buckets.mailbox_day,
        "slot_hour": buckets.mailbox_hour,
    }
    if existing is None:
        attempt = new_attempt(
            enrollment,
            status=AttemptStatus.RESERVED,
            trace=identifiers.trace_header(keys.trace, enrollment.uid, counter)[1],
            created_at=now,
            **facts,
        )
        return replace(attempt, id=insert_attempt(tx, attempt))
    reopened = (
        transitions.change_attempt(existing, AttemptStatus.RESERVED)
        if existing.status is AttemptStatus.FAILED
        else existing
    )
    return save_attempt(
        tx, existing, replace(reopened, error=None, step=enrollment.step, version=enrollment.version, **facts)
    )


def put_off_unread(tx: Transaction, *, workspace_id: int, enrollment_id: int, worker: str, now: datetime) -> None:
    """Put a follow-up off whose mailboxes could not be read freshly; nothing goes out unread."""
    enrollment = lock(tx, workspace_id, enrollment_id)
    if enrollment is None or enrollment.lock_holder != worker:
        return
    later = replace(
        moving.unlocked(enrollment),
        skip_until=now + defaults.MAILBOX_BACKOFF_FIRST,
        last_skip_reason="mailbox_unread",
        last_skip_at=now,
    )
    save_enrollment(tx, enrollment, later)
