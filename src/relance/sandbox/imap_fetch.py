"""FETCH: which parts of a message a client wants, and how they are written (RFC 3501 §6.4.5 and §7.4.2, RFC 7162)."""

import re
from dataclasses import dataclass
from datetime import datetime

from relance.sandbox.imap_syntax import CommandRefused, Token, list_of, text_of
from relance.sandbox.mailstore import StoredMessage, header_block

_BODY = re.compile(r"BODY(?P<peek>\.PEEK)?\[(?P<section>[^\]]*)\](?:<(?P<start>\d+)\.(?P<size>\d+)>)?", re.IGNORECASE)
_FIELDS = re.compile(r"HEADER\.FIELDS(?P<without>\.NOT)? \((?P<names>[^)]*)\)", re.IGNORECASE)
_MACROS = {"FAST": ["FLAGS", "INTERNALDATE", "RFC822.SIZE"]}
_WHOLE = {"RFC822": "BODY[]", "RFC822.HEADER": "BODY.PEEK[HEADER]", "RFC822.TEXT": "BODY[TEXT]"}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One piece of a message's octets."""

    section: str
    start: int | None
    size: int
    label: str
    """The name under which the piece is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a FETCH asks for."""

    items: tuple[str | Part, ...]
    marks_seen: bool


def wanted(token: Token) -> Wanted:
    """Read the data items of a FETCH; BAD for what this server does not have."""
    items: list[str | Part] = []
    marks_seen = False
    names = [text_of(each).upper() if "[" not in text_of(each) else text_of(each) for each in list_of(token)]
    for name in [item for each in names for item in _MACROS.get(each, [each])]:
        if name in {"FLAGS", "UID", "INTERNALDATE", "RFC822.SIZE", "MODSEQ", "X-GM-MSGID"}:
            items.append(name)
            continue
        body = _BODY.fullmatch(_WHOLE.get(name, name))
        if body is None:
            raise CommandRefused(f"{name} cannot be fetched here", "BAD")
        marks_seen = marks_seen or body["peek"] is None
        start = None if body["start"] is None else int(body["start"])
        label = name if name in _WHOLE else f"BODY[{body['section']}]" + ("" if start is None else f"<{start}>")
        items.append(Part(section=body["section"], start=start, size=int(body["size"] or 0), label=label))
    return Wanted(items=tuple(items), marks_seen=marks_seen)


def answer(sequence: int, message: StoredMessage, items: tuple[str | Part, ...]) -> bytes:
    """Write one untagged FETCH response, with its line end."""
    pieces = []
    for item in items:
        match item:
            case Part():
                octets = _octets(message.raw, item)
                pieces.append(b"%b {%d}\r\n%b" % (item.label.encode(), len(octets), octets))
            case "FLAGS":
                pieces.append(f"FLAGS ({' '.join(sorted(message.flags))})".encode())
            case "UID":
                pieces.append(b"UID %d" % message.uid)
            case "INTERNALDATE":
                pieces.append(f'INTERNALDATE "{internal_date(message.internal_date)}"'.encode())
            case "X-GM-MSGID":
                pieces.append(b"X-GM-MSGID %d" % message.number)
            case "RFC822.SIZE":
                pieces.append(b"RFC822.SIZE %d" % len(message.raw))
            case _:
                pieces.append(b"MODSEQ (%d)" % message.modseq)
    return b"* %d FETCH (%b)\r\n" % (sequence, b" ".join(pieces))


def _octets(raw: bytes, part: Part) -> bytes:
    octets = _section(raw, part.section)
    return octets if part.start is None else octets[part.start : part.start + part.size]


def _section(raw: bytes, section: str) -> bytes:
    match section.upper():
        case "":
            return raw
        case "HEADER":
            return header_block(raw)
        case "TEXT":
            return raw[len(header_block(raw)) :]
        case _:
            fields = _FIELDS.fullmatch(section)
            if fields is None:
                raise CommandRefused(f"BODY[{section}] is not served here", "BAD")
            names = {name.strip('"').lower() for name in fields["names"].split()}
            return _chosen_fields(header_block(raw), names, without=fields["without"] is not None)


def _chosen_fields(header: bytes, names: set[str], *, without: bool) -> bytes:
    lines = re.split(rb"\r\n(?![ \t])", header)
    chosen = [
        line
        for line in lines
        if line and (line.partition(b":")[0].strip().lower().decode("latin-1") in names) != without
    ]
    return b"".join(line + b"\r\n" for line in chosen) + b"\r\n"


def internal_date(at: datetime) -> str:
    """Write a date-time as IMAP does, in English whatever the locale (RFC 3501 §9)."""
    return f"{at.day:2d}-{_MONTHS[at.month - 1]}-{at.year} {at:%H:%M:%S %z}"


def read_date(text: str) -> tuple[int, int, int]:
    """Read `29-Nov-2026` as (year, month, day); BAD when it is no date."""
    found = re.fullmatch(r"\s*(\d{1,2})-([A-Za-z]{3})-(\d{4})", text)
    if found is None or found[2].title() not in _MONTHS:
        raise CommandRefused(f"{text} is no date", "BAD")
    return int(found[3]), _MONTHS.index(found[2].title()) + 1, int(found[1])
