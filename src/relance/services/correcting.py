"""A person says that a message is something else than it was taken for: what it did is undone, what it is does its own.

Rule 1: only what this message did is undone, and only where no other message of the person did or would do the same.
Rule 2: correcting it back brings back what was: each time, what it did before is undone first.
Rule 3: an enrollment that it had stopped goes on where it stood; see `relance.services.reopening`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from relance.core.attempt import Attempt
from relance.core.counts import OUTCOME_OF, Outcome
from relance.core.effects import Standing, effects_of
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.events import EventName
from relance.core.inbound import HUMAN, InboundKind, Received
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.matching import Match, MatchedBy
from relance.core.suppression import SuppressionKind, SuppressionScope
from relance.core.thread import CORRECTABLE
from relance.core.values import replace
from relance.ports.store import Transaction
from relance.services import counting, enrollments, summaries, suppressions
from relance.services.ingestion.apply import Arrival, apply
from relance.services.records import save_enrollment
from relance.services.refusals import LostRaceError, RefusedError, WrongInputError
from relance.services.reopening import reopen
from relance.services.situations import Keys, plan_of, workspace_of, zone_for
from relance.services.threads.handling import told
from relance.services.threads.reading import MessageFacts, message

_NEVER_AGAIN: Final = frozenset({InboundKind.UNSUBSCRIBE, InboundKind.COMPLAINT, InboundKind.HARD_BOUNCE})
_ENDING: Final = HUMAN | _NEVER_AGAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class _Effect:
    """One thing that a message did."""

    effect: str
    enrollment_id: int | None
    address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What a correction changed."""

    before: str
    after: InboundKind
    undone: int  #: Things that the message had done and that were taken back.


def correct(
    tx: Transaction, *, workspace_id: int, message_id: int, kind: InboundKind, by: str, keys: Keys, now: datetime
) -> Corrected:
    """Say what a message is. Raises NotFoundError, WrongInputError, RefusedError."""
    facts = message(tx, workspace_id=workspace_id, message_id=message_id)
    if kind not in CORRECTABLE:
        raise WrongInputError(f"{kind} is no class to choose; choose one of {', '.join(CORRECTABLE)}")
    if facts.direction != "in" or facts.lead_id is None:
        raise RefusedError("only what came in from a known person has a class to correct")
    if facts.kind == kind:
        return Corrected(before=facts.kind, after=kind, undone=0)
    tx.one(int, "leads.lock", workspace_id=workspace_id, id=facts.lead_id)
    said = f"{by} says that message {facts.message_id or facts.id} is {_words(kind)}, not {_words(facts.kind)}"
    _write(tx, workspace_id, facts, kind, said)
    undone = _undo(tx, workspace_id, facts, said, keys, now)
    _forget_times(tx, workspace_id, facts)
    _act(tx, workspace_id, facts, kind, keys, now)
    place = summaries.Between(workspace_id=workspace_id, mailbox_id=facts.mailbox_id, lead_id=facts.lead_id)
    summaries.corrected(tx, place)
    thread = summaries.conversation_of(tx, place)
    if thread is not None:
        told(tx, thread, EventName.CLASS_CORRECTED, said, now)
    return Corrected(before=facts.kind, after=kind, undone=undone)


def _write(tx: Transaction, workspace_id: int, facts: MessageFacts, kind: InboundKind, said: str) -> None:
    ids = {"workspace_id": workspace_id, "id": facts.id}
    evidence = tx.one(tuple[str, ...], "messages.evidence", **ids) or ()
    if tx.run("messages.correct", **ids, kind=kind, read_kind=facts.kind, evidence=(*evidence, said)) != 1:
        raise LostRaceError(f"message {facts.id}")


def _undo(tx: Transaction, workspace_id: int, facts: MessageFacts, said: str, keys: Keys, now: datetime) -> int:
    """Take back what the message did, where no other does the same; that one answers for it then."""
    ids = {"workspace_id": workspace_id}
    undone = 0
    for one in tx.all(_Effect, "messages.take_effects", **ids, message_id=facts.id):
        other = _other(tx, workspace_id, facts, one)
        if other is not None:
            effect = {"effect": one.effect, "enrollment_id": one.enrollment_id, "address": one.address}
            tx.run("messages.add_effect", **ids, message_id=other, **effect)
            continue
        undone += _undo_one(tx, workspace_id, facts, one, said=said, keys=keys, now=now)
    return undone


def _other(tx: Transaction, workspace_id: int, facts: MessageFacts, effect: _Effect) -> int | None:
    """Return another message of this person that does the same, if there is one."""
    kinds: frozenset[InboundKind] = {
        "stopped": _ENDING,
        "set_aside": _ENDING,
        "suppressed": _NEVER_AGAIN,
        "away": frozenset({InboundKind.AUTO_REPLY}),
    }.get(effect.effect, frozenset())
    if not kinds:
        return None
    asked = {"workspace_id": workspace_id, "lead_id": facts.lead_id, "except_id": facts.id}
    return tx.one(int, "messages.other_of_lead", **asked, kind_list=tuple(sorted(kinds)))


