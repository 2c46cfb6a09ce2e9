"""An engine over a real store, a mail world in memory, and clocks that stand still until a test moves them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.core.sequence import Plan, Sequence, Step
from relance.core.workspace import Workspace
from relance.engine.connections import Connections
from relance.engine.contents import StoredContents
from relance.engine.dispatcher import Dispatcher
from relance.engine.engine import Engine
from relance.engine.ingester import Ingester
from relance.engine.poller import Poller
from relance.engine.reconciler import Reconciler
from relance.engine.rescuer import Rescuer
from relance.engine.sender import Sender
from relance.engine.shards import Lease, Shards
from relance.engine.surroundings import Box, Limits, Rights, Surroundings
from relance.engine.verifier import Verifier
from relance.ports.generation import Generation
from relance.ports.journal import OptOut
from relance.ports.store import Reader, Store
from relance.services import leasing, scheduling
from relance.services.leasing import Hold
from relance.testing import builders
from relance.testing.builders import KEYS
from relance.testing.fake_checker import FakeChecker
from relance.testing.fake_clock import FakeClock, FakeMonotonic
from relance.testing.fake_connector import FakeMailbox, MailWorld
from relance.testing.faulty_store import FaultyStore

WITHIN = 20.0  #: Real seconds after which what must happen has not happened.
NEVER = 3600.0
LEASE = 30.0
LIMITS = Limits(poll=NEVER, watch_check=NEVER, rescue_every=NEVER)  #: Loops look when woken, and only then.


class Notes:
    """Implements `ports.telemetry.Log` by remembering."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, object]]] = []

    def info(self, event: str, /, **facts: object) -> None:
        """Remember."""
        self.lines.append((event, facts))

    warning = error = info

    def said(self, event: str) -> list[dict[str, object]]:
        """Return the facts of every line of that name."""
        return [facts for name, facts in self.lines if name == event]


class Journal:
    """Implements `ports.journal.OptOutJournal` in memory."""

    def __init__(self) -> None:
        self.kept: list[OptOut] = []

    def append(self, entries: Iterable[OptOut]) -> None:
        """Keep."""
        self.kept.extend(entries)

    def entries(self) -> Iterator[OptOut]:
        """Return what is kept."""
        return iter(self.kept)


class Generations:
    """Implements `ports.generation.GenerationFile` in memory."""

    def __init__(self) -> None:
        self.kept: Generation | None = None

    def read(self) -> Generation | None:
        """Return what is kept."""
        return self.kept

    def write(self, generation: Generation) -> None:
        """Keep."""
        self.kept = generation


class AllRights:
    """Implements `engine.surroundings.Rights`: all shards, or none, for whoever asks."""

    def __init__(self) -> None:
        self.given = True
        self._holds: dict[int, Hold] = {}
        self._all: tuple[Hold, ...] = ()  #: The same object while nothing changes, as the real one.

    async def take(self, store: Store) -> None:
        """Own them in the database too."""
        share = await store.write(leasing.take_all, owner="rig", lease_seconds=LEASE)
        self._holds = {hold.shard: hold for hold in share.holds}
        self._all = share.holds

    def hold(self, shard: int) -> Hold | None:
        """Return the right to one."""
        return self._holds[shard] if self.given else None

    def holds(self) -> tuple[Hold, ...]:
        """Return all."""
        return self._all if self.given else ()

    def still(self, hold: Hold) -> bool:
        """Whether it is held."""
        return self.given and self._holds[hold.shard] == hold

    def work(self, hold: Hold) -> AbstractContextManager[None]:  # noqa: ARG002  # the port's signature
        """Nobody takes it away."""
        return nullcontext()


