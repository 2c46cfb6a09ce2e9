"""Carrying out what an incoming message does, effect by effect, in the transaction that keeps the message.

Rule 1: the person is locked first; enrollments are locked in the order of their ids.
Rule 2: the matched enrollment records what came in, in every status; only one that has not ended is moved.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from relance.core import effects as fx
from relance.core import transitions
from relance.core.attempt import Attempt
from relance.core.companies import company_of
from relance.core.counts import OUTCOME_OF
from relance.core.enrollment import WALKING, Enrollment, EnrollmentStatus
from relance.core.events import Event, EventName
from relance.core.inbound import HUMAN, InboundKind, Received
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.matching import Match
from relance.core.sequence import StopScope
from relance.ports.store import Transaction
from relance.services import counting, enrollments, moving, suppressions
from relance.services.records import record, save_enrollment
from relance.services.refusals import RefusedError
from relance.services.sending.settle import settle_sent
from relance.services.situations import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What came in, where, and to whom it belongs (None: to nobody here)."""

    workspace_id: int
    mailbox_id: int
    received: Received
    match: Match | None
    keys: Keys
    now: datetime
    kept: int | None = None  #: As which message it is kept; what it does is remembered for that one.


def apply(tx: Transaction, arrival: Arrival, effects: Iterable[fx.Effect]) -> None:
    """Do what a message does, in order."""
    if arrival.match is not None:
        tx.one(int, "leads.lock", workspace_id=arrival.workspace_id, id=arrival.match.lead_id)
        _count(tx, arrival, arrival.match)
    for effect in effects:
        if isinstance(effect, fx.Suppress | fx.MailboxBlock | fx.Ignore):
            _apply_to_workspace(tx, arrival, effect)
        elif arrival.match is not None:
            _apply_to_match(tx, arrival, arrival.match, effect)


def _count(tx: Transaction, arrival: Arrival, match: Match) -> None:
    outcome = OUTCOME_OF.get(arrival.received.kind)
    attempt = (
        tx.one(Attempt, "attempts.get", workspace_id=arrival.workspace_id, id=match.attempt_id) if outcome else None
    )
    if outcome is not None and attempt is not None:
        counting.came_of_it(tx, attempt, outcome, now=arrival.received.at)


def _apply_to_workspace(tx: Transaction, arrival: Arrival, effect: fx.Suppress | fx.MailboxBlock | fx.Ignore) -> None:
    match effect:
        case fx.Suppress(address=address, reason=reason):
            new = suppressions.suppress_address(
                tx,
                workspace_id=arrival.workspace_id,
                address=address,
                reason=reason,
                source=f"message {arrival.received.message_id or 'without id'} from {arrival.received.sender}",
                now=arrival.now,
                tombstone_key=arrival.keys.tombstone,
            )
            if new:
                _remember(tx, arrival, "suppressed", address=address)
        case fx.MailboxBlock():
            for mailbox_id in _resting(tx, arrival, effect):
                _rest(tx, arrival, mailbox_id, effect)
        case fx.Ignore():
            pass


def _resting(tx: Transaction, arrival: Arrival, block: fx.MailboxBlock) -> list[int]:
    """Return the mailboxes that a block puts to rest, in the order of their ids."""
    ids = {"workspace_id": arrival.workspace_id}
    refused = tx.one(Mailbox, "mailboxes.get", **ids, id=arrival.mailbox_id) if block.whole_domain else None
    if refused is None:
        return [arrival.mailbox_id]
    return sorted(box.id for box in tx.all(Mailbox, "mailboxes.of_workspace", **ids) if box.domain == refused.domain)


def _rest(tx: Transaction, arrival: Arrival, mailbox_id: int, block: fx.MailboxBlock) -> None:
    tx.run(
        "mailboxes.put_off",
        workspace_id=arrival.workspace_id,
        id=mailbox_id,
        until=block.until,
        reason=block.reason,
    )
    record(
        tx,
        Event(
            workspace_id=arrival.workspace_id,
            at=arrival.now,
            name=EventName.BLOCK_RECEIVED,
            detail=f"the mailbox rests until {block.until.isoformat()}: {block.reason}",
            mailbox_id=mailbox_id,
        ),
    )


