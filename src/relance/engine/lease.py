"""Holds the lease of all shards for this engine, and knows at any moment, without asking, whether it still does."""

from collections.abc import Iterable

from relance.ports.clock import Monotonic
from relance.ports.store import Store, StoreBusyError, StoreError
from relance.ports.telemetry import Log
from relance.services import leasing

#: Parts of its length from whose end on nothing is done: a margin for a clock that runs slower than the database's.
MARGIN = 1 / 15
#: It is renewed this many times in its length.
RENEWALS = 3


class Lease:
    """Taken before the engine starts; a `run_once` renews it. `seconds` is its length."""

    def __init__(
        self, store: Store, monotonic: Monotonic, log: Log, *, owner: str, alone: bool, seconds: float
    ) -> None:
        self._store = store
        self._monotonic = monotonic
        self._log = log
        self._owner = owner
        self._alone = alone
        self._seconds = seconds
        self._ends = 0.0
        self._over = False

    @property
    def patience(self) -> float:
        """Real seconds between two renewals."""
        return self._seconds / RENEWALS

    def holds(self) -> bool:
        """Whether this process may still act. One that was stopped and woken finds out here."""
        return not self._over and (self._alone or self._monotonic.seconds() < self._ends - self._seconds * MARGIN)

    async def take(self, *, dead: Iterable[str] = ()) -> None:
        """Take all shards; `dead` are workers that are known to have ended, whose leases need not run out first.

        Raises StoreBusyError if another engine works on this database.
        """
        for worker in dead:
            await self._store.write(leasing.hand_back, owner=worker)
        asked = self._monotonic.seconds()
        outcome = await self._store.write(
            leasing.take_all, owner=self._owner, lease_seconds=self._seconds, alone=self._alone
        )
        match outcome:
            case leasing.Taken():
                self._ends = asked + self._seconds
            case leasing.HeldElsewhere(owner=owner, until=until):
                raise StoreBusyError(
                    f"another engine ({owner}) works on this database until {until:%H:%M:%S} UTC at least; "
                    "stop it, or wait for its lease to end if it has died"
                )

    async def run_once(self) -> int:
        """Renew the lease; 0 because nothing else moves."""
        asked = self._monotonic.seconds()
        try:
            renewed = await self._store.write(leasing.renew, owner=self._owner, lease_seconds=self._seconds)
        except StoreError as error:
            self._log.error("lease.not_renewed", error=str(error))
            return 0
        if renewed:
            self._ends = asked + self._seconds
        elif self._alone:
            await self.take()
        else:
            self._ends = 0.0
            self._log.error("lease.lost", owner=self._owner)
            await self._take_again()
        return 0

    async def _take_again(self) -> None:
        """Go on after the database was away for longer than the lease, if nobody else has come meanwhile."""
        try:
            await self.take()
        except StoreError as error:
            self._log.error("lease.not_taken", error=str(error))
        else:
            self._log.warning("lease.taken_again", owner=self._owner)

    async def hand_back(self) -> None:
        """Let the next engine start at once; from then on this process may do nothing more."""
        self._over = True
        await self._store.write(leasing.hand_back, owner=self._owner)
