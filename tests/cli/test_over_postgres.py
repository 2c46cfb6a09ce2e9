"""The command line over PostgreSQL, and what it says when that cannot be reached."""

import contextlib
import socket

import psycopg
import pytest
from psycopg.pq import ExecStatus

from cli.conftest import LEADS, SEQUENCE


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


def test_a_database_that_does_not_answer_is_one_sentence(bare, monkeypatch):
    """Exit 3, without the password."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken and not listening: nobody answers here
        port = taken.getsockname()[1]
        monkeypatch.setenv("RELANCE_DATABASE_URL", f"postgresql://relance:s3cret@127.0.0.1:{port}/relance")
        said = bare.run("init")

    assert 3 == said.code
    assert str(port) in said.complaint
    assert "s3cret" not in said.complaint