def _apply_to_match(tx: Transaction, arrival: Arrival, match: Match, effect: fx.Effect) -> None:
    match effect:
        case fx.SettleAttempt(attempt_id=attempt_id, settled_by=by, at=at):
            evidence = f"{by} of message {arrival.received.message_id or 'without id'}"
            settle_sent(
                tx, workspace_id=arrival.workspace_id, attempt_id=attempt_id, by=evidence, now=arrival.now, latest=at
            )
        case fx.StopRuns(scope=scope, reason=reason, event=event, cause=cause):
            for enrollment in _in_scope(tx, arrival, match, scope):
                seen = _seen(enrollment, arrival, matched=enrollment.id == match.enrollment_id)
                if enrollment.terminal:
                    _record(tx, enrollment, seen, event, cause, arrival.now)
                else:
                    stopped = EnrollmentStatus.STOPPED
                    _remember(tx, arrival, "stopped", enrollment_id=enrollment.id)
                    moving.end(
                        tx,
                        seen,
                        event=event,
                        to=stopped,
                        stop_reason=reason,
                        cause=cause,
                        now=arrival.now,
                        elsewhere=enrollment.id != match.enrollment_id,
                    )
        case fx.PauseRuns(scope=scope, event=event, cause=cause):
            for enrollment in _in_scope(tx, arrival, match, scope):
                to = EnrollmentStatus.PAUSED if enrollment.status in WALKING else enrollment.status
                _set_aside(tx, arrival, match, enrollment, to=to, event=event, cause=cause, hold_reason=None)
        case fx.HoldRuns(scope=scope, hold_reason=hold_reason, event=event, cause=cause):
            for enrollment in _in_scope(tx, arrival, match, scope):
                to = enrollment.status if enrollment.terminal else EnrollmentStatus.HELD
                _set_aside(tx, arrival, match, enrollment, to=to, event=event, cause=cause, hold_reason=hold_reason)
        case _:
            _apply_to_one(tx, arrival, match, effect)


def _apply_to_one(tx: Transaction, arrival: Arrival, match: Match, effect: fx.Effect) -> None:
    """Do what concerns the matched enrollment or its person alone."""
    match effect:
        case fx.EnrollElsewhere(sequence=sequence):
            _enroll(tx, arrival, match, sequence)
        case fx.HoldLead(until=until, reason=reason):
            ids = {"workspace_id": arrival.workspace_id, "id": match.lead_id}
            if tx.run("leads.hold", **ids, until=until, reason=reason):
                _remember(tx, arrival, "away")
        case fx.RecordSoftBounce(count=count, cause=cause):
            enrollment = _matched(tx, arrival, match)
            seen = replace(_seen(enrollment, arrival, matched=True), soft_bounces=count)
            _record(tx, enrollment, seen, EventName.SOFT_BOUNCE_RECEIVED, cause, arrival.now)
            _remember(tx, arrival, "soft_bounce", enrollment_id=enrollment.id)
        case fx.Note(event=event, cause=cause):
            enrollment = _matched(tx, arrival, match)
            _record(tx, enrollment, _seen(enrollment, arrival, matched=True), event, cause, arrival.now)
        case _:
            raise TypeError(f"{type(effect).__name__} is no effect on one enrollment")


def _matched(tx: Transaction, arrival: Arrival, match: Match) -> Enrollment:
    found = tx.one(Enrollment, "enrollments.lock", workspace_id=arrival.workspace_id, id=match.enrollment_id)
    if found is None:
        raise LookupError(f"enrollment {match.enrollment_id} does not exist")
    return found


