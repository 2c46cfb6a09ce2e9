"""The page of faults and outcomes lists the places that the harness knows, and says what becomes of a message there."""

import re
from pathlib import Path

import pytest

from crash.fault_table import (
    BESIDE,
    LIMIT,
    PUT_BACK,
    SERVER_FAULTS,
    at_the_answer,
    counted,
    killed_at,
    put_back,
    with_beside,
)
from crash.single_faults import BY_REAL_TIME
from crash.theatre import Theatre

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "faults.md"

#: A file has one engine, which takes all shards at once; the page is written over SQLite.
ONLY_SQLITE = {"commit take_all: before", "commit take_all: after"}
PARTS = 8

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def test_the_page_lists_every_place_that_is_killed_at(theatre: Theatre):
    """A place that is new, renamed or gone makes the page out of date: `make crash-table` writes it."""
    listed = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    known = set(theatre.enumeration.places)
    only_sqlite = set() if theatre.store == "sqlite" else ONLY_SQLITE

    assert known - BY_REAL_TIME == set(listed) - only_sqlite - BY_REAL_TIME
    assert len(listed) == len(set(listed))


over_sqlite = pytest.mark.parametrize("theatre", ["sqlite"], indirect=True)


def rows() -> dict[str, list[str]]:
    """Return the page's outcomes, by place and by what the server does."""
    lines = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.strip("`"): outcomes for name, *outcomes in lines}


@over_sqlite
def test_the_page_says_how_much_there_is_to_be_killed_at(theatre: Theatre):
    """A number that was counted long ago says nothing about today's product."""
    assert counted(theatre.enumeration) in PAGE.read_text(encoding="utf-8")


@over_sqlite
@pytest.mark.parametrize("part", range(PARTS))
def test_the_page_says_what_becomes_of_a_message_where_the_process_dies(theatre: Theatre, part: int):
    """An outcome that was written long ago may be another's by now."""
    places = [place for place in theatre.enumeration.places if place in rows()][part::PARTS]

    assert {place: rows()[place] for place in places} == {place: killed_at(theatre, place) for place in places}


@over_sqlite
@pytest.mark.parametrize("words", SERVER_FAULTS)
def test_the_page_says_what_becomes_of_a_message_whose_answer_is_lost(theatre: Theatre, words: str):
    """As above."""
    assert rows()[words] == at_the_answer(theatre, words)


@over_sqlite
@pytest.mark.parametrize("words", BESIDE)
def test_the_page_says_what_becomes_of_a_message_with_something_else_amiss(theatre: Theatre, words: str):
    """As above."""
    assert rows()[words] == with_beside(theatre, words)


@over_sqlite
@pytest.mark.parametrize("words", PUT_BACK)
def test_the_page_says_what_becomes_of_a_message_that_an_older_state_does_not_know(theatre: Theatre, words: str):
    """As above. One of the four is the limit that the documentation names: no copy, and no newer state."""
    assert rows()[words] == put_back(theatre, words)
    assert rows()[words].count(LIMIT) == (not PUT_BACK[words].aside)


def test_no_outcome_on_the_page_is_a_broken_promise():
    """What was broken when the page was written would stand there in bold."""
    text = PAGE.read_text(encoding="utf-8")

    assert "**broken**" not in text
    assert [] == [words for words in SERVER_FAULTS if words not in text]
