"""Header fields as bytes: folded, ASCII, and never able to become two headers.

Rule 1: a line break or another control character in a field is refused: it would let a value add headers.
Rule 2: lines are folded at white space (RFC 5322 §2.2.3) so that they have 76 characters where that is possible;
        a word that is longer stays whole, for ids and URIs break when cut.
Rule 3: only what people read becomes encoded words (RFC 2047), never an id, a URI or an address.
Rule 4: the first word stands on the line of the field's name: some software reads a folded first line as empty.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence

FOLD_AT = 76  #: RFC 2047 §2: lines with encoded words; also the advice of RFC 5322 §2.1.1 less two.
MAX_LINE = 998  #: RFC 5322 §2.1.1, without CRLF.
MAX_WORD = 480  #: A longer word in text for people is encoded, which can be cut; quoting may double it.

_ENCODED_WORD = 75  # RFC 2047 §2
_FRAME = len("=?utf-8?q??=")
_SMALLEST = _FRAME + len("=F0=9F=98=80")  # one character of four bytes
_REFUSED = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_FIELD_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_WORDS = re.compile(r"([ \t]*)([^ \t]+)")
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_PLAIN_IN_Q = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/")
_PLAIN_IN_PARAMETER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`{}~")
_Q = {byte: f"={byte:02X}" for byte in range(256) if byte not in _PLAIN_IN_Q} | {ord(" "): "_"}
_PERCENT = {byte: f"%{byte:02X}" for byte in range(256) if byte not in _PLAIN_IN_PARAMETER}

Word = tuple[str, str]  #: The white space before a word, and the word.


def refuse_control(field: str, value: str) -> str:
    """Return `value` if it can stand in a header.

    Raises ValueError for line breaks, other control characters and halves of surrogate pairs.
    """
    found = _REFUSED.search(value)
    if found is None:
        return value
    point = ord(found[0])
    if found[0] in "\r\n":
        raise ValueError(f"{field} holds a line break, which would let it add headers: take it out")
    if point > 0xFF:
        raise ValueError(f"{field} holds half a character (U+{point:04X}): its text is damaged")
    raise ValueError(f"{field} holds the control character U+{point:04X}: take it out")


def field(name: str, words: Sequence[Word]) -> bytes:
    """Write a field of ASCII words, folded between them, with its CRLF.

    Raises ValueError where a line would be longer than RFC 5322 allows.
    """
    if not _FIELD_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a header: use letters, digits and hyphens")
    pieces = [f"{name}:"]
    column = longest = len(pieces[0])
    for index, (space, word) in enumerate(words):
        gap = space if index else " "
        column += len(gap) + len(word)
        if index and column > FOLD_AT:
            pieces.append("\r\n")
            column = len(gap) + len(word)
        pieces.append(gap + word)
        longest = max(longest, column)
    if longest > MAX_LINE:
        raise ValueError(
            f"{name} holds a word that is longer than the {MAX_LINE} characters of a line (RFC 5322 §2.1.1)"
        )
    pieces.append("\r\n")
    return "".join(pieces).encode("ascii")


def text_field(name: str, value: str) -> bytes:
    """Write a field that people read, such as Subject; only its words that need it are encoded."""
    words: list[Word] = _WORDS.findall(refuse_control(name, value).strip(" \t"))
    odd = [index for index, (_, word) in enumerate(words) if _needs_encoding(word)]
    if not odd:
        return field(name, words or [(" ", "")])
    first, last = odd[0], odd[-1]
    # Space between two encoded words is not shown, so all from the first to the last odd word is encoded with it.
    text = words[first][1] + "".join(space + word for space, word in words[first + 1 : last + 1])
    used = _column_after(name, words[:first]) + len(words[first][0])
    encoded = _encoded_words(text, FOLD_AT - used, must_fit=first == 0)
    encoded[0] = (words[first][0], encoded[0][1])
    return field(name, [*words[:first], *encoded, *words[last + 1 :]])


def address_field(name: str, display_name: str | None, address: str) -> bytes:
    """Write a field with one mailbox (RFC 5322 §3.4); `address` is already in ASCII."""
    shown = " ".join(refuse_control(f"the name in {name}", display_name or "").split())
    if not shown:
        return field(name, [("", address)])
    return field(name, [*_phrase(shown, FOLD_AT - len(name) - 2), (" ", f"<{address}>")])


def parameter(name: str, value: str) -> list[Word]:
    """Write a parameter of a MIME field, beyond ASCII or when long by RFC 2231, each piece behind a semicolon."""
    refuse_control(name, value)
    if not _needs_encoding(value) and len(value) <= FOLD_AT - len(name) - 5:
        return [(" ", f"{name}={_quoted(value)}")]
    encoded = [_as_bytes(character).translate(_PERCENT) for character in value]
    room = FOLD_AT - len(name) - len("*10*=utf-8'';") - 1
    pieces = list(_filled(encoded, room, room))
    if len(pieces) == 1:
        return [(" ", f"{name}*=utf-8''{pieces[0]}")]
    pieces[0] = f"utf-8''{pieces[0]}"
    written = [f"{name}*{index}*={piece}" for index, piece in enumerate(pieces)]
    return [*((" ", f"{each};") for each in written[:-1]), (" ", written[-1])]


def _needs_encoding(word: str) -> bool:
    # "=?" is how an encoded word begins: written plainly it would be read as one.
    return not word.isascii() or "=?" in word or len(word) > MAX_WORD


def _column_after(name: str, words: Sequence[Word]) -> int:
    """Say how long the last line is when `words` have been folded."""
    column = len(name) + 1
    for index, (space, word) in enumerate(words):
        longer = column + len(space) + len(word) if index else column + 1 + len(word)
        column = len(space) + len(word) if index and longer > FOLD_AT else longer
    return column if words else column + 1


def _phrase(text: str, room: int) -> list[Word]:
    """Write a display name: as it is, as a quoted string or as encoded words, in this order of preference."""
    if any(map(_needs_encoding, text.split(" "))):
        return _encoded_words(text, room, must_fit=True)
    words: list[Word] = _WORDS.findall(text if _ATOMS.fullmatch(text) else _quoted(text))
    return words


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _encoded_words(text: str, room: int, *, must_fit: bool) -> list[Word]:
    """Cut `text` into encoded words, the first of at most `room` characters where it stays on a line already begun.

    B or Q, whichever is shorter; characters are never cut (RFC 2047 §5).
    """
    first = min(room, _ENCODED_WORD)
    if first < _SMALLEST:
        first = _SMALLEST if must_fit else _ENCODED_WORD
    data = _as_bytes(text)
    in_q = data.translate(_Q)
    if len(in_q) <= -(-len(data) // 3) * 4:
        whole = [in_q] if len(in_q) <= first - _FRAME else [_as_bytes(character).translate(_Q) for character in text]
        return [(" ", f"=?utf-8?q?{piece}?=") for piece in _filled(whole, first - _FRAME, _ENCODED_WORD - _FRAME)]
    bytes_first, bytes_rest = ((each - _FRAME) // 4 * 3 for each in (first, _ENCODED_WORD))
    pieces = _filled([data] if len(data) <= bytes_first else [*map(_as_bytes, text)], bytes_first, bytes_rest)
    return [(" ", f"=?utf-8?b?{b64encode(piece.encode('latin-1')).decode()}?=") for piece in pieces]


def _as_bytes(text: str) -> str:
    """Write each byte of the UTF-8 form as one character, to translate and cut it as text."""
    return text.encode().decode("latin-1")


def _filled(units: Sequence[str], first: int, rest: int) -> Iterator[str]:
    """Join units into pieces of at most `first`, then `rest` characters, without cutting a unit."""
    piece: list[str] = []
    length, room = 0, first
    for unit in units:
        if piece and length + len(unit) > room:
            yield "".join(piece)
            piece, length, room = [], 0, rest
        piece.append(unit)
        length += len(unit)
    yield "".join(piece)
