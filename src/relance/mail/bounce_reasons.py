"""What a refusal means: whose fault it is, and whether the address is dead.

Rule 1: words decide before numbers. Servers write 5.7.1 for a full mailbox and 5.1.1 for a blocked sender; the
        sentence is right.
Rule 2: a bounce is *hard* only when the address or its host does not exist, moved, or takes no mail at all.
Rule 3: what the sender did or is (reputation, quota, authentication, content) is a *block*, never the person's fault.
Rule 4: a temporary code (4xx) never makes a hard bounce, whatever the sentence says: greylisting says "user unknown"
        too.

Used for delivery reports and for the answers of a live SMTP session alike. RFC 5321 §4.2, RFC 3463, RFC 5248 registry.
"""

import re
from dataclasses import dataclass

from relance.mail.bounce_phrases import PHRASES
from relance.mail.bounce_taxonomy import BLOCK_REASONS, HARD_REASONS, BounceKind, BounceReason
from relance.mail.dialects import DIALECTS
from relance.mail.gated import gated

__all__ = [
    "HARD_REASONS",
    "BounceKind",
    "BounceReason",
    "BounceVerdict",
    "codes_in",
    "prepared",
    "reason_of",
    "verdict",
]

MAX_TEXT = 4096

# RFC 3463 "subject.detail" to meaning, for refusals whose words say nothing.
_BY_STATUS = {
    "1.0": BounceReason.UNSPECIFIED,
    "1.1": BounceReason.UNKNOWN_USER,
    "1.2": BounceReason.UNKNOWN_HOST,
    "1.3": BounceReason.UNKNOWN_USER,
    "1.6": BounceReason.MOVED,
    "1.7": BounceReason.SENDER_REJECTED,
    "1.8": BounceReason.SENDER_REJECTED,
    "1.10": BounceReason.NO_MAIL_ACCEPTED,
    "2.1": BounceReason.MAILBOX_DISABLED,
    "2.2": BounceReason.MAILBOX_FULL,
    "2.3": BounceReason.TOO_BIG,
    "3.4": BounceReason.TOO_BIG,
    "4.4": BounceReason.UNKNOWN_HOST,
    "4.6": BounceReason.LOOP,
    "4.7": BounceReason.EXPIRED,
    "7.7": BounceReason.CONTENT,
    "7.8": BounceReason.AUTHENTICATION,
    "7.13": BounceReason.MAILBOX_DISABLED,
    "7.17": BounceReason.MOVED,
    "7.25": BounceReason.REVERSE_DNS,
    "7.27": BounceReason.NO_MAIL_ACCEPTED,
    "7.606": BounceReason.BLOCKED,
}
_BY_SUBJECT = {
    "2": BounceReason.FILTERED,
    "3": BounceReason.SYSTEM,
    "4": BounceReason.NETWORK,
    "5": BounceReason.PROTOCOL,
    "6": BounceReason.CONTENT,
    "7": BounceReason.POLICY,
}
# Series of providers: 7.20 to 7.29 and 7.509 are about authentication, 7.6xx and 7.7xx about reputation.
_BY_SERIES = (
    (re.compile(r"7\.(?:2\d|509)"), BounceReason.AUTHENTICATION),
    (re.compile(r"7\.[67]\d\d"), BounceReason.BLOCKED),
)
# RFC 5321 §4.2.3, RFC 7504; what servers without enhanced status mean by them.
_BY_CODE = {
    "421": BounceReason.SYSTEM,
    "422": BounceReason.MAILBOX_FULL,
    "450": BounceReason.GREYLISTED,
    "451": BounceReason.GREYLISTED,
    "452": BounceReason.MAILBOX_FULL,
    "500": BounceReason.PROTOCOL,
    "501": BounceReason.PROTOCOL,
    "502": BounceReason.PROTOCOL,
    "503": BounceReason.PROTOCOL,
    "504": BounceReason.PROTOCOL,
    "521": BounceReason.NO_MAIL_ACCEPTED,
    "551": BounceReason.MOVED,
    "552": BounceReason.MAILBOX_FULL,
    "556": BounceReason.NO_MAIL_ACCEPTED,
}
_PHRASES = tuple((reason, gated(pattern)) for reason, patterns in PHRASES for pattern in patterns)
_DIALECTS = tuple((row.reason, gated(row.words)) for row in DIALECTS)
# A gateway's own words around the remote server's: 5.1.0 - Unknown address error 550-'5.7.1 Access denied'.
_WRAPPED = re.compile(r"[45]\d\d-'([^']{8,})'")
_ADDRESS = re.compile(r"[^\s<>\"'(),;:=]+@[^\s<>\"'(),;:]+")
_STATUS = re.compile(r"(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])")
_REPLY = re.compile(r"(?<![\d.#:/-])([45]\d\d)(?:[ -]+#?([45]\.\d{1,3}\.\d{1,3})(?![\d.]))?(?![\d.:/]|[ -]\d{2,}[-/:])")


