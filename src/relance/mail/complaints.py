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
_TELLING = ("original-rcpt-to", "removal-recipient", "original-recipient")


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """Who complained, as far as the report says, and of what kind (`abuse`, `fraud`, `opt-out`, `auth-failure`, …)."""

    feedback_type: str
    addresses: tuple[str, ...]
    certain: bool


def read_complaint(message: Message) -> Complaint | None:
    """Return the complaint that the message is, or None."""
    for part in message.embedded:
        if part.content_type == "message/feedback-report":
            fields = _FIELD.findall(part.text[:65_536])
            kind = next((value for name, value in fields if name.lower() == "feedback-type"), "")
            named = [fold_address(value) for name, value in fields if name.lower() in _TELLING and "@" in value]
            return Complaint(
                feedback_type=kind.strip().lower(),
                addresses=tuple(dict.fromkeys(named)) or _original_to(message),
                certain=True,
            )
    told = complained_addresses(message)
    if told is not None:
        return Complaint(feedback_type="abuse", addresses=told, certain=True)
    returns = any(part.content_type in {"message/rfc822", "text/rfc822-headers"} for part in message.embedded)
    sender = message.from_.address if message.from_ else ""
    if returns and _SUBJECT.search(message.subject) and _STAFF.match(sender):
        return Complaint(feedback_type="abuse", addresses=_original_to(message), certain=False)
    return None


def _original_to(message: Message) -> tuple[str, ...]:
    for part in message.embedded:
        found = [address.address for address in parse_addresses(part.header("to") or "")]
        if len(found) == 1:
            return tuple(found)
    return ()
