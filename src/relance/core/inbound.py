"""What can come in: the classes of a message, and the facts about it that matching and effects need.

Nothing here reads a message; that is the business of `relance.mail`.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


class InboundKind(StrEnum):
    """The class of a message that came in, or that was seen in a Sent folder."""

    HUMAN_REPLY = "human_reply"  #: A person answers something.
    ORDINARY = "ordinary"  #: A person writes; whether it answers anything is not to be seen.
    AUTO_REPLY = "auto_reply"  #: Out of office and the like.
    HARD_BOUNCE = "hard_bounce"  #: The address does not exist.
    SOFT_BOUNCE = "soft_bounce"  #: Not delivered this time (full, greylisted too long, unreachable).
    BLOCK = "block"  #: Refused because of who sends or what: the sender's problem.
    DELAYED = "delayed"  #: Not delivered yet; the server goes on trying.
    COMPLAINT = "complaint"  #: The person pressed "spam" (ARF, RFC 5965).
    UNSUBSCRIBE = "unsubscribe"  #: The person opts out.
    CHALLENGE_RESPONSE = "challenge_response"  #: A filter asks the sender to prove being human.
    MDN = "mdn"  #: A read receipt.
    CALENDAR = "calendar"  #: An invitation, or the answer to one.
    WARMUP = "warmup"  #: Traffic of a warm-up pool.
    MANUAL_OUTGOING = "manual_outgoing"  #: The mailbox's owner wrote by hand.
    OTHER = "other"  #: Anything else.


#: A person wrote it, and so it may be an answer wherever it was sent from.
HUMAN = frozenset({InboundKind.HUMAN_REPLY, InboundKind.ORDINARY, InboundKind.UNSUBSCRIBE, InboundKind.CALENDAR})
#: Notices about the fate of one message. They speak for the address that they name, not for the one they come from.
NOTICES = frozenset(
    {
        InboundKind.HARD_BOUNCE,
        InboundKind.SOFT_BOUNCE,
        InboundKind.BLOCK,
        InboundKind.DELAYED,
        InboundKind.COMPLAINT,
        InboundKind.MDN,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One message, read and classified. Addresses are case-folded; ids keep their angle brackets."""

    kind: InboundKind
    at: datetime
    sender: str
    message_id: str | None = None
    recipients: tuple[str, ...] = ()  #: To and Cc; for what was seen in Sent.
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()  #: Oldest first, as in the header.
    provider_thread_id: str | None = None
    original_message_id: str | None = None  #: Of the message that a notice is about.
    original_trace: str | None = None  #: Our own header, inside the original that a notice returns.
    original_recipients: tuple[str, ...] = ()  #: The addresses that a notice is about.
    return_date: date | None = None  #: When an auto-reply says that the person is back.
    gone: bool = False  #: An auto-reply says that the person left for good.
    accepted_invitation: bool = False  #: A calendar answer says yes.
    reason: str | None = None  #: Why a notice says no, such as `unknown_user` or `daily_quota`.
    blocked_until: datetime | None = None  #: When a block ends, where the server says so.
    concerns_domain: bool = False  #: A block for what our domain publishes in DNS: it meets all its mailboxes alike.
    new_address: str | None = None  #: Where somebody who left is now, as their notice says.
    contacts: tuple[str, ...] = ()  #: Whom an absence notice names to write to instead.
