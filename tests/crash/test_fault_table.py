"""The page of faults and outcomes lists the places that the harness knows, and none of its runs was broken."""

import re
from pathlib import Path

import pytest

from crash.fault_table import SERVER_FAULTS
from crash.single_faults import BY_REAL_TIME
from crash.theatre import Theatre

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "faults.md"

#: A file has one engine, which takes all shards at once; the page is written over SQLite.
ONLY_SQLITE = {"commit take_all: before", "commit take_all: after"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def test_the_page_lists_every_place_that_is_killed_at(theatre: Theatre):
    """A place that is new, renamed or gone makes the page out of date: `make crash-table` writes it."""
    listed = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    known = set(theatre.enumeration.places)
    only_sqlite = set() if theatre.store == "sqlite" else ONLY_SQLITE

    assert known - BY_REAL_TIME == set(listed) - only_sqlite - BY_REAL_TIME
    assert len(listed) == len(set(listed))


def test_no_outcome_on_the_page_is_a_broken_promise():
    """What was broken when the page was written would stand there in bold."""
    text = PAGE.read_text(encoding="utf-8")

    assert "**broken**" not in text
    assert [] == [words for words in SERVER_FAULTS if words not in text]
