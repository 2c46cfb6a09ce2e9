"""Turn an IMAP server's bytes into events (RFC 3501 §7), without I/O: `feed`, then `next_event` until None.

Rule 1: hostile or broken input ends in one ProtocolViolation event, never in an exception.
Rule 2: an untagged response that we have no use for is an `Other`, whatever stands in it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from relance.connectors.smtp_imap.imap_values import (
    MalformedError,
    Value,
    read_bytes,
    read_internal_date,
    read_number,
    read_text,
    read_values,
)
from relance.connectors.smtp_imap.imap_wire import Frame, Framer, Literal, Part, ProtocolViolation, WireLimits

CONDITIONS = frozenset({"OK", "NO", "BAD", "BYE", "PREAUTH"})
TAGGED_CONDITIONS = frozenset({"OK", "NO", "BAD"})
CODE = re.compile(r"\[([^\s\]]++)(?: ([^\]]*+))?\] ?")
TAG = re.compile(r"[A-Za-z0-9]{1,32}", re.ASCII)
LONGEST_TEXT = 1000  # characters of a server's words that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """The machine-readable reason in brackets, such as `UIDVALIDITY 7`."""

    name: str  #: Upper case.
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """An untagged OK, NO, BAD, BYE or PREAUTH; the greeting is one."""

    kind: str
    code: Code | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """The end of a command."""

    tag: str
    kind: str  #: OK, NO or BAD.
    code: Code | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """The server waits for more of the command."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """What the server can do, upper case."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exists:
    """How many messages the selected folder has."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One folder, its name as it stands on the wire."""

    attributes: frozenset[str]  #: Lower case, with the backslash.
    delimiter: str | None
    name: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespaces:
    """Answer to NAMESPACE (RFC 2342): how the names of folders begin that belong to others, or to all."""

    foreign: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderStatus:
    """Answer to STATUS; what the server did not say is absent."""

    name: bytes
    items: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """Answer to SEARCH, in the server's order."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What the server said of one message; it may say things nobody asked for, and in several responses."""

    number: int
    uid: int | None = None
    size: int | None = None
    internal_date: datetime | None = None
    gmail_number: int | None = None  #: X-GM-MSGID: the same wherever the message lies.
    sections: Mapping[str, Literal] = field(default_factory=dict)  #: By name, upper case, without `<origin>`.


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """An untagged response without use for us."""

    name: str


Event = (
    Condition
    | Tagged
    | Continuation
    | Capability
    | Exists
    | Listed
    | Namespaces
    | FolderStatus
    | Searched
    | Fetched
    | Other
    | ProtocolViolation
)


class ResponseParser:
    """One connection's stream of responses."""

    __slots__ = ("_broken", "_framer")

    def __init__(self, limits: WireLimits | None = None) -> None:
        self._framer = Framer(limits or WireLimits())
        self._broken: ProtocolViolation | None = None

    def feed(self, data: bytes) -> None:
        """Take what the server sent."""
        self._framer.feed(data)

    def next_event(self) -> Event | None:
        """Return the next event, or None where more bytes are needed."""
        if self._broken is not None:
            return self._broken
        match self._framer.next_frame():
            case None:
                return None
            case ProtocolViolation() as violation:
                self._broken = violation
                return violation
            case Frame(parts=parts):
                try:
                    return parse_response(parts)
                except MalformedError as error:
                    self._broken = ProtocolViolation(reason=str(error))
                    return self._broken


def parse_response(parts: tuple[Part, ...]) -> Event:
    """Return what one whole response says. Raises MalformedError."""
    head = parts[0] if isinstance(parts[0], bytes) else b""
    if head[:1] == b"+":
        return Continuation(text=_words(head[1:]).strip())
    first, _, rest = head.partition(b" ")
    if first == b"*":
        return _parse_untagged(rest, parts[1:])
    tag = _words(first)
    kind, _, text = _words(rest).partition(" ")
    if TAG.fullmatch(tag) is None or kind.upper() not in TAGGED_CONDITIONS:
        raise MalformedError("a line is no response of IMAP")
    code, words = _split_code(text)
    return Tagged(tag=tag, kind=kind.upper(), code=code, text=words)


