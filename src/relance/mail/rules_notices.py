"""The rules about what servers and programs send: complaints, receipts, bounces, calendars, reports about reports."""

import re
from dataclasses import replace

from relance.mail.autoreply import read_challenge
from relance.mail.bounce_reasons import BounceKind
from relance.mail.calendars import read_calendar
from relance.mail.classification import Classification, Confidence, Incoming, Kind, Rule, answered_ids
from relance.mail.complaints import Complaint, read_complaint_notice, read_feedback_report, read_provider_complaint
from relance.mail.domain_reports import read_domain_report
from relance.mail.message import Message
from relance.mail.provider_notices import named_original, read_provider_notice
from relance.mail.reports import BouncedRecipient, Report, original_id

_RECEIPTS = frozenset({"message/disposition-notification", "message/global-disposition-notification"})
_SHOWN = re.compile(
    r"^disposition:[^\n]{0,80};[ \t]*(?:displayed|processed|dispatched|denied)", re.IGNORECASE | re.MULTILINE
)


def plain(
    at: Incoming, kind: Kind, confidence: Confidence, evidence: str, *, with_text: bool = False
) -> Classification:
    """Return a classification that says no more than its kind, with the new text where a person wrote it."""
    return Classification(
        kind=kind,
        confidence=confidence,
        in_reply_to=answered_ids(at.message),
        new_text=at.text if with_text else None,
        signature=at.written.signature if with_text else None,
        evidence=(evidence,),
    )


def _complained(message: Message, complaint: Complaint | None, confidence: Confidence) -> Classification | None:
    if complaint is None:
        return None
    return Classification(
        kind=Kind.COMPLAINT,
        confidence=confidence,
        recipients=tuple(BouncedRecipient(address=address, reason="complaint") for address in complaint.addresses),
        original_message_id=original_id(message),
        in_reply_to=answered_ids(message),
        feedback_type=complaint.feedback_type or None,
        evidence=(f"feedback report: {complaint.feedback_type or 'unspecified'}",),
    )


def _feedback_report(at: Incoming) -> Classification | None:
    return _complained(at.message, read_feedback_report(at.message), Confidence.CERTAIN)


def _provider_complaint(at: Incoming) -> Classification | None:
    found = _complained(at.message, read_provider_complaint(at.message), Confidence.CERTAIN)
    return replace(found, original_message_id=named_original(at.message)) if found is not None else None


def _complaint_notice(at: Incoming) -> Classification | None:
    return _complained(at.message, read_complaint_notice(at.message), Confidence.LIKELY)


def _domain_report(at: Incoming) -> Classification | None:
    told = read_domain_report(at.message)
    return plain(at, Kind.OTHER, Confidence.CERTAIN, told) if told else None


def _read_receipt(at: Incoming) -> Classification | None:
    parts = [part.text[:65_536] for part in at.message.embedded if part.content_type in _RECEIPTS]
    return _receipt(at) if any(_SHOWN.search(text) for text in parts) else None


def _any_receipt(at: Incoming) -> Classification | None:
    return _receipt(at) if any(part.content_type in _RECEIPTS for part in at.message.embedded) else None


def _receipt(at: Incoming) -> Classification:
    receipt = plain(at, Kind.MDN, Confidence.CERTAIN, "disposition-notification part")
    return replace(receipt, original_message_id=original_id(at.message))


def _challenge_notice(at: Incoming) -> Classification | None:
    """Read a filter that asks for proof in the form of a bounce; what it says counts, unless the address is dead."""
    if at.report is None or at.report.kind is BounceKind.HARD:
        return None
    told = read_challenge(at.message, at.message.text[:4096], in_report=at.report.machine_readable, by_machine=True)
    if not told or any(recipient.smtp_code for recipient in at.report.recipients if not at.report.machine_readable):
        return None
    return plain(at, Kind.CHALLENGE_RESPONSE, Confidence.LIKELY, told[0])


def _provider_notice(at: Incoming) -> Classification | None:
    return _reported(at.message, read_provider_notice(at.message))


def _report(at: Incoming) -> Classification | None:
    found = at.report
    return _reported(at.message, found) if found is not None and found.machine_readable else None


def _notice(at: Incoming) -> Classification | None:
    found = at.report
    return _reported(at.message, found) if found is not None and not found.machine_readable else None


