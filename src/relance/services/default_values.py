"""The engine's defaults with their reasons, read from the one file in which they stand: for page and console."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from relance.core import defaults

_SECTION = re.compile(r"^# --- (?P<title>.+?) ---$")
_COMMENT = re.compile(r"^#: (?P<text>.+)$")
_CONSTANT = re.compile(r"^(?P<name>[A-Z_]+) = ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """One number of the engine's."""

    section: str  #: What it is about.
    name: str
    value: str  #: In words: `15 min`, `3%`.
    reason: str


@cache
def all_defaults() -> tuple[Default, ...]:
    """Return every default, in the order of its file."""
    return tuple(_read(inspect.getsource(defaults).splitlines()))


def in_words(value: object) -> str:
    """Return a default as a person reads it."""
    match value:
        case timedelta():
            return _duration(value)
        case float():
            return f"{value:.1%}".replace(".0%", "%") if 0 < value < 1 else f"{value:g}"
        case _:
            return str(value)


def _read(lines: list[str]) -> Iterator[Default]:
    section, comment = "", list[str]()
    for line in lines:
        if found := _SECTION.match(line):
            section = f"{found['title'][0].upper()}{found['title'][1:]}"
        elif found := _COMMENT.match(line):
            comment.append(found["text"])
        elif found := _CONSTANT.match(line):
            value, reason = getattr(defaults, found["name"]), " ".join(comment)
            yield Default(section=section, name=found["name"], value=in_words(value), reason=reason)
            comment = []


def _duration(value: timedelta) -> str:
    for unit, name in ((timedelta(days=1), "d"), (timedelta(hours=1), "h"), (timedelta(minutes=1), "min")):
        if value >= unit and not value % unit:
            return f"{value // unit} {name}"
    return f"{value.total_seconds():g} s"