def _in_scope(tx: Transaction, arrival: Arrival, match: Match, scope: StopScope) -> list[Enrollment]:
    """Return the matched enrollment, whatever its status, and every other of the scope that has not ended."""
    ids = {"workspace_id": arrival.workspace_id}
    others: list[Enrollment] = []
    match scope:
        case StopScope.ENROLLMENT:
            pass
        case StopScope.LEAD:
            others = tx.all(Enrollment, "enrollments.unfinished_of_lead", **ids, lead_id=match.lead_id)
        case StopScope.COMPANY:
            others = tx.all(Enrollment, "enrollments.unfinished_of_lead", **ids, lead_id=match.lead_id)
            lead = tx.one(Lead, "leads.get", **ids, id=match.lead_id)
            company = company_of(lead.email) if lead else None
            if company is not None:
                others += tx.all(Enrollment, "enrollments.unfinished_of_company", **ids, domain=company)
    wanted = sorted({match.enrollment_id, *(e.id for e in others)})
    locked = (tx.one(Enrollment, "enrollments.lock", **ids, id=enrollment_id) for enrollment_id in wanted)
    return [e for e in locked if e is not None and (not e.terminal or e.id == match.enrollment_id)]


def _seen(enrollment: Enrollment, arrival: Arrival, *, matched: bool) -> Enrollment:
    """Return the row with the times that this arrival writes on it."""
    at, kind = arrival.received.at, arrival.received.kind
    if not matched or kind is InboundKind.MANUAL_OUTGOING:
        return enrollment
    seen = replace(enrollment, last_inbound_at=max(at, enrollment.last_inbound_at or at))
    if kind in HUMAN:
        return replace(seen, replied_at=enrollment.replied_at or at)
    if kind is InboundKind.HARD_BOUNCE:
        return replace(seen, bounced_at=enrollment.bounced_at or at)
    return seen


def _record(tx: Transaction, before: Enrollment, seen: Enrollment, event: EventName, cause: str, now: datetime) -> None:
    """Write an event into the history without moving anything."""
    same, entry = transitions.change(seen, event=event, to=before.status, now=now, cause=cause)
    save_enrollment(tx, before, same, entry)
    moving.note(tx, before, event, cause, now)


def _set_aside(
    tx: Transaction,
    arrival: Arrival,
    match: Match,
    enrollment: Enrollment,
    *,
    to: EnrollmentStatus,
    event: EventName,
    cause: str,
    hold_reason: str | None,
) -> None:
    seen = _seen(enrollment, arrival, matched=enrollment.id == match.enrollment_id)
    if to is enrollment.status:
        _record(tx, enrollment, seen, event, cause, arrival.now)
        return
    _remember(tx, arrival, "set_aside", enrollment_id=enrollment.id)
    after, entry = transitions.change(
        moving.unlocked(seen), event=event, to=to, now=arrival.now, cause=cause, hold_reason=hold_reason
    )
    save_enrollment(tx, enrollment, after, entry)
    moving.note(tx, enrollment, event, cause, arrival.now)


def _remember(
    tx: Transaction, arrival: Arrival, effect: str, *, enrollment_id: int | None = None, address: str | None = None
) -> None:
    """Keep what a message has done, so that it can be undone where a person corrects its class."""
    if arrival.kept is None:
        return
    facts = {"effect": effect, "enrollment_id": enrollment_id, "address": address}
    tx.run("messages.add_effect", workspace_id=arrival.workspace_id, message_id=arrival.kept, **facts)


def _enroll(tx: Transaction, arrival: Arrival, match: Match, sequence: str) -> None:
    try:
        enrollments.enroll(
            tx,
            workspace_id=arrival.workspace_id,
            sequence_name=sequence,
            lead_ids=[match.lead_id],
            source_list=None,
            keys=arrival.keys,
            now=arrival.now,
        )
    except RefusedError as error:
        record(
            tx,
            Event(
                workspace_id=arrival.workspace_id,
                at=arrival.now,
                name=EventName.LEAD_ENROLLED,
                detail=f"not enrolled into {sequence} after the reply: {error}",
                lead_id=match.lead_id,
            ),
        )
