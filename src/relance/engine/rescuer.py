"""Takes over what a worker that died has left behind; see `relance.services.rescuing` for the rules."""

from collections.abc import Callable, Collection
from datetime import datetime

from relance.core import defaults
from relance.engine import persistence
from relance.engine.surroundings import Surroundings
from relance.services import rescuing
from relance.services.leasing import FencedError, Hold
from relance.services.rescuing import LeftBehind

_AT_ONCE = 500


class Rescuer:
    """One pass frees dead holders' rows, calls abandoned messages unknown, and returns forgotten slots.

    It looks at what falls into this worker's shards. `at_work` says of a workspace's enrollment whether this process is
    sending it: that is left alone, however long it takes, since its sender knows better than any deadline what became
    of it.
    """

    def __init__(self, around: Surroundings, at_work: Callable[[int, int], bool] = lambda *_: False) -> None:
        self._around = around
        self._at_work = at_work
        self._taken: dict[Hold, datetime] = {}

    def took_over(self, holds: Collection[Hold], at: datetime) -> None:
        """Note when these shards became ours: what is in flight there since before was left by another."""
        self._taken |= dict.fromkeys(holds, at)

    async def run_once(self) -> int:
        """Run a pass; the number is that of records rescued."""
        holds = self._around.shards.holds()
        rescued = 0
        for since, some in self._by_age(holds).items():
            rescued += await self._rescue(some, since)
        return rescued

    def _by_age(self, holds: Collection[Hold]) -> dict[datetime | None, dict[int, Hold]]:
        """Return the shards by when they became ours; None: so long ago that nobody else's message is in flight."""
        old = self._around.clock.now() - defaults.RELEASE_DEADLINE - rescuing.AFTER_RELEASE
        self._taken = {hold: at for hold, at in self._taken.items() if at > old}
        found: dict[datetime | None, dict[int, Hold]] = {}
        for hold in holds:
            found.setdefault(self._taken.get(hold), {})[hold.shard] = hold
        return found

    async def _rescue(self, holds: dict[int, Hold], since: datetime | None) -> int:
        around = self._around
        found = await around.store.read(
            rescuing.left_behind,
            worker=around.worker,
            since=since,
            now=around.clock.now(),
            limit=_AT_ONCE,
            shards=tuple(holds),
        )
        try:
            return await self._take(found, holds)
        except FencedError as error:
            around.log.warning("rescue.fenced", error=str(error))
            return 0

    async def _take(self, found: LeftBehind, holds: dict[int, Hold]) -> int:
        around, rescued = self._around, 0
        for orphan in found.abandoned:
            if self._at_work(orphan.workspace_id, orphan.enrollment_id):
                continue
            hold = holds[orphan.shard]
            await persistence.write_as_owner(around, hold, rescuing.give_up_on, orphan, now=around.clock.now())
            around.log.warning("attempt.abandoned", attempt=orphan.id)
            rescued += 1
        for row in found.locked:
            if self._at_work(row.workspace_id, row.id):
                continue
            rescued += await persistence.write_as_owner(
                around,
                holds[row.shard],
                rescuing.take_over,
                workspace_id=row.workspace_id,
                enrollment_id=row.id,
                holder=row.lock_holder,
            )
        for orphan in found.slots:
            await persistence.write_as_owner(around, holds[orphan.shard], rescuing.return_slot, orphan)
            rescued += 1
        return rescued
