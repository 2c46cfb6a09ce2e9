"""The services over both stores: SQLite and PostgreSQL, both, always."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from relance.storage.opening import open_store
from services.life import Life
from store_places import postgres_place, sqlite_place


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def life(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Life]:
    """Return a new installation at nine on a Monday morning, once over each kind of database."""
    if request.param == "sqlite":
        store = open_store(sqlite_place(tmp_path))
        yield Life(store)
        await store.close()
        return
    async for over_postgres in _over_postgres(request):
        yield over_postgres


@pytest.fixture
async def two_workers(request: pytest.FixtureRequest) -> AsyncIterator[Life]:
    """Return a new installation over PostgreSQL, where transactions really run side by side."""
    async for over_postgres in _over_postgres(request):
        yield over_postgres


async def _over_postgres(request: pytest.FixtureRequest) -> AsyncIterator[Life]:
    databases = request.getfixturevalue("postgres_databases")
    url = postgres_place(databases)
    store = open_store(url)
    yield Life(store, url)
    await store.close()
    databases.drop(url)
