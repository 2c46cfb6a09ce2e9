"""A pass of the engine costs what can be done, not what exists: no statement reads a whole large table.

SQLite plans by the statistics that a migration gives it, so its plans are the same on the first day and in a year.
"""

import re
from collections.abc import Iterator

import apsw
import pytest

from relance.storage.parameters import sqlite_parameters
from relance.storage.statements import Dialect, load_statements
from store_places import sqlite_place

LARGE = {
    "leads",
    "enrollments",
    "attempts",
    "messages",
    "events",
    "enrollment_history",
    "suppressions",
    "threads",
    "touches",
}

#: Read on request by a person, who wants everything, or at the end of a demo; never by a pass of the engine.
REPORTS = {
    "attempts.count_settled",
    "attempts.departed_since",
    "attempts.of_sequence",
    "enrollments.chosen",
    "enrollments.count_by_status",
    "enrollments.count_endings",
    "enrollments.count_unfinished",
    "enrollments.ended_since",
    "suppressions.added_since",
    "enrollments.first_stopped",
    "enrollments.overlapping",
    "enrollments.standing_by_sequence",
    "invariants.last_ids",
    "leads.of_workspace",
    "messages.incoming",
    "suppressions.of_workspace",
}
#: Walk the index of domains, one short entry a lead, because subdomains of a company count too: some milliseconds for
#: each human answer from a company's domain.
BY_COMPANY = {"attempts.by_domain", "enrollments.unfinished_of_company"}
#: Partial indexes that only hold what is unusual: reading one whole is reading little.
SMALL_INDEXES = {
    "attempts_unknown",
    "attempts_slots_left_behind",
    "attempts_uncopied",
    "enrollments_locked",
    "enrollments_put_off",
}
#: Read the first few of an index in its own order, and stop there.
FIRST_FEW = {
    "events.last_id",
    "leads.newest_addresses",
    "threads.count_open",
    "today.just_sent",
    "today.next_up",
    "today.on_the_wire",
}
_STEP = re.compile(r"^(SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+))?(.*)$")


@pytest.fixture(scope="module")
def connection(tmp_path_factory) -> Iterator[apsw.Connection]:
    """Return a connection to an empty database with its schema."""
    opened = apsw.Connection(str(sqlite_place(tmp_path_factory.mktemp("plans"))))
    yield opened
    opened.close()


def test_what_the_planner_is_told_is_about_the_indexes_that_there_are(connection):
    """One UNIQUE more in a table, and SQLite's own indexes have other names: told of another, it reads whole tables."""
    told = {
        (table, index): len(numbers.split()) - 1
        for table, index, numbers in connection.execute("SELECT tbl, idx, stat FROM sqlite_stat1 WHERE idx <> tbl")
    }
    by_key = {table for (table,) in connection.execute("SELECT tbl FROM sqlite_stat1 WHERE idx = tbl")}
    there = {
        (table, index): len(list(connection.execute(f"PRAGMA index_info({index})")))
        for table in {table for table, _ in told}
        for _, index, _, origin, _ in connection.execute(f"PRAGMA index_list({table})")
        if origin != "pk" or table not in by_key  # a table without row numbers is its own index
    }

    assert there == told


def reads_whole_table(detail: str, aliases: dict[str, str]) -> bool:
    """Tell whether this step of a plan walks a large table, or all that a workspace has of it."""
    found = _STEP.match(detail)
    if not found:
        return False
    how, name, index, rest = found.groups()
    if aliases.get(name, name) not in LARGE or index in SMALL_INDEXES:
        return False
    return how == "SCAN" or rest.strip() == "(workspace_id=?)"


@pytest.mark.parametrize("name", sorted(set(load_statements(Dialect.SQLITE)) - REPORTS - BY_COMPANY - FIRST_FEW))
def test_no_statement_reads_a_whole_large_table(connection, name):
    """With a hundred thousand leads it would still find its few rows by an index."""
    statement = load_statements(Dialect.SQLITE)[name]
    aliases = {short: table for table, short in re.findall(r"(?:FROM|JOIN)\s+(\w+)\s+(?:AS\s+)?(\w+)", statement.sql)}
    nothing: dict[str, object] = {
        parameter: [] if parameter.endswith("_list") else None for parameter in statement.parameters
    }
    plan = [row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + statement.sql, sqlite_parameters(nothing))]

    assert [] == [detail for detail in plan if reads_whole_table(detail, aliases)]


@pytest.mark.parametrize("name", sorted(FIRST_FEW))
def test_what_reads_the_first_few_sorts_nothing_and_stops(connection, name):
    """Or it would read everything before it shows the first."""
    statement = load_statements(Dialect.SQLITE)[name]
    nothing = sqlite_parameters(dict.fromkeys(statement.parameters))
    plan = " ".join(row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + statement.sql, nothing))

    assert "LIMIT" in statement.sql
    assert "TEMP B-TREE" not in plan or statement.sql.count("LIMIT") > 1  # it sorts what is limited already


def test_the_reports_exist():
    """A name that is gone would excuse a new statement."""
    assert set() == (REPORTS | BY_COMPANY | FIRST_FEW) - load_statements(Dialect.SQLITE).keys()


def test_copies_that_are_wanting_are_found_by_their_own_index(connection):
    """The index of all that a mailbox ever sent answers too, by walking it whole in every pass of the reconciler."""
    used = {
        name: " ".join(
            row[3]
            for row in connection.execute(
                "EXPLAIN QUERY PLAN " + statement.sql, sqlite_parameters(dict.fromkeys(statement.parameters))
            )
        )
        for name, statement in load_statements(Dialect.SQLITE).items()
        if name in {"mailboxes.copying", "attempts.uncopied"}
    }

    assert {"mailboxes.copying", "attempts.uncopied"} == {n for n, plan in used.items() if "attempts_uncopied" in plan}
