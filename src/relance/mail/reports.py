"""Delivery failures of a message, whichever way they are told: as fields, or in words.

Rule 1: this is asked before anything about automatic answers; a third of all bounces call themselves "auto-replied".
Rule 2: a machine-readable part decides who failed; the words beside it may still say why.
Rule 3: a report of success is no bounce, and a report of delay is none yet.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from relance.mail.bounce_frames import innermost
from relance.mail.bounce_reasons import BounceKind, BounceReason, BounceVerdict, codes_in, reason_of, verdict
from relance.mail.bounce_texts import (
    Notice,
    Refusal,
    has_null_sender,
    is_delay,
    is_machine,
    read_notice,
    returned_headers,
    split_original,
)
from relance.mail.dsn import StatusGroup, status_groups
from relance.mail.message import Embedded, Message

_STATUS_TYPES = frozenset({"message/delivery-status", "message/global-delivery-status"})
_ORIGINAL_TYPES = frozenset(
    {"message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers", "message/rfc822-headers"}
)
MAX_SEARCHED = 65_536
_TERSE = 5  # Characters of a diagnostic that say no more than "250" or "X-Unix".
_ID = re.compile(r"<[^<>\s]{1,998}>")
_QUOTED_ID = re.compile(
    r"^[ \t>]{0,4}(?:(?:x-)?original-)?message-id:[ \t]*(<[^<>\s]{1,500}>)", re.IGNORECASE | re.MULTILINE
)


# A refusal as the answer to DATA or to the whole message, and the signs that it was RCPT after all: commands were sent
# together (RFC 2920), or the status says that the address is bad.
_AFTER_DATA = re.compile(
    r">>> ?DATA[ \t]*\n[ \t]*<<< ?5\d\d(?![ -]5\.1\.)|in reply to (?:end of )?DATA command|"
    r"smtp command[ \t:]*\n[ \t]*DATA\b",
    re.IGNORECASE,
)
_NEEDS_RCPT = re.compile(
    r"<<< ?503|need rcpt|no valid recipients|>>> ?RCPT[^\n]{0,300}\n[ \t]*<<< ?5|\b5\.1\.1\b|"
    r"\bdd (?:this user|requested|sorry)",  # Yahoo says so at this stage, and means it.
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BouncedRecipient:
    """One address that a report is about; `status` and `smtp_code` may be empty.

    `hard`: the address is dead. `permanent`: the server said that trying again is useless (class 5 of RFC 3463 §3.1),
    whoever's fault it is.
    """

    address: str
    reason: str
    status: str = ""
    smtp_code: str = ""
    hard: bool = False
    permanent: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a delivery report says. `kind` is None when everything arrived, and `delayed` wins over it."""

    kind: BounceKind | None
    delayed: bool
    recipients: tuple[BouncedRecipient, ...]
    original_message_id: str | None
    machine_readable: bool
    evidence: tuple[str, ...]


def read_report(message: Message) -> Report | None:
    """Return the delivery report that the message is, or None."""
    groups = [group for part in _parts(message, _STATUS_TYPES) for group in status_groups(part.text)]
    if not groups and (is_machine(message) or has_null_sender(message)):
        groups = list(status_groups(split_fields(message.text)))
    notice = read_notice(message)
    if groups:
        return _from_fields(message, groups, notice)
    if notice is not None:
        return _from_words(message, notice)
    return None


def split_fields(text: str) -> str:
    """Return the lines of a text from its first recipient field on; gateways flatten reports into plain text."""
    found = re.search(r"^[ \t>]{0,4}(?:final|original)-recipient:", text, re.IGNORECASE | re.MULTILINE)
    return text[max(0, found.start() - 200) : found.start() + 16_384] if found else ""


def original_id(message: Message) -> str | None:
    """Return the Message-ID of what came back: from the returned copy, the report's fields, or what it answers."""
    for part in _parts(message, _ORIGINAL_TYPES):
        found = _ID.search(part.header("message-id") or "")
        if found:
            return found.group()
    if not _parts(message, _ORIGINAL_TYPES) or any(_QUOTED_ID.search(part.text) for part in _fields_of(message)):
        texts = (*(part.text for part in _fields_of(message)), returned_headers(message.text[:MAX_SEARCHED]))
        quoted = next((found for text in texts if (found := _QUOTED_ID.search(text[:MAX_SEARCHED]))), None)
        if quoted:
            return quoted.group(1)
    return next(iter((*message.in_reply_to, *reversed(message.references))), None)


def _fields_of(message: Message) -> list[Embedded]:
    """Return the parts that programs read, without what was returned: a body may quote anybody's id."""
    return [part for part in message.embedded if part.content_type not in _ORIGINAL_TYPES]


def _parts(message: Message, types: frozenset[str]) -> list[Embedded]:
    return [part for part in message.embedded if part.content_type in types]


def _from_fields(message: Message, groups: Sequence[StatusGroup], notice: Notice | None) -> Report:
    failed = [group for group in groups if _action(group, message) == "failed"]
    delayed = [group for group in groups if _action(group, message) == "delayed"]
    told = [_addressed(group, message) for group in failed or delayed or groups]
    words = {refusal.address: refusal.text for refusal in notice.refusals} if notice else {}
    whole = split_original(message.text)[0]
    unnamed = "" if len(told) > 1 and words else whole
    share = _share(len(told))
    verdicts = [_verdict(group, words.get(group.address, words.get(group.final, unnamed)), share) for group in told]
    if len(told) == 1:
        verdicts = [_after_the_message(*verdicts[0], f"{whole}\n{told[0].diagnostic}")]
    return Report(
        kind=_worst([each for each, _ in verdicts]) if failed or delayed else None,
        delayed=bool(delayed) and not failed,
        recipients=_once([recipient for _, recipient in verdicts], still_tried=bool(delayed) and not failed),
        original_message_id=original_id(message),
        machine_readable=True,
        evidence=(f"delivery-status: Action {_action(told[0], message)}",),
    )


