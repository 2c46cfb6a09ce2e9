"""Finding what an incoming message may be about, never outside its workspace."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from relance.core.attempt import Attempt
from relance.core.companies import company_of
from relance.core.inbound import HUMAN, NOTICES, InboundKind, Received
from relance.core.lead import Lead
from relance.core.matching import Candidate
from relance.core.sequence import StopScope
from relance.mail.bounce_taxonomy import REASONS, BounceEffect, BounceReason
from relance.mail.classification import HARMLESS_FEEDBACK, CalendarAnswer, Classification
from relance.mail.message import Message
from relance.ports.connector import FolderRole
from relance.ports.store import Reader
from relance.services.ingestion.stage import StagedMessage
from relance.services.situations import plan_of


def received_from(
    staged: StagedMessage,
    message: Message,
    classification: Classification,
    *,
    own: frozenset[str],
    trace_name: str,
) -> Received:
    """Put what was read and classified into the words that matching and effects use."""
    sender = (message.from_.address if message.from_ else "").casefold()
    kind = InboundKind(classification.kind.value)
    if classification.feedback_type in HARMLESS_FEEDBACK:
        kind = InboundKind.OTHER  # A report about a domain's signatures, or "this is no spam": nobody complains.
    by_hand = staged.role is FolderRole.SENT or (staged.role is FolderRole.ALL and sender in own)
    if by_hand and kind not in NOTICES:
        kind = InboundKind.MANUAL_OUTGOING
    elif kind is InboundKind.MANUAL_OUTGOING and not by_hand:
        kind = InboundKind.ORDINARY
    failed = [r.address.casefold() for r in classification.recipients]
    reasons = [r.reason for r in classification.recipients if r.reason]
    return Received(
        kind=kind,
        at=staged.internal_date,
        sender=sender,
        message_id=message.message_id,
        recipients=tuple(a.address.casefold() for a in (*message.to, *message.cc)),
        in_reply_to=message.in_reply_to,
        references=message.references,
        original_message_id=classification.original_message_id,
        original_trace=original_trace(message, trace_name),
        original_recipients=tuple(failed),
        return_date=classification.return_date,
        gone=classification.permanent_absence,
        accepted_invitation=classification.calendar_answer is CalendarAnswer.ACCEPTED,
        reason=reasons[0] if reasons else None,
        concerns_domain=kind is InboundKind.BLOCK and bool(reasons) and _concerns_domain(reasons[0]),
        new_address=classification.new_address,
        contacts=classification.contacts,
    )


def _concerns_domain(reason: str) -> bool:
    return REASONS[BounceReason(reason)].effect is BounceEffect.DOMAIN


def original_trace(message: Message, trace_name: str) -> str | None:
    """Return our opaque mark inside an original that the message returns, if there is one."""
    return next((value for part in message.embedded if (value := part.header(trace_name))), None)


def candidates_for(
    reader: Reader, *, workspace_id: int, mailbox_id: int, received: Received, own_trace: str | None
) -> list[Candidate]:
    """Return the attempts that the message may be about: by id, by mark, by address, by company."""
    ids = dict.fromkeys((*received.in_reply_to, *received.references))
    for one in (received.original_message_id, received.message_id):
        if one is not None:
            ids[one] = None
    found: dict[int, Attempt] = {}
    if ids:
        _add(found, reader.all(Attempt, "attempts.by_message_ids", workspace_id=workspace_id, id_list=list(ids)))
    traces = [t for t in (received.original_trace, own_trace) if t]
    if traces:
        _add(found, reader.all(Attempt, "attempts.by_traces", workspace_id=workspace_id, trace_list=traces))
    addresses = _addresses(received)
    if addresses:
        _add(found, reader.all(Attempt, "attempts.by_recipients", workspace_id=workspace_id, address_list=addresses))
    company = company_of(received.sender) if received.kind in HUMAN and received.sender else None
    colleagues: dict[int, Attempt] = {}
    if company is not None:
        found_there = reader.all(
            Attempt, "attempts.by_domain", workspace_id=workspace_id, mailbox_id=mailbox_id, domain=company
        )
        _add(colleagues, (a for a in found_there if _asks_for_company(reader, a)))
    named = {a.id: _candidate(reader, a) for a in found.values()}
    for attempt in colleagues.values():
        base = named.get(attempt.id) or _candidate(reader, attempt)
        named[attempt.id] = replace(base, company=company)
    return list(named.values())


def _addresses(received: Received) -> list[str]:
    if received.kind in NOTICES:
        return list(received.original_recipients)
    if received.kind is InboundKind.MANUAL_OUTGOING:
        return list(received.recipients)
    return [received.sender] if received.sender else []


def _add(found: dict[int, Attempt], attempts: Iterable[Attempt]) -> None:
    found.update((attempt.id, attempt) for attempt in attempts)


def _asks_for_company(reader: Reader, attempt: Attempt) -> bool:
    plan = plan_of(reader, attempt.workspace_id, attempt.sequence_id, attempt.version)
    return plan.stop_scope is StopScope.COMPANY


def _candidate(reader: Reader, attempt: Attempt) -> Candidate:
    lead = reader.one(Lead, "leads.get", workspace_id=attempt.workspace_id, id=attempt.lead_id)
    whose = {"workspace_id": attempt.workspace_id, "lead_id": attempt.lead_id}
    further = reader.all(str, "leads.further_addresses", **whose)
    ids = (attempt.message_id, attempt.wire_message_id, attempt.provider_message_id)
    return Candidate(
        attempt_id=attempt.id,
        enrollment_id=attempt.enrollment_id,
        lead_id=attempt.lead_id,
        message_ids=frozenset(i for i in ids if i),
        provider_thread_id=attempt.provider_thread_id,
        trace=attempt.trace,
        recipient=attempt.recipient,
        lead_addresses=frozenset({lead.email, *further}) if lead else frozenset(),
        at=_when(attempt),
    )


def _when(attempt: Attempt) -> datetime:
    return attempt.sent_at or attempt.began_at or attempt.planned_at
