"""Rows to values and values to parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from enum import StrEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relance.storage.parameters import json_text, postgres_parameters, sqlite_parameters, storable, time_text
from relance.storage.rows import RowError, build_rows, decoder

times = st.datetimes(timezones=st.just(UTC))
elsewhere = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    id: int
    colour: Colour
    at: datetime
    day: date | None
    flag: bool | None
    ratio: float
    words: tuple[str, ...]
    days: frozenset[int]
    fields: Mapping[str, str]
    data: Mapping[str, object]
    raw: bytes | None


@given(times, times)
def test_times_order_as_their_text_does(one, other):
    """SQLite compares text; a missing digit would put a later time first."""
    assert (one < other) == (time_text(one) < time_text(other))


@given(st.datetimes(datetime(2, 1, 2), datetime(9998, 1, 1), timezones=elsewhere))  # noqa: DTZ001 - hypothesis gives the zone
def test_a_time_comes_back_as_the_same_instant_in_utc(at):
    """Whatever zone it was given in, to the microsecond."""
    back = decoder(datetime)(time_text(at))

    assert at == back
    assert back.tzinfo is UTC


@given(st.text() | st.text(st.characters(codec=None)))
def test_every_text_can_be_stored(text):
    """And what could be stored before is left as it is."""
    kept = storable(text)

    assert "\x00" not in kept
    assert kept == kept.encode().decode()
    assert len(text) == len(kept)
    assert kept == storable(kept)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50)
@given(st.dictionaries(texts, json_values, max_size=3))
def test_json_comes_back_as_it_was(value):
    """To the last letter and digit."""
    assert value == decoder(Mapping[str, object])(json_text(value))


@pytest.mark.parametrize("keep", [sqlite_parameters, postgres_parameters])
def test_a_row_comes_back_as_the_value_it_was(keep):
    """For every type that a column may have."""
    value = Stored(
        id=1,
        colour=Colour.RED,
        at=datetime(2026, 11, 30, 9, 2, 11, 5, tzinfo=UTC),
        day=date(2026, 11, 30),
        flag=True,
        ratio=1.5,
        words=("a", "b"),
        days=frozenset({3, 1}),
        fields={"a": "ä"},
        data={"inner": [1, {"x": None}]},
        raw=b"\x00\xff",
    )
    names = list(Stored.__slots__)
    parameters = keep({name: getattr(value, name) for name in names})

    assert [value] == build_rows(Stored, names, [[parameters[name] for name in names]])


def test_nothing_stays_nothing():
    """NULL is None and never a default."""
    names = ("id", "colour", "at", "day", "flag", "ratio", "words", "days", "fields", "data", "raw")
    row = (1, "red", "2026-11-30T09:02:11.000000Z", None, None, 1, "[]", "[]", "{}", "{}", None)
    (value,) = build_rows(Stored, names, [row])

    assert (None, None, None) == (value.day, value.flag, value.raw)
    assert 1.0 == value.ratio
    assert isinstance(value.ratio, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    one: int
    two: int = 2


@pytest.mark.parametrize("columns", [("one",), ("one", "two", "three"), ("one", "two", "two"), ("two", "three")])
def test_columns_must_be_exactly_the_fields(columns):
    """A column that is missing would silently be the default; one too many is a SELECT list that lies."""
    with pytest.raises(RowError, match="Pair"):
        build_rows(Pair, columns, [tuple(range(len(columns)))])


def test_a_scalar_takes_one_column():
    """Two would hide one of them."""
    assert [1, 2] == build_rows(int, ["n"], [(1,), (2,)])
    with pytest.raises(RowError, match="one column"):
        build_rows(int, ["n", "m"], [(1, 2)])


@pytest.mark.parametrize("hint", [complex, int | str, tuple[int, str], dict[str, object] | list[int]])
def test_a_type_that_no_column_has_is_refused(hint):
    """At once, and not when the first row comes."""
    with pytest.raises(RowError):
        decoder(hint)


@pytest.mark.parametrize("keep", [sqlite_parameters, postgres_parameters])
@pytest.mark.parametrize("value", [datetime(2026, 1, 1), 1j, object()])  # noqa: DTZ001 - naive on purpose
def test_a_value_that_cannot_be_stored_is_refused(keep, value):
    """A naive time most of all: nobody would know which instant it was."""
    with pytest.raises(RowError):
        keep({"value": value})


def test_an_array_is_a_list_for_postgres_and_json_for_sqlite():
    """By the end of its name."""
    given_list = {"ids_list": frozenset({1}), "names_list": (Colour.RED,)}

    assert {"ids_list": [1], "names_list": ["red"]} == postgres_parameters(given_list)
    assert {"ids_list": "[1]", "names_list": '["red"]'} == sqlite_parameters(given_list)


def test_a_status_is_bound_as_plain_text():
    """A driver must never see an enum of ours."""
    assert [str, str] == [type(keep({"s": Colour.RED})["s"]) for keep in (sqlite_parameters, postgres_parameters)]
