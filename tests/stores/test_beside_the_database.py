"""The opt-out log, backups, and the lock of the one engine."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import apsw
import pytest

from relance.core.suppression import tombstone_of
from relance.ports.journal import OptOut
from relance.ports.store import StoreError, StoreUnavailableError
from relance.storage.backup import back_up
from relance.storage.opening import EngineRunningError, engine_lock, open_store
from relance.storage.optout_log import OptOutLog
from relance.storage.restore import restore

NOW = datetime(2026, 11, 30, 9, 2, tzinfo=UTC)
LIMIT = 30
KEY = bytes(32)


def opt_out(n):
    """Make one line."""
    return OptOut(
        at=NOW + timedelta(minutes=n),
        workspace_uid="w",
        digest=tombstone_of(f"{n}@example.com", KEY),
        reason="unsubscribed",
    )


def test_the_log_gives_back_what_was_written(tmp_path):
    """In order, from any number of appends; before the first there is nothing."""
    log = OptOutLog(tmp_path / "optouts.log")
    before = list(log.entries())
    log.append([opt_out(1)])
    log.append([])
    log.append([opt_out(2), opt_out(3)])

    assert [] == before
    assert [opt_out(1), opt_out(2), opt_out(3)] == list(log.entries())


def test_the_log_names_nobody(tmp_path):
    """Only a keyed hash, another one in every installation, and the same however the address is written."""
    path = tmp_path / "optouts.log"
    OptOutLog(path).append([opt_out(1)])
    digest = tombstone_of("a@example.com", KEY)

    assert b"example" not in path.read_bytes()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert digest == tombstone_of(" A@Example.com ", KEY)
    assert digest != tombstone_of("a@example.com", bytes(31) + b"\x01")


@pytest.mark.parametrize("torn", [b"2026-11-30T09", b"2026-11-30T09:02:00.000000Z w abcdef", b"\xff\xfe"])
def test_a_torn_line_is_skipped_and_never_joined_to_the_next(tmp_path, torn):
    """Power loss in the middle of a line loses that line, which nobody was told of, and no other."""
    path = tmp_path / "optouts.log"
    log = OptOutLog(path)
    log.append([opt_out(1)])
    with path.open("ab") as file:
        file.write(torn)
    seen = list(log.entries())
    log.append([opt_out(2)])

    assert [opt_out(1)] == seen
    assert [opt_out(1), opt_out(2)] == list(log.entries())


def test_a_log_that_cannot_be_written_says_so(tmp_path):
    """An opt-out that is not kept must not look kept."""
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        OptOutLog(tmp_path / "missing" / "optouts.log").append([opt_out(1)])


def add(tx, name):
    """Add one workspace, and the installation where it is missing."""
    tx.run("installation.create", uid="i", created_at=NOW)
    values: dict[str, object] = {"timezone": None, "settings": {}, "wrapped_key": b"k", "created_at": NOW}
    tx.one(int, "workspaces.add", uid=name, name=name, **values)


async def names(path):
    """Open a SQLite store and return what is in it."""
    store = open_store(path)
    found = await store.read(lambda reader: reader.all(str, "workspaces.names"))
    await store.close()
    return found


async def test_a_backup_is_taken_while_the_store_is_in_use(sqlite_path, tmp_path):
    """It holds what was committed by then, in one file for its owner alone."""
    store = open_store(sqlite_path)
    await store.write(add, "before")
    size = back_up(sqlite_path, tmp_path / "backup")
    await store.write(add, "later")
    await store.close()
    made = tmp_path / "backup"

    assert size == made.stat().st_size > 0
    assert 0o600 == stat.S_IMODE(made.stat().st_mode)
    assert {"backup", "relance.db"} == {file.name for file in tmp_path.iterdir()}
    assert ["before"] == await names(made)


async def test_a_backup_never_replaces_a_file(sqlite_path, tmp_path):
    """Yesterday's backup may be the only good one."""
    target = tmp_path / "backup"
    target.write_text("yesterday")
    with pytest.raises(StoreError, match="exists"):
        back_up(sqlite_path, target)

    assert "yesterday" == target.read_text()


def test_a_backup_of_nothing_is_refused(tmp_path):
    """An empty backup would look like one."""
    with pytest.raises(StoreError, match="nothing to back up"):
        back_up(tmp_path / "missing.db", tmp_path / "backup")
    assert [] == list(tmp_path.iterdir())


def test_a_damaged_database_gives_no_backup(sqlite_path, tmp_path):
    """The copy is checked before it gets its name."""
    connection = apsw.Connection(str(sqlite_path))
    connection.pragma("journal_mode", "delete")
    connection.close()
    with sqlite_path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 60_000)
    with pytest.raises(StoreUnavailableError, match="damaged"):
        back_up(sqlite_path, tmp_path / "backup")

    assert ["relance.db"] == [file.name for file in tmp_path.iterdir()]


def test_postgres_is_backed_up_by_its_own_tools(tmp_path):
    """The sentence names them."""
    with pytest.raises(StoreError, match="pg_dump"):
        back_up("postgresql://localhost/relance", tmp_path / "backup")
    with pytest.raises(StoreError, match="pg_restore"):
        restore(
            tmp_path / "backup",
            "postgresql://localhost/relance",
            installation=None,
            suffix="old",
            take_along=lambda _copy, _replaced: None,
            announce=lambda _found: None,
        )


def test_a_second_engine_is_refused_and_told_of_the_first(tmp_path):
    """By its process id; when the first has left, the next may come."""
    path = tmp_path / "engine.lock"
    with engine_lock(path), pytest.raises(EngineRunningError, match=f"process {os.getpid()}"), engine_lock(path):
        pass
    with engine_lock(path):
        assert f"{os.getpid()}\n" == path.read_text()


def test_a_killed_engine_leaves_no_lock(tmp_path):
    """The kernel's lock ends with the process, whatever the file says."""
    path = tmp_path / "engine.lock"
    process = subprocess.Popen([sys.executable, "-c", HOLDS, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert "held\n" == process.stdout.readline()
    with pytest.raises(EngineRunningError, match=f"process {process.pid}"), engine_lock(path):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait(LIMIT)
    process.stdout.close()

    with engine_lock(path):
        assert f"{os.getpid()}\n" == path.read_text()


HOLDS = """
import sys, signal
from pathlib import Path
from relance.storage.opening import engine_lock
with engine_lock(Path(sys.argv[1])):
    print("held", flush=True)
    signal.pause()
"""


async def test_a_command_works_beside_an_engine(sqlite_path):
    """Two stores on one file, in two processes, see each other's writes."""
    engine = open_store(sqlite_path)
    await engine.write(add, "engine")
    command = await asyncio.create_subprocess_exec(sys.executable, "-c", COMMAND, str(sqlite_path))
    code = await asyncio.wait_for(command.wait(), LIMIT)
    found = await engine.read(lambda reader: reader.all(str, "workspaces.names"))
    await engine.close()

    assert 0 == code
    assert ["command", "engine"] == found


COMMAND = """
import asyncio, sys
from datetime import UTC, datetime
from relance.storage.opening import open_store

def add(tx):
    assert ["engine"] == tx.all(str, "workspaces.names")
    tx.one(int, "workspaces.add", uid="c", name="command", timezone=None, settings={}, wrapped_key=b"k",
           created_at=datetime(2026, 11, 30, tzinfo=UTC))

async def main():
    store = open_store(sys.argv[1])
    await store.write(add)
    await store.close()

asyncio.run(main())
"""
