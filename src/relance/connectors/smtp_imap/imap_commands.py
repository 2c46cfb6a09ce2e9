"""Build IMAP commands (RFC 3501 §6): quoting, literals, dates and sequence sets, without I/O.

A command is a list of pieces. Between two pieces the server's `+` is waited for, unless it takes LITERAL+ (RFC 7888):
then everything is one piece and no round trip is lost.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
QUOTABLE = re.compile(rb"[\x20-\x7e]{0,1000}")
SPECIAL = re.compile(rb'(["\\])')
SHORT_LITERAL = 4096  # LITERAL- takes up to this without waiting (RFC 7888 §5)


@dataclass(frozen=True, slots=True)
class Text:
    """Sent as it is: command words, sets and dates that this module made."""

    data: bytes


@dataclass(frozen=True, slots=True)
class String:
    """Sent quoted where that is possible, else as a literal."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Bulk:
    """Sent as a literal whatever it holds: a message."""

    data: bytes


Argument = Text | String | Bulk


@dataclass(frozen=True, slots=True)
class Command:
    """One command without its tag."""

    name: str
    arguments: tuple[Argument, ...] = ()

    @property
    def waits(self) -> bool:
        """Tell whether it may have to wait for the server in the middle."""
        return any(isinstance(a, Bulk) or (isinstance(a, String) and not _quotable(a.data)) for a in self.arguments)


def command(name: str, *arguments: str | Argument) -> Command:
    """Return a command; plain `str` arguments are words of ours and sent as they are."""
    return Command(name, tuple(Text(a.encode("ascii")) if isinstance(a, str) else a for a in arguments))


def string(text: str) -> String:
    """Return a string argument; outside ASCII it goes as UTF-8 in a literal."""
    return String(text.encode("utf-8", "surrogateescape"))


def write_command(tag: str, one: Command, capabilities: frozenset[str]) -> list[bytes]:
    """Return the pieces to send; after each but the last the server must answer `+`."""
    pieces: list[bytes] = []
    current = bytearray(f"{tag} {one.name}".encode("ascii"))
    for argument in one.arguments:
        current += b" "
        match argument:
            case Text(data=data):
                current += data
            case String(data=data) if _quotable(data):
                current += quote(data)
            case String(data=data) | Bulk(data=data):
                if _goes_at_once(len(data), capabilities):
                    current += b"{%d+}\r\n" % len(data)
                else:
                    current += b"{%d}\r\n" % len(data)
                    pieces.append(bytes(current))
                    current = bytearray()
                current += data
    current += b"\r\n"
    pieces.append(bytes(current))
    return pieces


def quote(data: bytes) -> bytes:
    """Return a quoted string; `data` has only printable ASCII."""
    return b'"' + SPECIAL.sub(rb"\\\1", data) + b'"'


def search_date(day: date) -> str:
    """Return a date for SEARCH, such as `1-Nov-2026`."""
    return f"{day.day}-{MONTHS[day.month - 1]}-{day.year:04d}"


def append_date(at: datetime) -> str:
    """Return the quoted date-time of APPEND in UTC."""
    utc = at.astimezone(UTC)
    return (
        f'"{utc.day:2d}-{MONTHS[utc.month - 1]}-{utc.year:04d} {utc.hour:02d}:{utc.minute:02d}:{utc.second:02d} +0000"'
    )


def write_set(numbers: Iterable[int]) -> str:
    """Return the shortest sequence set, such as `1:3,7`. At least one number is needed."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(low) if low == high else f"{low}:{high}" for low, high in ranges)


def _quotable(data: bytes) -> bool:
    return QUOTABLE.fullmatch(data) is not None


def _goes_at_once(size: int, capabilities: frozenset[str]) -> bool:
    return "LITERAL+" in capabilities or ("LITERAL-" in capabilities and size <= SHORT_LITERAL)
