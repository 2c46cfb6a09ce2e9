"""Reads mailboxes: fetches after each folder's cursor, stores raw messages and cursor together, lets them be ingested.

Rule 1: freshness is the start of a read, and moves only when every folder was read and everything read is ingested.
Rule 2: one read of a mailbox at a time; who asks meanwhile gets the result of the running one.
Rule 3: only the owner of a mailbox's shard reads it; whoever else needs it read asks through the database.
Rule 4: workspaces take turns: one's twenty thousand mailboxes keep nobody else's from being read.
Rule 5: the sweep comes round for every mailbox, staggered; it finds what no notification told.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from relance.core import splitting
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.engine import persistence
from relance.engine.admission import Admission
from relance.engine.connections import Connections
from relance.engine.ingester import Ingester
from relance.engine.reading_plan import ReadingPlan
from relance.engine.surroundings import Box, Surroundings, mailbox_of
from relance.ports.connector import ConnectorError, Cursor, LoginRefusedError
from relance.ports.store import Reader, StoreError
from relance.services import ingestion, mailboxes
from relance.services.leasing import FencedError, Hold, these
from relance.services.refusals import LostRaceError

#: How far back the first contact with a folder, or the back-fill after a lost cursor, goes at most.
BACKFILL = timedelta(days=30)
#: Mail that came in this long before a mailbox was connected is read too: an answer to the message just sent by hand.
BEFORE_CONNECTED = timedelta(days=1)

#: Reads are shared out by workspace alone: one that fails rests, so that no server that hangs can keep its place.
EVERY_SERVER = ""
#: After a look at every mailbox, this many times as long without one: however many there are, it takes 5 % of a core.
LOOK_SHARE = 20


class Poller:
    """One pass starts the read of every mailbox that a notification, a sweep or a start has made due."""

    on_done: Callable[[bool], None]  #: Told of every read that has ended, and whether it changed anything.
    in_use: Callable[[int], bool]  #: Whether something is being sent from a mailbox: a removed one finishes that.

    def __init__(self, around: Surroundings, connections: Connections, ingester: Ingester) -> None:
        self._around = around
        self._connections = connections
        self._ingester = ingester
        self._wanted: set[Box] = set()
        self._running: dict[Box, asyncio.Task[bool]] = {}
        self._moved: set[Box] = set()  #: Being read, and something came in or trouble is over.
        self.plan = ReadingPlan()
        self._look_at = 0.0  #: Monotonic seconds before which not every mailbox is looked at again.
        self.on_done = lambda _moved: None
        self.in_use = lambda _mailbox_id: False
        at_once = around.limits.reads_at_once
        self._admission = Admission(at_once=at_once, first_room=at_once)

    @property
    def idle(self) -> bool:
        """Whether nothing is being read or waits to be."""
        return not self._running and not self._wanted

    @property
    def reading(self) -> bool:
        """Whether anything is being read."""
        return bool(self._running)

    def want(self, box: Box) -> None:
        """Ask for a read at the next pass."""
        self._wanted.add(box)

    def look_anew(self) -> None:
        """Look at every mailbox at the next pass: one may have come back."""
        self._look_at = 0.0

    async def refresh(self, box: Box) -> bool:
        """Read one mailbox now; return whether every folder was read and ingested."""
        return await asyncio.shield(self._running.get(box) or self._start(box))

    def _start(self, box: Box) -> asyncio.Task[bool]:
        self.plan.sweep(box, self._around.clock.now())  # until the read itself says more
        task = asyncio.create_task(self._read(box), name=f"read {box.mailbox_id}")
        self._running[box] = task
        task.add_done_callback(lambda _: self._done(box))
        return task

    def _done(self, box: Box) -> None:
        del self._running[box]
        first = self.plan.note_try(box)
        moved = first or box in self._moved
        self._moved.discard(box)
        self.on_done(moved)

    async def close(self) -> None:
        """End the reads that are running; what they stored stands."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def run_once(self) -> int:
        """Run a pass; the number is that of reads started.

        A look at every mailbox costs more the more there are. Between two of them only what was asked for and what the
        plan knows to be due is started; what is asked for and not known yet leads to a look.
        """
        now = self._around.clock.now()
        holds = self._around.shards.holds()
        began = self._around.monotonic.seconds()
        if began < self._look_at and self.plan.is_of(holds) and all(map(self.plan.knows, self._wanted)):
            return self._start_known(now)
        connected = await self._around.store.read(_connected, tuple(hold.shard for hold in holds))
        boxes = {Box(workspace_id=m.workspace_id, mailbox_id=m.id): m for m in connected}
        for gone in self.plan.look(boxes, holds, in_use=self.in_use):
            await self._connections.drop(gone)
        wanted = {box for box in self._wanted if box not in self._running}
        self._wanted -= wanted  # what came in during a running read is read again after it
        due = [
            box
            for box, m in boxes.items()
            if box not in self._running
            and (box in wanted or m.asked_for or self.plan.is_due(box, now))
            and not self.plan.rests(box, now)
        ]
        for box in due:
            self._start(box)
        ended = self._around.monotonic.seconds()
        self._look_at = ended + LOOK_SHARE * (ended - began)
        return len(due)

    def _start_known(self, now: datetime) -> int:
        """Start reads of mailboxes that were there at the last look."""
        wanted = {box for box in self._wanted if box not in self._running}
        self._wanted -= wanted
        due = {box for box in wanted | self.plan.take_due(now) if box not in self._running}
        due = {box for box in due if not self.plan.rests(box, now)}
        for box in due:
            self._start(box)
        return len(due)

    def _next_sweep(self, box: Box, now: datetime) -> datetime:
        limits = self._around.limits
        spread = (limits.sweep_most - limits.sweep_least) * splitting.uniform(str(box.mailbox_id), "sweep")
        return now + limits.sweep_least + spread

    async def _read(self, box: Box) -> bool:
        ticket = await self._admission.enter(box.workspace_id, EVERY_SERVER)
        try:
            return await self._read_all_folders(box)
        except (StoreError, LostRaceError) as error:
            self._around.log.error("store.not_writing", error=str(error), what="read")
            return False
        except FencedError as error:
            self._around.log.warning("read.fenced", mailbox=box.mailbox_id, error=str(error))
            return False
        finally:
            ticket.leave(well=True)

    async def _read_all_folders(self, box: Box) -> bool:
        around = self._around
        ids = {"workspace_id": box.workspace_id, "mailbox_id": box.mailbox_id}
        mailbox, cursors, staged = await around.store.read(_to_read, box)
        if mailbox is None or mailbox.status is MailboxStatus.REMOVED:
            return False
        hold = around.shards.hold(mailbox.shard)
        if hold is None:
            await persistence.write(around, mailboxes.ask_for_reading, **ids, now=around.clock.now())
            return False
        with around.shards.work(hold):
            return await self._read_as_owner(box, hold, mailbox, cursors, staged=staged)

    async def _read_as_owner(
        self, box: Box, hold: Hold, mailbox: Mailbox, cursors: Mapping[str, Cursor], *, staged: bool
    ) -> bool:
        around = self._around
        ids = {"workspace_id": box.workspace_id, "mailbox_id": box.mailbox_id}
        started_at = around.clock.now()
        self.plan.sweep(box, self._next_sweep(box, started_at))
        since = max(mailbox.created_at - BEFORE_CONNECTED, started_at - BACKFILL)
        try:
            connector = await self._connections.of(mailbox)
            async for batch in connector.read(cursors, since=since):
                staged = staged or bool(batch.messages)
                await persistence.write_as_owner(
                    around, hold, ingestion.stage_batch, **ids, batch=batch, now=around.clock.now()
                )
        except (StoreError, LostRaceError, FencedError):
            raise
        except Exception as error:  # noqa: BLE001  # what a connector did not think of must rest the mailbox too
            await self._failed(box, hold, error)
            return False
        taken = 0
        if staged and not self.plan.has_tried(box):  # what left unknown to us must be known before its answers are read
            taken += await self._ingester.drain_copies(box)
        if staged:  # most reads bring nothing, and what a read before left behind is known since this one began
            taken += await self._ingester.drain(box)
        if taken or mailbox.consecutive_failures:
            self._moved.add(box)
        await persistence.write(around, mailboxes.mark_read, **ids, started_at=started_at, now=around.clock.now())
        return True

    async def _failed(self, box: Box, hold: Hold, error: Exception) -> None:
        around = self._around
        refused = isinstance(error, LoginRefusedError) and not error.temporary
        until = await persistence.write_as_owner(
            around,
            hold,
            mailboxes.reading_failed,
            workspace_id=box.workspace_id,
            mailbox_id=box.mailbox_id,
            status=MailboxStatus.AUTH_ERROR if refused else MailboxStatus.UNREACHABLE,
            error=str(error) if isinstance(error, ConnectorError) else repr(error),
            now=around.clock.now(),
        )
        self.plan.rest(box, until)
        around.log.warning("mailbox.not_read", mailbox=box.mailbox_id, error=str(error), until=until)


def _connected(reader: Reader, shards: tuple[int, ...]) -> list[mailboxes.Connected]:
    return reader.all(mailboxes.Connected, "mailboxes.to_read", shard_list=these(shards))


def _to_read(reader: Reader, box: Box) -> tuple[Mailbox | None, dict[str, Cursor], bool]:
    ids = {"workspace_id": box.workspace_id, "mailbox_id": box.mailbox_id}
    return mailbox_of(reader, box), mailboxes.cursors(reader, **ids), ingestion.is_anything_staged(reader, **ids)
