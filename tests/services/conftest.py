"""The services over both stores: SQLite and PostgreSQL, both, always.

A PostgreSQL database is made once per session and emptied before each test: that takes a tenth of making one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from postgres_server import Databases
from relance.ports.store import Store
from relance.services.workspaces import everyone
from relance.storage.opening import open_store
from row_stories import contradictions
from services.damage import empty, plant_in_postgres, plant_in_sqlite, without_guards
from services.life import Life
from store_places import postgres_place, sqlite_place

#: What the schema's own migrations fill.
KEPT = ("schema_migrations", "shards", "step_kinds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Emptied:
    """A PostgreSQL database that is emptied again and again, and its store."""

    url: str
    store: Store
    beside: "psycopg.Connection[tuple[str]]"

    def empty(self) -> None:
        """Take everything away but what the schema brings along."""
        found = self.beside.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> ALL (%s)",
            [list(KEPT)],
        )
        delete = sql.SQL("; ").join(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)) for (name,) in found)
        with self.beside.transaction():
            self.beside.execute("SET LOCAL session_replication_role = replica")  # neither keys nor append-only triggers
            self.beside.execute(delete)


@pytest.fixture(scope="session")
def emptied(postgres_databases: Databases) -> Iterator[Emptied]:
    """Return the session's database for these tests."""
    url = postgres_place(postgres_databases)
    with psycopg.connect(url, autocommit=True) as beside:
        store = open_store(url)
        yield Emptied(url=url, store=store, beside=beside)
        asyncio.run(store.close())
    postgres_databases.drop(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def life(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Life]:
    """Return a new installation at nine on a Monday morning, once over each kind of database."""
    if request.param == "sqlite":
        store = open_store(sqlite_place(tmp_path))
        life = Life(store)
        yield life
        await _contradicts_nothing(life)
        await store.close()
    else:
        life = request.getfixturevalue("two_workers")
        yield life
        await _contradicts_nothing(life)


async def _contradicts_nothing(life: Life) -> None:
    """See that the services left nothing in which the doctor would find a contradiction."""
    for workspace in await life.store.read(everyone):
        found = await life.store.read(contradictions, workspace.id, life.now)

        assert {one.rule for one in found} <= {"slot_kept"}, found


@pytest.fixture
def two_workers(emptied: Emptied) -> Life:
    """Return a new installation over PostgreSQL, where transactions really run side by side."""
    emptied.empty()
    return Life(emptied.store, emptied.url)


@pytest.fixture(scope="module")
def unguarded(postgres_databases: Databases) -> Iterator[str]:
    """Return a PostgreSQL database that holds whatever it is told."""
    with without_guards(postgres_databases) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def damaged(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[tuple[Life, Callable[[list[str]], None]]]:
    """Return a new installation, and a function that runs statements past everything that would refuse them."""
    if request.param == "sqlite":
        place = sqlite_place(tmp_path)
        store = open_store(place)
        yield Life(store), partial(plant_in_sqlite, place)
    else:
        url = request.getfixturevalue("unguarded")
        empty(url)
        store = open_store(url)
        yield Life(store, url), partial(plant_in_postgres, url)
    await store.close()
