"""Cut an IMAP server's byte stream into whole responses (RFC 3501 §4.3 and §9), without I/O.

Rule 1: how the stream was cut into pieces never changes what comes out.
Rule 2: memory is bounded: the text of one response has `line` bytes, its literals keep `literal` bytes and the rest of
        them is counted away, so that an oversized message costs time but neither memory nor the connection.
Rule 3: every byte is looked at a constant number of times.
Rule 4: after a violation nothing more comes out; the connection has to be closed.
"""

import re
from dataclasses import dataclass

# These end with text for people, which may look like a literal (`* OK see {12}`) but never is one.
FREE_TEXT = re.compile(rb"(?:\* (?:OK|NO|BAD|BYE|PREAUTH)|\+|[^\s*+]+ (?:OK|NO|BAD))(?:\s|$)", re.IGNORECASE)
LITERAL_MARK = re.compile(rb"~?\{([0-9]{1,20})\+?\}$")
LONGEST_MARK = 24
TOO_LONG = "the server sent a response that is too long"


@dataclass(frozen=True, slots=True, kw_only=True)
class WireLimits:
    """What one response may cost; bytes."""

    line: int = 8 * 1024 * 1024  #: A SEARCH that answers with 200,000 numbers has 1.4 MB.
    literal: int = 25 * 1024 * 1024  #: Kept of all literals of one response.
    skipped: int = 512 * 1024 * 1024  #: A literal announced as longer than this is not waited for.
    literals: int = 1000  #: Literals in one response.


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """Bytes that the server sent with their length in front."""

    data: bytes
    truncated: bool = False  #: More came than may be kept.


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolViolation:
    """The server does not speak IMAP, or asks for more memory than it gets."""

    reason: str


Part = bytes | Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One whole response: text and literals in turn, without line ends and without literal marks."""

    parts: tuple[Part, ...]


class Framer:
    """Takes bytes, gives frames."""

    __slots__ = (
        "_broken",
        "_buffer",
        "_kept",
        "_limits",
        "_literal",
        "_missing",
        "_parts",
        "_room",
        "_scanned",
        "_text",
        "_truncated",
    )

    def __init__(self, limits: WireLimits) -> None:
        self._limits = limits
        self._buffer = bytearray()
        self._scanned = 0
        self._broken: ProtocolViolation | None = None
        self._missing: int | None = None  # bytes of the present literal that have not come yet
        self._truncated: bool = False
        self._start_frame()

    def feed(self, data: bytes) -> None:
        """Take what the server sent."""
        if self._broken is None:
            self._buffer += data

    def next_frame(self) -> Frame | ProtocolViolation | None:
        """Return the next whole response, what is wrong, or None where more bytes are needed."""
        while self._broken is None:
            if self._missing is not None:
                if not self._take_literal():
                    return None
                continue
            end = self._buffer.find(b"\n", self._scanned)
            if end < 0:
                self._scanned = len(self._buffer)
                if self._text + self._scanned > self._limits.line + 1:  # a CR may be the last
                    return self._break(TOO_LONG)
                return None
            line = bytes(self._buffer[:end]).removesuffix(b"\r")
            del self._buffer[: end + 1]
            self._scanned = 0
            frame = self._take_line(line)
            if frame is not None:
                return frame
        return self._broken

    def _take_line(self, line: bytes) -> Frame | ProtocolViolation | None:
        self._text += len(line)
        if self._text > self._limits.line:
            return self._break(TOO_LONG)
        mark = LITERAL_MARK.search(line, max(0, len(line) - LONGEST_MARK)) if line.endswith(b"}") else None
        if mark is None or (not self._parts and FREE_TEXT.match(line)):
            self._parts.append(line)
            frame = Frame(parts=tuple(self._parts))
            self._start_frame()
            return frame
        size = int(mark[1])
        if size > self._limits.skipped or len(self._parts) >= 2 * self._limits.literals:
            return self._break(f"the server announced {size} bytes at once")
        self._parts.append(line[: mark.start()])
        self._missing = size
        self._room = max(0, self._limits.literal - self._kept)
        self._literal = bytearray()
        return None

    def _take_literal(self) -> bool:
        missing = self._missing or 0
        taken = min(missing, len(self._buffer))
        kept = min(taken, self._room)
        self._literal += self._buffer[:kept]
        self._room -= kept
        del self._buffer[:taken]
        self._scanned = 0
        missing -= taken
        if missing:
            self._missing = missing
            # Bytes that fall outside are forgotten at once; that they came is remembered by the full literal.
            self._truncated = self._truncated or kept < taken
            return False
        self._kept += len(self._literal)
        self._parts.append(Literal(data=bytes(self._literal), truncated=self._truncated or kept < taken))
        self._missing = None
        self._truncated = False
        self._literal = bytearray()
        return True

    def _start_frame(self) -> None:
        self._parts: list[Part] = []
        self._text = 0
        self._kept = 0
        self._room = 0
        self._literal = bytearray()
        self._truncated = False

    def _break(self, reason: str) -> ProtocolViolation:
        self._broken = ProtocolViolation(reason=reason)
        self._buffer = bytearray()
        self._start_frame()
        return self._broken
