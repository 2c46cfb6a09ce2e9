"""Signatures: what an operator wrote to stand below the messages of a mailbox.

Rule 1: a signature is plain content: no Liquid, no spintax; it goes out as it stands.
Rule 2: it is the operator's own, so its HTML stands in the HTML part unescaped; what a lead brings never does.
Rule 3: every signature has a plain form, so that the text part of a message is never without it.
"""

import html
import re
import unicodedata
from dataclasses import dataclass

from relance.mail.filters import MAX_LENGTH, is_blank
from relance.mail.html_text import html_to_text

MAX_BYTES = 4 * MAX_LENGTH + 3  #: Of a file that holds as many characters as a value may have, and a byte order mark.
FIELD = "sender_signature"  #: What a template calls it.

_TOO_LONG = f"it has more than {MAX_LENGTH} characters; make it shorter, and name pictures by their address"
_LIQUID = re.compile(r"\{\{|\{%")
_OUTER = re.compile(r"<\s*(!doctype|html|head|body|script|style)\b", re.IGNORECASE)
_LINE_ENDS = re.compile(r"[ \t]+\Z|\A(?:[ \t]*\n)+")


class Verbatim(str):
    """HTML that an output prints as it stands. Whatever a filter makes of it is plain text again."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A signature in the one or two forms that it has."""

    text: str
    html: str | None = None  #: None: the text is all there is.

    def in_html(self) -> Verbatim:
        """Return what stands in the HTML part: its own HTML, or its text escaped, line by line."""
        return Verbatim(self.html if self.html is not None else html.escape(self.text).replace("\n", "<br>\n"))


def read_signature(raw: bytes, *, is_html: bool) -> Signature:
    """Return the signature that a file holds. Raises ValueError with what to write instead."""
    if len(raw) > MAX_BYTES:
        raise ValueError(_TOO_LONG)
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8; save the file as UTF-8") from None
    text = _LINE_ENDS.sub("", text.rstrip("\n"))
    if any(unicodedata.category(character) == "Cc" and character not in "\n\t" for character in text):
        raise ValueError("it holds control characters; save it as plain text, or as HTML in a file ending in .html")
    if len(text) > MAX_LENGTH:
        raise ValueError(_TOO_LONG)
    if _LIQUID.search(text):
        raise ValueError("it holds {{ or {%, which mean nothing there: it is sent as it stands; write the words out")
    outer = _OUTER.search(text) if is_html else None
    if outer is not None:
        raise ValueError(f"it holds <{outer[1].lower()}>; keep only what stands inside <body>, its style in the tags")
    plain = html_to_text(text).strip("\n") if is_html else text
    if is_blank(plain):
        raise ValueError("it shows no text; write at least a name, which the text part of a message shows")
    return Signature(text=plain, html=text if is_html else None)
