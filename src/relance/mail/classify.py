"""What an incoming message is, and what it says about whom.

Rule 1: complaints, receipts and notices about delivery come first; they call themselves automatic too. Then
        invitations, machines, people.
Rule 2: what a person wrote is a human reply unless it leaves no doubt that it is something else; "not interested" is
        one.
Rule 3: only the new text counts, never the quotation below it, and only the From header names the sender.
Rule 4: nothing here raises. What cannot be understood is `other`, with the reason in `evidence`.
"""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from relance.mail.autoreply import is_list_mail, is_machine_generated, read_auto_reply, read_challenge
from relance.mail.bounce_reasons import BounceKind
from relance.mail.bounce_texts import has_null_sender, is_machine
from relance.mail.complaints import Complaint, read_complaint
from relance.mail.message import Message
from relance.mail.opting_out import read_mailto_opt_out, read_opt_out
from relance.mail.provider_notices import read_provider_notice
from relance.mail.quoting import new_text
from relance.mail.reports import BouncedRecipient, Report, original_id, read_report
from relance.mail.subjects import is_forward, is_reply

__all__ = ["RULES_VERSION", "BouncedRecipient", "Classification", "Confidence", "Kind", "as_json", "classify"]

RULES_VERSION = 1
"""Grows with every change of the rules that may class a message differently; stored with each message."""


_RECEIPTS = frozenset({"message/disposition-notification", "message/global-disposition-notification"})
_CALENDARS = frozenset({"text/calendar", "application/ics"})
_INVITING = ("REPLY", "REQUEST", "CANCEL", "COUNTER", "DECLINECOUNTER")


class Kind(StrEnum):
    """What a message is to a sequence."""

    HUMAN_REPLY = "human_reply"  #: A person answered; by default every run of theirs stops.
    ORDINARY = "ordinary"  #: A person or list wrote, but not in answer to anything.
    AUTO_REPLY = "auto_reply"  #: A machine answered for the person; runs go on, or wait for the return.
    HARD_BOUNCE = "hard_bounce"  #: The address is dead: stop and suppress.
    SOFT_BOUNCE = "soft_bounce"  #: Not delivered this time: try again, up to a threshold.
    BLOCK = "block"  #: The sender was refused: the mailbox has a problem, the lead is untouched.
    DELAYED = "delayed"  #: Still being tried; nothing to do.
    COMPLAINT = "complaint"  #: "This is spam": stop everywhere and suppress.
    UNSUBSCRIBE = "unsubscribe"  #: No more mail wanted: stop everywhere and suppress.
    CHALLENGE_RESPONSE = "challenge_response"  #: Wants proof of a human sender; never answered.
    MDN = "mdn"  #: A read receipt (RFC 8098).
    CALENDAR = "calendar"  #: An invitation or the answer to one (RFC 6047).
    WARMUP = "warmup"  #: The pool's own mail; the ingester knows it by its tag and sets this.
    MANUAL_OUTGOING = "manual_outgoing"  #: Written by hand from one of our own addresses.
    OTHER = "other"  #: A machine's message of no consequence, or nothing readable.


class Confidence(StrEnum):
    """How sure a classification is."""

    CERTAIN = "certain"  #: A standard's field says so.
    LIKELY = "likely"  #: Several signs, or a strong one.
    GUESS = "guess"  #: The best of what there is.


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """What a message is, with the reasons.

    `new_text` is given for what people wrote, None for machines. `return_date` and `permanent_absence` belong to
    auto-replies. `original_message_id` is the message that a report is about.
    """

    kind: Kind
    confidence: Confidence
    recipients: tuple[BouncedRecipient, ...] = ()
    original_message_id: str | None = None
    in_reply_to: tuple[str, ...] = ()
    new_text: str | None = None
    return_date: date | None = None
    permanent_absence: bool = False
    evidence: tuple[str, ...] = ()
    rules_version: int = RULES_VERSION


def classify(
    message: Message, *, own_addresses: AbstractSet[str] = frozenset(), received_at: datetime | None = None
) -> Classification:
    """Say what a message is.

    `own_addresses` are the case-folded addresses of the installation's mailboxes. `received_at` dates an absence
    notice whose return has no year; without it the message's own date serves.
    """
    if (complaint := read_complaint(message)) is not None:
        return _complaint(message, complaint)
    if _is_read_receipt(message):
        return _receipt(message)
    if (report := read_provider_notice(message) or read_report(message)) is not None:
        return _report(message, report)
    if (simple := _receipt_or_invitation(message)) is not None:
        return simple
    written = new_text(message.text, message.html)
    if message.from_ is not None and message.from_.address in own_addresses:
        return _plain(message, Kind.MANUAL_OUTGOING, Confidence.CERTAIN, "From is one of our mailboxes", written)
    pressed = None if is_list_mail(message) else read_mailto_opt_out(message, written)
    if pressed is not None:
        return _plain(message, Kind.UNSUBSCRIBE, Confidence.CERTAIN, f"unsubscribe link: {pressed}", written)
    return _machine(message, written, received_at) or _person(message, written)


