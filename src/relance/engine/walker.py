"""Moves enrollments through steps that send nothing: waits that are over, branches that can be decided."""

from collections.abc import Awaitable, Callable

from relance.engine import persistence
from relance.engine.surroundings import Surroundings, always
from relance.services import walking
from relance.services.leasing import FencedError
from relance.services.refusals import LostRaceError

_AT_ONCE = 200


class Walker:
    """One pass moves every enrollment whose wait or branch is due."""

    #: Whether the database is still the one whose state is known; see `relance.engine.recoverer`.
    unchanged: Callable[[], Awaitable[bool]]

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self.unchanged = always

    async def run_once(self) -> int:
        """Run a pass; the number is that of enrollments moved."""
        around, moved = self._around, 0
        holds = {hold.shard: hold for hold in around.shards.holds()}
        if not holds:
            return 0
        due = await around.store.read(walking.due, now=around.clock.now(), limit=_AT_ONCE, shards=tuple(holds))
        if due and not await self.unchanged():
            return 0
        for one in due:
            try:
                moved += await persistence.write_as_owner(
                    around,
                    holds[one.shard],
                    walking.walk,
                    workspace_id=one.workspace_id,
                    enrollment_id=one.id,
                    worker=around.worker,
                    keys=around.keys,
                    now=around.clock.now(),
                )
            except (LostRaceError, FencedError) as error:
                around.log.warning("walk.lost", enrollment=one.id, error=str(error))
        return moved
