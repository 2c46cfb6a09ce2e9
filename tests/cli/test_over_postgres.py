"""The command line over PostgreSQL, and what it says when that cannot be reached."""

import socket

import pytest

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
