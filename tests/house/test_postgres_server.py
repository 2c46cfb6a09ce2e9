"""The PostgreSQL that tests run on: fresh databases, templates, and no trace afterwards."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from peers import postgres_binaries
from postgres_server import Databases

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


INNER = """
import os, signal

def test_it(postgres_url, postgres_databases):
    print("URL", postgres_url, (postgres_databases.session_dir / "watch.pid").read_text(), flush=True)
    if os.environ.get("DIE"):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that the user who runs PostgreSQL may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def run_session(folder: Path, **environment: str) -> tuple[int, str, int]:
    """Run one test in a session of its own; return its exit status, its database's URL and its watch's process id."""
    (folder / "test_inner.py").write_text(INNER)
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "-p", "conftest", str(folder)]
    kept = {n: v for n, v in os.environ.items() if not n.startswith("PYTEST_") and n != "RELANCE_TEST_POSTGRES"}
    done = subprocess.run(
        [*command, "-c", str(root / "pyproject.toml"), "--rootdir", str(folder)],
        check=False,
        capture_output=True,
        text=True,
        cwd=root / "tests",
        env=kept | {"TMPDIR": str(folder)} | environment,
    )
    assert "URL " in done.stdout, done.stdout + done.stderr
    url, watch = done.stdout.partition("URL ")[2].split()[:2]
    return done.returncode, url, int(watch)


def wait_for_end(process: int) -> bool:
    """Wait until a process that is not our child has ended; tell whether it did within a minute."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    with os.fdopen(handle):
        return [] != select.select([handle], [], [], 60)[0]


@pytest.mark.skipif(postgres_binaries() is None, reason="only a server from outside is there")
def test_a_session_stops_the_server_it_started(open_folder: Path):
    """A test run leaves no process and no data behind."""
    status, url, watch = run_session(open_folder)

    assert 0 == status
    assert wait_for_end(watch)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=5)
    assert [] == list(open_folder.glob("relance-*"))


@pytest.mark.skipif(postgres_binaries() is None, reason="only a server from outside is there")
def test_a_killed_session_leaves_no_server_either(open_folder: Path):
    """Whoever kills a hanging test run does not have to clean up after it."""
    status, url, watch = run_session(open_folder, DIE="1")

    assert -signal.SIGKILL == status
    assert wait_for_end(watch)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=5)
    assert [] == list(open_folder.glob("relance-*"))
