"""The runner: order, checksums, newer databases, and all or nothing."""

import dataclasses
import threading

import apsw
import psycopg
import pytest

from relance.ports.store import SchemaError, StoreError
from relance.storage.migrate import Applied, Migration, load_migrations, pending, read_migrations
from relance.storage.opening import open_store
from relance.storage.postgres_schema import migrate_postgres
from relance.storage.sqlite_schema import migrate_sqlite
from relance.storage.statements import Dialect


def change(number, sql="CREATE TABLE t (id INTEGER)", checksum=None):
    """Make a migration."""
    return Migration(number=number, name=f"change_{number}", checksum=checksum or f"sum {number}", sql=sql)


def line(number, checksum=None):
    """Make the ledger's line of that migration."""
    return Applied(number=number, name=f"change_{number}", checksum=checksum or f"sum {number}")


def test_what_is_pending_is_what_the_ledger_does_not_have():
    """In the order of the numbers."""
    known = [change(1), change(2), change(3)]

    assert tuple(known) == pending(known, [])
    assert tuple(known[1:]) == pending(known, [line(1)])
    assert () == pending(known, [line(1), line(2), line(3)])


def test_a_newer_database_is_left_alone():
    """An old program would not know what the new columns mean."""
    with pytest.raises(SchemaError, match="newer"):
        pending([change(1)], [line(1), line(2)])


def test_a_released_change_that_was_edited_is_refused():
    """Two installations with the same number would have different schemas."""
    with pytest.raises(SchemaError, match="never edited"):
        pending([change(1), change(2)], [line(1, "other")])


def test_a_hole_in_the_ledger_is_refused():
    """Nobody knows what state that database is in."""
    with pytest.raises(SchemaError, match="missing"):
        pending([change(1), change(2), change(3)], [line(1), line(3)])


def test_a_hole_in_the_files_is_refused(tmp_path):
    """A file that was lost in packaging must not be skipped."""
    (tmp_path / "0001_one.sql").write_text("SELECT 1")
    (tmp_path / "0003_three.sql").write_text("SELECT 1")

    with pytest.raises(SchemaError, match="gap"):
        read_migrations(tmp_path)


def test_line_ends_do_not_change_a_checksum(tmp_path):
    """A checkout on another system is the same program."""
    (tmp_path / "0001_one.sql").write_bytes(b"SELECT 1;\nSELECT 2;\n")
    (one,) = read_migrations(tmp_path)
    (tmp_path / "0001_one.sql").write_bytes(b"SELECT 1;\r\nSELECT 2;\r\n")

    assert (one,) == read_migrations(tmp_path)


def test_both_databases_have_the_same_changes_in_the_same_order():
    """A change of one dialect without its twin would let the schemas drift apart."""
    numbered = {dialect: [(m.number, m.name) for m in load_migrations(dialect)] for dialect in Dialect}

    assert numbered[Dialect.SQLITE] == numbered[Dialect.POSTGRES]


def test_migrating_twice_changes_nothing_the_second_time(tmp_path):
    """Every command opens the store this way."""
    path = tmp_path / "relance.db"

    assert [len(load_migrations(Dialect.SQLITE)), 0] == [migrate_sqlite(path), migrate_sqlite(path)]


@pytest.mark.postgres
def test_migrating_postgres_twice_changes_nothing_the_second_time(postgres_url):
    """Every process of many opens the store this way."""
    count = len(load_migrations(Dialect.POSTGRES))

    assert [count, 0] == [migrate_postgres(postgres_url), migrate_postgres(postgres_url)]


@pytest.mark.parametrize("done", range(len(load_migrations(Dialect.SQLITE)) + 1))
def test_the_schema_is_the_sum_of_its_changes_from_wherever_one_starts(tmp_path, done):
    """An installation of any age arrives at the schema of a new one."""
    known = load_migrations(Dialect.SQLITE)
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    migrate_sqlite(old, known[:done])
    migrate_sqlite(old, known)
    migrate_sqlite(new, known)

    assert schema_text(new) == schema_text(old)


def test_a_change_that_fails_leaves_the_database_as_it_was(tmp_path):
    """The changes before it in the same start are taken back too."""
    path = tmp_path / "relance.db"
    bad = [
        change(1, "CREATE TABLE a (id INTEGER)"),
        change(2, "CREATE TABLE b (id INTEGER); CREATE TABLE a (x INTEGER)"),
    ]
    with pytest.raises(StoreError):
        migrate_sqlite(path, bad)

    assert [] == [row for row in schema_text(path) if "schema_migrations" not in str(row)]


@pytest.mark.postgres
def test_a_change_that_fails_leaves_postgres_as_it_was(postgres_url):
    """DDL is transactional there as well."""
    bad = [
        change(1, "CREATE TABLE a (id INTEGER)"),
        change(2, "CREATE TABLE b (id INTEGER); CREATE TABLE a (x INTEGER)"),
    ]
    with pytest.raises(StoreError):
        migrate_postgres(postgres_url, bad)
    with psycopg.connect(postgres_url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()

    assert [] == tables


@pytest.mark.postgres
def test_two_processes_that_start_at_once_migrate_once(postgres_url):
    """The second waits for the advisory lock and finds it done."""
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(migrate_postgres(postgres_url))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert [0, 0, len(load_migrations(Dialect.POSTGRES))] == sorted(counts)


def test_two_commands_that_start_at_once_migrate_once(tmp_path):
    """The second waits for the exclusive lock and finds it done."""
    counts: list[int] = []
    path = tmp_path / "relance.db"
    threads = [threading.Thread(target=lambda: counts.append(migrate_sqlite(path))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert [0, 0, len(load_migrations(Dialect.SQLITE))] == sorted(counts)


def test_opening_a_newer_database_is_refused_with_what_to_do(tmp_path):
    """`open_store` says it before anything is read."""
    path = tmp_path / "relance.db"
    known = load_migrations(Dialect.SQLITE)
    migrate_sqlite(path, [*known, change(len(known) + 1, "CREATE TABLE later (id INTEGER)")])

    with pytest.raises(SchemaError, match="install"):
        open_store(path)


def test_opening_a_database_with_an_edited_change_is_refused(tmp_path):
    """Nothing is applied on top of it."""
    path = tmp_path / "relance.db"
    known = load_migrations(Dialect.SQLITE)
    migrate_sqlite(path, [dataclasses.replace(known[0], checksum="other"), *known[1:]])

    with pytest.raises(SchemaError, match="never edited"):
        open_store(path)


def schema_text(path):
    """Return every object of a SQLite schema as written."""
    connection = apsw.Connection(str(path))
    rows = list(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"))
    connection.close()
    return rows
