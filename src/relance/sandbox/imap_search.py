"""SEARCH: a program of keys, read into one predicate (RFC 3501 §6.4.4, RFC 7162 §3.1.5)."""

from collections.abc import Callable, Iterator
from datetime import date

from relance.sandbox.imap_fetch import read_date
from relance.sandbox.imap_syntax import CommandRefused, Token, number_set, text_of
from relance.sandbox.mailstore import Folder, StoredMessage

Predicate = Callable[[int, StoredMessage], bool]

_FLAGS = {
    "SEEN": "\\Seen",
    "ANSWERED": "\\Answered",
    "FLAGGED": "\\Flagged",
    "DELETED": "\\Deleted",
    "DRAFT": "\\Draft",
}
_FIELDS = {"SUBJECT", "FROM", "TO", "CC", "BCC"}


def found_by(folder: Folder, args: list[Token]) -> list[tuple[int, StoredMessage]]:
    """Return the messages that satisfy every key, with their sequence numbers."""
    rest = args[2:] if args and text_of_or_empty(args[0]).upper() == "CHARSET" else args
    predicate = _every(folder, iter(rest))
    return [(number, message) for number, message in enumerate(folder, start=1) if predicate(number, message)]


def text_of_or_empty(token: Token) -> str:
    """Return the token's text, or nothing for a list."""
    return "" if isinstance(token, list) else text_of(token)


def _every(folder: Folder, tokens: Iterator[Token]) -> Predicate:
    predicates = [_key(folder, token, tokens) for token in tokens]
    return lambda number, message: all(predicate(number, message) for predicate in predicates)


def _key(folder: Folder, token: Token, tokens: Iterator[Token]) -> Predicate:
    if isinstance(token, list):
        return _every(folder, iter(token))
    key = text_of(token).upper()
    if key in _FLAGS:
        flag = _FLAGS[key]
        return lambda _, message: flag in message.flags
    if key.startswith("UN") and key[2:] in _FLAGS:
        missing = _FLAGS[key[2:]]
        return lambda _, message: missing not in message.flags
    if key in _FIELDS:
        return _header(folder, key, _value(tokens))
    if key[:1].isdigit() or key[:1] == "*":
        numbers = number_set(key, len(folder))
        return lambda number, _: any(number in each for each in numbers)
    return _key_with_argument(folder, key, tokens)


def _key_with_argument(folder: Folder, key: str, tokens: Iterator[Token]) -> Predicate:  # noqa: PLR0911 -- one a key
    match key:
        case "ALL":
            return lambda _, __: True
        case "UID":
            uids = number_set(_value(tokens), folder.highest_uid())
            return lambda _, message: any(message.uid in each for each in uids)
        case "HEADER":
            return _header(folder, _value(tokens), _value(tokens))
        case "SINCE" | "BEFORE" | "ON" | "SENTSINCE" | "SENTBEFORE" | "SENTON":
            return _dated(key.removeprefix("SENT"), date(*read_date(_value(tokens))))
        case "TEXT" | "BODY":
            needle = _value(tokens).lower().encode()
            return lambda _, message: needle in message.raw.lower()
        case "MODSEQ":
            modseq = int(_value(tokens))
            return lambda _, message: message.modseq >= modseq
        case "LARGER" | "SMALLER":
            size, sign = int(_value(tokens)), 1 if key == "LARGER" else -1
            return lambda _, message: sign * len(message.raw) > sign * size
        case "NOT":
            negated = _next_key(folder, tokens)
            return lambda number, message: not negated(number, message)
        case "OR":
            one, other = _next_key(folder, tokens), _next_key(folder, tokens)
            return lambda number, message: one(number, message) or other(number, message)
        case _:
            raise CommandRefused(f"Cannot search by {key}", "BAD")


def _value(tokens: Iterator[Token]) -> str:
    token = next(tokens, None)
    if token is None:
        raise CommandRefused("A search key lacks its value", "BAD")
    return text_of(token)


def _next_key(folder: Folder, tokens: Iterator[Token]) -> Predicate:
    token = next(tokens, None)
    if token is None:
        raise CommandRefused("A search key lacks its operand", "BAD")
    return _key(folder, token, tokens)


def _header(folder: Folder, name: str, value: str) -> Predicate:
    field, needle = name.lower(), value.lower()
    return lambda _, message: any(needle in each.lower() for each in folder.headers(message).get(field, ()))


def _dated(relation: str, day: date) -> Predicate:
    match relation:
        case "SINCE":
            return lambda _, message: message.internal_date.date() >= day
        case "BEFORE":
            return lambda _, message: message.internal_date.date() < day
        case _:
            return lambda _, message: message.internal_date.date() == day
