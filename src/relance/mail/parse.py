"""An incoming message: bytes in, a value out.

Rule 1: `parse` never raises and never takes more than linear time; what it could not read is named in `defects`.
Rule 2: the headers come first. However broken the body is, the ids that match the message to what it answers are read.
Rule 3: a message inside a message is somebody else's: it is kept as `Embedded` and its own parts are not looked into.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from relance.mail.addresses import parse_addresses
from relance.mail.message import Address, Attachment, Embedded, Headers, Message, headers_called
from relance.mail.mime import MAX_TEXT, Budget, Part, leaves, read_part, split_message

__all__ = ["Message", "ids_in", "parse"]

MAX_IDS = 1000
_ID = re.compile(r"<([^<>]{1,998})>")
_BARE_ID = re.compile(r"[^\s<>@,;]{1,500}@[^\s<>@,;]{1,490}")
_ORIGINALS = frozenset(
    {"message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers", "message/rfc822-headers"}
)
_REPORTS = frozenset(
    {
        "message/delivery-status",
        "message/global-delivery-status",
        "message/feedback-report",
        "message/disposition-notification",
        "message/global-disposition-notification",
        "text/calendar",
        "application/ics",
    }
)


def parse(raw: bytes) -> Message:
    """Read a message from its bytes (RFC 5322, MIME); any input yields one, at worst empty and with defects."""
    budget = Budget()
    root, parts = split_message(raw, budget)
    headers = root.headers()
    content = _Content()
    for part in _unwrapped(parts, budget):
        content.add(part, budget)
    return Message(
        message_id=next(iter(_ids(headers, "message-id")), None),
        in_reply_to=_ids(headers, "in-reply-to"),
        references=_ids(headers, "references"),
        from_=next(iter(_addresses(headers, "from")), None),
        sender=next(iter(_addresses(headers, "sender")), None),
        reply_to=_addresses(headers, "reply-to"),
        to=_addresses(headers, "to"),
        cc=_addresses(headers, "cc"),
        subject=" ".join(next(headers_called(headers, "subject"), "").split()),
        date=_date(next(headers_called(headers, "date"), "")),
        content_type=root.content_type,
        headers=headers,
        text="\n".join(content.texts)[:MAX_TEXT],
        html="\n".join(content.htmls)[:MAX_TEXT],
        attachments=tuple(content.attachments),
        embedded=tuple(content.embedded),
        defects=tuple(budget.defects),
    )


def ids_in(value: str) -> tuple[str, ...]:
    """Return the message ids of a header value with their angle brackets, in order, each once, at most `MAX_IDS`."""
    found = ["".join(identifier.split()) for identifier in _ID.findall(value)]
    if not found:
        found = _BARE_ID.findall(value)
    return tuple(dict.fromkeys(f"<{identifier}>" for identifier in found if identifier))[:MAX_IDS]


def _unwrapped(parts: tuple[Part, ...], budget: Budget) -> tuple[Part, ...]:
    """Look into a report that a gateway wrapped whole into a message of its own."""
    if len(parts) != 1 or parts[0].content_type != "message/rfc822":
        return parts
    inner = read_part(parts[0].source, parts[0].start, parts[0].end, budget)
    return tuple(leaves(inner, budget)) if inner.content_type == "multipart/report" else parts


class _Content:
    """What the parts of one message add up to."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.htmls: list[str] = []
        self.attachments: list[Attachment] = []
        self.embedded: list[Embedded] = []

    def add(self, part: Part, budget: Budget) -> None:
        kind = part.content_type
        if kind in _ORIGINALS:
            self.embedded.append(_original(part, budget))
        elif kind in _REPORTS:
            self.embedded.append(Embedded(content_type=kind, text=part.text()))
        elif kind in {"text/html", "application/xhtml+xml"} and not part.is_attachment:
            self.htmls.append(part.text())
        elif kind.startswith("text/") and not part.is_attachment and not (part.filename and kind != "text/plain"):
            self.texts.append(part.text())
        else:
            self.attachments.append(
                Attachment(filename=part.filename[:255], content_type=kind[:127], size=part.end - part.start)
            )


def _original(part: Part, budget: Budget) -> Embedded:
    """Return a returned or forwarded message: its headers, and the text of its first text part."""
    encoded = part.raw("content-transfer-encoding").strip().lower() in {"base64", "quoted-printable"}
    source = part.body() if encoded else part.source
    start, end = (0, len(source)) if encoded else (part.start, part.end)
    while source[start : start + 1] in {b"\r", b"\n"} and start < end:
        start += 1
    inner = read_part(source, start, end, budget)
    readable = () if part.content_type.endswith("headers") else leaves(inner, budget)
    text = next((leaf.text() for leaf in readable if leaf.content_type.startswith("text/")), "")
    return Embedded(content_type=part.content_type, headers=inner.headers(), text=text[:MAX_TEXT])


def _ids(headers: Headers, name: str) -> tuple[str, ...]:
    values = list(headers_called(headers, name))
    return ids_in(" ".join(values)) if values else ()


def _addresses(headers: Headers, name: str) -> tuple[Address, ...]:
    return tuple(address for value in headers_called(headers, name) for address in parse_addresses(value))


def _date(value: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(value[:100])
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return None