def _parse_untagged(rest: bytes, more: tuple[Part, ...]) -> Event:
    word, _, tail = rest.lstrip().partition(b" ")
    name = _words(word).upper()
    if name in CONDITIONS:
        code, text = _split_code(_words(tail))
        return Condition(kind=name, code=code, text=text)
    if name.isdecimal() and name.isascii():
        return _parse_numbered(read_number(word), tail, more)
    if name == "SEARCH":
        return _parse_search(tail)
    parse = UNTAGGED.get(name)
    if parse is None:
        return Other(name=name[:LONGEST_TEXT])
    return parse(read_values((tail, *more)))


def _parse_numbered(number: int, tail: bytes, more: tuple[Part, ...]) -> Event:
    word, _, rest = tail.partition(b" ")
    match word.upper():
        case b"EXISTS":
            return Exists(count=number)
        case b"FETCH":
            return _parse_fetch(number, read_values((rest, *more)))
        case other:
            return Other(name=_words(other[:LONGEST_TEXT]).upper())


def _parse_search(tail: bytes) -> Searched:
    numbers = []
    for word in tail.split():
        if word.startswith(b"("):
            break  # RFC 7162 §3.1.5: `(MODSEQ n)` follows the numbers
        numbers.append(read_number(word))
    return Searched(numbers=tuple(numbers))


def _parse_capability(values: tuple[Value, ...]) -> Event:
    return Capability(names=frozenset(read_text(value).upper() for value in values))


def _parse_list(values: tuple[Value, ...]) -> Event:
    match values:
        case (tuple() as attributes, delimiter, name, *_) if name is not None:
            return Listed(
                attributes=frozenset(read_text(attribute).lower() for attribute in attributes),
                delimiter=read_text(delimiter) if delimiter is not None else None,
                name=read_bytes(name),
            )
        case _:
            raise MalformedError("a LIST response lacks its parts")


def _parse_namespace(values: tuple[Value, ...]) -> Event:
    """Take what can be read of it: a name that begins with nothing would shut everything out."""
    foreign = []
    for spaces in values[1:3]:
        for space in spaces if isinstance(spaces, tuple) else ():
            match space:
                case (bytes() | Literal() as prefix, *_) if read_bytes(prefix):
                    foreign.append(read_bytes(prefix))
                case _:
                    pass
    return Namespaces(foreign=tuple(foreign))


def _parse_status(values: tuple[Value, ...]) -> Event:
    match values:
        case (name, tuple() as pairs):
            items = {}
            for key, value in zip(pairs[::2], pairs[1::2], strict=False):
                items[read_text(key).upper()] = read_number(value)
            return FolderStatus(name=read_bytes(name), items=items)
        case _:
            raise MalformedError("a STATUS response lacks its parts")


def _parse_fetch(number: int, values: tuple[Value, ...]) -> Event:
    match values:
        case (tuple() as pairs,) if len(pairs) % 2 == 0:
            pass
        case _:
            raise MalformedError("a FETCH response lacks its parts")
    uid: int | None = None
    size: int | None = None
    internal_date: datetime | None = None
    gmail_number: int | None = None
    sections: dict[str, Literal] = {}
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        name = read_text(key).upper()
        if name == "UID":
            uid = read_number(value)
        elif name == "RFC822.SIZE":
            size = read_number(value)
        elif name == "INTERNALDATE":
            internal_date = read_internal_date(value)
        elif name == "X-GM-MSGID":
            gmail_number = read_number(value)
        elif name.startswith("BODY[") and "]" in name and value is not None:
            content = value if isinstance(value, Literal) else Literal(data=read_bytes(value))
            sections[name[: name.rindex("]") + 1]] = content
    return Fetched(
        number=number,
        uid=uid,
        size=size,
        internal_date=internal_date,
        gmail_number=gmail_number,
        sections=sections,
    )


UNTAGGED: Mapping[str, Callable[[tuple[Value, ...]], Event]] = {
    "CAPABILITY": _parse_capability,
    "LIST": _parse_list,
    "NAMESPACE": _parse_namespace,
    "STATUS": _parse_status,
}


def _split_code(text: str) -> tuple[Code | None, str]:
    found = CODE.match(text)
    if found is None:
        return None, text[:LONGEST_TEXT]
    # A capability list is the longest argument that anybody needs.
    code = Code(name=found[1].upper()[:LONGEST_TEXT], argument=(found[2] or "")[: 16 * LONGEST_TEXT])
    return code, text[found.end() :][:LONGEST_TEXT]


def _words(data: bytes) -> str:
    return data.decode("utf-8", "replace")
