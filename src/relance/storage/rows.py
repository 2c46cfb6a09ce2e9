"""Rows to values, the same for both databases.

Rule 1: a row becomes a frozen dataclass whose fields are exactly its columns, or a scalar if it has one column.
Rule 2: times are aware UTC; SQLite keeps them as text (see `relance.storage.parameters`), PostgreSQL as what they are.
Rule 3: collections are stored as JSON.

The function that builds a dataclass is written for its columns, as `dataclasses` writes an `__init__`: most of what a
send costs is rows becoming values, and a loop over fields takes three times as long.
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


class RowError(Exception):
    """Columns and fields do not agree, or a value has a type that is not stored. Always a mistake in the program."""


def builder(into: type[T], columns: Sequence[str]) -> Callable[[Sequence[Any]], T]:
    """Return the function from a row to a value of type `into`. Raises RowError if the columns are not its fields."""
    return cast("Callable[[Sequence[Any]], T]", _builder(cast("Hashable", into), tuple(columns)))


def build_rows(into: type[T], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[T]:
    """Turn rows into values of type `into`. Raises RowError if the columns are not its fields."""
    build = builder(into, columns)
    return [build(row) for row in rows]


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
    return _write_builder(into, columns)


def _write_builder(into: type, columns: tuple[str, ...]) -> Callable[[Sequence[Any]], object]:
    hints = typing.get_type_hints(into)
    known: dict[str, object] = {"into": into, "new": object.__new__}
    given = []
    # The `__init__` of a frozen dataclass looks every field up by its name: setting its slots takes half as long.
    by_slot = hasattr(into, "__slots__") and not hasattr(into, "__post_init__")
    for number, name in enumerate(columns):
        decode, optional = _decoder_and_whether_optional(hints[name])
        known[f"decode_{number}"] = decode
        plain, decoded = f"c{number}", f"decode_{number}(c{number})"
        value = plain if decode is _same else f"None if {plain} is None else {decoded}" if optional else decoded
        known[f"set_{number}"] = getattr(into, name).__set__ if by_slot else None
        given.append(f"set_{number}(made, {value})" if by_slot else f"{name}={value}")
    unpacked = ", ".join(f"c{number}" for number in range(len(columns)))
    made = f"made = new(into); {'; '.join(given)}" if by_slot else f"made = into({', '.join(given)})"
    source = f"def build(row):\n    {unpacked}, = row\n    {made}\n    return made\n"
    exec(compile(source, f"<rows of {into.__name__}>", "exec"), known)  # noqa: S102  # names of fields, and nothing else
    return cast("Callable[[Sequence[Any]], object]", known["build"])


def _decoder_and_whether_optional(hint: object) -> tuple[Decode, bool]:
    inner = _inside_optional(hint)
    return (decoder(hint), False) if inner is None else (decoder(inner), True)


@cache
def decoder(hint: object) -> Decode:
    """Return the function from what a driver (or JSON) gives to a value of this type."""
    origin = typing.get_origin(hint)
    if origin in {typing.Union, types.UnionType}:
        decode = decoder(_inside_optional(hint))
        return lambda value: None if value is None else decode(value)
    if origin is not None:
        return _decode_collection(hint, origin)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        members = {member.value: member for member in hint}
        return lambda value: members.get(value) or hint(value)  # what it does not know, it refuses by name
    plain: dict[object, Decode] = {
        datetime: _decode_datetime,
        date: _decode_date,
        bool: bool,
        float: float,
        int: _same,
        str: _same,
        bytes: _same,
        object: _same,
        dict: _decode_json,
    }
    if hint not in plain:
        raise RowError(f"a column cannot become {hint!r}")
    return plain[hint]


def _inside_optional(hint: object) -> object:
    """Return what else than None it may be; None if it is no union. Raises RowError for a union of more."""
    if typing.get_origin(hint) not in {typing.Union, types.UnionType}:
        return None
    inner = [argument for argument in typing.get_args(hint) if argument is not types.NoneType]
    if len(inner) != 1 or len(inner) == len(typing.get_args(hint)):
        raise RowError(f"a column cannot become {hint!r}")
    return inner[0]


def _decode_collection(hint: object, origin: type) -> Decode:
    arguments = typing.get_args(hint)
    if issubclass(origin, Mapping):
        element = decoder(arguments[1])
        if element is _same:
            return _decode_json
        return lambda value: {key: element(item) for key, item in _decode_json(value).items()}
    if origin in {tuple, frozenset, list} and (origin is not tuple or arguments[1:] == (...,)):
        element = decoder(arguments[0])
        return lambda value: origin(element(item) for item in _decode_json(value))
    raise RowError(f"a column cannot become {hint!r}")


def _same(value: object) -> object:
    return value


def _decode_json(value: str) -> Any:  # noqa: ANN401 - the parser's edge: decoders give it its type
    if value == "{}":
        return {}
    return [] if value == "[]" else json.loads(value)


def _decode_datetime(value: str | datetime) -> datetime:
    if not isinstance(value, str):
        return value.astimezone(UTC)
    at = datetime.fromisoformat(value)
    return at if at.tzinfo is UTC else at.astimezone(UTC)


def _decode_date(value: str | date) -> date:
    return date.fromisoformat(value) if isinstance(value, str) else value
