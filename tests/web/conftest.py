"""The web in this process over both stores: no socket, no sleep."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from postgres_server import Databases
from relance.app import init_installation, settle_installation
from relance.app.serving import surroundings
from relance.config import Config
from relance.testing.fake_clock import FakeClock
from relance.web.server import application
from services.damage import empty
from store_places import postgres_place
from web.house import BASE_URL, House, another_workspace, people


@pytest.fixture(scope="session")
def web_database(postgres_databases: Databases) -> Iterator[str]:
    """Return the URL of the session's database for these tests."""
    url = postgres_place(postgres_databases)
    yield url
    postgres_databases.drop(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    """Return a new installation with its people, once over each kind of database."""
    url = None
    if request.param == "postgres":
        url = request.getfixturevalue("web_database")
        empty(url)
    data = tmp_path / "data"
    config = Config(data=data, database_url=url, master_key_file=data / "master.key", workspace="acme")
    installation = init_installation(config)
    clock, real = FakeClock(), FakeClock()
    installation.clock = clock
    acme = await settle_installation(installation, timezone=None)
    other = await installation.write(another_workspace, "other", installation.vault.new_workspace_key())
    tokens, keys = await installation.write(people, acme, other)
    yield House(
        installation=installation,
        app=application(replace(surroundings(installation, base_url=BASE_URL, real=real), stream_seconds=0)),
        real=real,
        clock=clock,
        workspace=acme,
        other=other,
        sessions=tokens,
        keys=keys,
    )
    await installation.close()
