"""Rows to values and values to parameters, the same for both databases.

Rule 1: a row becomes a frozen dataclass whose fields are exactly its columns, or a scalar if it has one column.
Rule 2: times are aware UTC, in and out; SQLite keeps them as `2026-11-30T09:02:11.000000Z`, which orders as it reads.
Rule 3: collections are stored as JSON; a collection under a parameter whose name ends in `_list` is an array.
Rule 4: text that no database can keep (NUL, lone surrogates) is stored with U+FFFD in its place, never refused:
        strangers' mail must not stop the reading of a mailbox.
"""

import json
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast

T = TypeVar("T")
Decode = Callable[[Any], Any]
SqliteValue = int | float | str | bytes | None
PostgresValue = int | float | str | bytes | date | None


class RowError(Exception):
    """Columns and fields do not agree, or a value has a type that is not stored. Always a mistake in the program."""


def time_text(at: datetime) -> str:
    """Write an aware time as SQLite keeps it."""
    if at.tzinfo is None:
        raise RowError(f"{at!r} has no zone: times are aware UTC")
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def build_rows(into: type[T], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[T]:
    """Turn rows into values of type `into`. Raises RowError if the columns are not its fields."""
    build = _builder(cast("Hashable", into), tuple(columns))
    return [cast("T", build(row)) for row in rows]


@cache
def _builder(into: Hashable, columns: tuple[str, ...]) -> Callable[[Sequence[Any]], object]:
    if not (isinstance(into, type) and is_dataclass(into)):
        if len(columns) != 1:
            raise RowError(f"{into} takes one column, not {', '.join(columns)}")
        decode = decoder(into)
        return lambda row: decode(row[0])
    names = tuple(field.name for field in fields(into))
    if sorted(names) != sorted(columns):
        missing = ", ".join(sorted(set(names) - set(columns))) or "nothing"
        extra = ", ".join(sorted(set(columns) - set(names))) or "nothing"
        raise RowError(f"{into.__name__} misses {missing} and cannot take {extra}: list its columns one by one, once")
    hints = typing.get_type_hints(into)
    decoders = tuple((name, decoder(hints[name])) for name in columns)

    def build(row: Sequence[Any]) -> object:
        values = {name: decode(value) for (name, decode), value in zip(decoders, row, strict=True)}
        return into(**values)

    return build


@cache
def decoder(hint: object) -> Decode:
    """Return the function from what a driver (or JSON) gives to a value of this type."""
    origin = typing.get_origin(hint)
    if origin in {typing.Union, types.UnionType}:
        return _decode_optional(hint)
    if origin is not None:
        return _decode_collection(hint, origin)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint
    plain: dict[object, Decode] = {
        datetime: _decode_datetime,
        date: _decode_date,
        bool: bool,
        float: float,
        int: _same,
        str: _same,
        bytes: bytes,
        object: _same,
        dict: _decode_json,
    }
    if hint not in plain:
        raise RowError(f"a column cannot become {hint!r}")
    return plain[hint]


def _decode_optional(hint: object) -> Decode:
    inner = [argument for argument in typing.get_args(hint) if argument is not types.NoneType]
    if len(inner) != 1 or len(inner) == len(typing.get_args(hint)):
        raise RowError(f"a column cannot become {hint!r}")
    decode = decoder(inner[0])
    return lambda value: None if value is None else decode(value)


def _decode_collection(hint: object, origin: type) -> Decode:
    arguments = typing.get_args(hint)
    if issubclass(origin, Mapping):
        element = decoder(arguments[1])
        return lambda value: {key: element(item) for key, item in _decode_json(value).items()}
    if origin in {tuple, frozenset, list} and (origin is not tuple or arguments[1:] == (...,)):
        element = decoder(arguments[0])
        return lambda value: origin(element(item) for item in _decode_json(value))
    raise RowError(f"a column cannot become {hint!r}")


def _same(value: object) -> object:
    return value


def _decode_json(value: str) -> Any:  # noqa: ANN401 - the parser's edge: decoders give it its type
    return json.loads(value)


def _decode_datetime(value: str | datetime) -> datetime:
    return (datetime.fromisoformat(value) if isinstance(value, str) else value).astimezone(UTC)


def _decode_date(value: str | date) -> date:
    return date.fromisoformat(value) if isinstance(value, str) else value


def sqlite_parameters(given: Mapping[str, object]) -> dict[str, SqliteValue]:
    """Return what SQLite binds: int, float, str, bytes, None."""
    return {name: sqlite_value(value) for name, value in given.items()}


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
        case bool():
            return int(value)
        case datetime():
            return time_text(value)
        case date():
            return value.isoformat()
        case _:
            return _text_or_number(value)


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
            return json_text(value)
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
