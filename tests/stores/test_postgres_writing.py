"""The write path of PostgreSQL: what is lost before COMMIT, inside it, and to other transactions."""

import asyncio
import threading
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from relance.ports.store import CommitUnknownError, StoreBusyError, StoreUnavailableError
from relance.storage.opening import open_store
from relance.storage.postgres import PostgresStore

pytestmark = pytest.mark.postgres
NOW = datetime(2026, 11, 30, 9, 2, tzinfo=UTC)
LIMIT = 30
END_THE_OTHERS = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'relance'
"""


def add(tx, name):
    """Add one workspace."""
    values: dict[str, object] = {"timezone": None, "settings": {}, "wrapped_key": b"k", "created_at": NOW}
    return tx.one(int, "workspaces.add", uid=name, name=name, **values)


async def names(store):
    """Return what is committed."""
    return await store.read(lambda reader: reader.all(str, "workspaces.names"))


@pytest.fixture
async def store(schema_url):
    """Return a PostgreSQL store."""
    opened = PostgresStore(schema_url)
    yield opened
    await opened.close()


@pytest.fixture
def administrator(schema_url):
    """Return a connection beside the store's, each statement for itself."""
    with psycopg.connect(schema_url, autocommit=True, application_name="administrator") as connection:
        yield connection


async def test_a_connection_lost_inside_the_function_is_made_again(store, administrator):
    """Nothing was changed, so the function runs once more, and its writes are there once."""
    runs = []

    def lose_the_first(tx):
        runs.append(add(tx, "a"))
        if len(runs) == 1:
            administrator.execute(END_THE_OTHERS)
        add(tx, "b")

    await store.write(lose_the_first)

    assert 2 == len(runs)
    assert ["a", "b"] == await names(store)


async def test_a_server_that_goes_on_losing_connections_is_unavailable(store, administrator):
    """After three tries the caller is told, and nothing is there."""
    runs = []

    def lose_every_one(tx):
        runs.append(add(tx, "a"))
        administrator.execute(END_THE_OTHERS)
        add(tx, "b")

    with pytest.raises(StoreUnavailableError):
        await store.write(lose_every_one)

    assert 3 == len(runs)
    assert [] == await names(store)


async def test_a_reading_survives_a_restart_of_the_server(store, administrator):
    """The pool's connections are broken, the next one is new."""
    await store.write(add, "a")
    administrator.execute(END_THE_OTHERS)

    assert ["a"] == await names(store)


async def test_a_connection_lost_inside_commit_leaves_the_outcome_unknown(store, administrator):
    """It is told apart from every other loss, and the function never runs twice."""
    administrator.execute("""
        CREATE FUNCTION end_oneself() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON workspaces DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION end_oneself();
    """)
    runs = []

    def write(tx):
        runs.append(add(tx, "a"))

    with pytest.raises(CommitUnknownError, match="read again"):
        await store.write(write)

    assert 1 == len(runs)
    assert [] == await names(store)


async def test_the_loser_of_a_deadlock_is_tried_again(store):
    """Two functions that lock two rows in opposite order both succeed in the end."""
    both_have_one = threading.Barrier(2, timeout=LIMIT)
    runs = []

    def cross(tx, first, second):
        tx.run("workers.renew", name=first, lease_seconds=30.0)
        runs.append(first)
        if len(runs) <= 2:
            both_have_one.wait()
        tx.run("workers.renew", name=second, lease_seconds=30.0)

    for name in ("a", "b"):
        await store.write(lambda tx, name=name: tx.run("workers.renew", name=name, lease_seconds=30.0))
    await asyncio.gather(store.write(cross, "a", "b"), store.write(cross, "b", "a"))

    assert {"a", "b"} == set(runs)
    assert 3 <= len(runs)  # the second try may slip in before the winner, and lose once more


async def test_a_lock_that_is_held_for_long_makes_it_busy(schema_url, administrator):
    """Nobody waits for ever; the time limit is a setting of the URL's options where somebody needs another."""
    store = PostgresStore(f"{schema_url}?options=-c%20lock_timeout%3D50")
    with administrator.transaction():
        administrator.execute("LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreBusyError, match="try again"):
            await store.write(add, "a")
    added = await store.write(add, "a")
    await store.close()

    assert isinstance(added, int)


async def test_a_function_that_dawdles_inside_its_transaction_is_ended(schema_url, administrator):
    """Locks must not wait for something outside the database."""
    store = PostgresStore(f"{schema_url}?options=-c%20idle_in_transaction_session_timeout%3D50")

    def dawdle(tx):
        add(tx, "a")
        deadline = threading.Event()
        for _ in range(LIMIT * 100):
            if not administrator.execute(STILL_CONNECTED).fetchone()[0]:
                break
            deadline.wait(0.01)
        add(tx, "b")

    with pytest.raises((StoreBusyError, StoreUnavailableError)):
        await store.write(dawdle)
    found = await names(store)
    await store.close()

    assert [] == found


STILL_CONNECTED = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'relance' AND state LIKE 'idle in transaction%'
"""


async def test_the_connection_settings_are_ours(store):
    """UTC, bounded idling and bounded waits for locks."""

    def settings(reader):
        with reader._connection.cursor() as cursor:  # noqa: SLF001 - what the server says of this very connection
            return [
                cursor.execute("SELECT current_setting(%s)", [name]).fetchone()[0]
                for name in ("timezone", "idle_in_transaction_session_timeout", "lock_timeout", "synchronous_commit")
            ]

    assert ["UTC", "5s", "10s", "on"] == await store.read(settings)


@pytest.mark.parametrize("asked, had", [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")])
async def test_a_commit_waits_for_the_disk_whatever_the_server_is_set_to(postgres_databases, asked, had):
    """A server that forgets a message about to leave sends it again; what asks for more than its own disk stays."""
    url = postgres_databases.create()
    name = sql.Identifier(str(conninfo_to_dict(url)["dbname"]))
    with psycopg.connect(url, autocommit=True) as beside:
        beside.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit TO {}").format(name, sql.Literal(asked)))
    store = open_store(url)

    def waits(reader):
        with reader._connection.cursor() as cursor:  # noqa: SLF001 - what the server says of this very connection
            return cursor.execute("SELECT current_setting('synchronous_commit')").fetchone()[0]

    try:
        assert had == await store.read(waits)
        assert had == await store.write(waits)
    finally:
        await store.close()
        postgres_databases.drop(url)


async def test_a_server_that_does_not_answer_is_named_so():
    """A closed port: the sentence says that PostgreSQL does not answer."""
    store = PostgresStore("postgresql://nobody@127.0.0.1:1/nothing", patience=0.2)

    with pytest.raises(StoreUnavailableError, match="does not answer"):
        await store.write(add, "a")
    await store.close()


def test_opening_where_no_server_answers_says_so():
    """Also while the schema is looked at."""
    with pytest.raises(StoreUnavailableError, match=r"does not answer: .*port 1 failed.*; start it, or correct host"):
        open_store("postgresql://nobody@127.0.0.1:1/nothing")
