"""Takes over what a process that died has left behind; see `relance.services.rescuing` for the rules."""

from collections.abc import Callable
from datetime import datetime

from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment
from relance.engine import persistence
from relance.engine.surroundings import Surroundings
from relance.services import rescuing

_AT_ONCE = 500


class Rescuer:
    """One pass frees dead holders' rows, calls abandoned messages unknown, and returns forgotten slots.

    One engine works on one database at a time (the file lock, or the lease of all shards), so any other holder is dead.
    `at_work` says of a workspace's enrollment whether this process is sending it: that is left alone, however long it
    takes, since its sender knows better than any deadline what became of it.
    """

    def __init__(self, around: Surroundings, at_work: Callable[[int, int], bool] = lambda *_: False) -> None:
        self._around = around
        self._at_work = at_work
        self._since = around.clock.now()

    def took_over(self, at: datetime) -> None:
        """Note when this engine became the only one: what is in flight since before was left by another."""
        self._since = at

    async def run_once(self) -> int:
        """Run a pass; the number is that of records rescued."""
        around, rescued = self._around, 0
        if not around.lease_holds():
            return 0
        found = await around.store.read(
            rescuing.left_behind, worker=around.worker, since=self._since, now=around.clock.now(), limit=_AT_ONCE
        )
        for attempt in found.abandoned:
            if self._is_sending(attempt):
                continue
            await persistence.write(around, rescuing.give_up_on, attempt, now=around.clock.now())
            around.log.warning("attempt.abandoned", attempt=attempt.id)
            rescued += 1
        for row in found.locked:
            if self._is_sending(row):
                continue
            rescued += await persistence.write(
                around,
                rescuing.take_over,
                workspace_id=row.workspace_id,
                enrollment_id=row.id,
                holder=row.lock_holder or "",
            )
        for attempt in found.slots:
            await persistence.write(around, rescuing.return_slot, attempt)
            rescued += 1
        return rescued

    def _is_sending(self, found: Attempt | Enrollment) -> bool:
        enrollment_id = found.enrollment_id if isinstance(found, Attempt) else found.id
        return self._at_work(found.workspace_id, enrollment_id)
