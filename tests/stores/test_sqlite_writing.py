"""The write path of SQLite: groups, savepoints, durability, and disks that fail."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime

import apsw
import pytest

from relance.ports.store import CommitUnknownError, StoreBusyError, StoreError, StoreUnavailableError
from relance.storage.opening import open_store
from relance.storage.sqlite import SqliteStore
from relance.storage.sqlite_connection import connect
from stores.faulty_disk import LIMIT, FaultyDisk

NOW = datetime(2026, 11, 30, 9, 2, tzinfo=UTC)
MORE_THAN_THE_CACHE = b"x" * 8_000_000
"""SQLite keeps 2 MB in memory: writing this reaches the disk before COMMIT."""


def add(tx, name, key=b"k"):
    """Add one workspace."""
    values = {"timezone": None, "settings": {}, "wrapped_key": key, "created_at": NOW}
    return tx.one(int, "workspaces.add", uid=name, name=name, **values)


async def names(store):
    """Return what is committed."""
    return await store.read(lambda reader: reader.all(str, "workspaces.names"))


class Gate:
    """A function for the writer that waits, so that what is submitted meanwhile becomes one group."""

    def __init__(self):
        self.entered, self.go = threading.Event(), threading.Event()

    def __call__(self, _tx):
        self.entered.set()
        assert self.go.wait(LIMIT)

    async def hold(self, store, writes):
        """Submit `writes` while the writer waits, let them go as one group, and return what each was told."""
        waiting = asyncio.create_task(store.write(self))
        assert await asyncio.to_thread(self.entered.wait, LIMIT)
        tasks = [asyncio.create_task(write) for write in writes]
        await asyncio.sleep(0)  # each has now handed its function over
        self.go.set()
        await waiting
        return await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def disk():
    """Return a disk that can be told to fail."""
    made = FaultyDisk()
    yield made
    made.may_sync.set()
    made.unregister()


@pytest.fixture
async def store(sqlite_path, disk):
    """Return a SQLite store on that disk."""
    opened = SqliteStore(sqlite_path, vfs=disk.name, patience=0.05)
    yield opened
    disk.may_sync.set()
    await opened.close()


async def test_what_waits_is_committed_together(store, disk):
    """Fifty functions cost one sync of the disk."""
    gate = Gate()
    await store.write(add, "first")
    waiting = asyncio.create_task(store.write(gate))
    assert await asyncio.to_thread(gate.entered.wait, LIMIT)
    tasks = [asyncio.create_task(store.write(add, f"{n:02}")) for n in range(50)]
    await asyncio.sleep(0)
    before = disk.syncs
    gate.go.set()
    await asyncio.gather(waiting, *tasks)

    assert 1 == disk.syncs - before
    assert [*(f"{n:02}" for n in range(50)), "first"] == await names(store)


async def test_one_failing_function_does_not_hurt_its_group(store):
    """Its savepoint goes, the others are committed."""

    def fail(tx):
        add(tx, "lost")
        raise ZeroDivisionError

    told = await Gate().hold(store, [store.write(add, "a"), store.write(fail), store.write(add, "b")])

    assert [int, ZeroDivisionError, int] == [type(result) for result in told]
    assert ["a", "b"] == await names(store)


async def test_a_function_that_ends_the_loop_ends_only_itself(store):
    """Whatever a function raises, the writer lives on."""

    def leave(_tx):
        raise SystemExit(3)

    def stop(_tx):
        raise StopIteration

    told = await Gate().hold(store, [store.write(stop), store.write(add, "a")])

    assert [RuntimeError, int] == [type(result) for result in told]
    with pytest.raises(SystemExit):
        await store.write(leave)
    assert ["a"] == await names(store)


@pytest.mark.parametrize(
    "disk_error, told_error",
    [(apsw.FullError, StoreUnavailableError), (apsw.ReadOnlyError, StoreUnavailableError)],
)
async def test_a_group_whose_commit_fails_has_failed_whole_and_the_store_goes_on(store, disk, disk_error, told_error):
    """Nobody of the group is told of success; when there is space again everything works."""
    await store.write(add, "before")
    with disk.failing(write=disk_error):
        told = await Gate().hold(store, [store.write(add, "a"), store.write(add, "b")])
    seen = await names(store)
    await store.write(add, "after")

    assert [told_error, told_error] == [type(result) for result in told]
    assert ["before"] == seen
    assert ["after", "before"] == await names(store)


async def test_a_sync_that_fails_leaves_the_outcome_unknown(store, disk):
    """The frames may be on the disk: after a power loss they could be found. Neither yes nor no would be true."""
    with disk.failing(sync=apsw.IOError):
        told = await Gate().hold(store, [store.write(add, "a"), store.write(add, "b")])
    seen = await names(store)
    await store.write(add, "after")

    assert [CommitUnknownError, CommitUnknownError] == [type(result) for result in told]
    assert [] == seen
    assert ["after"] == await names(store)


async def test_a_failed_function_keeps_its_own_error_when_the_group_fails(store, disk):
    """It was refused before the disk failed."""

    def fail(_tx):
        raise ZeroDivisionError

    with disk.failing(write=apsw.FullError):
        told = await Gate().hold(store, [store.write(fail), store.write(add, "a")])

    assert [ZeroDivisionError, StoreUnavailableError] == [type(result) for result in told]


async def test_a_disk_that_fills_inside_a_statement_fails_the_group_before_it_and_not_after_it(store, disk):
    """SQLite then ends the whole transaction by itself; who came later gets a new one."""

    def too_large(tx):
        disk.fails_to_write = apsw.FullError
        try:
            add(tx, "large", MORE_THAN_THE_CACHE)
        finally:
            disk.fails_to_write = None

    told = await Gate().hold(store, [store.write(add, "a"), store.write(too_large), store.write(add, "b")])

    assert [StoreUnavailableError, StoreUnavailableError, int] == [type(result) for result in told]
    assert ["b"] == await names(store)


async def test_nothing_is_written_after_sqlite_has_ended_the_transaction(store, disk):
    """A function that swallowed the error would otherwise commit its next statement alone."""

    def swallow(tx):
        disk.fails_to_write = apsw.FullError
        try:
            add(tx, "large", MORE_THAN_THE_CACHE)
        except StoreError:
            disk.fails_to_write = None
        add(tx, "alone")

    with pytest.raises(StoreError):
        await store.write(swallow)

    assert [] == await names(store)


async def test_success_is_told_only_after_the_disk_has_synced(store, disk):
    """While the sync waits, the caller waits, and nobody reads the row."""
    await store.write(add, "before")
    disk.may_sync.clear()
    disk.syncing.clear()
    task = asyncio.create_task(store.write(add, "a"))
    assert await asyncio.to_thread(disk.syncing.wait, LIMIT)
    seen, told = await names(store), task.done()
    disk.may_sync.set()
    await task

    assert ["before"] == seen
    assert not told
    assert ["a", "before"] == await names(store)


async def test_a_run_counts_the_rows_of_a_statement_that_also_returns_them(store):
    """Both ways to read a conditional write agree."""

    def take(tx):
        return tx.run("shards.take", owner="a", lease_seconds=30, size=200)

    def hand_back(tx):
        return tx.all(int, "shards.hand_back", owner="a", shard_list=[3, 250])

    assert [200, 56] == [await store.write(take), await store.write(take)]
    assert [3, 250] == sorted(await store.write(hand_back))


async def test_another_process_that_writes_too_long_makes_it_busy(store, sqlite_path):
    """Try again; nothing was changed."""
    other = connect(sqlite_path)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreBusyError, match="try again"):
        await store.write(add, "a")
    other.execute("ROLLBACK")
    other.close()
    assert isinstance(await store.write(add, "a"), int)


async def test_a_reading_is_bounded(sqlite_path):
    """A snapshot that is held for long keeps the WAL from being emptied."""
    store = SqliteStore(sqlite_path, read_limit=0.0)
    with pytest.raises(StoreBusyError, match="ask for less"):
        await names(store)
    await store.close()


async def test_the_wal_does_not_grow_for_ever(store, sqlite_path):
    """It is emptied into the database at four megabytes."""
    for n in range(60):
        await store.write(add, f"{n}", b"x" * 500_000)
    size = sqlite_path.with_name("relance.db-wal").stat().st_size

    assert size < 8_000_000


async def test_the_settings_are_the_durable_ones(sqlite_path):
    """WAL, FULL, foreign keys; and the file is its owner's alone."""
    connection = connect(sqlite_path)
    found = {name: connection.pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys")}
    connection.close()

    assert {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1} == found
    assert 0o600 == sqlite_path.stat().st_mode & 0o777


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    """The sentence says which file, and nothing is a traceback of SQLite's."""
    with pytest.raises(StoreUnavailableError, match=r"relance init"):
        open_store(tmp_path / "missing" / "relance.db")
    with pytest.raises(StoreUnavailableError, match=str(tmp_path)):
        open_store(tmp_path)


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    """Whatever it is, it is someone's."""
    path = tmp_path / "relance.db"
    path.write_bytes(b"something else entirely, and long enough to be looked at" * 100)
    before = path.read_bytes()

    with pytest.raises(StoreUnavailableError, match="not a database"):
        open_store(path)
    assert before == path.read_bytes()


def test_what_was_told_survives_a_kill(sqlite_path):
    """Every name that the killed process printed is there."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(sqlite_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    told = [process.stdout.readline().strip() for _ in range(40)]
    process.send_signal(signal.SIGKILL)
    told += process.stdout.read().split()[:-1]  # the last one may be cut
    process.wait(LIMIT)
    process.stdout.close()
    connection = connect(sqlite_path)
    found = {row[0] for row in connection.execute("SELECT name FROM workspaces")}
    connection.close()

    assert set() == set(told) - found


KILLED = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from relance.storage.opening import open_store

def add(tx, name):
    tx.one(int, "workspaces.add", uid=name, name=name, timezone=None, settings={}, wrapped_key=b"k",
           created_at=datetime(2026, 11, 30, tzinfo=UTC))

async def one(store, n):
    await store.write(add, f"n{n}")
    print(f"n{n}")

async def main():
    store = open_store(Path(sys.argv[1]))
    for n in range(0, 100_000, 5):
        await asyncio.gather(*(one(store, n + i) for i in range(5)))

asyncio.run(main())
"""


def test_the_package_never_loads_a_second_sqlite():
    """Two copies of SQLite in one process corrupt a file that both have open."""
    loaded = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True, check=True, timeout=LIMIT)

    assert [] == loaded.stdout.split()


LOADS = """
import importlib, pkgutil, sys
import relance.storage, relance.services
for package in (relance.storage, relance.services):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
banned = "sqlite" + "3"
print(*[name for name in sys.modules if name.partition(".")[0] in {banned, "_" + banned}])
"""
