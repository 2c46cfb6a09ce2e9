"""One schema in two dialects, and the rules that hold for every table in it."""

import dataclasses

import apsw
import psycopg
import pytest

from migrations.introspection import POSTGRES_COLUMNS, POSTGRES_FOREIGN_KEYS, postgres_schema, sqlite_schema
from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment, HistoryEntry
from relance.core.events import Event
from relance.core.lead import Lead, Touch
from relance.core.mailbox import Mailbox
from relance.core.sequence import Sequence, Version
from relance.core.suppression import Suppression
from relance.ports.connector import Cursor, FetchedMessage
from store_places import postgres_place, sqlite_place

#: Tables that belong to the installation and not to a workspace.
#: A person may be in several workspaces, with one password and one session.
PEOPLE = {"users", "sessions", "one_time_links"}
SHARED = {"installation", "workspaces", "shards", "workers", "step_kinds", "schema_migrations", *PEOPLE}
ROW_ID_ALONE = (False, ("id",))
STORED = {
    "attempts": Attempt,
    "enrollments": Enrollment,
    "enrollment_history": HistoryEntry,
    "events": Event,
    "leads": Lead,
    "touches": Touch,
    "mailboxes": Mailbox,
    "sequences": Sequence,
    "sequence_versions": Version,
    "suppressions": Suppression,
    "folders": Cursor,
    "raw_messages": FetchedMessage,
}


@pytest.fixture(scope="module")
def sqlite_connection(tmp_path_factory):
    """Return a connection to a SQLite database with its schema."""
    connection = apsw.Connection(str(sqlite_place(tmp_path_factory.mktemp("schema"))))
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def postgres_connection(postgres_databases):
    """Return a connection to a PostgreSQL database with its schema."""
    url = postgres_place(postgres_databases)
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection
    postgres_databases.drop(url)


@pytest.mark.postgres
def test_both_databases_have_the_same_tables_columns_and_nullability(sqlite_connection, postgres_connection):
    """What one accepts the other accepts."""
    ours, theirs = sqlite_schema(sqlite_connection), postgres_schema(postgres_connection)

    assert set() == ours.columns ^ theirs.columns


@pytest.mark.postgres
def test_both_databases_have_the_same_unique_keys(sqlite_connection, postgres_connection):
    """SQLite's own row id is the only key that PostgreSQL does not have."""
    ours, theirs = sqlite_schema(sqlite_connection), postgres_schema(postgres_connection)
    extra = {
        (table, *rest) for table, *rest in ours.unique ^ theirs.unique if table in SHARED or tuple(rest) != ROW_ID_ALONE
    }

    assert set() == extra


@pytest.mark.postgres
def test_both_databases_have_the_same_indexes_and_foreign_keys(sqlite_connection, postgres_connection):
    """A query that is quick on one is quick on the other."""
    ours, theirs = sqlite_schema(sqlite_connection), postgres_schema(postgres_connection)

    assert set() == ours.indexes ^ theirs.indexes
    assert set() == ours.foreign_keys ^ theirs.foreign_keys


@pytest.mark.parametrize("table", sorted(STORED))
def test_every_field_of_a_stored_value_is_a_column(sqlite_connection, table):
    """A field that is not stored would come back as its default."""
    fields = {field.name for field in dataclasses.fields(STORED[table])}

    assert set() == fields - sqlite_schema(sqlite_connection).table(table)


def test_every_table_belongs_to_a_workspace(sqlite_connection):
    """Cells and sharding by tenant stay open, and every question can name its tenant."""
    schema = sqlite_schema(sqlite_connection)
    tables = {table for table, *_ in schema.columns} - SHARED
    without = {table for table in tables if "workspace_id" not in schema.table(table)}

    assert set() == without


def test_no_row_can_point_into_another_workspace(sqlite_connection):
    """Every foreign key between tenants' tables carries the tenant."""
    keys = sqlite_schema(sqlite_connection).foreign_keys
    loose = {key for key in keys if key[1] not in SHARED and key[3][0] != "workspace_id"}

    assert set() == loose


def test_only_the_staging_of_raw_messages_is_deleted_along_with_its_mailbox(sqlite_connection):
    """History never goes by accident."""
    keys = sqlite_schema(sqlite_connection).foreign_keys

    assert {"raw_messages"} == {table for table, _, cascades, _ in keys if cascades}


@pytest.mark.postgres
def test_no_constraint_is_deferred(postgres_connection):
    """A function's error must come while it runs and not at the COMMIT of its whole group."""
    assert [] == [row for row in postgres_connection.execute(POSTGRES_FOREIGN_KEYS) if row[3]]


@pytest.mark.postgres
def test_times_have_a_zone_and_json_is_json(postgres_connection):
    """By the column's name: `…_at`, `…_until` and `…_by` are instants."""
    kinds = {(table, column): kind for table, column, _, _, kind in postgres_connection.execute(POSTGRES_COLUMNS)}
    instants = {key for key in kinds if key[1] == "at" or key[1].endswith(("_at", "_until")) or key[1] == "release_by"}
    wrong = {key: kinds[key] for key in instants if kinds[key] != "timestamp with time zone"}

    assert {} == wrong
    assert set() == {kind for kind in kinds.values() if kind in {"json", "timestamp without time zone", "numeric"}}


def test_every_table_of_sqlite_is_strict(sqlite_connection):
    """SQLite would otherwise keep text in a number's column."""
    rows = sqlite_connection.execute("PRAGMA table_list").fetchall()

    assert [] == [
        name
        for schema, name, kind, _, _, strict in rows
        if schema == "main" and kind == "table" and not strict and not name.startswith("sqlite_")
    ]


@pytest.mark.postgres
def test_an_event_finds_its_month_or_the_default(postgres_connection):
    """Three months are made ahead; making them again changes nothing; no date is refused."""
    make = "SELECT make_event_months('2031-11-30T23:30:00-05:00', 3)"
    made = [postgres_connection.execute(make).fetchone()[0] for _ in range(2)]
    months = postgres_connection.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1",
    ).fetchall()

    assert [4, 0] == made
    assert ["events_2031_12", "events_2032_01", "events_2032_02", "events_2032_03", "events_default"] == [
        row[0] for row in months
    ]
