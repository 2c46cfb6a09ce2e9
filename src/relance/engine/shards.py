"""This worker's shards: renewed, taken, drained and handed back; and at any moment, without asking, what it may do.

Rule 1: a lease is counted from before it was asked for, so it ends here earlier than in the database. Whoever was
        stopped and woken finds out by that, before it asks anybody.
Rule 2: a shard that is to go to another is drained first: nothing new begins, what runs is finished, connections close.
Rule 3: over SQLite one engine owns everything, by a lock on a file; its lease cannot be lost.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from relance.ports.clock import Monotonic
from relance.ports.store import Store, StoreError
from relance.ports.telemetry import Log
from relance.services import leasing
from relance.services.leasing import Hold

#: Parts of the lease before whose end nothing is done any more: a margin for a clock slower than the database's.
MARGIN = 1 / 15
#: The lease is renewed this many times in its length.
RENEWALS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """How a worker holds its shards. `alone`: a file lock proves that nobody else works here."""

    owner: str
    seconds: float
    alone: bool


async def _nothing(_: frozenset[int]) -> None:
    return


class Shards:
    """Taken before the engine starts; a `run_once` renews them and shares them with the others."""

    def __init__(self, store: Store, monotonic: Monotonic, log: Log, lease: Lease) -> None:
        self._store = store
        self._monotonic = monotonic
        self._log = log
        self._lease = lease
        self._holds: dict[int, Hold] = {}
        self._leaving: frozenset[int] = frozenset()
        self._acting: tuple[Hold, ...] = ()  #: The same object while nothing changes: it is asked for in every pass.
        self._at_work: dict[int, int] = {}
        self._asked = self._ends = 0.0
        self._live = 0
        self._over = False
        #: Told when there are new ones.
        self.on_taken: Callable[[frozenset[Hold]], None] = lambda _: None
        #: Asked to close what belongs to shards that are about to be handed back.
        self.on_leaving: Callable[[frozenset[int]], Awaitable[None]] = _nothing

    # --- what others ask ---

    def hold(self, shard: int) -> Hold | None:
        """Return the right to begin something for a shard, None if this worker has none."""
        held = self._holds.get(shard)
        return held if held is not None and shard not in self._leaving and self._lasts() else None

    def holds(self) -> tuple[Hold, ...]:
        """Return every such right."""
        return self._acting if self._lasts() else ()

    def still(self, hold: Hold) -> bool:
        """Whether what was begun with this right may be finished: the last look before a dot."""
        return self._lasts() and self._holds.get(hold.shard) == hold

    @contextmanager
    def work(self, hold: Hold) -> Iterator[None]:
        """Keep the shard from being handed back while the block runs."""
        shard = hold.shard
        self._at_work[shard] = self._at_work.get(shard, 0) + 1
        try:
            yield
        finally:
            self._at_work[shard] -= 1
            if not self._at_work[shard]:
                del self._at_work[shard]

    def _lasts(self) -> bool:
        lease = self._lease
        return not self._over and (lease.alone or self._monotonic.seconds() < self._ends - lease.seconds * MARGIN)

    # --- the lease ---

    def patience(self, poll: float) -> float:
        """Real seconds between two passes: often enough to renew, and to see that somebody has come or gone."""
        return self._lease.seconds / RENEWALS if self._lease.alone else min(poll, self._lease.seconds / RENEWALS)

    async def take(self, *, dead: Iterable[str] = ()) -> None:
        """Join the work; `dead` are workers that are known to have ended, whose leases need not run out first."""
        for worker in dead:
            await self._store.write(leasing.leave, owner=worker)
        self._asked = self._monotonic.seconds()
        service = leasing.take_all if self._lease.alone else leasing.take_part
        share = await self._store.write(service, owner=self._lease.owner, lease_seconds=self._lease.seconds)
        self._learn(share)

    async def run_once(self) -> int:
        """Renew the lease when its time has come, or when somebody has come or gone; 0 because no lead moves."""
        try:
            if await self._is_time():
                self._asked = self._monotonic.seconds()
                lease = self._lease
                share = await self._store.write(leasing.take_part, owner=lease.owner, lease_seconds=lease.seconds)
                self._learn(share)
            await self._give_away()
        except StoreError as error:
            self._log.error("shards.not_renewed", error=str(error))
        return 0

    async def _is_time(self) -> bool:
        if self._monotonic.seconds() - self._asked >= self._lease.seconds / RENEWALS:
            return True
        if self._lease.alone:
            return False
        seen = await self._store.read(leasing.outlook)
        short = len(self._holds) < -(-leasing.SHARDS // max(seen.live, 1))
        return seen.live != self._live or (seen.free > 0 and short)

    def _learn(self, share: leasing.Share) -> None:
        before = frozenset(self._holds.values())
        self._holds = {hold.shard: hold for hold in share.holds}
        self._ends = self._asked + self._lease.seconds
        self._live = share.live
        self._leaving = frozenset(hold.shard for hold in share.holds[share.target :])
        if before != frozenset(share.holds) or len(self._acting) != len(share.holds) - len(self._leaving):
            self._acting = share.holds[: share.target]
        taken, lost = frozenset(share.holds) - before, before.difference(share.holds)
        if lost:
            self._log.error("shards.lost", count=len(lost), owner=self._lease.owner)
        if taken:
            self._log.info("shards.taken", count=len(taken), owned=len(share.holds), workers=share.live)
            self.on_taken(taken)

    async def _give_away(self) -> None:
        """Hand back what others are to have, as far as nothing runs for it any more."""
        drained = frozenset(shard for shard in self._leaving if shard not in self._at_work)
        if not drained:
            return
        await self.on_leaving(drained)
        gone = await self._store.write(leasing.hand_back, owner=self._lease.owner, shards=drained)
        self._holds = {shard: hold for shard, hold in self._holds.items() if shard not in gone}
        self._leaving -= gone
        self._log.info("shards.handed_back", count=len(gone), owned=len(self._holds))

    async def hand_back(self) -> None:
        """Let the others go on at once; from then on this process may do nothing more."""
        self._over = True
        await self._store.write(leasing.leave, owner=self._lease.owner)