def _reported(message: Message, report: Report | None) -> Classification | None:
    if report is None:
        return None
    sure = Confidence.LIKELY if report.recipients else Confidence.GUESS
    return Classification(
        kind=_kind_of(report),
        confidence=Confidence.CERTAIN if report.machine_readable else sure,
        recipients=report.recipients,
        original_message_id=report.original_message_id,
        in_reply_to=answered_ids(message),
        evidence=report.evidence,
    )


def _kind_of(report: Report) -> Kind:
    if report.delayed:
        return Kind.DELAYED
    match report.kind:
        case None:
            return Kind.OTHER
        case BounceKind.HARD:
            return Kind.HARD_BOUNCE
        case BounceKind.BLOCK:
            return Kind.BLOCK
        case BounceKind.SOFT:
            return Kind.SOFT_BOUNCE


def _calendar(at: Incoming) -> Classification | None:
    found = read_calendar(at.message)
    if found is None:
        return None
    told = plain(at, Kind.CALENDAR, Confidence.CERTAIN, f"calendar part: {found.told}")
    return replace(told, calendar_answer=found.answer)


_BOUNCES = (Kind.HARD_BOUNCE, Kind.SOFT_BOUNCE, Kind.BLOCK, Kind.DELAYED)
NOTICES: tuple[Rule, ...] = (
    Rule(
        name="feedback-report",
        kinds=(Kind.COMPLAINT,),
        means="a feedback report: somebody pressed “this is spam”, or asked for no more mail in that way",
        source="RFC 5965, RFC 6591, RFC 6650",
        read=_feedback_report,
        since=1,
    ),
    Rule(
        name="provider-complaint",
        kinds=(Kind.COMPLAINT,),
        means="a provider's JSON notice of a complaint",
        source="docs.aws.amazon.com/ses, notification contents",
        read=_provider_complaint,
        since=1,
    ),
    Rule(
        name="complaint-notice",
        kinds=(Kind.COMPLAINT,),
        means="a feedback loop without a report: a staff address returns the message under a telling subject",
        source="the feedback loops of AOL, Yahoo, Hotmail (JMRP) and Comcast",
        read=_complaint_notice,
        since=1,
    ),
    Rule(
        name="domain-report",
        kinds=(Kind.OTHER,),
        means="a report about a domain, not about a message: DMARC aggregates, TLS reports",
        source="RFC 7489 §7.2, RFC 8460 §5.3",
        read=_domain_report,
    ),
    Rule(
        name="read-receipt",
        kinds=(Kind.MDN,),
        means="a program tells that it showed, processed or passed on the message",
        source="RFC 8098 §3.2.6",
        read=_read_receipt,
        since=1,
    ),
    Rule(
        name="challenge-notice",
        kinds=(Kind.CHALLENGE_RESPONSE,),
        means="a filter that asks for proof of a human, in the form of a bounce",
        source="RFC 3834 §1, the notices of such filters",
        read=_challenge_notice,
    ),
    Rule(
        name="provider-notice",
        kinds=(*_BOUNCES, Kind.OTHER),
        means="a provider's JSON notice of a bounce or a delivery",
        source="docs.aws.amazon.com/ses, notification contents",
        read=_provider_notice,
        since=1,
    ),
    Rule(
        name="delivery-report",
        kinds=(*_BOUNCES, Kind.OTHER),
        means="a delivery status notification; its fields say who failed, its words why",
        source="RFC 3464, RFC 6522, RFC 6533",
        read=_report,
        since=1,
    ),
    Rule(
        name="bounce-in-words",
        kinds=_BOUNCES,
        means="a bounce that no program was meant to read, known by its sender, its subject and its sentences",
        source="RFC 5321 §6.1, cr.yp.to/proto/qsbmf.txt, the notices of servers",
        read=_notice,
        since=1,
    ),
    Rule(
        name="disposition",
        kinds=(Kind.MDN,),
        means="a disposition notification that tells of nothing shown (deleted, failed)",
        source="RFC 8098 §3.2.6",
        read=_any_receipt,
        since=1,
    ),
    Rule(
        name="calendar",
        kinds=(Kind.CALENDAR,),
        means="an invitation, or the answer to one: accepted, declined, tentative, another time, cancelled",
        source="RFC 6047 §2.4, RFC 5546 §1.4",
        read=_calendar,
        since=1,
    ),
)
