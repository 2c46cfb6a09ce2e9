"""The engine: every loop of this process, wired together.

Follow a lead outward through dispatcher → sender, inward through watcher → poller → ingester; reconciler and rescuer
see to what was lost, the walker to steps that send nothing, the answerer to what people write by hand, the recoverer to
what an older state that was put back has forgotten.
"""

import asyncio
from collections.abc import Iterable
from datetime import datetime

from relance.core import defaults
from relance.engine.answerer import Answerer
from relance.engine.connections import Connections
from relance.engine.dispatcher import Dispatcher
from relance.engine.housekeeper import Housekeeper
from relance.engine.ingester import Ingester
from relance.engine.loop import Loop
from relance.engine.poller import Poller
from relance.engine.reconciler import Reconciler
from relance.engine.recoverer import Recoverer
from relance.engine.rescuer import Rescuer
from relance.engine.sender import Sender
from relance.engine.shards import Shards
from relance.engine.supervisor import Health, Supervisor
from relance.engine.surroundings import Box, Surroundings
from relance.engine.verifier import Verifier
from relance.engine.walker import Walker
from relance.engine.watcher import Watcher
from relance.ports.generation import GenerationFile
from relance.ports.journal import OptOutJournal
from relance.services import scheduling
from relance.services.leasing import Hold

#: Loops whose work becomes due by the domain's time, by what becomes due; the others are woken by what happens.
_TIMED = {
    "rows": ("dispatcher", "walker"),
    "senders": ("dispatcher",),
    "looks": ("reconciler", "rescuer"),
    "answers": ("answerer",),
    "recoveries": ("recoverer",),
}

#: Loops for which any movement may have made something ready.
_FOLLOWING = ("dispatcher", "walker", "reconciler", "verifier")


