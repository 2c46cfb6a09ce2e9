"""Playing the future: the engine of production over the copy, while the clock jumps from event to event."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from relance.core.address_check import AddressVerdict, Verification
from relance.engine.contents import LeftOut
from relance.engine.engine import Engine
from relance.engine.shards import Lease, Shards
from relance.engine.surroundings import Limits, Surroundings
from relance.forecast.silent_world import SilentWorld
from relance.ports.addresses import Finding
from relance.ports.clock import Monotonic
from relance.ports.generation import Generation
from relance.ports.journal import OptOut
from relance.ports.store import Store
from relance.sandbox.clock import SandboxClock
from relance.services import forecasting, scheduling
from relance.services.situations import Keys

_WORKER = "forecast"
_LEASE = 3600.0
#: Real seconds without coming to rest after which something is wrong; more for more mailboxes than people play with.
_REST_LIMIT = 60.0


class Silence:
    """Implements `relance.ports.telemetry.Log`: what did not happen is not logged."""

    def info(self, event: str, /, **facts: object) -> None:
        """Say nothing."""

    def warning(self, event: str, /, **facts: object) -> None:
        """Say nothing."""

    def error(self, event: str, /, **facts: object) -> None:
        """Say nothing."""


@dataclass(slots=True)
class Memory:
    """Implements `relance.ports.journal.OptOutJournal` and `relance.ports.generation.GenerationFile`: kept nowhere."""

    kept: Generation | None
    written: list[OptOut] = field(default_factory=list)

    def append(self, entries: Iterable[OptOut]) -> None:
        """Keep them for as long as the forecast lasts."""
        self.written.extend(entries)

    def entries(self) -> Iterator[OptOut]:
        """Yield what was kept."""
        return iter(self.written)

    def read(self) -> Generation | None:
        """Return what was kept."""
        return self.kept

    def write(self, generation: Generation) -> None:
        """Replace it."""
        self.kept = generation


class TakenForValid:
    """Supposes that every address takes mail; implements `ports.addresses.AddressChecker`. The world is not asked."""

    async def check(self, address: str, question: Verification) -> Finding:
        """Say yes."""
        del question
        return Finding(verdict=AddressVerdict.VALID, reason=f"supposed of {address}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How far it went. `evenings`: the ends of days (UTC) at which somebody was left who had been due."""

    since: datetime
    until: datetime
    evenings: Mapping[date, forecasting.Evening]


async def play(
    store: Store,
    clock: SandboxClock,
    world: SilentWorld,
    *,
    keys: Keys,
    monotonic: Monotonic,
    days: int,
    rest: float = _REST_LIMIT,
) -> Played:
    """Run until nobody moves any more, or for so many days."""
    log = Silence()
    shards = Shards(store, monotonic, log, Lease(owner=_WORKER, seconds=_LEASE, alone=True))
    around = Surroundings(
        store=store,
        clock=clock,
        monotonic=monotonic,
        log=log,
        keys=keys,
        worker=_WORKER,
        connect=world.connect,
        shards=shards,
        contents=LeftOut(),
        addresses=TakenForValid(),
        limits=Limits(),
    )
    memory = Memory(await store.read(forecasting.generation))
    engine = Engine(around, shards, memory, memory)
    since, evenings = clock.now(), {}
    ends_at = since + timedelta(days=days)
    await engine.start()
    try:
        while True:
            async with asyncio.timeout(rest):
                await engine.settle()
            now = clock.now()
            upcoming = [at for at in (await engine.next_event(), world.next_event()) if at is not None]
            over = not upcoming or min(upcoming) > ends_at or not await store.read(scheduling.is_anybody_walking)
            if over or min(upcoming).date() > now.date():
                evening = await store.read(forecasting.evening, since=max(since, _midnight(now)))
                evenings.update({now.date(): evening} if evening.waiting else {})
            if over:
                return Played(since=since, until=now, evenings=evenings)
            clock.jump(max(now, min(upcoming)))
            world.run_due(clock.now())
            engine.time_has_jumped()
    finally:
        await engine.drain()


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)
