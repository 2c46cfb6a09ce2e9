"""An installation whose state can be brought back to an earlier point, also under an engine that runs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.rig import Rig
from relance.ports.store import Transaction
from relance.services import generations, workspaces
from relance.storage.opening import open_store
from relance.testing.faulty_store import FaultyStore


class OverServer(FaultyStore):
    """A store whose server says when it came up. No server is restarted here: tests of failover do that."""

    came_up = "once"

    async def read(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Read; but when the server came up, we say."""
        return self.came_up if fn is generations.started_at else await super().read(fn, *args, **kwargs)

    async def write(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Write; but when the server came up that was counted in, we say."""
        outcome = await super().write(fn, *args, **kwargs)
        return replace(outcome, started_at=self.came_up) if isinstance(outcome, generations.Counted) else outcome


class Place:
    """Where a rig's state is, and how to bring it back to an earlier point."""

    def __init__(self, location: str | Path, copy: Callable[[str | Path], str | Path]) -> None:
        self.rig = Rig(open_store(location))
        self._location = location
        self._copy = copy
        self._saved: str | Path = ""
        self.kept = self.rig.generation.kept  #: The file beside the database, as it was then.

    async def back_up(self) -> None:
        """Keep the state as it is; no engine runs."""
        await self.rig.store.inner.close()
        self._saved, self.kept = self._copy(self._location), self.rig.generation.kept
        self.rig.store = FaultyStore(open_store(self._location))

    async def remember(self) -> None:
        """Keep the state as it is, while an engine is at rest over it and goes on with it."""
        await self.rig.store.inner.close()
        self._saved = self._copy(self._location)
        self.rig.store.inner = open_store(self._location)

    async def put_back_under_the_engine(self) -> None:
        """Let the engine that runs find the state as it was, by a server that has come up anew."""
        store = self.rig.store
        assert isinstance(store, OverServer)
        await store.inner.close()
        store.inner, store.came_up = open_store(self._saved), "later"

    async def put_back(self) -> None:
        """Go on with the state as it was; the world, the clock and the files beside it stay.

        What is kept is put back again as it was, however often.
        """
        await self.rig.store.inner.close()
        self.rig.store = FaultyStore(open_store(self._copy(self._saved)))

    async def put_back_with_its_server(self) -> None:
        """Go on with it, and with the files beside it, as from a snapshot of the disk: then nothing looks moved.

        A whole server cannot be copied here, so the row and the file are told the name that it would have kept.
        """
        await self.put_back()
        server = await self.rig.store.write(_call_it_the_same)
        assert self.kept is not None
        self.rig.generation.kept = replace(self.kept, server=server)


def _call_it_the_same(tx: Transaction) -> str:
    found = tx.one(workspaces.Installation, "installation.get")
    assert found is not None
    server = generations.server_identity(tx)
    tx.run("installation.grow", generation=found.generation + 1, server=server, now=found.alive_at)
    return server
