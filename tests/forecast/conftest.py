"""An installation whose people are about to be written to, on a Monday before the window opens."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from forecast.founders import Founders
from postgres_server import Databases
from store_places import postgres_place


@pytest.fixture
async def founders(tmp_path: Path) -> AsyncIterator[Founders]:
    """Return one over SQLite: two mailboxes that send four a day, and ten people."""
    made = await Founders.make(tmp_path)
    yield made
    await made.installation.close()


@pytest.fixture
async def founders_over_postgres(tmp_path: Path, postgres_databases: Databases) -> AsyncIterator[Founders]:
    """Return the same over PostgreSQL."""
    url = postgres_place(postgres_databases)
    folder = tmp_path / "over postgres"
    folder.mkdir()
    made = await Founders.make(folder, database_url=url)
    yield made
    await made.installation.close()
    postgres_databases.drop(url)
