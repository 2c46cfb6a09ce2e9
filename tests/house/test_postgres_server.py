"""The PostgreSQL that tests run on: fresh databases, templates, and no trace afterwards."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from postgres_server import STATE, Databases

pytestmark = pytest.mark.postgres


def test_each_test_gets_an_empty_database_of_its_own(postgres_url, postgres_databases: Databases):
    """Nothing of one test may be seen by another, and the durability settings are PostgreSQL's own."""
    other = postgres_databases.create()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE here (id int)")
        fsync = connection.execute("SHOW fsync").fetchone()
    with psycopg.connect(other) as connection:
        seen = connection.execute("SELECT to_regclass('here')").fetchone()
    postgres_databases.drop(other)

    assert ("on",) == fsync
    assert (None,) == seen
    assert conninfo_to_dict(other)["dbname"] != conninfo_to_dict(postgres_url)["dbname"]


def test_a_template_is_prepared_once_and_copied(postgres_databases: Databases):
    """A migrated schema costs its migrations once per session."""
    fillings = []

    def fill(url: str) -> None:
        fillings.append(url)
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE prepared (id int)")

    name = f"house-{postgres_databases.session_dir.name}"
    first = postgres_databases.template(name, fill)
    second = postgres_databases.template(name, fill)
    url = postgres_databases.create(template=second)
    with psycopg.connect(url) as connection:
        seen = connection.execute("SELECT to_regclass('prepared')::text").fetchone()
    postgres_databases.drop(url)

    assert first == second
    assert 1 == len(fillings)
    assert ("prepared",) == seen


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that the user who runs PostgreSQL may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_session_stops_the_server_it_started(open_folder: Path, postgres_databases: Databases):
    """A test run leaves no process and no data behind."""
    if not (postgres_databases.session_dir / STATE).exists():
        return  # a server from outside was named: this session started none, so there is none to stop
    inner = open_folder / "test_inner.py"
    inner.write_text("def test_it(postgres_url):\n    print('URL', postgres_url)\n")
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "-p", "conftest", str(inner)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, "-c", str(root / "pyproject.toml"), "--rootdir", str(open_folder)],
        check=False,
        capture_output=True,
        text=True,
        cwd=root / "tests",
        env=environment | {"TMPDIR": str(open_folder)},
    )
    url = done.stdout.partition("URL ")[2].split()[0] if "URL " in done.stdout else ""

    assert 0 == done.returncode, done.stdout + done.stderr
    assert url
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=5)
    assert [] == list(open_folder.glob("relance-*"))
