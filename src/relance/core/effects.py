"""What an incoming message does: its class, where it belongs and the policies, turned into a list of effects.

Rule 1: whatever names a message of ours proves that it left: its attempt is settled as sent, in every class.
Rule 2: a human answer acts by the sequence's policy, on this enrollment, the person or the company. It counts after
        completion, and while an operator holds the enrollment.
Rule 3: an opt-out and a complaint end everything of the person in the workspace, and stay as a suppression; so does an
        address that does not exist.
Rule 4: a block is the sender's problem: the mailbox rests, the person is untouched. Where the fault lies in the DNS of
        its domain, every mailbox of that domain rests.
Rule 5: machine mail never answers for a person: it stops nobody unless it says that the person is gone for good.
Rule 6: what is unclear is recorded and changes nothing; but a person who writes to us at all has answered, since
        silence is safer than one message too many.
"""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from relance.core import defaults
from relance.core.calendar import day_begins
from relance.core.enrollment import StopReason
from relance.core.events import EventName
from relance.core.inbound import InboundKind, Received
from relance.core.matching import FromOurselves, Match, Unmatched
from relance.core.sequence import OnAutoReply, OnReply, Plan, StopOrContinue, StopScope
from relance.core.suppression import SuppressionReason


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRuns:
    """End every enrollment in the scope that has not ended; in the matched one record the event in any case."""

    scope: StopScope
    reason: StopReason
    event: EventName
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRuns:
    """Pause every walking enrollment in the scope."""

    scope: StopScope
    event: EventName
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldRuns:
    """Hold every enrollment in the scope that has not ended until a person decides."""

    scope: StopScope
    hold_reason: str
    event: EventName
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrollElsewhere:
    """Enroll the person into another sequence, after the stop."""

    sequence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppress:
    """Never write to this address again from this workspace."""

    address: str
    reason: SuppressionReason


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldLead:
    """The person is away: hold all their enrollments until then (a later hold that stands already is kept)."""

    until: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSoftBounce:
    """Count one more soft bounce on the enrollment, and write it into its history."""

    count: int  #: With this one.
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxBlock:
    """The mailbox rests until then; with `whole_domain` every mailbox of its domain does."""

    reason: str
    until: datetime
    whole_domain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleAttempt:
    """The message left: if the attempt is not `sent`, it becomes so."""

    attempt_id: int
    settled_by: str
    at: datetime  #: When the proof came in; an unknown time of sending is not later.


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Write the event into the enrollment's history; nothing moves."""

    event: EventName
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """It concerns nobody here."""

    reason: str