def _undo_one(
    tx: Transaction, workspace_id: int, facts: MessageFacts, one: _Effect, *, said: str, keys: Keys, now: datetime
) -> int:
    ids = {"workspace_id": workspace_id}
    run = tx.one(Enrollment, "enrollments.lock", **ids, id=one.enrollment_id) if one.enrollment_id else None
    match one.effect:
        case "stopped" if run is not None:
            return int(reopen(tx, run, cause=said, now=now) != run)
        case "set_aside" if run is not None and run.status in {EnrollmentStatus.PAUSED, EnrollmentStatus.HELD}:
            return int(enrollments.resume(tx, **ids, enrollment_id=run.id, cause=said, now=now))
        case "soft_bounce" if run is not None and run.soft_bounces:
            save_enrollment(tx, run, replace(run, soft_bounces=run.soft_bounces - 1))
            return 1
        case "suppressed" if one.address is not None:
            address = {"kind": SuppressionKind.ADDRESS, "value": one.address, "scope": SuppressionScope.WORKSPACE}
            return int(suppressions.unsuppress(tx, **ids, **address, tombstone_key=keys.tombstone, now=now))  # type: ignore[arg-type]  # as named
        case "away":
            return tx.run("leads.end_hold", **ids, id=facts.lead_id)
        case _:
            return 0


def _forget_times(tx: Transaction, workspace_id: int, facts: MessageFacts) -> None:
    """Write anew when the person first answered, and when mail to them bounced, from what is left of the messages."""
    ids = {"workspace_id": workspace_id}
    if facts.enrollment_id is None:
        return
    came = tx.all(MessageFacts, "messages.in_of_enrollment", **ids, enrollment_id=facts.enrollment_id)
    others = [one for one in came if one.id != facts.id]
    outcome = _outcome_of(facts.kind)
    if outcome is not None and not any(_outcome_of(one.kind) is outcome for one in others):
        counting.taken_back(tx, **ids, enrollment_id=facts.enrollment_id, outcome=outcome)
    run = tx.one(Enrollment, "enrollments.lock", **ids, id=facts.enrollment_id)
    if run is None:
        return
    replied = [one.received_at for one in others if one.kind in HUMAN]
    bounced = [one.received_at for one in others if one.kind == InboundKind.HARD_BOUNCE]
    told_so = replace(
        run,
        replied_at=min(replied, default=None) if facts.kind in HUMAN else run.replied_at,
        bounced_at=min(bounced, default=None) if facts.kind == InboundKind.HARD_BOUNCE else run.bounced_at,
    )
    if told_so != run:
        save_enrollment(tx, run, told_so)


def _act(tx: Transaction, workspace_id: int, facts: MessageFacts, kind: InboundKind, keys: Keys, now: datetime) -> None:
    """Do what a message of this class does."""
    ids = {"workspace_id": workspace_id}
    attempt = tx.one(Attempt, "attempts.get", **ids, id=facts.attempt_id) if facts.attempt_id is not None else None
    run = tx.one(Enrollment, "enrollments.get", **ids, id=attempt.enrollment_id) if attempt is not None else None
    lead = tx.one(Lead, "leads.get", **ids, id=facts.lead_id)
    if attempt is None or run is None or lead is None:
        return
    received = Received(
        kind=kind,
        at=facts.received_at,
        sender=facts.from_address or "",
        message_id=facts.message_id,
        original_recipients=(attempt.recipient,),
    )
    found = Match(
        enrollment_id=run.id,
        attempt_id=attempt.id,
        lead_id=lead.id,
        recipient=attempt.recipient,
        matched_by=MatchedBy(facts.matched_by) if facts.matched_by else MatchedBy.SENDER,
        evidence=facts.message_id or "",
    )
    mailbox = tx.one(Mailbox, "mailboxes.get", **ids, id=facts.mailbox_id)
    plan = plan_of(tx, workspace_id, run.sequence_id, run.version)
    zone = zone_for(plan, workspace_of(tx, workspace_id), lead, mailbox)
    standing = Standing(plan=plan, soft_bounces=run.soft_bounces, zone=zone)
    arrival = Arrival(
        workspace_id=workspace_id,
        mailbox_id=facts.mailbox_id,
        received=received,
        match=found,
        keys=keys,
        now=now,
        kept=facts.id,
    )
    apply(tx, arrival, effects_of(received, found, standing))


def _outcome_of(kind: str) -> Outcome | None:
    return OUTCOME_OF.get(InboundKind(kind)) if kind in set(InboundKind) else None


def _words(kind: str) -> str:
    return kind.replace("_", " ")
