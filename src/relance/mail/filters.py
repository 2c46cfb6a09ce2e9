"""The filters a template may use: `{{ first_name | default: "there" | capitalize }}`.

Every filter is total over text, bounded in what it returns, and free of clock and chance (`date` knows no "now").
A missing value passes through all of them unchanged, so that a later `default` still sees that it is missing.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import wraps

from liquid.exceptions import FilterArgumentError, FilterValueError
from liquid.undefined import is_undefined

MAX_LENGTH = 10_000  #: Characters of one value, before and after every filter.

_DIRECTIVE = re.compile(r"%(-?)([a-zA-Z%])")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})  #: Unicode categories that put no ink on a page.


@dataclass(frozen=True, slots=True)
class Filtered:
    """A filter, and what an author reads about it."""

    apply: Callable[..., object]
    summary: str


def is_blank(value: object) -> bool:
    """Tell whether a value shows nothing: None, or text of white space and invisible characters only."""
    if value is None or is_undefined(value):
        return True
    return isinstance(value, str) and all(unicodedata.category(character) in _UNSEEN for character in value)


def as_text(value: object) -> str:
    """Write a value as an author expects to read it.

    Raises FilterValueError where it is longer than MAX_LENGTH.
    """
    match value:
        case str():
            text = value
        case bool():
            text = "true" if value else "false"
        case None:
            text = ""
        case Decimal():
            text = f"{value:f}"
        case list():
            text = "".join(as_text(piece) for piece in value)
        case _:
            text = str(value)
    if len(text) > MAX_LENGTH:
        raise FilterValueError(f"a value may have {MAX_LENGTH} characters", token=None)
    return text


def _on_text(function: Callable[..., str]) -> Callable[..., object]:
    """Let a filter see text only, and let what is missing pass."""

    @wraps(function)
    def apply(value: object, *arguments: object) -> object:
        for argument in arguments:
            if is_undefined(argument):
                return argument
        if is_undefined(value):
            return value
        return as_text(function(as_text(value), *arguments))

    return apply


def _default(value: object, fallback: object = "", *, allow_false: object = False) -> object:
    if is_blank(value) or (value is False and not allow_false):
        return fallback
    return value


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:].lower()


def _titlecase(text: str) -> str:
    return re.sub(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*", lambda word: word[0][:1].upper() + word[0][1:].lower(), text)


def _truncate(text: str, length: object = 50, ellipsis: object = "...") -> str:
    limit, end = _whole_number(length), as_text(ellipsis)
    return text if len(text) <= limit else text[: max(0, limit - len(end))] + end


def _truncatewords(text: str, count: object = 15, ellipsis: object = "...") -> str:
    limit, words = max(1, _whole_number(count)), text.split()
    return text if len(words) <= limit else " ".join(words[:limit]) + as_text(ellipsis)


def _replace(text: str, old: object, new: object = "") -> str:
    wanted, instead = as_text(old), as_text(new)
    if not wanted:
        raise FilterArgumentError("replace needs the text to look for", token=None)
    if len(text) + text.count(wanted) * (len(instead) - len(wanted)) > MAX_LENGTH:
        raise FilterValueError(f"a value may have {MAX_LENGTH} characters", token=None)
    return text.replace(wanted, instead)


def _append(text: str, more: object) -> str:
    return text + as_text(more)


def _prepend(text: str, more: object) -> str:
    return as_text(more) + text


def _split(value: object, separator: object) -> object:
    for given in (separator, value):
        if is_undefined(given):
            return given
    at = as_text(separator)
    return as_text(value).split(at) if at.strip() else as_text(value).split()


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _last(value: object) -> object:
    return value[-1] if isinstance(value, list) and value else value


def _whole_number(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_LENGTH:
        return value
    raise FilterArgumentError(f"this filter needs a whole number from 0 to {MAX_LENGTH}", token=None)


def _date(value: object, form: object = "%-d %B %Y") -> object:
    for given in (form, value):
        if is_undefined(given):
            return given
    wanted = as_text(form)
    for directive in _DIRECTIVE.finditer(wanted):
        if directive[2] not in _DATE_PIECES:
            known = " ".join(f"%{letter}" for letter in _DATE_PIECES)
            raise FilterArgumentError(f"date does not know {directive[0]}: use {known}", token=None)
    moment = _as_moment(value)
    return _DIRECTIVE.sub(lambda found: _date_piece(found, moment), wanted)


def _as_moment(value: object) -> datetime:
    match value:
        case datetime():
            return value
        case date():
            return datetime.combine(value, time.min)
        case _:
            pass
    try:
        return datetime.fromisoformat(as_text(value).strip())
    except ValueError as error:
        raise FilterValueError("a date must be written as 2026-11-30", token=None) from error


def _date_piece(found: re.Match[str], moment: datetime) -> str:
    piece = _DATE_PIECES[found[2]](moment)
    return piece.lstrip("0 ") or "0" if found[1] else piece


#: What `date` can write; English names, whatever the locale of the process.
_DATE_PIECES: dict[str, Callable[[datetime], str]] = {
    "%": lambda _: "%",
    "A": lambda moment: _WEEKDAYS[moment.weekday()],
    "a": lambda moment: _WEEKDAYS[moment.weekday()][:3],
    "B": lambda moment: _MONTHS[moment.month - 1],
    "b": lambda moment: _MONTHS[moment.month - 1][:3],
    "d": lambda moment: f"{moment.day:02d}",
    "e": lambda moment: f"{moment.day:2d}",
    "F": lambda moment: moment.date().isoformat(),
    "H": lambda moment: f"{moment.hour:02d}",
    "I": lambda moment: f"{moment.hour % 12 or 12:02d}",
    "M": lambda moment: f"{moment.minute:02d}",
    "m": lambda moment: f"{moment.month:02d}",
    "p": lambda moment: "AM" if moment.hour < 12 else "PM",
    "S": lambda moment: f"{moment.second:02d}",
    "V": lambda moment: f"{moment.isocalendar().week:02d}",
    "Y": lambda moment: f"{moment.year:04d}",
    "y": lambda moment: f"{moment.year % 100:02d}",
}

FILTERS: dict[str, Filtered] = {
    "append": Filtered(_on_text(_append), 'adds text at the end: {{ plan | append: " plan" }}'),
    "capitalize": Filtered(_on_text(_capitalize), "a capital first, the rest small"),
    "date": Filtered(_date, 'writes an ISO date: {{ renewal | date: "%-d %B" }}'),
    "default": Filtered(_default, 'what stands for a missing or blank value: {{ first_name | default: "there" }}'),
    "downcase": Filtered(_on_text(str.lower), "small letters"),
    "first": Filtered(_first, 'the first piece of a split text: {{ name | split: " " | first }}'),
    "last": Filtered(_last, 'the last piece of a split text: {{ email | split: "@" | last }}'),
    "prepend": Filtered(_on_text(_prepend), 'adds text at the beginning: {{ team | prepend: "the " }}'),
    "replace": Filtered(_on_text(_replace), 'replaces every occurrence: {{ company | replace: " GmbH", "" }}'),
    "split": Filtered(_split, "cuts text into pieces, for first and last"),
    "strip": Filtered(_on_text(str.strip), "without white space at both ends"),
    "titlecase": Filtered(_on_text(_titlecase), "a capital at each word"),
    "truncate": Filtered(_on_text(_truncate), 'at most so many characters: {{ company | truncate: 30, "…" }}'),
    "truncatewords": Filtered(_on_text(_truncatewords), "at most so many words: {{ headline | truncatewords: 6 }}"),
    "upcase": Filtered(_on_text(str.upper), "capital letters"),
}
