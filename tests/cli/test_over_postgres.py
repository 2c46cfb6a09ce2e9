"""The command line over PostgreSQL, and what it says when that cannot be reached."""

import asyncio
import contextlib
import socket

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import ExecStatus

from cli.conftest import LEADS, SEQUENCE
from relance import app
from relance.config import read_config
from relance.services import leasing


@pytest.mark.postgres
def test_the_whole_way_to_an_enrollment_works_over_postgres(bare, tmp_path, monkeypatch, postgres_url):
    """The same commands; only RELANCE_DATABASE_URL differs."""
    monkeypatch.setenv("RELANCE_DATABASE_URL", postgres_url)
    (tmp_path / "leads.csv").write_text(LEADS, encoding="utf-8")
    (tmp_path / "autumn.yaml").write_text(SEQUENCE, encoding="utf-8")
    bare.ok("init")
    bare.ok("lead", "import", tmp_path / "leads.csv", "--list", "autumn")
    bare.ok("sequence", "publish", tmp_path / "autumn.yaml")
    bare.ok("enroll", "autumn", "--list", "autumn")
    facts = bare.ok("explain", "carol@example.org", "--json").facts
    clock = next(row for row in bare.run("doctor", "--json").rows if row["name"] == "clock")
    backup = bare.run("backup", tmp_path / "copy.db")

    assert ["active"] == [one["status"] for one in facts["enrollments"]]
    assert clock["ok"]
    assert not (bare.data / "relance.db").exists()
    assert "pg_dump" in backup.complaint


@pytest.mark.postgres
def test_doctor_warns_of_a_standby_that_may_lag(bare, monkeypatch, postgres_url):
    """After a failover to it, sends could be forgotten; where there is none, nothing is said."""
    monkeypatch.setenv("RELANCE_DATABASE_URL", postgres_url)
    bare.ok("init")
    alone = bare.run("doctor", "--json").rows
    with contextlib.closing(psycopg.connect(postgres_url, replication="true", autocommit=True)) as standby:
        position = standby.pgconn.exec_(b"IDENTIFY_SYSTEM").get_value(0, 2) or b""
        began = standby.pgconn.exec_(b"START_REPLICATION PHYSICAL " + position)
        followed = bare.run("doctor", "--json").rows

    assert ExecStatus.COPY_BOTH == began.status
    assert [] == [row for row in alone if row["name"] == "standby"]
    assert ["make its replication synchronous (`synchronous_standby_names`)"] == [
        row["remedy"] for row in followed if row["name"] == "standby"
    ]


@pytest.mark.postgres
async def test_doctor_names_every_worker(bare, monkeypatch, postgres_url):
    """Wherever it runs, with its share of the work."""
    monkeypatch.setenv("RELANCE_DATABASE_URL", postgres_url)
    await asyncio.to_thread(bare.ok, "init")
    config = read_config(environment={"RELANCE_DATABASE_URL": postgres_url}, data=str(bare.data))
    installation = app.open_installation(config)
    for worker in ("here:1:a", "there:2:b"):
        await installation.write(leasing.take_part, owner=worker, lease_seconds=30.0)
    await installation.write(leasing.hand_back, owner="here:1:a", shards=(255,))
    await installation.write(leasing.take_part, owner="there:2:b", lease_seconds=30.0)
    await installation.close()
    rows = (await asyncio.to_thread(bare.run, "doctor", "--json")).rows
    engine = next(row for row in rows if row["name"] == "engine")

    assert (True, "running as here:1:a (255 shards), there:2:b (1 shard)") == (engine["ok"], engine["detail"])


def test_a_worker_needs_a_database_that_several_can_share(bare):
    """The refusal says what to do, and nothing was begun."""
    bare.ok("init")
    said = bare.run("worker")

    assert 2 == said.code
    assert [] == [
        words for words in ("PostgreSQL", "`relance run`", "RELANCE_DATABASE_URL") if words not in said.complaint
    ]
    assert not (bare.data / "engine.lock").exists()


def test_a_database_that_does_not_answer_is_one_sentence(bare, monkeypatch):
    """Exit 3, without the password."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken and not listening: nobody answers here
        port = taken.getsockname()[1]
        monkeypatch.setenv("RELANCE_DATABASE_URL", f"postgresql://relance:s3cret@127.0.0.1:{port}/relance")
        said = bare.run("init")

    assert 3 == said.code
    assert f'connection to server at "127.0.0.1", port {port} failed: Connection refused' in said.complaint
    assert said.complaint.endswith("; start it, or correct host and port in the database URL")
    assert "s3cret" not in said.complaint


def test_a_database_host_that_has_no_address_is_one_sentence(bare, monkeypatch):
    """Without the system's error number."""
    monkeypatch.setenv("RELANCE_DATABASE_URL", "postgresql://relance:s3cret@nowhere.invalid/relance")
    said = bare.run("init")

    assert 3 == said.code
    assert "nowhere.invalid" in said.complaint
    assert "Errno" not in said.complaint
    assert said.complaint.endswith("; start it, or correct host and port in the database URL")


@pytest.mark.postgres
@pytest.mark.parametrize(
    "wrong,words,remedy",
    [
        ({"password": "wr0ng"}, "password authentication failed", "correct user and password in the database URL"),
        ({"user": "nobody", "password": "wr0ng"}, "nobody", "correct user and password in the database URL"),
        ({"dbname": "nothing"}, 'database "nothing" does not exist', "make it with createdb, or correct its name"),
    ],
)
def test_what_is_wrong_with_a_database_url_is_said_with_its_remedy(
    bare, monkeypatch, postgres_url, wrong, words, remedy
):
    """Exit 3; whether an engine starts or a person asks; the password is not repeated."""
    monkeypatch.setenv("RELANCE_DATABASE_URL", postgres_url)
    bare.ok("init")
    given = {**conninfo_to_dict(postgres_url), **wrong}
    url = f"postgresql://{given['user']}:{given['password']}@{given['host']}:{given['port']}/{given['dbname']}"
    monkeypatch.setenv("RELANCE_DATABASE_URL", url)
    complaints = []
    for command in (["init"], ["lead", "list"], ["run", "--until-idle"]):
        said = bare.run(*command)
        complaints.append(said.complaint)
        assert 3 == said.code
        assert words in said.complaint
        assert f"; {remedy}" in said.complaint
        assert str(given["password"]) not in said.complaint

    assert 1 == len(set(complaints))
