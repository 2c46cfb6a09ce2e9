"""Finds out whether addresses take mail, for those whose sequence asks before it writes to them for the first time."""

import asyncio

from relance.engine import persistence
from relance.engine.side_by_side import all_of
from relance.engine.surroundings import Surroundings
from relance.services import verifying
from relance.services.leasing import FencedError, Hold
from relance.services.verifying import Wanted

_IN_ONE_PASS = 200
_AT_ONCE = 32  #: Questions under way.


class Verifier:
    """One pass asks about every address that somebody waits for."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def run_once(self) -> int:
        """Run a pass; the number is that of addresses asked about."""
        holds = {hold.shard: hold for hold in self._around.shards.holds()}
        if not holds:
            return 0
        wanted = await self._around.store.read(verifying.wanted, limit=_IN_ONE_PASS, shards=tuple(holds))
        await all_of(self._ask(one, holds[one.shard]) for one in wanted)
        return len(wanted)

    async def _ask(self, one: Wanted, hold: Hold) -> None:
        around = self._around
        async with self._room:
            finding = await around.addresses.check(one.address, one.asked)
        try:
            await persistence.write_as_owner(around, hold, verifying.answer, one, finding, now=around.clock.now())
        except FencedError as error:
            around.log.warning("check.fenced", lead=one.lead_id, error=str(error))
