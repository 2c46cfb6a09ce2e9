"""One staged message: whose it is, what it means, what it does; kept and carried out in one transaction.

Rule 1: the same bytes in another folder of the same mailbox do nothing a second time.
Rule 2: our own copies in Sent teach us about the mailbox and settle lost outcomes; they are never anybody's answer.
Rule 3: what belonged to nobody is matched once more when its mailbox is read back after a restore.
Rule 4: raw mail is kept only when it was matched, is machine mail about a send, or comes from a known lead.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from relance.core.attempt import Attempt
from relance.core.companies import company_of
from relance.core.defaults import AMBIGUITY_GRACE
from relance.core.effects import Standing, effects_of
from relance.core.enrollment import TERMINAL, Enrollment, EnrollmentStatus
from relance.core.events import EventName
from relance.core.identifiers import COPY_HEADER, TRACE_HEADER
from relance.core.inbound import HUMAN, NOTICES, InboundKind, Received
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.matching import (
    Candidate,
    FromOurselves,
    Match,
    Unmatched,
    answered_too,
    match_message,
    own_copy,
)
from relance.mail.classify import Classification, as_json
from relance.mail.message import Message
from relance.ports.connector import FolderRole
from relance.ports.store import Reader, Transaction
from relance.services import moving, summaries
from relance.services.ingestion import answered
from relance.services.ingestion.apply import Arrival, apply
from relance.services.ingestion.recognise import candidates_for, received_from
from relance.services.ingestion.remember import Remembered, remember
from relance.services.ingestion.stage import StagedMessage
from relance.services.mailboxes import own_addresses
from relance.services.sending import forgotten
from relance.services.sending.reserve import lock
from relance.services.sending.settle import settle_sent
from relance.services.situations import Keys, plan_of, workspace_of, zone_for


class Ingested(StrEnum):
    """What became of a staged message."""

    APPLIED = "applied"  #: It belongs to an enrollment; its effects are written.
    KEPT = "kept"  #: Of interest, but of no enrollment.
    OWN_COPY = "own_copy"  #: Our own message, seen in Sent.
    PROOF = "proof"  #: Our own, and unknown to this database: it is an older state, and everything recovers.
    IGNORED = "ignored"  #: Of no interest; nothing of it is kept.
    KNOWN = "known"  #: This mailbox had it before, or another hand was faster.


_BECAME = {
    Remembered.NOTHING: Ingested.IGNORED,
    Remembered.KEPT: Ingested.OWN_COPY,
    Remembered.PROOF: Ingested.PROOF,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    staged: StagedMessage
    message: Message
    classification: Classification
    received: Received
    again: int | None  #: As what it is kept already, when it is to be matched once more.


def ingest(
    tx: Transaction,
    *,
    staged: StagedMessage,
    message: Message,
    classification: Classification,
    keys: Keys,
    now: datetime,
) -> Ingested:
    """Take one message off the stage, with everything it does."""
    ids: dict[str, int] = {"workspace_id": staged.workspace_id}
    if tx.run("raw_messages.remove", **ids, id=staged.id) != 1:
        return Ingested.KNOWN
    known = tx.one(int, "messages.known", **ids, mailbox_id=staged.mailbox_id, content_key=staged.content_key)
    again = known is not None and tx.one(int, "messages.to_match_again", **ids, id=known) is not None
    if known is not None and staged.role is not FolderRole.SENT and not again:
        return Ingested.KNOWN
    own = own_addresses(tx, staged.workspace_id)
    received = received_from(staged, message, classification, own=own, trace_name=TRACE_HEADER)
    facts = _Facts(
        staged=staged,
        message=message,
        classification=classification,
        received=received,
        again=known if again else None,
    )
    trace = message.header(TRACE_HEADER)
    candidates = candidates_for(tx, **ids, mailbox_id=staged.mailbox_id, received=received, own_trace=trace)
    if received.kind is InboundKind.MANUAL_OUTGOING or received.sender in own:
        copy = own_copy(message_id=message.message_id, trace=trace, candidates=candidates)
        if copy is not None:
            _learn_from_copy(tx, facts, copy, now)
            return Ingested.OWN_COPY
        if _is_own_answer(tx, facts, trace, keys, now):
            return Ingested.OWN_COPY
        if trace is not None and staged.role not in {FolderRole.SENT, FolderRole.ALL}:
            return Ingested.IGNORED
        if trace is not None:  # A probe of ours, or a message that this database has forgotten.
            return _BECAME[remember(tx, staged=staged, message=message, trace=trace, keys=keys, now=now)]
    arrival = Arrival(**ids, mailbox_id=staged.mailbox_id, received=received, match=None, keys=keys, now=now)
    named = (*received.in_reply_to, *received.references, received.original_message_id or "")
    said = f"named by message {received.message_id or 'without id'}"
    answered.named_in(tx, **ids, message_ids=named, by=said, at=received.at, keys=keys, now=now)
    company = company_of(received.sender) if received.sender else None
    match = match_message(received, candidates, own_addresses=own, company=company)
    if isinstance(match, Match):
        return _of_somebody(tx, facts, match, arrival, answered_too(received, match, candidates))
    lead = tx.one(Lead, "leads.by_email", **ids, email=received.sender) if received.sender not in own else None
    return _of_nobody(tx, facts, match, arrival, lead)


def _of_somebody(tx: Transaction, facts: _Facts, match: Match, arrival: Arrival, too: Match | None) -> Ingested:
    ids = {"workspace_id": facts.staged.workspace_id}
    kept = _keep(tx, facts, match) if facts.again is None else _assign(tx, facts, match, facts.again)
    if kept is None:
        return Ingested.KNOWN
    concerned = (match,) if too is None else (match, too)
    for lead_id in sorted(each.lead_id for each in concerned):  # Both people, in the order of their ids.
        tx.one(int, "leads.lock", **ids, id=lead_id)
    for each in concerned:
        standing = _standing(tx, facts.staged.workspace_id, each)
        apply(tx, replace(arrival, match=each, kept=kept), effects_of(facts.received, each, standing))
    _show(tx, facts, match.lead_id, kept)
    matched = tx.one(Lead, "leads.get", **ids, id=match.lead_id)
    if matched is not None and matched.erased:
        tx.run("leads.empty_messages", **ids, lead_id=matched.id)
        summaries.forget(tx, **ids, lead_id=matched.id)
    return Ingested.APPLIED


def _show(tx: Transaction, facts: _Facts, lead_id: int, kept: int) -> None:
    """Bring the conversation up to the message, and let it be found."""
    place = summaries.Between(
        workspace_id=facts.staged.workspace_id, mailbox_id=facts.staged.mailbox_id, lead_id=lead_id
    )
    if facts.received.kind is InboundKind.MANUAL_OUTGOING:
        summaries.written_by_hand(tx, place, at=facts.received.at)
    else:
        summaries.came_in(tx, place, kind=facts.received.kind)
    texts = (facts.message.subject, facts.received.sender, facts.classification.new_text)
    summaries.make_findable(tx, workspace_id=facts.staged.workspace_id, message_id=kept, texts=texts)


def _is_own_answer(tx: Transaction, facts: _Facts, trace: str | None, keys: Keys, now: datetime) -> bool:
    """Tell whether it is an answer that was written here, not in a mail program; its copy in Sent says that it left."""
    staged = facts.staged
    ids = {"workspace_id": staged.workspace_id}
    answer = answered.own_answer(tx, **ids, message_id=facts.message.message_id, trace=trace)
    if answer is None:
        return False
    in_sent = staged.role in {FolderRole.SENT, FolderRole.ALL}
    if in_sent:
        answered.answer_left(
            tx,
            **ids,
            answer_id=answer.id,
            at=min(staged.internal_date, now),
            by=f"its copy in {staged.folder}",
            raw=staged.raw,
            keys=keys,
            now=now,
            wire_message_id=facts.message.message_id,
            copied=True,
        )
    return True


def _of_nobody(
    tx: Transaction, facts: _Facts, match: Unmatched | FromOurselves, arrival: Arrival, lead: Lead | None
) -> Ingested:
    if facts.again is None:
        apply(tx, arrival, effects_of(facts.received, match, None))
    if facts.received.kind in HUMAN:
        _doubt(tx, facts, lead, arrival.now)
    if facts.again is not None:
        return Ingested.KNOWN
    if facts.received.kind in NOTICES or lead is not None:
        kept = _keep(tx, facts, None, lead_id=lead.id if lead else None)
        if lead is not None and kept is not None:
            _show(tx, facts, lead.id, kept)
        return Ingested.KEPT
    return Ingested.IGNORED


def _doubt(tx: Transaction, facts: _Facts, lead: Lead | None, now: datetime) -> None:
    """While a mailbox recovers, what answers nothing that is known may answer what was sent since the backup."""
    ids = {"workspace_id": facts.staged.workspace_id}
    at, sender = facts.received.at, facts.received.sender
    tx.run("forgotten_sends.mark_answered", **ids, recipient=sender, at=at)
    mailbox = tx.one(Mailbox, "mailboxes.get", **ids, id=facts.staged.mailbox_id)
    if lead is None or mailbox is None or mailbox.status is not MailboxStatus.RECOVERING:
        return
    for run in tx.all(Enrollment, "enrollments.unfinished_of_lead", **ids, lead_id=lead.id):
        row = lock(tx, run.workspace_id, run.id)
        if row is not None and row.status not in TERMINAL | {EnrollmentStatus.HELD}:
            cause = f"{sender} wrote at {at:%Y-%m-%d %H:%M} UTC, perhaps in answer to what was sent since the backup"
            forgotten.hold(tx, row, hold_reason="answered_before_restore", cause=cause, now=now)


def _learn_from_copy(tx: Transaction, facts: _Facts, copy: Candidate, now: datetime) -> None:
    """Our own message lies in Sent: it left, the server saves copies unless we put it there, and its id is known.

    A server whose copies come late was taken for one that saves none, until now: outcomes that nobody could look up are
    looked for again.
    """
    ids = {"workspace_id": facts.staged.workspace_id}
    attempt = tx.one(Attempt, "attempts.get", **ids, id=copy.attempt_id)
    if attempt is None or facts.staged.role not in {FolderRole.SENT, FolderRole.ALL}:
        return
    wire = facts.message.message_id
    mailbox = tx.one(Mailbox, "mailboxes.get", **ids, id=facts.staged.mailbox_id)
    _note_if_repeated(tx, attempt, facts.message, now)
    settle_sent(
        tx,
        workspace_id=facts.staged.workspace_id,
        attempt_id=attempt.id,
        by=f"its copy in {facts.staged.folder}",
        now=now,
        sent_at=min(facts.staged.internal_date, now),
        wire_message_id=wire,
        subject=facts.message.subject,
        left_from=mailbox if mailbox is not None and mailbox.address == facts.received.sender else None,
    )
    survives = wire == attempt.message_id
    tx.run("attempts.mark_copied", **ids, id=attempt.id, at=now, wire_message_id=None if survives else wire)
    # Without our mark it is the server's own, unless the server drops headers: then the trace is gone as well.
    by_server = facts.message.header(COPY_HEADER) is None and facts.message.header(TRACE_HEADER) is not None
    if not by_server or mailbox is None or mailbox.saves_sent or mailbox.status is MailboxStatus.RECOVERING:
        return
    tx.run("mailboxes.learn", **ids, id=mailbox.id, saves_sent=True, ids_survive=survives)
    tx.run("attempts.look_after_all", **ids, mailbox_id=mailbox.id, now=now)


def _note_if_repeated(tx: Transaction, attempt: Attempt, copy: Message, now: datetime) -> None:
    """Note that a step has left twice: another copy of it was seen before, and this one was written at another time.

    That one message can lie in several folders is no such thing: its Date says when it was written, a moment before it
    left.
    """
    written, left = copy.date, attempt.sent_at
    if attempt.sent_copy_at is None or written is None or left is None or abs(written - left) <= AMBIGUITY_GRACE:
        return
    run = tx.one(Enrollment, "enrollments.get", workspace_id=attempt.workspace_id, id=attempt.enrollment_id)
    if run is not None:
        said = f"step {attempt.step} has left twice: of {written:%Y-%m-%d %H:%M} UTC and of {left:%Y-%m-%d %H:%M} UTC"
        moving.note(tx, run, EventName.STEP_REPEATED, f"{said} a message lies in Sent", now, attempt_id=attempt.id)


def _standing(reader: Reader, workspace_id: int, match: Match) -> Standing:
    ids = {"workspace_id": workspace_id}
    enrollment = reader.one(Enrollment, "enrollments.get", **ids, id=match.enrollment_id)
    lead = reader.one(Lead, "leads.get", **ids, id=match.lead_id)
    if enrollment is None or lead is None:
        raise LookupError(f"attempt {match.attempt_id} has lost its enrollment or lead")
    plan = plan_of(reader, workspace_id, enrollment.sequence_id, enrollment.version)
    zone = zone_for(plan, workspace_of(reader, workspace_id), lead, None)
    return Standing(plan=plan, soft_bounces=enrollment.soft_bounces, zone=zone)


def _assign(tx: Transaction, facts: _Facts, match: Match, known: int) -> int | None:
    """Say of a message that is kept whom it belongs to; None if it belonged to somebody already."""
    changed = tx.run(
        "messages.assign",
        workspace_id=facts.staged.workspace_id,
        id=known,
        lead_id=match.lead_id,
        enrollment_id=match.enrollment_id,
        attempt_id=match.attempt_id,
        matched_by=match.matched_by,
        evidence=(*facts.classification.evidence, match.evidence),
    )
    return known if changed else None


def _keep(tx: Transaction, facts: _Facts, match: Match | None, *, lead_id: int | None = None) -> int | None:
    """Keep the message with what it means and why; None if this mailbox had it already."""
    staged, received, classification = facts.staged, facts.received, facts.classification
    evidence = classification.evidence if match is None else (*classification.evidence, match.evidence)
    return tx.one(
        int,
        "messages.insert_incoming",
        workspace_id=staged.workspace_id,
        mailbox_id=staged.mailbox_id,
        direction="out" if received.kind is InboundKind.MANUAL_OUTGOING else "in",
        kind=received.kind,
        at=facts.message.date or staged.internal_date,
        received_at=staged.internal_date,
        folder=staged.folder,
        message_id=received.message_id,
        in_reply_to=received.in_reply_to,
        from_address=received.sender or None,
        to_address=received.recipients[0] if received.recipients else None,
        subject=facts.message.subject,
        new_text=classification.new_text,
        content_key=facts.staged.content_key,
        raw=staged.raw,
        lead_id=match.lead_id if match else lead_id,
        enrollment_id=match.enrollment_id if match else None,
        attempt_id=match.attempt_id if match else None,
        matched_by=match.matched_by if match else None,
        evidence=evidence,
        classification=as_json(classification, ""),
        rules_version=classification.rules_version,
        confidence=classification.confidence,
    )
