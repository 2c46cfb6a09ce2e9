"""An engine's surroundings, without servers and without waiting."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.rig import Rig
from relance.storage.opening import open_store
from store_places import postgres_place, sqlite_place


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """Return a rig over an empty database, at nine on a Monday morning."""
    store = open_store(sqlite_place(tmp_path))
    yield Rig(store)
    await store.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def any_rig(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rig]:
    """Return a rig, once over each kind of database."""
    databases = request.getfixturevalue("postgres_databases") if request.param == "postgres" else None
    location = postgres_place(databases) if databases else str(sqlite_place(tmp_path))
    store = open_store(location)
    yield Rig(store)
    await store.close()
    if databases:
        databases.drop(location)


@pytest.fixture
async def postgres_rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    """Return a rig over PostgreSQL, for what only several processes on several connections meet."""
    databases = request.getfixturevalue("postgres_databases")
    location = postgres_place(databases)
    store = open_store(location)
    yield Rig(store)
    await store.close()
    databases.drop(location)
