"""Quoted-printable bodies (RFC 2045 §6.7), with care for what stands at the beginning of a line.

A line may not begin with `.` (a relay that forgets SMTP's dot stuffing would eat it) nor with `From ` (mbox software
would write `>From `): both would break the message's signature, so both are encoded.
"""

import re

MAX_LINE = 76

_ENCODED = tuple(b"=%02X" % byte for byte in range(256))
_UNSAFE = re.compile(rb"[^\t\x20-\x3c\x3e-\x7e]")
_DELICATE_START = re.compile(rb"\.|From ")


def encode(text: str) -> bytes:
    """Encode `text` as UTF-8 in lines of at most 76 characters, each ended by CRLF.

    Line ends of any kind count as one; the last line is ended too, also where `text` does not end it.
    """
    body = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    lines: list[bytes] = []
    for line in body.encode().split(b"\n"):
        safe = _UNSAFE.sub(_escape, line)
        if safe[-1:] in {b" ", b"\t"}:
            safe = safe[:-1] + _ENCODED[safe[-1]]
        if len(safe) < MAX_LINE:
            lines.append(_guarded(safe) if _DELICATE_START.match(safe) else safe)
        else:
            _wrap(safe, lines)
    return b"\r\n".join(lines) + b"\r\n"


def _escape(found: re.Match[bytes]) -> bytes:
    return _ENCODED[found[0][0]]


def _guarded(line: bytes) -> bytes:
    """Encode the first byte of a line; the line grows by two."""
    return _ENCODED[line[0]] + line[1:]


def _wrap(line: bytes, lines: list[bytes]) -> None:
    """Cut a long line at soft breaks, never inside an escape."""
    start = 0
    room = MAX_LINE - 1  # the soft break's own "="
    while start < len(line):
        delicate = _DELICATE_START.match(line, start) is not None
        left = room - 2 if delicate else room
        end = min(start + left, len(line))
        if end < len(line):
            escape = line.rfind(b"=", max(start, end - 2), end)
            end = escape if escape > start else end
        piece = line[start:end]
        piece = _guarded(piece) if delicate else piece
        lines.append(piece + b"=" if end < len(line) else piece)
        start = end
