"""What an incoming message is, once it has been read.

These values hold nothing but decoded text: no bytes, no lone surrogate, no NUL, so that a store can keep every field
as it is. `relance.mail.parse` makes them; nothing here reads anything.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One mailbox of an address header; `address` is case-folded and has no angle brackets."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A part that is neither the text nor a report; `size` is its length in bytes as transferred."""

    filename: str
    content_type: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A part that a program reads: a delivery status, a feedback report, a returned original, a calendar object.

    `headers` are those of the returned message for originals, and empty otherwise. `text` is the body.
    """

    content_type: str
    headers: Headers = ()
    text: str = ""

    def header(self, name: str) -> str | None:
        """Return the first header called `name` (any case), or None."""
        return next(headers_called(self.headers, name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """An incoming message as decoded values.

    `message_id`, `in_reply_to` and `references` keep their angle brackets. `date` is aware UTC.
    `headers` are decoded, with lower-case names, in the order of the message. `defects` name what was wrong or cut off.
    """

    message_id: str | None = None
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    from_: Address | None = None
    sender: Address | None = None
    reply_to: tuple[Address, ...] = ()
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    subject: str = ""
    date: datetime | None = None
    content_type: str = "text/plain"
    headers: Headers = ()
    text: str = ""
    html: str = ""
    attachments: tuple[Attachment, ...] = ()
    embedded: tuple[Embedded, ...] = ()
    defects: tuple[str, ...] = ()

    def header(self, name: str) -> str | None:
        """Return the first header called `name` (any case), or None."""
        return next(headers_called(self.headers, name), None)

    def all(self, name: str) -> tuple[str, ...]:
        """Return every header called `name` (any case), in order."""
        return tuple(headers_called(self.headers, name))


def headers_called(headers: Headers, name: str) -> Iterator[str]:
    """Yield the values of the headers called `name` (any case)."""
    wanted = name.lower()
    return (value for key, value in headers if key == wanted)
