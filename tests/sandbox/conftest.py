"""Worlds for tests: started on demand, stopped afterwards."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from relance.sandbox.clock import SandboxClock
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.world import World

MONDAY = datetime(2026, 11, 30, 8, tzinfo=UTC)
OpenWorld = Callable[..., Awaitable[World]]


@pytest.fixture
async def open_world(tmp_path: Path) -> AsyncIterator[OpenWorld]:
    """Start worlds with the arguments of `World`; by default without faults and with three mailboxes."""
    worlds: list[World] = []

    async def start(**wishes: Any) -> World:
        settings: dict[str, Any] = {"seed": 1, "faults": NO_FAULTS, "mailboxes": 3, **wishes}
        world = World(clock=SandboxClock(MONDAY), directory=tmp_path / str(len(worlds)), **settings)
        worlds.append(world)
        await world.start()
        return world

    yield start
    for world in worlds:
        await world.stop()
