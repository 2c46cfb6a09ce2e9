"""`relance doctor` and `relance backup`."""

import asyncio

import apsw
import pytest

from cli.shell import Shell
from relance import app
from relance.app.loop_health import write_health
from relance.config import read_config
from relance.engine.supervisor import Health
from relance.services import leasing


def test_doctor_names_what_is_wrong_with_its_remedy(shell):
    """A fresh installation is sound but for its mailboxes."""
    said = shell.run("doctor", "--json")
    wrong = [row for row in said.rows if not row["ok"]]

    assert 1 == said.code
    assert ["mailboxes"] == [row["name"] for row in wrong]
    assert "relance mailbox add" in wrong[0]["remedy"]
    assert {"data directory", "disk", "key", "clock", "opt-out log", "movement"} <= {row["name"] for row in said.rows}


def test_doctor_looks_at_the_disk_even_where_the_database_cannot_be_used(shell):
    """What needs no database is checked all the same; exit 3, since the rest could not be."""
    (shell.data / "relance.db").write_bytes(b"no database " * 1000)
    said = shell.run("doctor", "--json")
    rows = {row["name"]: row for row in said.rows}

    assert 3 == said.code
    assert ["data directory", "disk", "opt-out log", "database"] == list(rows)
    assert rows["disk"]["ok"]
    assert "restore a backup" in rows["database"]["remedy"]
    assert "1 of 4 checks failed" in said.complaint


@pytest.mark.parametrize("wrong, remedy", [("gone", "restore it from its copy"), ("open to others", "chmod 600")])
def test_doctor_looks_at_the_disk_even_where_the_key_cannot_be_used(shell, wrong, remedy):
    """A key that is lost is told beside what is well, and nobody is sent to `init` while there is a database."""
    key = shell.data / "master.key"
    if wrong == "gone":
        key.unlink()
    else:
        key.chmod(0o644)
    said = shell.run("doctor", "--json")
    rows = {row["name"]: row for row in said.rows}

    assert 3 == said.code
    assert ["data directory", "disk", "opt-out log", "key"] == list(rows)
    assert remedy in rows["key"]["remedy"]


def test_doctor_sees_rights_that_are_too_wide(shell):
    """The remedy can be pasted."""
    shell.data.chmod(0o755)
    row = next(row for row in shell.run("doctor", "--json").rows if row["name"] == "data directory")

    assert (False, f"chmod 700 {shell.data}") == (row["ok"], row["remedy"])


def test_doctor_misses_the_engine_where_somebody_waits(filled):
    """Without anybody enrolled there is nothing to miss."""
    before = next(row for row in filled.run("doctor", "--json").rows if row["name"] == "engine")
    filled.ok("enroll", "autumn", "--list", "autumn")
    after = next(row for row in filled.run("doctor", "--json").rows if row["name"] == "engine")

    assert (True, False) == (before["ok"], after["ok"])
    assert "relance run" in after["remedy"]


@pytest.mark.parametrize("failing", [False, True])
async def test_doctor_tells_how_the_loops_of_a_running_engine_do(shell, failing):
    """One that keeps failing is named with its error, though the engine itself runs."""
    await report_of_an_engine(shell, failing=failing)
    rows = {row["name"]: row for row in (await asyncio.to_thread(shell.run, "doctor", "--json")).rows}

    if failing:
        assert (False, True) == (rows["loop poller"]["ok"], "disk on fire" in rows["loop poller"]["detail"])
    else:
        assert rows["loops"]["ok"]
    assert rows["engine"]["ok"]


async def test_doctor_takes_no_news_from_an_engine_that_is_gone(shell):
    """What it left in its file says nothing about today."""
    await report_of_an_engine(shell, failing=True, worker="another")
    rows = (await asyncio.to_thread(shell.run, "doctor", "--json")).rows

    assert [] == [row for row in rows if row["name"].startswith("loop")]


async def report_of_an_engine(shell, *, failing: bool, worker: str = "w1") -> None:
    """Leave the lease of the engine w1, and the report that `worker` made last."""
    installation = app.open_installation(read_config(environment={}, data=str(shell.data)))
    await installation.write(leasing.take_all, owner="w1", lease_seconds=30.0)
    loops = [Health(loop="poller", running=True, restarts=3, last_error="disk on fire", failing=failing)]
    write_health(installation.config.data / "engine.health", loops, worker=worker, at=installation.clock.now())
    await installation.close()


def test_a_backup_is_a_whole_installation_but_for_its_key(filled, tmp_path):
    """It says so, and beside the key it opens."""
    facts = filled.ok("backup", tmp_path / "copy.db", "--json").facts
    other = Shell(data=tmp_path / "other")
    other.data.mkdir(mode=0o700)
    (tmp_path / "copy.db").rename(other.data / "relance.db")
    (other.data / "master.key").write_bytes((filled.data / "master.key").read_bytes())
    (other.data / "master.key").chmod(0o600)

    assert (False, facts["bytes"]) == (facts["contains_key"], (other.data / "relance.db").stat().st_size)
    assert 2 == len(other.ok("lead", "list", "--json").rows)


def test_a_backup_never_replaces_a_file(filled, tmp_path):
    """Exit 3, and the file is as it was."""
    (tmp_path / "copy.db").write_text("mine", encoding="utf-8")
    said = filled.run("backup", tmp_path / "copy.db")

    assert (3, "mine") == (said.code, (tmp_path / "copy.db").read_text(encoding="utf-8"))
    assert "exists" in said.complaint


def test_a_backup_to_a_place_that_is_not_there_is_refused(filled, tmp_path):
    """Exit 3."""
    said = filled.run("backup", tmp_path / "nowhere" / "copy.db")

    assert 3 == said.code
    assert "cannot be written" in said.complaint


def test_doctor_says_that_no_record_contradicts_another(filled):
    """Over everything that was written so far."""
    filled.ok("enroll", "autumn", "--list", "autumn")
    row = next(row for row in filled.run("doctor", "--json").rows if row["name"] == "records")

    assert row["ok"]
    assert "no contradiction" in row["detail"]


def test_doctor_names_a_contradiction_with_its_remedy(filled):
    """Planted by hand, past the database's own refusal."""
    filled.ok("enroll", "autumn", "--list", "autumn")
    beside = apsw.Connection(str(filled.data / "relance.db"))
    beside.execute("PRAGMA ignore_check_constraints = ON")
    beside.execute("UPDATE enrollments SET next_due_at = NULL WHERE id = 1")
    beside.close()
    said = filled.run("doctor", "--json")
    (row,) = (row for row in said.rows if row["name"] == "records: never due")

    assert (1, False) == (said.code, row["ok"])
    assert row["detail"].startswith("enrollment 1: ")
    assert "relance enrollment stop" in row["remedy"]
