"""An engine's surroundings, without servers and without waiting."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.rig import Rig
from relance.storage.opening import open_store
from store_places import sqlite_place


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """Return a rig over an empty database, at nine on a Monday morning."""
    store = open_store(sqlite_place(tmp_path))
    yield Rig(store)
    await store.close()
