"""Why messages are refused, whose fault that is, and what follows.

Rule 1: every reason has one row in `REASONS`; the documentation and the effects are made from it.
Rule 2: only what says that the address is dead for everybody is *hard*. What the sender did or is, is a *block*.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class BounceReason(StrEnum):
    """Why a message was refused."""

    UNKNOWN_USER = "unknown_user"
    UNKNOWN_HOST = "unknown_host"
    MOVED = "moved"
    NO_MAIL_ACCEPTED = "no_mail_accepted"
    MAILBOX_FULL = "mailbox_full"
    MAILBOX_DISABLED = "mailbox_disabled"
    RECIPIENT_LIMIT = "recipient_limit"
    TOO_BIG = "too_big"
    GREYLISTED = "greylisted"
    EXPIRED = "expired"
    NETWORK = "network"
    SYSTEM = "system"
    LOOP = "loop"
    RELAY_DENIED = "relay_denied"
    PROTOCOL = "protocol"
    FILTERED = "filtered"
    SUPPRESSED = "suppressed"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    AUTHENTICATION = "authentication"
    REVERSE_DNS = "reverse_dns"
    BLOCKED = "blocked"
    SENDER_REJECTED = "sender_rejected"
    SPAM = "spam"
    VIRUS = "virus"
    CONTENT = "content"
    POLICY = "policy"
    UNSPECIFIED = "unspecified"


class BounceKind(StrEnum):
    """Who has to act on a refusal."""

    HARD = "hard"  #: Nobody can: the address is dead; the lead is suppressed.
    SOFT = "soft"  #: Time or the recipient: try again, up to a threshold.
    BLOCK = "block"  #: The sender: the mailbox has a problem, the lead is untouched.


class BounceEffect(StrEnum):
    """What a refusal leads to."""

    SUPPRESS = "suppress"  #: The address is never written to again.
    RETRY = "retry"  #: It counts as one soft bounce; a later step tries again, up to a threshold.
    MAILBOX = "mailbox problem"  #: The mailbox rests.
    DOMAIN = "domain problem"  #: The mailbox rests, and its domain's DNS has to be put right.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonRow:
    """What one reason means."""

    kind: BounceKind
    effect: BounceEffect
    meaning: str


def _dead(meaning: str) -> ReasonRow:
    return ReasonRow(kind=BounceKind.HARD, effect=BounceEffect.SUPPRESS, meaning=meaning)


def _later(meaning: str) -> ReasonRow:
    return ReasonRow(kind=BounceKind.SOFT, effect=BounceEffect.RETRY, meaning=meaning)


def _ours(meaning: str, effect: BounceEffect = BounceEffect.MAILBOX) -> ReasonRow:
    return ReasonRow(kind=BounceKind.BLOCK, effect=effect, meaning=meaning)


REASONS: Mapping[BounceReason, ReasonRow] = {
    BounceReason.UNKNOWN_USER: _dead("nobody has this address"),
    BounceReason.UNKNOWN_HOST: _dead("the domain does not exist, or nothing there takes mail"),
    BounceReason.MOVED: _dead("the person is no longer there"),
    BounceReason.NO_MAIL_ACCEPTED: _dead("the domain takes no mail at all (RFC 7505, RFC 7504)"),
    BounceReason.MAILBOX_FULL: _later("the mailbox is full"),
    BounceReason.MAILBOX_DISABLED: _later("the mailbox is switched off, suspended or locked"),
    BounceReason.RECIPIENT_LIMIT: _later("the recipient gets too much mail at the moment, from whomever"),
    BounceReason.TOO_BIG: _later("the message is larger than they take"),
    BounceReason.GREYLISTED: _later("a stranger is asked to come again in a while"),
    BounceReason.EXPIRED: _later("it was tried for days, in vain"),
    BounceReason.NETWORK: _later("their server could not be reached"),
    BounceReason.SYSTEM: _later("something is broken on a server of theirs or between"),
    BounceReason.LOOP: _later("mail goes round in circles there"),
    BounceReason.RELAY_DENIED: _later("that server is not the one for this address, or does not know it yet"),
    BounceReason.PROTOCOL: _later("the servers did not understand each other"),
    BounceReason.FILTERED: _later("a rule of the recipient's, a closed group, or refused only after the whole message"),
    BounceReason.SUPPRESSED: _later("the service that sends for us keeps this address on its own list"),
    BounceReason.QUOTA: _ours("our own daily or hourly allowance is used up"),
    BounceReason.RATE_LIMITED: _ours("we send faster than they take it"),
    BounceReason.AUTHENTICATION: _ours("SPF, DKIM or DMARC failed", BounceEffect.DOMAIN),
    BounceReason.REVERSE_DNS: _ours("our address has no name in DNS, or the wrong one", BounceEffect.DOMAIN),
    BounceReason.BLOCKED: _ours("our reputation, or a block list"),
    BounceReason.SENDER_REJECTED: _ours("they refuse this sender address or domain", BounceEffect.DOMAIN),
    BounceReason.SPAM: _ours("the content was taken for spam"),
    BounceReason.VIRUS: _ours("the content was taken for harmful"),
    BounceReason.CONTENT: _ours("the form of the message was refused"),
    BounceReason.POLICY: _ours("a rule of theirs that they do not explain"),
    BounceReason.UNSPECIFIED: _later("they do not say why"),
}
HARD_REASONS = frozenset(reason for reason, row in REASONS.items() if row.kind is BounceKind.HARD)
BLOCK_REASONS = frozenset(reason for reason, row in REASONS.items() if row.kind is BounceKind.BLOCK)
