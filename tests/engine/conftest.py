"""An engine's surroundings, without servers and without waiting."""

import shutil
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from engine.places import Place
from engine.rig import Rig
from relance.services import workspaces
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


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    """Return an installation that can be brought back, once over each kind of database."""
    made: list[str] = []
    databases = request.getfixturevalue("postgres_databases") if request.param == "postgres" else None
    if databases:
        made.append(postgres_place(databases))

        def copy(location: str | Path) -> str | Path:
            made.append(databases.create(template=str(conninfo_to_dict(str(location))["dbname"])))
            return made[-1]

        found = Place(made[0], copy)
    else:
        number = count()
        found = Place(sqlite_place(tmp_path), lambda location: shutil.copy(location, tmp_path / f"{next(number)}.db"))
    await found.rig.store.write(workspaces.ensure_installation, uid="here", now=found.rig.clock.now())
    yield found
    await found.rig.store.inner.close()
    if databases:
        for url in made:
            databases.drop(url)
