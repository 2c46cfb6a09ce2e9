"""Reports that somebody pressed "this is spam" (ARF, RFC 5965), and the notices of providers that say the same.

An opt-out report (RFC 5965 §7.3 lists `opt-out`) is a complaint too: what it asks for, a complaint does anyway.
"""

import re
from dataclasses import dataclass

from relance.mail.addresses import fold_address, parse_addresses
from relance.mail.message import Message
from relance.mail.provider_notices import complained_addresses

_FIELD = re.compile(r"^[ \t]{0,4}([A-Za-z-]{2,40}):[ \t]*(.*)$", re.MULTILINE)
_SUBJECT = re.compile(
    (
        r"complaint about message from|(?:e-?mail )?(?:abuse|feedback|spam) (?:report|complaint|feedback)|"
        r"feedback[- ]loop|fbl report"
    ),
    re.IGNORECASE,
)
_STAFF = re.compile(
    r"^(?:staff|abuse|fbl|feedback|complaints?|postmaster|noreply|no-reply|feedbackloop|arf)[\w.+-]*@", re.IGNORECASE
)
# What Hotmail's JMRP, and loops of others, write into the returned message to name who complained.
_NOTED = ("x-hmxmroriginalrecipient", "x-original-recipient", "x-original-to", "x-rcpt-to", "x-envelope-to")
_HIDDEN = re.compile(r"(?:redacted|undisclosed|removed|anonymous|x+|hidden)(?:[.@-]|$)")
_TELLING = ("original-rcpt-to", "removal-recipient", "original-recipient")


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """Who complained, as far as the report says, and of what kind (`abuse`, `fraud`, `opt-out`, `auth-failure`, …)."""

    feedback_type: str
    addresses: tuple[str, ...]


def read_feedback_report(message: Message) -> Complaint | None:
    """Return the complaint in a feedback report (RFC 5965), or None."""
    for part in message.embedded:
        if part.content_type == "message/feedback-report":
            fields = _FIELD.findall(part.text[:65_536])
            kind = next((value for name, value in fields if name.lower() == "feedback-type"), "")
            named = [fold_address(value) for name, value in fields if name.lower() in _TELLING and "@" in value]
            return Complaint(
                feedback_type=kind.strip().lower(),
                addresses=tuple(dict.fromkeys(named)) or _original_to(message),
            )
    return None


def read_provider_complaint(message: Message) -> Complaint | None:
    """Return the complaint that a provider tells of in JSON, or None."""
    told = complained_addresses(message)
    return None if told is None else Complaint(feedback_type="abuse", addresses=told)


def read_complaint_notice(message: Message) -> Complaint | None:
    """Return the complaint of a feedback loop that sends no report: a staff address returns the message itself."""
    returns = any(part.content_type in {"message/rfc822", "text/rfc822-headers"} for part in message.embedded)
    sender = message.from_.address if message.from_ else ""
    if returns and _SUBJECT.search(message.subject) and _STAFF.match(sender):
        return Complaint(feedback_type="abuse", addresses=_original_to(message))
    return None


def _original_to(message: Message) -> tuple[str, ...]:
    """Return whom the returned message was for: as the provider noted in it, else its only addressee, unless hidden."""
    for part in message.embedded:
        noted = [fold_address(value) for name in _NOTED if (value := part.header(name)) and "@" in value]
        if noted:
            return tuple(dict.fromkeys(noted))
        found = [address.address for address in parse_addresses(part.header("to") or "")]
        if len(found) == 1 and not _HIDDEN.match(found[0]):
            return tuple(found)
    return ()