class Rig:
    """Builds the parts of an engine, alone or together."""

    def __init__(self, store: Store) -> None:
        self.store = FaultyStore(store)
        self.clock = FakeClock()
        self.monotonic = FakeMonotonic()
        self.log = Notes()
        self.journal = Journal()
        self.generation = Generations()
        self.world = MailWorld(self.clock)
        self.addresses = FakeChecker()
        self.workspace: Workspace
        self.rights = AllRights()
        self._workers = 0

    # --- what there is ---

    async def prepare(
        self, *steps: Step, saves_sent: bool | None = True, learned: bool = True, **policy: Any
    ) -> FakeMailbox:
        """Make a workspace with one mailbox and one published sequence; return the mailbox on the server's side."""
        self.workspace = await self.store.write(builders.workspace)
        await self.rights.take(self.store)
        box = await self.mailbox("bo@ours.example", saves_sent=saves_sent, learned=learned)
        await self.store.write(builders.published, self.workspace, builders.plan(*steps, **policy))
        return box

    async def mailbox(
        self,
        address: str,
        *,
        workspace: Workspace | None = None,
        saves_sent: bool | None = True,
        learned: bool = True,
        **changes: Any,
    ) -> FakeMailbox:
        """Connect one mailbox; `learned`: the product knows already whether its server keeps copies."""
        box = self.world.add(address, saves_sent=saves_sent)
        known = {"saves_sent": bool(saves_sent) if learned else None, "ids_survive": True if learned else None}
        facts = {**known, "daily_cap": 500, "hourly_cap": 500, **changes}
        await self.store.write(builders.mailbox, workspace or self.workspace, address, now=self.clock.now(), **facts)
        return box

    async def publish(self, plan: Plan, workspace: Workspace | None = None) -> Sequence:
        """Publish one sequence more."""
        return await self.store.write(builders.published, workspace or self.workspace, plan, now=self.clock.now())

    async def person(self, email: str, sequence: str = "q4", workspace: Workspace | None = None) -> Enrollment:
        """Enroll one lead."""
        where = workspace or self.workspace
        lead = await self.store.write(builders.lead, where, email, now=self.clock.now())
        return await self.store.write(builders.enrollment, where, lead, sequence, now=self.clock.now())

    # --- the engine and its parts ---

    def around(self, worker: str = "w1", limits: Limits = LIMITS, shards: Rights | None = None) -> Surroundings:
        """Return the surroundings of one process."""
        return Surroundings(
            store=self.store,
            clock=self.clock,
            monotonic=self.monotonic,
            log=self.log,
            keys=KEYS,
            worker=worker,
            connect=self.world.connect,
            shards=shards or self.rights,
            contents=StoredContents(self.store),
            addresses=self.addresses,
            limits=limits,
        )

    def engine(self, *, limits: Limits = LIMITS) -> Engine:
        """Make an engine in a process of its own."""
        self._workers += 1
        worker = f"w{self._workers}"
        shards = self.shards(worker)
        return Engine(self.around(worker, limits, shards), shards, self.journal, self.generation)

    def shards(self, worker: str, *, alone: bool = True, seconds: float = LEASE) -> Shards:
        """Return one worker's shards, not taken yet."""
        return Shards(self.store, self.monotonic, self.log, Lease(owner=worker, seconds=seconds, alone=alone))

    @asynccontextmanager
    async def running(self, *, limits: Limits = LIMITS) -> AsyncIterator[Engine]:
        """Start an engine, and drain it at the end."""
        engine = self.engine(limits=limits)
        await engine.start()
        try:
            yield engine
        finally:
            async with asyncio.timeout(WITHIN):
                await engine.drain()

    def parts(self, worker: str = "w1") -> "Parts":
        """Return the loops of one process, to be driven pass by pass."""
        return Parts(self.around(worker))

    async def settle(self, engine: Engine) -> None:
        """Wait until the engine has come to rest."""
        async with asyncio.timeout(WITHIN):
            await engine.settle()

    async def play(self, engine: Engine, *, until: datetime | None = None, most: int = 500) -> None:
        """Let time jump from event to event until everyone has ended, or to an instant."""
        for _ in range(most):
            await self.settle(engine)
            standing = await self.store.read(scheduling.standing, now=self.clock.now())
            following = await engine.next_event()
            if standing.walking == 0 and standing.unknown == 0:
                return
            if following is None or (until is not None and following > until):
                if until is not None:
                    self.clock.jump(until)
                return
            self.clock.jump(following)
            engine.time_has_jumped()
        raise AssertionError(f"not at rest after {most} jumps")

    # --- looking ---

    async def again(self, run: Enrollment) -> Enrollment:
        """Return an enrollment as it is now."""
        ids = {"workspace_id": run.workspace_id, "id": run.id}
        found = await self.store.inner.read(lambda reader: reader.one(Enrollment, "enrollments.get", **ids))
        assert found is not None
        return found

    async def attempts(self, run: Enrollment) -> list[Attempt]:
        """Return an enrollment's attempts."""
        ids = {"workspace_id": run.workspace_id, "enrollment_id": run.id}
        return await self.store.inner.read(lambda reader: reader.all(Attempt, "attempts.of_enrollment", **ids))

    async def box(self, address: str = "bo@ours.example") -> Mailbox:
        """Return a mailbox as the product knows it."""

        def find(reader: Reader) -> Mailbox:
            found = reader.one(Mailbox, "mailboxes.by_address", workspace_id=self.workspace.id, address=address)
            assert found is not None
            return found

        return await self.store.inner.read(find)

    async def box_name(self, address: str = "bo@ours.example") -> Box:
        """Return a mailbox's name in the engine."""
        box = await self.box(address)
        return Box(workspace_id=box.workspace_id, mailbox_id=box.id)

    def subjects(self, recipient: str) -> list[str]:
        """Return the ids of what a person received, in order."""
        return [one.message_id for one in self.world.received_by(recipient)]

    def later(self, **by: float) -> datetime:
        """Let the domain's time pass."""
        return self.clock.advance(timedelta(**by))


class Parts:
    """The loops of one process, each to be driven by its passes."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.connections = Connections(around)
        self.ingester = Ingester(around)
        self.verifier = Verifier(around)
        self.poller = Poller(around, self.connections, self.ingester)
        self.sender = Sender(around, self.connections, self.poller.refresh)
        self.dispatcher = Dispatcher(around, self.sender.send)
        self.reconciler = Reconciler(around, self.connections)
        self.rescuer = Rescuer(around, self.dispatcher.is_sending)

    async def send_one(self) -> int:
        """Do one pass of the dispatcher and wait until what it claimed is sent; return how many claims it made."""
        done = asyncio.Event()
        self.dispatcher.on_done = done.set
        claimed = await self.dispatcher.claim_free()
        async with asyncio.timeout(WITHIN):
            while not self.dispatcher.idle:
                done.clear()
                await done.wait()
        return claimed


async def die(mine: set["asyncio.Task[Any]"]) -> None:
    """End every task that was started since `mine` were all there were, as `kill -9` does: without a last word."""
    others = asyncio.all_tasks() - mine
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def until(true: Callable[[], bool]) -> None:
    """Let the others run until something holds that no event tells of."""
    async with asyncio.timeout(WITHIN):
        while not true():  # noqa: ASYNC110  # what is waited for is a number that grows in somebody else's hands
            await asyncio.sleep(0)
