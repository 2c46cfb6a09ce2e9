"""Copies opt-outs into the journal outside the database, sums up what was counted, and keeps tables small."""

import asyncio
from datetime import datetime, timedelta

from relance.engine.surroundings import Surroundings
from relance.ports.journal import OptOut, OptOutJournal
from relance.services import housekeeping, numbers
from relance.services.leasing import FIRST

_AT_ONCE = 500
_FOLDED_AT_ONCE = 2_000
#: Between two prunings, by the domain's clock.
PRUNE_EVERY = timedelta(hours=1)


class Housekeeper:
    """One pass journals what is new, folds what was counted and, once an hour, prunes.

    Every worker journals, since each may have a data directory of its own; the first shard's owner alone does the
    rest.
    """

    def __init__(self, around: Surroundings, journal: OptOutJournal) -> None:
        self._around = around
        self._journal = journal
        self._seen: dict[int, int] = {}
        self._written: set[tuple[str, str, str]] | None = None
        self._pruned_at: datetime | None = None

    async def run_once(self) -> int:
        """Run a pass; the number is that of opt-outs journalled."""
        journalled = await self._journal_opt_outs()
        now = self._around.clock.now()
        first = self._around.shards.hold(FIRST)
        if first is None:
            return journalled
        while await self._around.store.write(numbers.fold, limit=_FOLDED_AT_ONCE) == _FOLDED_AT_ONCE:
            pass
        if self._pruned_at is None or now - self._pruned_at >= PRUNE_EVERY:
            await self._around.store.write(housekeeping.prune, now=now)
            self._pruned_at = now
        return journalled

    async def _journal_opt_outs(self) -> int:
        found = await self._around.store.read(housekeeping.opt_outs_after, seen=self._seen, size=_AT_ONCE)
        if not found:
            return 0
        if self._written is None:
            self._written = {_key(entry) for entry in await asyncio.to_thread(lambda: list(self._journal.entries()))}
        fresh = [entry for _, _, entry in found if _key(entry) not in self._written]
        await asyncio.to_thread(self._journal.append, fresh)
        self._written.update(_key(entry) for entry in fresh)
        for workspace_id, row_id, _ in found:
            self._seen[workspace_id] = max(row_id, self._seen.get(workspace_id, 0))
        return len(found)


def _key(entry: OptOut) -> tuple[str, str, str]:
    return entry.workspace_uid, entry.digest, entry.reason