def as_json(classification: Classification, path: str) -> dict[str, object]:
    """Return what `relance classify --json` prints for one message."""
    return {
        "path": path,
        "kind": classification.kind.value,
        "confidence": classification.confidence.value,
        "recipients": [
            {
                "address": recipient.address,
                "status": recipient.status or None,
                "smtp_code": recipient.smtp_code or None,
                "reason": recipient.reason,
                "hard": recipient.hard,
            }
            for recipient in classification.recipients
        ],
        "original_message_id": classification.original_message_id,
        "in_reply_to": list(classification.in_reply_to),
        "new_text": classification.new_text,
        "return_date": classification.return_date.isoformat() if classification.return_date else None,
        "evidence": list(classification.evidence),
        "rules_version": classification.rules_version,
    }


def _report(message: Message, report: Report) -> Classification:
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


def _complaint(message: Message, complaint: Complaint) -> Classification:
    return Classification(
        kind=Kind.COMPLAINT,
        confidence=Confidence.CERTAIN if complaint.certain else Confidence.LIKELY,
        recipients=tuple(
            BouncedRecipient(address=address, status="", smtp_code="", reason="complaint", hard=False)
            for address in complaint.addresses
        ),
        original_message_id=original_id(message),
        in_reply_to=answered_ids(message),
        evidence=(f"feedback report: {complaint.feedback_type or 'unspecified'}",),
    )


def _is_read_receipt(message: Message) -> bool:
    """Tell whether a person's program says that it showed the message; a rejection may come in the same form."""
    parts = [part.text[:65_536].lower() for part in message.embedded if part.content_type in _RECEIPTS]
    return any(
        re.search(r"^disposition:[^\n]{0,80};[ \t]*(?:displayed|processed|dispatched|denied)", text, re.MULTILINE)
        for text in parts
    )


def _receipt(message: Message) -> Classification:
    receipt = _plain(message, Kind.MDN, Confidence.CERTAIN, "disposition-notification part", None)
    return replace(receipt, original_message_id=original_id(message))


def _receipt_or_invitation(message: Message) -> Classification | None:
    if any(part.content_type in _RECEIPTS for part in message.embedded):
        return _receipt(message)
    calendars = [part.text[:65_536].upper() for part in message.embedded if part.content_type in _CALENDARS]
    if any(f"METHOD:{method}" in text for text in calendars for method in _INVITING):
        return _plain(message, Kind.CALENDAR, Confidence.CERTAIN, "calendar part with a method", None)
    return None


def _machine(message: Message, written: str, received_at: datetime | None) -> Classification | None:
    challenge = read_challenge(message, written)
    if challenge:
        return _plain(message, Kind.CHALLENGE_RESPONSE, Confidence.LIKELY, challenge[0], None)
    when = received_at or message.date
    automatic = read_auto_reply(message, written, when.date() if when else None)
    if automatic is not None:
        return Classification(
            kind=Kind.AUTO_REPLY,
            confidence=Confidence.CERTAIN if automatic.certain else Confidence.LIKELY,
            original_message_id=original_id(message),
            in_reply_to=answered_ids(message),
            return_date=None if automatic.permanent else automatic.return_date,
            permanent_absence=automatic.permanent,
            evidence=(*automatic.evidence, *(("no longer there",) if automatic.permanent else ())),
        )
    return None


def _person(message: Message, written: str) -> Classification:
    wish = None if is_list_mail(message) else read_opt_out(message, written)
    if wish is not None:
        return _plain(message, Kind.UNSUBSCRIBE, Confidence.LIKELY, f"asks for no more mail: {wish}", written)
    if is_machine_generated(message):
        answered = bool(message.in_reply_to)
        kind = Kind.AUTO_REPLY if answered else Kind.OTHER
        return _plain(message, kind, Confidence.LIKELY, "Auto-Submitted: auto-generated", None)
    if message.from_ is None and not (written.strip() or message.attachments or message.embedded):
        return _plain(message, Kind.OTHER, Confidence.GUESS, "neither a sender nor a text", None)
    if is_machine(message) and has_null_sender(message):
        return _plain(message, Kind.OTHER, Confidence.GUESS, "from a mail system, about nothing known", None)
    if is_forward(message.subject):
        return _plain(message, Kind.ORDINARY, Confidence.LIKELY, "forwarded, not answered", written)
    if answered_ids(message):
        return _plain(message, Kind.HUMAN_REPLY, Confidence.CERTAIN, "In-Reply-To or References", written)
    if is_reply(message.subject):
        return _plain(message, Kind.HUMAN_REPLY, Confidence.LIKELY, "subject of an answer", written)
    return _plain(message, Kind.ORDINARY, Confidence.LIKELY, "answers nothing", written)


def _plain(message: Message, kind: Kind, confidence: Confidence, evidence: str, written: str | None) -> Classification:
    return Classification(
        kind=kind, confidence=confidence, in_reply_to=answered_ids(message), new_text=written, evidence=(evidence,)
    )


def answered_ids(message: Message) -> tuple[str, ...]:
    """Return every id the message says it answers, nearest first: In-Reply-To, then References from its end."""
    return tuple(dict.fromkeys((*message.in_reply_to, *reversed(message.references))))
