"""Delivery notices that providers send as JSON by mail (Amazon SES through SNS).

The notification is a JSON object, sometimes as a string inside another one; what follows the object is not JSON.
"""

import json
from collections.abc import Iterator, Mapping

from relance.mail.addresses import fold_address
from relance.mail.bounce_reasons import BounceKind, codes_in, reason_of
from relance.mail.message import Message
from relance.mail.reports import BouncedRecipient, Report

MAX_JSON = 256 * 1024
_MAX_NESTING = 60


def read_provider_notice(message: Message) -> Report | None:
    """Return the delivery report that a provider's JSON notice is, or None."""
    text = message.text.lstrip()
    beginning = text.replace("\\", "")[:8192]
    if not text.startswith("{") or not ('"notificationType"' in beginning or '"eventType"' in beginning):
        return None
    notice = _opened(text[:MAX_JSON])
    if "Delivery" in {notice.get("notificationType"), notice.get("eventType")}:
        return _delivered(notice)
    bounce = notice.get("bounce")
    if not isinstance(bounce, Mapping):
        return None
    recipients: list[BouncedRecipient] = []
    kinds: set[BounceKind] = set()
    for entry in _entries(bounce.get("bouncedRecipients")):
        diagnostic, status = str(entry.get("diagnosticCode", "")), str(entry.get("status", ""))
        verdict = reason_of(status or None, None, diagnostic)
        told, code = codes_in(diagnostic)
        kinds.add(verdict.kind)
        recipients.append(
            BouncedRecipient(
                address=fold_address(str(entry.get("emailAddress", ""))),
                status=told or status,
                smtp_code=code or "",
                reason=verdict.reason.value,
                hard=verdict.hard,
                permanent=verdict.permanent,
            )
        )
    return Report(
        kind=next((kind for kind in (BounceKind.HARD, BounceKind.BLOCK) if kind in kinds), BounceKind.SOFT),
        delayed=False,
        recipients=tuple(recipients),
        original_message_id=_original_id(notice.get("mail")),
        machine_readable=True,
        evidence=("provider notice: Bounce",),
    )


def _delivered(notice: Mapping[str, object]) -> Report:
    return Report(
        kind=None,
        delayed=False,
        recipients=(),
        original_message_id=_original_id(notice.get("mail")),
        machine_readable=True,
        evidence=("provider notice: Delivery",),
    )


def complained_addresses(message: Message) -> tuple[str, ...] | None:
    """Return who complained, when the message is a provider's JSON notice of a complaint; None if it is none."""
    text = message.text.lstrip()
    if not text.startswith("{") or "complaint" not in text[:8192]:
        return None
    complaint = _opened(text[:MAX_JSON]).get("complaint")
    if not isinstance(complaint, Mapping):
        return None
    return tuple(
        fold_address(str(entry.get("emailAddress", ""))) for entry in _entries(complaint.get("complainedRecipients"))
    )


def named_original(message: Message) -> str | None:
    """Return the Message-ID of the message that a provider's JSON notice is about, if it is there."""
    text = message.text.lstrip()
    return _original_id(_opened(text[:MAX_JSON]).get("mail")) if text.startswith("{") else None


def _opened(text: str) -> Mapping[str, object]:
    for _ in range(3):
        value = _first_object(text)
        inner = value.get("Message")
        if not isinstance(inner, str):
            return value
        text = inner
    return {}


def _first_object(text: str) -> Mapping[str, object]:
    if text.count("{") > _MAX_NESTING * 20 or text.count("[") > _MAX_NESTING * 20:
        return {}  # The decoder recurses; no notice of a provider is that deep.
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text.replace("\n", ""))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _entries(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list):
        yield from (entry for entry in value[:500] if isinstance(entry, Mapping))


def _original_id(mail: object) -> str | None:
    if not isinstance(mail, Mapping):
        return None
    headers = _entries(mail.get("headers"))
    found = next(
        (str(entry.get("value")) for entry in headers if str(entry.get("name", "")).lower() == "message-id"), None
    )
    return found or (f"<{mail['messageId']}>" if mail.get("messageId") else None)