def _addressed(group: StatusGroup, message: Message) -> StatusGroup:
    """Name the only addressee of the returned message where a field names nobody: `Final-Recipient: rfc822; @host`."""
    if group.address and not group.address.startswith("@"):
        return group
    only = _only_addressee(message)
    return replace(group, original="", final=only) if only else group


def _action(group: StatusGroup, message: Message) -> str:
    match group.action:
        case "failed" | "failure" | "fail":
            return "failed"
        case "delayed" | "delay":
            return "delayed"
        case "delivered" | "relayed" | "expanded":
            return group.action
        case _ if group.status.startswith("2"):
            return "delivered"
        case _:
            return "delayed" if is_delay(f"{message.subject}\n{split_original(message.text)[0]}") else "failed"


def _share(recipients: int) -> int:
    """Return how many characters may be read for each recipient, so that many of them cost no more than a few."""
    return min(4096, max(256, 16_384 // max(1, recipients)))


def _verdict(group: StatusGroup, words: str, share: int) -> tuple[BounceVerdict, BouncedRecipient]:
    diagnostic = (group.diagnostic.partition(";")[2] or group.diagnostic)[:share]
    telling = diagnostic if len(diagnostic.strip()) > _TERSE else f"{diagnostic} {innermost(words[:share])}"
    status, code = codes_in(telling)
    meant = reason_of(group.status or None, None, telling)
    shown = status if status and not status.endswith(".0.0") else group.status or status or ""
    return meant, BouncedRecipient(
        address=group.address,
        status=shown,
        smtp_code=code or "",
        reason=meant.reason.value,
        hard=meant.hard,
        permanent=meant.permanent,
    )


def _after_the_message(
    found: BounceVerdict, recipient: BouncedRecipient, told: str
) -> tuple[BounceVerdict, BouncedRecipient]:
    """Doubt an "unknown user" that came only after the whole message: the server had taken the address (RFC 5321 §3.3).

    Filters of providers answer so to whom they do not want; an address that nobody has is refused at RCPT.
    """
    if found.reason is not BounceReason.UNKNOWN_USER or not _AFTER_DATA.search(told) or _NEEDS_RCPT.search(told):
        return found, recipient
    doubted = verdict(BounceReason.FILTERED, temporary=not found.permanent)
    return doubted, replace(recipient, reason=doubted.reason.value, hard=False)


def _from_words(message: Message, notice: Notice) -> Report:
    refusals = notice.refusals or tuple(_named_by_original(message, notice))
    share = _share(len(refusals))
    whole = innermost(notice.text[:share])
    judged = [_judged(refusal, whole, share) for refusal in refusals]
    if len(judged) == 1:
        judged = [_after_the_message(*judged[0], notice.text)]
    verdicts = [each for each, _ in judged] or [reason_of(None, None, whole)]
    return Report(
        kind=_worst(verdicts),
        delayed=notice.delayed,
        recipients=_once([recipient for _, recipient in judged], still_tried=notice.delayed),
        original_message_id=original_id(message) or notice.original_message_id,
        machine_readable=False,
        evidence=notice.evidence,
    )


def _named_by_original(message: Message, notice: Notice) -> list[Refusal]:
    """Return whom the returned message was for, when the notice itself names nobody."""
    only = _only_addressee(message)
    return [Refusal(address=only, text=notice.text)] if only else []


def _only_addressee(message: Message) -> str | None:
    for part in _parts(message, _ORIGINAL_TYPES):
        found = re.findall(r"[^\s<>\"',;:()]{1,100}@[^\s<>\"',;:()]{1,250}", part.header("to") or "")
        if len(found) == 1:
            return str(found[0]).casefold()
    return None


def _judged(refusal: Refusal, whole: str, share: int) -> tuple[BounceVerdict, BouncedRecipient]:
    told = innermost(refusal.text[:share])
    meant = reason_of(None, None, told)
    status, code = codes_in(told)
    if meant.reason is BounceReason.UNSPECIFIED and told != whole:
        meant = reason_of(None, None, whole)
    return meant, BouncedRecipient(
        address=refusal.address,
        status=status or "",
        smtp_code=code or "",
        reason=meant.reason.value,
        hard=meant.hard,
        permanent=meant.permanent,
    )


def _once(recipients: Sequence[BouncedRecipient], *, still_tried: bool) -> tuple[BouncedRecipient, ...]:
    if still_tried:
        recipients = [replace(recipient, hard=False, permanent=False) for recipient in recipients]
    by_address: dict[str, BouncedRecipient] = {}
    for recipient in recipients:
        known = by_address.get(recipient.address)
        if known is None or (recipient.hard and not known.hard):
            by_address[recipient.address] = recipient
    return tuple(by_address.values())


def _worst(verdicts: Sequence[BounceVerdict]) -> BounceKind:
    kinds = {each.kind for each in verdicts}
    return next(
        kind
        for kind in (BounceKind.HARD, BounceKind.BLOCK, BounceKind.SOFT)
        if kind in kinds or kind is BounceKind.SOFT
    )