@dataclass(frozen=True, slots=True, kw_only=True)
class BounceVerdict:
    """What a refusal means. `hard` repeats `kind is HARD` for those who only ask whether the address is dead.

    `permanent`: the server said that trying again is useless (class 5 of RFC 3463 §3.1), whoever's fault it is.
    """

    kind: BounceKind
    reason: BounceReason
    hard: bool
    permanent: bool


def reason_of(status: str | None, smtp_code: str | int | None, text: str) -> BounceVerdict:
    """Say what a refusal means from its enhanced status (RFC 3463), its SMTP code and its words; any may be missing."""
    wrapped = _WRAPPED.search(text[:MAX_TEXT])
    told_status, told_code = codes_in(text)
    text = wrapped.group(1) if wrapped else text
    code = str(smtp_code or told_code or "")
    enhanced = _more_telling(told_status, status)
    temporary = (code or enhanced or "5").startswith("4")
    reason = _by_words(text, code, enhanced, temporary=temporary) or _by_numbers(code, enhanced, temporary=temporary)
    return verdict(reason, temporary=temporary)


def verdict(reason: BounceReason, *, temporary: bool = False) -> BounceVerdict:
    """Return the verdict that belongs to a reason; a temporary refusal is never hard."""
    hard = reason in HARD_REASONS and not temporary
    kind = BounceKind.BLOCK if reason in BLOCK_REASONS else BounceKind.HARD if hard else BounceKind.SOFT
    return BounceVerdict(kind=kind, reason=reason, hard=hard, permanent=not temporary)


def codes_in(text: str) -> tuple[str | None, str | None]:
    """Return the enhanced status and the SMTP code that a refusal's words quote, each or neither."""
    text = text[:MAX_TEXT]
    replies: list[tuple[str, str]] = _REPLY.findall(text)
    complete = next(((found, code) for code, found in replies if found), None)
    if complete:
        return complete
    code = replies[0][0] if replies else None
    statuses = [found for found in _STATUS.findall(text) if not found.endswith(".0.0")]
    fitting = [found for found in statuses if not code or found[0] == code[0]]
    return (fitting[-1] if fitting else None), code


def _more_telling(told: str | None, declared: str | None) -> str | None:
    """Prefer what the remote server said over what the reporting one made of it, unless it says nothing."""
    if told and not told.endswith(".0.0"):
        return told
    return declared or told


def prepared(text: str) -> str:
    """Return a refusal's words as the patterns meet them: case-folded, single spaces, each address a lone `@`."""
    return " ".join(_ADDRESS.sub("@", text[:MAX_TEXT]).casefold().replace("’", "'").split())


def _by_words(text: str, code: str, status: str | None, *, temporary: bool) -> BounceReason | None:
    plain = prepared(text)
    known = next((reason for reason, pattern in _DIALECTS if pattern.search(plain)), None)
    if known is not None:
        return known
    found = next((reason for reason, pattern in _PHRASES if pattern.search(plain)), None)
    detail = _detail(status)
    match found:
        case BounceReason.MAILBOX_DISABLED | BounceReason.UNKNOWN_HOST if detail == "1.1":
            return BounceReason.UNKNOWN_USER
        case BounceReason.EXPIRED | BounceReason.NETWORK | BounceReason.POLICY | BounceReason.SYSTEM if (
            not temporary and detail in {"1.1", "1.2", "1.6", "2.1", "2.2"} and code != "4"
        ):
            return _BY_STATUS[detail]
        case _:
            return found


def _by_numbers(code: str, status: str | None, *, temporary: bool) -> BounceReason:
    detail = _detail(status)
    if detail == "4.5":
        return BounceReason.RATE_LIMITED if temporary else BounceReason.QUOTA
    if detail in _BY_STATUS and not (detail == "4.4" and temporary):
        return _BY_STATUS[detail]
    subject = detail.partition(".")[0]
    for pattern, reason in _BY_SERIES:
        if pattern.fullmatch(detail):
            return reason
    if subject in _BY_SUBJECT and detail != "5.0":
        return _BY_SUBJECT[subject]
    return _BY_CODE.get(code, BounceReason.UNSPECIFIED)


def _detail(status: str | None) -> str:
    return status.partition(".")[2] if status else ""
