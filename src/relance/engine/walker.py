"""Moves enrollments through steps that send nothing: waits that are over, branches that can be decided."""

from relance.engine import persistence
from relance.engine.surroundings import Surroundings
from relance.services import walking
from relance.services.refusals import LostRaceError

_AT_ONCE = 200


class Walker:
    """One pass moves every enrollment whose wait or branch is due."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    async def run_once(self) -> int:
        """Run a pass; the number is that of enrollments moved."""
        around, moved = self._around, 0
        if not around.lease_holds():
            return 0
        for workspace_id, enrollment_id in await around.store.read(walking.due, now=around.clock.now(), limit=_AT_ONCE):
            try:
                moved += await persistence.write(
                    around,
                    walking.walk,
                    workspace_id=workspace_id,
                    enrollment_id=enrollment_id,
                    worker=around.worker,
                    keys=around.keys,
                    now=around.clock.now(),
                )
            except LostRaceError as error:
                around.log.warning("walk.lost", enrollment=enrollment_id, error=str(error))
        return moved
