"""The syntax of IMAP commands: lines and literals in, a tag, a name and tokens out (RFC 3501 §9).

An atom or quoted string is a `str`, a literal is `bytes`, a parenthesised list is a list. An atom keeps what stands in
its brackets, so that `BODY[HEADER.FIELDS (TO)]` is one token.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

from relance.sandbox.wire import Wire

Token: TypeAlias = "str | bytes | list[Token]"

_LITERAL = re.compile(rb"\{(\d+)(\+?)\}$")
_TOKEN = re.compile(rb'\s*(?:(?P<atom>(?:\[[^\]]*\]|[^\s()"\[])+)|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<paren>[()]))')
_LITERAL_LIMIT = 40_000_000


class CommandRefused(Exception):  # noqa: N818 -- an answer, not a fault
    """The command is not carried out; status NO or BAD, and the text after it."""

    def __init__(self, text: str, status: str = "NO") -> None:
        super().__init__(text)
        self.text = text
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a client."""

    tag: str
    name: str
    args: list[Token]
    """What follows the name; the word UID before a command belongs to the name."""


async def read_command(wire: Wire, *, literal_plus: bool) -> Command:
    """Read one whole command, asking for its literals; CommandRefused("…", "BAD") when it cannot be understood."""
    pieces: list[bytes] = []
    while True:
        line = await wire.line()
        found = _LITERAL.search(line)
        if found is None:
            pieces.append(line)
            return _command(pieces)
        size = int(found[1])
        if size > _LITERAL_LIMIT or (found[2] and not literal_plus):
            wire.write(b"* BYE Literal refused\r\n")
            wire.close()
            await wire.exactly(_LITERAL_LIMIT)
        if not found[2]:
            wire.write(b"+ Go on\r\n")
        pieces += [line[: found.start()], await wire.exactly(size)]


def _command(pieces: list[bytes]) -> Command:
    tag, _, rest = pieces[0].partition(b" ")
    if not tag or not rest:
        raise CommandRefused("A command has a tag and a name", "BAD")
    tokens = _tokens([rest, *pieces[1:]])
    name = text_of(tokens[0]).upper() if tokens else ""
    args = tokens[1:]
    if name == "UID" and args:
        name, args = f"UID {text_of(args[0]).upper()}", args[1:]
    return Command(tag=tag.decode("ascii", "replace"), name=name, args=args)


def _tokens(pieces: list[bytes]) -> list[Token]:
    """Tokenise text pieces (even places) and literals (odd places)."""
    stack: list[list[Token]] = [[]]
    for index, piece in enumerate(pieces):
        if index % 2:
            stack[-1].append(piece)
            continue
        position = 0
        piece = piece.rstrip()  # noqa: PLW2901 -- white space at the end says nothing
        while position < len(piece):
            found = _TOKEN.match(piece, position)
            if found is None:
                raise CommandRefused("Cannot read the arguments", "BAD")
            position = found.end()
            _put(stack, found)
    if len(stack) != 1:
        raise CommandRefused("A parenthesis is not closed", "BAD")
    return stack[0]


def _put(stack: list[list[Token]], found: re.Match[bytes]) -> None:
    if found["atom"] is not None:
        stack[-1].append(found["atom"].decode("utf-8", "replace"))
    elif found["quoted"] is not None:
        stack[-1].append(re.sub(rb"\\(.)", rb"\1", found["quoted"]).decode("utf-8", "replace"))
    elif found["paren"] == b"(":
        opened: list[Token] = []
        stack[-1].append(opened)
        stack.append(opened)
    else:
        if len(stack) == 1:
            raise CommandRefused("A parenthesis was never opened", "BAD")
        stack.pop()


def text_of(token: Token) -> str:
    """Return an atom, quoted string or literal as text; BAD for a list."""
    match token:
        case str():
            return token
        case bytes():
            return token.decode("utf-8", "replace")
        case _:
            raise CommandRefused("A list stands where a word belongs", "BAD")


def list_of(token: Token) -> list[Token]:
    """Return a parenthesised list, or the single token as a list of one."""
    return token if isinstance(token, list) else [token]


def quoted(text: str) -> str:
    """Write text as a quoted string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def number_set(token: Token, highest: int) -> list[range]:
    """Read a sequence set such as `1:5,9,12:*` as ranges (RFC 3501 §9); `*` is the highest number there is."""
    ranges = []
    for part in text_of(token).split(","):
        first, colon, last = part.partition(":")
        try:
            low = highest if first == "*" else int(first)
            high = (highest if last == "*" else int(last)) if colon else low
        except ValueError:
            raise CommandRefused(f"{part} is no number", "BAD") from None
        ranges.append(range(min(low, high), max(low, high) + 1))
    return ranges
