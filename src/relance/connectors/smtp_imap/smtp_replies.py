"""SMTP replies from bytes (RFC 5321 §4.2), without I/O: a reply counts only once its last line is complete."""

import re
from dataclasses import dataclass

LINE = re.compile(rb"([2-5][0-9]{2})(?:([ -])(.*))?", re.DOTALL)
ENHANCED = re.compile(r"([245]\.\d{1,3}\.\d{1,3})(?:\s|$)", re.ASCII)
LONGEST = 64 * 1024
LONGEST_TEXT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One complete reply."""

    code: int
    text: str  #: Lines joined by a line feed.

    @property
    def is_yes(self) -> bool:
        """2xx."""
        return 200 <= self.code <= 299

    @property
    def is_no(self) -> bool:
        """4xx or 5xx."""
        return 400 <= self.code <= 599

    @property
    def enhanced(self) -> str | None:
        """The enhanced status code in front of the text (RFC 2034)."""
        return enhanced_code(self.text)


class BadReplyError(Exception):
    """The server does not speak SMTP."""


class ReplyReader:
    """Takes bytes, gives replies."""

    __slots__ = ("_buffer", "_code", "_lines", "_scanned", "_size")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._scanned = 0
        self._size = 0
        self._lines: list[bytes] = []
        self._code: bytes | None = None

    @property
    def has_bytes(self) -> bool:
        """Tell whether anything came that is no complete reply yet."""
        return bool(self._buffer or self._lines)

    def feed(self, data: bytes) -> None:
        """Take what the server sent."""
        self._buffer += data

    def next_reply(self) -> Reply | None:
        """Return the next complete reply, or None. Raises BadReplyError."""
        while True:
            end = self._buffer.find(b"\n", self._scanned)
            if end < 0:
                self._scanned = len(self._buffer)
                if self._size + self._scanned > LONGEST:
                    raise BadReplyError("a reply does not end")
                return None
            line = bytes(self._buffer[:end]).removesuffix(b"\r")
            del self._buffer[: end + 1]
            self._scanned = 0
            reply = self._take(line)
            if reply is not None:
                return reply

    def _take(self, line: bytes) -> Reply | None:
        found = LINE.fullmatch(line)
        self._size += len(line)
        if found is None or (self._code is not None and found[1] != self._code) or self._size > LONGEST:
            raise BadReplyError(f"a reply was expected, not {line[:80]!r}")
        self._lines.append(found[3] or b"")
        if found[2] == b"-":
            self._code = found[1]
            return None
        text = b"\n".join(self._lines).decode("utf-8", "replace")[:LONGEST_TEXT]
        self._lines, self._code, self._size = [], None, 0
        return Reply(code=int(found[1]), text=text)


def enhanced_code(text: str) -> str | None:
    """Return the enhanced status code that opens a reply's text, if there is one."""
    found = ENHANCED.match(text)
    return found[1] if found else None
