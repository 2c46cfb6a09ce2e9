"""What is said about an incoming message, and the rule that said it."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property

from relance.mail.bounce_taxonomy import REASONS, BounceEffect, BounceReason
from relance.mail.message import Message
from relance.mail.quoting import Written, written_by
from relance.mail.reports import BouncedRecipient, Report, read_report

RULES_VERSION = 2
"""Grows with every change of the rules that may class a message differently; stored with each message."""

HARMLESS_FEEDBACK = frozenset({"auth-failure", "not-spam"})
"""Feedback that nobody complains with: a domain's DMARC failure (RFC 6591), and "this is no spam" (RFC 6430)."""


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


class CalendarAnswer(StrEnum):
    """What a calendar object says (RFC 5546 §1.4, RFC 5545 §3.2.12)."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    TENTATIVE = "tentative"
    COUNTER = "counter"  #: Another time is proposed.
    REQUEST = "request"  #: They invite us.
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """What a message is, with the reasons.

    `new_text` and `signature` are given for what people wrote, None for machines. `return_date`, `permanent_absence`,
    `new_address` and `contacts` belong to auto-replies: when the person is back, or that they are not; where they are
    now; whom to write to instead. `feedback_type` belongs to complaints. `original_message_id` is the message that a
    report is about. `rule` names the rule that decided.
    """

    kind: Kind
    confidence: Confidence
    rule: str = ""
    recipients: tuple[BouncedRecipient, ...] = ()
    original_message_id: str | None = None
    in_reply_to: tuple[str, ...] = ()
    new_text: str | None = None
    signature: str | None = None
    return_date: date | None = None
    permanent_absence: bool = False
    new_address: str | None = None
    contacts: tuple[str, ...] = ()
    calendar_answer: CalendarAnswer | None = None
    feedback_type: str | None = None
    evidence: tuple[str, ...] = ()
    rules_version: int = RULES_VERSION


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """A message with what the rules ask of it besides. `received_at`: when it came in, if that is known."""

    message: Message
    own_addresses: AbstractSet[str]
    received_at: datetime | None

    @cached_property
    def written(self) -> Written:
        """What the sender wrote, without quotation and signature; read once, and only if a rule asks."""
        return written_by(self.message.text, self.message.html)

    @cached_property
    def report(self) -> Report | None:
        """What the message says about a failed delivery, if it does; read once."""
        return read_report(self.message)

    @property
    def text(self) -> str:
        """The new text."""
        return self.written.text

    @property
    def day(self) -> date | None:
        """The day from which dates in the text count."""
        when = self.received_at or self.message.date
        return when.date() if when else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its stable name, what it takes messages for, what it means, where that is written, since which version.

    `read` returns the classification, or None where the rule says nothing.
    """

    name: str
    kinds: tuple[Kind, ...]
    means: str
    source: str
    read: Callable[[Incoming], Classification | None]
    since: int = 2


def answered_ids(message: Message) -> tuple[str, ...]:
    """Return every id the message says it answers, nearest first: In-Reply-To, then References from its end."""
    return tuple(dict.fromkeys((*message.in_reply_to, *reversed(message.references))))


def as_json(classification: Classification, path: str) -> dict[str, object]:
    """Return what `relance classify --json` prints for one message."""
    found = classification
    return {
        "path": path,
        "kind": found.kind.value,
        "confidence": found.confidence.value,
        "rule": found.rule,
        "recipients": [
            {
                "address": recipient.address,
                "status": recipient.status or None,
                "smtp_code": recipient.smtp_code or None,
                "reason": recipient.reason,
                "hard": recipient.hard,
                "permanent": recipient.permanent,
                "effect": _effect(found, recipient),
            }
            for recipient in found.recipients
        ],
        "original_message_id": found.original_message_id,
        "in_reply_to": list(found.in_reply_to),
        "new_text": found.new_text,
        "signature": found.signature,
        "return_date": found.return_date.isoformat() if found.return_date else None,
        "permanent_absence": found.permanent_absence,
        "new_address": found.new_address,
        "contacts": list(found.contacts),
        "calendar_answer": found.calendar_answer.value if found.calendar_answer else None,
        "feedback_type": found.feedback_type,
        "evidence": list(found.evidence),
        "rules_version": found.rules_version,
    }


def _effect(found: Classification, recipient: BouncedRecipient) -> str:
    """Return what follows for one recipient: a `BounceEffect`, or "nothing"."""
    if found.kind is Kind.DELAYED or found.feedback_type in HARMLESS_FEEDBACK:
        return "nothing"
    if found.kind is Kind.COMPLAINT or recipient.hard:
        return BounceEffect.SUPPRESS
    effect = REASONS[BounceReason(recipient.reason)].effect
    return BounceEffect.RETRY if effect is BounceEffect.SUPPRESS else effect
