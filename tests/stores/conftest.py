"""Both stores, and both databases as they are without one."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from postgres_server import Databases
from relance.ports.store import Store
from relance.storage.opening import open_store
from store_places import postgres_place, sqlite_place


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    """Return the path of a SQLite database with its schema."""
    return sqlite_place(tmp_path)


@pytest.fixture
def schema_url(postgres_databases: Databases) -> Iterator[str]:
    """Return the URL of a PostgreSQL database with its schema; it is dropped after the test."""
    url = postgres_place(postgres_databases)
    yield url
    postgres_databases.drop(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def location(request: pytest.FixtureRequest) -> str:
    """Return where a database with its schema is, once for each kind."""
    return str(request.getfixturevalue("sqlite_path" if request.param == "sqlite" else "schema_url"))


@pytest.fixture
async def store(location: str) -> AsyncIterator[Store]:
    """Return an open store, once for each kind of database."""
    opened = open_store(location)
    yield opened
    await opened.close()
