"""Write a message: a `Draft` in, the bytes that go on the wire out (RFC 5322, MIME, RFC 8058).

The contents of attachments are put in at the very end, by `relance.mail.attaching`.

Rule 1: the same draft gives the same bytes, so that a copy in Sent and a retry equal what was sent.
Rule 2: the bytes are 7-bit ASCII with CRLF line ends and lines of at most 998 characters, so no relay has to change
        them and a DKIM signature survives.
Rule 3: an impossible draft raises ValueError with a sentence for a person; nothing is silently dropped or repaired.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from relance.core.identifiers import ascii_domain
from relance.core.sequence import AttachedFile
from relance.mail.attaching import attachment_part
from relance.mail.headers import Word, address_field, field, refuse_control, text_field
from relance.mail.quoted_printable import encode

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DOT_ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_ADDRESS_LITERAL = re.compile(r"\[[0-9A-Fa-f:.IPv]{3,60}\]")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]+>")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-;=?-~]+")
_TAKEN = frozenset(
    {
        "from", "to", "cc", "bcc", "subject", "date", "message-id", "in-reply-to", "references",
        "list-unsubscribe", "list-unsubscribe-post", "mime-version",
    }
)  # fmt: skip
_QUOTED_PRINTABLE: tuple[str, list[Word]] = ("Content-Transfer-Encoding", [("", "quoted-printable")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """All that a message will say, decoded."""

    from_address: str
    from_name: str | None = None
    to_address: str
    to_name: str | None = None
    subject: str
    text: str
    html: str | None = None
    message_id: str  #: In angle brackets.
    date: datetime  #: Aware.
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()  #: Oldest first.
    list_unsubscribe: tuple[str, ...] = ()  #: URIs, mailto: or https:, the preferred one first.
    list_unsubscribe_post: bool = False  #: One-click (RFC 8058); needs an https URI.
    headers: tuple[tuple[str, str], ...] = ()  #: More headers, names and decoded values.
    attachments: tuple[AttachedFile, ...] = ()


def compose(draft: Draft) -> bytes:
    """Write the message. Raises ValueError for a draft that cannot be a correct message."""
    body_headers, body = _body(draft)
    return b"".join((*_header_fields(draft), body_headers, b"\r\n", body))


def ascii_address(address: str) -> str:
    """Write an address as it stands in headers and SMTP commands: domain in ASCII, local part quoted if need be.

    Raises ValueError for what is no address, or whose local part needs SMTPUTF8 (RFC 6531).
    """
    refuse_control("an address", address)
    local, at, domain = address.strip().rpartition("@")
    if not at or not local:
        raise ValueError(f"{address!r} is not an e-mail address")
    if not local.isascii():
        raise ValueError(f"{address!r} has letters before the @ that ordinary mail servers do not carry (RFC 6531)")
    if len(local) > 1 and local[0] == local[-1] == '"':
        local = re.sub(r"\\(.)", r"\1", local[1:-1])
    if not _DOT_ATOM.fullmatch(local):
        escaped = local.replace("\\", "\\\\").replace('"', '\\"')
        local = f'"{escaped}"'
    return f"{local}@{domain if _ADDRESS_LITERAL.fullmatch(domain) else ascii_domain(domain)}"


def _header_fields(draft: Draft) -> list[bytes]:
    fields = [
        address_field("From", draft.from_name, ascii_address(draft.from_address)),
        address_field("To", draft.to_name, ascii_address(draft.to_address)),
        text_field("Subject", draft.subject),
        field("Date", [("", _date(draft.date))]),
        field("Message-ID", [("", _checked_id("Message-ID", draft.message_id))]),
    ]
    if draft.in_reply_to is not None:
        fields.append(field("In-Reply-To", [("", _checked_id("In-Reply-To", draft.in_reply_to))]))
    if draft.references:
        fields.append(field("References", [(" ", _checked_id("References", each)) for each in draft.references]))
    if draft.list_unsubscribe:
        uris = [f"<{_checked_uri(uri)}>" for uri in draft.list_unsubscribe]
        fields.append(field("List-Unsubscribe", [(" ", f"{uri},") for uri in uris[:-1]] + [(" ", uris[-1])]))
    if draft.list_unsubscribe_post:
        if not any(uri.lower().startswith("https:") for uri in draft.list_unsubscribe):
            raise ValueError("one-click unsubscribe needs an https address in list_unsubscribe (RFC 8058 §3.1)")
        fields.append(field("List-Unsubscribe-Post", [("", "List-Unsubscribe=One-Click")]))
    for name, value in draft.headers:
        if name.lower() in _TAKEN or name.lower().startswith("content-"):
            raise ValueError(f"the header {name} is written from the draft's own fields: do not give it again")
        fields.append(text_field(name, value))
    fields.append(field("MIME-Version", [("", "1.0")]))
    return fields


def _body(draft: Draft) -> tuple[bytes, bytes]:
    """Return the Content-… fields of the message and its body."""
    boundary = blake2b(draft.message_id.encode(), digest_size=16).hexdigest()
    headers, body = _text_part("plain", "the text", draft.text)
    if draft.html is not None:
        parts = [(headers, body), _text_part("html", "the HTML part", draft.html)]
        headers, body = _multipart("alternative", f"=_a{boundary}", parts)
    if draft.attachments:
        parts = [(headers, body), *map(attachment_part, draft.attachments)]
        headers, body = _multipart("mixed", f"=_m{boundary}", parts)
    return headers, body


def _text_part(subtype: str, what: str, text: str) -> tuple[bytes, bytes]:
    try:
        body = encode(text)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{what} holds half a character (U+{ord(text[error.start]):04X}): its text is damaged"
        ) from error
    content_type = field("Content-Type", [("", f"text/{subtype};"), (" ", "charset=utf-8")])
    return content_type + field(*_QUOTED_PRINTABLE), body


def _multipart(subtype: str, boundary: str, parts: list[tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    # "=_" stands in no quoted-printable and no base64 text (RFC 2045 §6.7), so the boundary cannot occur in a part.
    line = f"--{boundary}".encode("ascii")
    body = b"".join(line + b"\r\n" + headers + b"\r\n" + content + b"\r\n" for headers, content in parts)
    content_type = field("Content-Type", [("", f"multipart/{subtype};"), (" ", f'boundary="{boundary}"')])
    return content_type, body + line + b"--\r\n"


def _date(moment: datetime) -> str:
    """Write a date in English, whatever the locale of the process (RFC 5322 §3.3)."""
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("the date of a message needs a time zone: give an aware datetime")
    minutes = round(offset.total_seconds() / 60)
    zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"
    day = f"{_WEEKDAYS[moment.weekday()]}, {moment.day:02d} {_MONTHS[moment.month - 1]} {moment.year:04d}"
    return f"{day} {moment.hour:02d}:{moment.minute:02d}:{moment.second:02d} {zone}"


def _checked_id(name: str, message_id: str) -> str:
    if not _MESSAGE_ID.fullmatch(refuse_control(name, message_id)):
        raise ValueError(f"{name} holds {message_id!r}, which is not an id in angle brackets (RFC 5322 §3.6.4)")
    return message_id


def _checked_uri(uri: str) -> str:
    if not _URI.fullmatch(refuse_control("List-Unsubscribe", uri)):
        raise ValueError(f"List-Unsubscribe holds {uri!r}, which is not a URI in ASCII (RFC 2369 §2)")
    return uri