class Engine:
    """Starts, drains and watches over the loops."""

    def __init__(
        self, around: Surroundings, shards: Shards, journal: OptOutJournal, generation: GenerationFile
    ) -> None:
        self._around = around
        self._shards = shards
        self._connections = Connections(around)
        ingester = Ingester(around)
        self._poller = Poller(around, self._connections, ingester)
        sender = Sender(around, self._connections, self._poller.refresh)
        self._dispatcher = Dispatcher(around, sender.send)
        self._watcher = Watcher(around, self._connections, self._want)
        self._rescuer = Rescuer(around, self._dispatcher.is_sending)
        self._recoverer = Recoverer(
            around,
            self._connections,
            ingester,
            journal=journal,
            file=generation,
            at_rest=lambda: self._dispatcher.idle and not self._poller.reading,
        )
        walker = Walker(around)
        answerer = Answerer(around)
        poll = around.limits.poll
        self._loops = {
            "dispatcher": Loop("dispatcher", self._dispatcher.run_once, patience=poll),
            "answerer": Loop("answerer", answerer.run_once, patience=poll),
            "walker": Loop("walker", walker.run_once, patience=poll),
            "poller": Loop("poller", self._poller.run_once, patience=poll),
            "ingester": Loop("ingester", ingester.run_once, patience=around.limits.watch_check),
            "reconciler": Loop("reconciler", Reconciler(around, self._connections).run_once, patience=poll),
            "verifier": Loop("verifier", Verifier(around).run_once, patience=poll),
            "housekeeper": Loop(
                "housekeeper", Housekeeper(around, journal).run_once, patience=around.limits.watch_check
            ),
            "recoverer": Loop(
                "recoverer", self._recoverer.run_once, patience=defaults.GENERATION_EVERY.total_seconds()
            ),
            "rescuer": Loop("rescuer", self._rescuer.run_once, patience=around.limits.rescue_every),
        }
        if around.limits.watch:
            self._loops["watcher"] = Loop("watcher", self._watcher.run_once, patience=around.limits.watch_check)
        self._keeper = Loop("shards", shards.run_once, patience=shards.patience(poll))
        self._supervisor = Supervisor([*self._loops.values(), self._keeper], around.monotonic, around.log)
        #: Set whenever the engine may have come to rest; who waits clears it before looking.
        self.changed = asyncio.Event()
        self._upcoming: scheduling.Upcoming | None = None  #: As last asked for; None: anything may be due.
        self._dispatcher.on_done = self._moved
        self._dispatcher.unread = self._poller.plan.unread
        self._dispatcher.known = self._poller.plan.known
        shards.on_taken = self._taken
        shards.on_leaving = self._leave
        self._dispatcher.unchanged = walker.unchanged = answerer.unchanged = self._recoverer.unchanged
        self._recoverer.on_changed = ingester.on_proof = self._loops["recoverer"].wake
        ingester.first_read = self._poller.plan.first_read
        self._poller.on_done = self._read
        self._poller.in_use = self._dispatcher.is_sending_from
        for name, loop in self._loops.items():
            if name != "dispatcher":  # a claim moves nothing yet; `on_done` tells when its send has
                loop.on_moved = self._moved
            loop.on_idle = self.changed.set
        self._loops["recoverer"].on_moved = self._recovered

    async def start(self, *, dead: Iterable[str] = ()) -> None:
        """Take shards and start every loop; `dead` are workers before us that are known to have ended."""
        await self._shards.take(dead=dead)
        await self._recoverer.count()
        self._supervisor.start()

    async def drain(self) -> None:
        """Finish and record what is being sent, then stop."""
        await self._dispatcher.drain()
        await self._supervisor.stop()
        await self._watcher.close()
        await self._poller.close()
        await self._connections.close()
        await self._shards.hand_back()

    def time_has_jumped(self) -> None:
        """Let every loop look again whose work has become due, as `next_event` and the poller say."""
        now = self._around.clock.now()
        if self._poller.plan.has_due(now):
            self._loops["poller"].wake()
        for kind, names in _TIMED.items():
            at = getattr(self._upcoming, kind) if self._upcoming is not None else now
            if at is not None and at <= now:
                for name in names:
                    self._loops[name].wake()
        self._upcoming = None

    @property
    def idle(self) -> bool:
        """Whether every loop has looked and found nothing to do, nothing is being sent and nothing is being read."""
        return self._dispatcher.idle and self._poller.idle and all(loop.idle for loop in self._loops.values())

    async def settle(self) -> None:
        """Return once the engine is idle and every mailbox was read, or tried, since the start."""
        while True:
            self.changed.clear()
            if self.idle and self._poller.plan.has_tried_all:
                return
            await self.changed.wait()

    async def next_event(self) -> datetime | None:
        """Return when something becomes ready next, by the domain's clock."""
        self._upcoming = await self._around.store.read(scheduling.upcoming, now=self._around.clock.now())
        return self._upcoming.earliest

    def health(self) -> list[Health]:
        """Return how every loop does."""
        return self._supervisor.health()

    def _want(self, box: Box) -> None:
        self._poller.want(box)
        self._loops["poller"].wake()

    def _taken(self, holds: frozenset[Hold]) -> None:
        """Read first what has become ours, then send; take over what its owner before has left."""
        self._rescuer.took_over(holds, self._around.clock.now())
        for name in ("poller", "rescuer", "watcher"):
            if name in self._loops:
                self._loops[name].wake()

    async def _leave(self, shards: frozenset[int]) -> None:
        await self._watcher.leave(shards)
        await self._connections.leave(shards)

    def _moved(self) -> None:
        """Something moved: what it made ready is looked for at once, wherever it is ready now."""
        for name in _FOLLOWING:
            self._loops[name].wake()
        if self._recoverer.waiting:
            self._loops["recoverer"].wake()
        self.changed.set()

    def _recovered(self) -> None:
        """Look again at everything: a mailbox was read back, and may go on."""
        self._poller.look_anew()
        for name in ("poller", "watcher"):
            if name in self._loops:
                self._loops[name].wake()
        self._moved()

    def _read(self, moved: bool) -> None:  # noqa: FBT001  # the poller's own word
        self._loops["poller"].wake()
        if moved:
            self._moved()
        elif self._recoverer.waiting:  # for this read to end, perhaps
            self._loops["recoverer"].wake()
        self.changed.set()
