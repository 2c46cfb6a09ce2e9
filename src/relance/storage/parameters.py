"""Values to parameters, the same for both databases.

Rule 1: times are aware UTC; SQLite keeps them as `2026-11-30T09:02:11.000000Z`, which orders as it reads.
Rule 2: collections are stored as JSON; a collection under a parameter whose name ends in `_list` is an array.
Rule 3: text that no database can keep (NUL, lone surrogates) is stored with U+FFFD in its place, never refused:
        strangers' mail must not stop the reading of a mailbox.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from typing import Any, cast

from relance.storage.rows import RowError

SqliteValue = int | float | str | bytes | None
PostgresValue = int | float | str | bytes | date | None

#: What every driver binds as it is; a subclass of one of them may have to become plain first.
_AS_IS = frozenset({int, float, bytes, type(None)})


@lru_cache(maxsize=4096)  # one pass writes the same few times again and again
def time_text(at: datetime) -> str:
    """Write an aware time as SQLite keeps it."""
    if at.tzinfo is None:
        raise RowError(f"{at!r} has no zone: times are aware UTC")
    return (at if at.tzinfo is UTC else at.astimezone(UTC)).isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


def sqlite_parameters(given: Mapping[str, Any]) -> dict[str, SqliteValue]:
    """Return what SQLite binds: int, float, str, bytes, None."""
    return {name: value if (kind := type(value)) in _AS_IS else _WRITERS[kind](value) for name, value in given.items()}


def postgres_parameters(given: Mapping[str, object]) -> dict[str, PostgresValue | list[PostgresValue]]:
    """Return what psycopg adapts; a collection under `…_list` stays a list, other collections become JSON text.

    A column may have such a name too (`source_list`): text and None are values whatever they are called.
    """
    return {
        name: [_postgres_value(item) for item in cast("Iterable[object]", value)]
        if name.endswith("_list") and not isinstance(value, str | None)
        else _postgres_value(value)
        for name, value in given.items()
    }


def sqlite_value(value: object) -> SqliteValue:
    """Return one value as SQLite keeps it. Raises RowError for a type that is not stored."""
    match value:
        case datetime():
            return time_text(value)
        case StrEnum():
            return value.value
        case bool():
            return int(value)
        case date():
            return value.isoformat()
        case _:
            return _text_or_number(value)


def _text(value: str) -> str:
    return value if value.isascii() and "\x00" not in value else storable(value)


class _Writers(dict[type, Callable[[Any], SqliteValue]]):
    """How values of a type are written; a type that was not met before is looked at value by value."""

    def __missing__(self, kind: type) -> Callable[[Any], SqliteValue]:
        if issubclass(kind, StrEnum):
            self[kind] = attrgetter("value")
            return self[kind]
        return sqlite_value


#: Most of what a statement costs here is its parameters.
_WRITERS = _Writers({str: _text, datetime: time_text, bool: int})


def _postgres_value(value: object) -> PostgresValue:
    match value:
        case datetime() if value.tzinfo is None:
            raise RowError(f"{value!r} has no zone: times are aware UTC")
        case bool() | date():
            return value
        case _:
            return _text_or_number(value)


def _text_or_number(value: object) -> SqliteValue:
    match value:
        case None | int() | float() | bytes():
            return value
        case str():
            return storable(value)
        case tuple() | list() | frozenset() | set() | Mapping():
            return json_text(value) if value else "{}" if isinstance(value, Mapping) else "[]"
        case _:
            raise RowError(f"{type(value).__name__} is not a type that is stored")


def storable(text: str) -> str:
    """Return the text with U+FFFD where no database could keep it; a StrEnum becomes its value."""
    if "\x00" in text:
        text = text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
    return str(text)


def json_text(value: object) -> str:
    """Write a collection as JSON: times as text, sets sorted, keys in the order given."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: object) -> object:
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return storable(value)
        case datetime():
            return time_text(value)
        case date():
            return value.isoformat()
        case Mapping():
            return {storable(str(key)): _plain(item) for key, item in value.items()}
        case frozenset() | set():
            return sorted((_plain(item) for item in value), key=str)
        case tuple() | list():
            return [_plain(item) for item in value]
        case _:
            raise RowError(f"{type(value).__name__} is not a type that JSON keeps")