Effect = (
    StopRuns
    | PauseRuns
    | HoldRuns
    | EnrollElsewhere
    | Suppress
    | HoldLead
    | RecordSoftBounce
    | MailboxBlock
    | SettleAttempt
    | Note
    | Ignore
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the matched enrollment brings along."""

    plan: Plan
    soft_bounces: int
    zone: ZoneInfo  #: In which a return date begins: the one of its window.


def effects_of(
    received: Received, match: Match | Unmatched | FromOurselves, standing: Standing | None
) -> tuple[Effect, ...]:
    """Return what a message does, in the order to do it. `standing` is that of the match; None if there is none."""
    match match:
        case FromOurselves():
            return (Ignore(reason="it comes from a mailbox of our own"),)
        case Unmatched(reason=reason):
            return _of_nobody(received, reason)
        case Match():
            if standing is None:
                raise ValueError("a match needs the standing of its enrollment")
            return (*_settled(received, match), *_of_somebody(received, match, standing))


def evidence_of(received: Received, match: Match) -> str:
    """Return the sentence for the history: which message, and how it was matched."""
    message = f"message {received.message_id}" if received.message_id else f"a message from {received.sender}"
    return f"{message} matched by {match.matched_by}"


def _settled(received: Received, match: Match) -> tuple[Effect, ...]:
    if not match.proof:
        return ()
    return (SettleAttempt(attempt_id=match.attempt_id, settled_by=str(match.matched_by), at=received.at),)


def _of_nobody(received: Received, reason: str) -> tuple[Effect, ...]:
    match received.kind:
        case InboundKind.UNSUBSCRIBE if received.sender:
            # Whoever it is wants no mail, perhaps at an address that we know under another name.
            return (Suppress(address=received.sender, reason=SuppressionReason.UNSUBSCRIBED),)
        case InboundKind.BLOCK if received.blocked_until is not None:
            return (_block(received),)
        case _:
            return (Ignore(reason=reason),)


def _of_somebody(received: Received, match: Match, standing: Standing) -> tuple[Effect, ...]:
    evidence = evidence_of(received, match)
    match received.kind:
        case InboundKind.HUMAN_REPLY | InboundKind.ORDINARY:
            return _answered(standing.plan, evidence)
        case InboundKind.CALENDAR:
            return _invited(received, standing.plan, evidence)
        case InboundKind.AUTO_REPLY:
            return _away(received, standing, evidence)
        case InboundKind.MANUAL_OUTGOING:
            return _written_by_hand(standing.plan, evidence)
        case InboundKind.UNSUBSCRIBE | InboundKind.COMPLAINT | InboundKind.HARD_BOUNCE:
            return _never_again(received, match, evidence)
        case _:
            return _noticed(received, standing, evidence)


def _noticed(received: Received, standing: Standing, evidence: str) -> tuple[Effect, ...]:
    match received.kind:
        case InboundKind.SOFT_BOUNCE:
            return _soft_bounced(received, standing, evidence)
        case InboundKind.BLOCK:
            return (_block(received), Note(event=EventName.BLOCK_RECEIVED, cause=_with_reason(received, evidence)))
        case InboundKind.DELAYED:
            return (Note(event=EventName.DELAY_RECEIVED, cause=_with_reason(received, evidence)),)
        case InboundKind.CHALLENGE_RESPONSE:
            return (Note(event=EventName.CHALLENGE_RECEIVED, cause=evidence),)
        case _:
            return (Ignore(reason=f"{received.kind} changes nothing"),)


def _never_again(received: Received, match: Match, evidence: str) -> tuple[Effect, ...]:
    addresses = [match.recipient]
    if received.kind is InboundKind.UNSUBSCRIBE:
        addresses.append(received.sender)  # They may write from another address than the one we wrote to.
        suppressed, reason, event = (
            SuppressionReason.UNSUBSCRIBED,
            StopReason.UNSUBSCRIBED,
            EventName.UNSUBSCRIBE_RECEIVED,
        )
    elif received.kind is InboundKind.COMPLAINT:
        suppressed, reason, event = (
            SuppressionReason.COMPLAINED,
            StopReason.COMPLAINED,
            EventName.COMPLAINT_RECEIVED,
        )
    else:
        suppressed, reason, event = SuppressionReason.HARD_BOUNCE, StopReason.BOUNCED, EventName.BOUNCE_RECEIVED
    return (
        *(Suppress(address=address, reason=suppressed) for address in dict.fromkeys(addresses) if address),
        _stop(reason, event, _with_reason(received, evidence)),
    )


def _invited(received: Received, plan: Plan, evidence: str) -> tuple[Effect, ...]:
    if received.accepted_invitation:
        return (_stop(StopReason.MEETING_BOOKED, EventName.REPLY_RECEIVED, f"invitation accepted: {evidence}"),)
    return _answered(plan, evidence)


def _answered(plan: Plan, evidence: str) -> tuple[Effect, ...]:
    event, scope = EventName.REPLY_RECEIVED, plan.stop_scope
    match plan.on_reply:
        case OnReply.STOP:
            return (StopRuns(scope=scope, reason=StopReason.REPLIED, event=event, cause=evidence),)
        case OnReply.PAUSE:
            return (PauseRuns(scope=scope, event=event, cause=evidence),)
        case OnReply.HOLD:
            return (HoldRuns(scope=scope, hold_reason="replied", event=event, cause=evidence),)
        case OnReply.ENROLL:
            stop = StopRuns(scope=scope, reason=StopReason.REPLIED, event=event, cause=evidence)
            return (stop, EnrollElsewhere(sequence=plan.reply_sequence)) if plan.reply_sequence else (stop,)


def _away(received: Received, standing: Standing, evidence: str) -> tuple[Effect, ...]:
    event = EventName.AUTO_REPLY_RECEIVED
    if received.gone:
        return (_stop(StopReason.NO_LONGER_THERE, event, f"{evidence}{_where_now(received)}"),)
    note = Note(event=event, cause=evidence)
    if received.return_date is None or standing.plan.on_auto_reply is not OnAutoReply.HOLD_UNTIL_RETURN:
        return (note,)
    until = day_begins(received.return_date, standing.zone)
    if not received.at < until <= received.at + defaults.LONGEST_HOLD:
        return (note,)
    return (HoldLead(until=until, reason=f"away until {received.return_date.isoformat()}"), note)


def _where_now(received: Received) -> str:
    """Say where a notice sends us; a person decides whether to follow."""
    told = f"; now at {received.new_address}" if received.new_address else ""
    return f"{told}; names {', '.join(received.contacts)}" if received.contacts else told


def _soft_bounced(received: Received, standing: Standing, evidence: str) -> tuple[Effect, ...]:
    count = standing.soft_bounces + 1
    why = _with_reason(received, evidence)
    counted = RecordSoftBounce(count=count, cause=why)
    if count < defaults.SOFT_BOUNCES_CAP:
        return (counted,)
    return (counted, _stop(StopReason.BOUNCED, EventName.SOFT_BOUNCE_RECEIVED, f"soft bounce {count}: {why}"))


def _written_by_hand(plan: Plan, evidence: str) -> tuple[Effect, ...]:
    event, cause = EventName.MANUAL_REPLY_SEEN, f"written by hand: {evidence}"
    match plan.on_manual_reply:
        case StopOrContinue.STOP:
            return (StopRuns(scope=plan.stop_scope, reason=StopReason.MANUAL_REPLY, event=event, cause=cause),)
        case StopOrContinue.CONTINUE:
            return (Note(event=event, cause=cause),)


def _block(received: Received) -> MailboxBlock:
    until = received.blocked_until
    if until is None or until <= received.at:
        until = received.at + defaults.BLOCK_REST
    return MailboxBlock(reason=received.reason or "blocked", until=until, whole_domain=received.concerns_domain)


def _stop(reason: StopReason, event: EventName, cause: str) -> StopRuns:
    return StopRuns(scope=StopScope.LEAD, reason=reason, event=event, cause=cause)


def _with_reason(received: Received, evidence: str) -> str:
    return f"{received.reason}: {evidence}" if received.reason else evidence
