"""Quoted-printable bodies (RFC 2045 §6.7), with care for what stands at the beginning of a line.

A line may not begin with `.` (a relay that forgets SMTP's dot stuffing would eat it) nor with `From ` (mbox software
would write `>From `): both would break the message's signature, so both are encoded.
"""

import re

MAX_LINE = 76

_DELICATE = (".", "From ")
_SPACE = (" ", "\t")
_UNSAFE = re.compile(rb"[^\t\n\x20-\x3c\x3e-\x7e]+")
#: One character of a line is the soft break's own "=", two more are what guarding adds; no cut inside an escape.
_PIECE = re.compile(rf".{{1,{MAX_LINE - 3}}}(?<!=)(?<!=.)")


def encode(text: str) -> bytes:
    """Encode `text` as UTF-8 in lines of at most 76 characters, each ended by CRLF.

    Line ends of any kind count as one; the last line is ended too, also where `text` does not end it.
    """
    body = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    escaped = _UNSAFE.sub(_escape, body.encode()).decode("ascii")
    lines: list[str] = []
    for line in escaped.split("\n"):
        safe = f"{line[:-1]}={ord(line[-1]):02X}" if line.endswith(_SPACE) else line
        if len(safe) > MAX_LINE - 2:
            lines.append(_wrapped(safe))
        else:
            lines.append(_guarded(safe) if safe.startswith(_DELICATE) else safe)
    lines.append("")
    return "\r\n".join(lines).encode("ascii")


def _escape(found: re.Match[bytes]) -> bytes:
    return b"=" + found[0].hex("=").upper().encode("ascii")


def _guarded(line: str) -> str:
    """Escape the first character of a line; the line grows by two."""
    return f"={ord(line[0]):02X}{line[1:]}"


def _wrapped(line: str) -> str:
    """Cut a long line at soft breaks."""
    return "=\r\n".join(_guarded(piece) if piece.startswith(_DELICATE) else piece for piece in _PIECE.findall(line))
