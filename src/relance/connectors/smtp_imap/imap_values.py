"""Read the values inside one IMAP response: atoms, strings, literals, NIL and nested lists (RFC 3501 §4).

Nothing here recurses, so depth costs no stack; every regular expression is linear in what it reads.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

from relance.connectors.smtp_imap.imap_wire import Literal, Part

Value = bytes | Literal | None | tuple["Value", ...]
DEEPEST = 64
LARGEST_NUMBER = 2**63 - 1
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

TOKEN = re.compile(
    rb"""[ \t]*+(?:
        (?P<open>\() |
        (?P<close>\)) |
        "(?P<quoted>[^"\\]*+(?:\\.[^"\\]*+)*+)" |
        (?P<atom>(?:[^\s()"\[]|\[[^\]]*+\])++) |
        (?P<end>$)
    )""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
INTERNAL_DATE = re.compile(
    r"\s*(\d{1,2})-([A-Za-z]{3})-(\d{4})\s+(\d{1,2}):(\d{2}):(\d{2})(?:\s+([+-])(\d{2})(\d{2}))?", re.ASCII
)


class MalformedError(Exception):
    """A response that breaks the grammar; the parser turns it into a ProtocolViolation."""


def read_values(parts: tuple[Part, ...]) -> tuple[Value, ...]:
    """Return everything in `parts` as nested tuples. Raises MalformedError."""
    stack: list[list[Value]] = [[]]
    for part in parts:
        if isinstance(part, Literal):
            stack[-1].append(part)
        else:
            _read_text(part, stack)
    if len(stack) != 1:
        raise MalformedError("a list does not end")
    return tuple(stack[0])


def _read_text(text: bytes, stack: list[list[Value]]) -> None:
    at = 0
    while True:
        token = TOKEN.match(text, at)
        if token is None:
            raise MalformedError("something is neither an atom, a string nor a list")
        at = token.end()
        match token.lastgroup:
            case "open":
                if len(stack) > DEEPEST:
                    raise MalformedError("lists are nested too deeply")
                stack.append([])
            case "close":
                if len(stack) == 1:
                    raise MalformedError("a list ends that never began")
                inner = tuple(stack.pop())
                stack[-1].append(inner)
            case "quoted":
                stack[-1].append(ESCAPE.sub(rb"\1", token["quoted"]))
            case "atom":
                atom = token["atom"]
                stack[-1].append(None if atom.upper() == b"NIL" else atom)
            case _:
                return


def read_number(value: Value) -> int:
    """Return a number of RFC 3501 or a mod-sequence of RFC 7162. Raises MalformedError."""
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if not isinstance(value, bytes) or not value.isdigit() or len(value) > len(str(LARGEST_NUMBER)):
        raise MalformedError("a number was expected")
    return min(int(value), LARGEST_NUMBER)


def read_bytes(value: Value) -> bytes:
    """Return a string, however it was sent; NIL is empty. Raises MalformedError."""
    match value:
        case None:
            return b""
        case bytes():
            return value
        case Literal(data=data):
            return data
        case _:
            raise MalformedError("a string was expected")


def read_text(value: Value) -> str:
    """Return a string for looking at; bytes outside ASCII stay distinguishable."""
    return read_bytes(value).decode("ascii", "surrogateescape")


def read_internal_date(value: Value) -> datetime | None:
    """Return INTERNALDATE in UTC, or None where the server wrote something else."""
    found = INTERNAL_DATE.match(read_text(value))
    if found is None:
        return None
    day, month, year, hour, minute, second, sign, zone_hours, zone_minutes = found.groups()
    try:
        offset = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
        zone = timezone(-offset if sign == "-" else offset)
        number = MONTHS.index(month.lower()) + 1
        local = datetime(int(year), number, int(day), int(hour), int(minute), min(int(second), 59), tzinfo=zone)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
