"""Notices that an older state was put back, and reads back what was done since before anything is sent.

Rule 1: the number that tells states apart is compared and grows at the start, and then every few seconds.
Rule 2: opt-outs come first, then all Sent folders of a workspace, then all answers; see `relance.services.recovering`.
        Those that only their log knows are taken over at every start: database and log may come from two copies, and
        a state without a mailbox has nothing else to recover.
Rule 3: the last reading of Sent begins when what was under way has had its time, and something that left late enough
        lies there; the first begins at once, because there may be much to read.
Rule 4: what this process was sending when the state changed under it is let come to its end first.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from relance.core import defaults
from relance.core.mailbox import Mailbox
from relance.engine import persistence
from relance.engine.connections import Connections
from relance.engine.ingester import Ingester
from relance.engine.late_witness import LateWitness, Unseen
from relance.engine.marks import sought_of
from relance.engine.side_by_side import for_each
from relance.engine.surroundings import Box, Surroundings
from relance.ports.connector import ConnectorError, FolderRole, Found
from relance.ports.generation import Generation, GenerationFile
from relance.ports.journal import OptOutJournal
from relance.ports.store import StoreError
from relance.services import generations, ingestion, mailboxes, recovering
from relance.services.leasing import FencedError, Hold
from relance.services.refusals import LostRaceError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What this process has read of a mailbox: everything, when it began for the last time."""

    noticed_at: datetime | None
    began_at: datetime
    sent_folder: bool


class Recoverer:
    """One pass reads back every mailbox that recovers, as far as it can."""

    def __init__(
        self,
        around: Surroundings,
        connections: Connections,
        ingester: Ingester,
        *,
        journal: OptOutJournal,
        file: GenerationFile,
        at_rest: Callable[[], bool] = lambda: True,
    ) -> None:
        self._around = around
        self._connections = connections
        self._ingester = ingester
        self._journal = journal
        self._file = file
        self._at_rest = at_rest
        self._kept: Generation | None = None
        self._counted_at: float | None = None
        self._count_due = False
        self._readings: dict[Box, _Reading] = {}
        self._witness = LateWitness(around)
        self._room = asyncio.Semaphore(around.limits.reads_at_once)
        self._server_started_at = ""  #: As of the last count; empty for a file.
        #: Whether a mailbox recovers, as last seen.
        self.waiting = False
        #: Told when the database server has come up anew, so that a pass looks at its state.
        self.on_changed: Callable[[], None] = lambda: None

    async def count(self) -> None:
        """Compare the state with the newest that was kept, and let its number grow. Raises StoreError."""
        around = self._around
        first = self._counted_at is None
        if first:
            self._kept = await self._read_kept()
        asked = around.monotonic.seconds()
        outcome = await around.store.write(
            generations.count, kept=self._kept, worker=around.worker, now=around.clock.now()
        )
        self._counted_at = asked
        if isinstance(outcome, generations.Unnamed):
            return
        if outcome.noticed is not None:
            around.log.warning("restore.noticed", why=outcome.noticed)
        self._kept, self._server_started_at = outcome.generation, outcome.started_at
        await asyncio.to_thread(self._file.write, outcome.generation)
        if first or outcome.noticed is not None:
            await self._replay_opt_outs()

    async def _replay_opt_outs(self) -> None:
        around = self._around
        entries = await asyncio.to_thread(lambda: list(self._journal.entries()))
        if not await around.store.read(recovering.unknown_opt_outs, entries):
            return
        replayed = await persistence.write(around, recovering.replay_opt_outs, entries, now=around.clock.now())
        if replayed:
            around.log.warning("opt_outs.replayed", number=replayed)

    async def _read_kept(self) -> Generation | None:
        kept = await asyncio.to_thread(self._file.read)
        if kept is None and (kept := await self._around.store.read(generations.untouched)) is not None:
            await asyncio.to_thread(self._file.write, kept)
        return kept

    async def unchanged(self) -> bool:
        """Whether the database server is still the one whose state was compared: nobody acts on another's."""
        if not self._server_started_at:
            return True
        if await self._around.store.read(generations.started_at) == self._server_started_at:
            return True
        self._count_due = True
        self.on_changed()
        return False

    async def run_once(self) -> int:
        """Run a pass; the number is that of mailboxes read back or let go."""
        around = self._around
        if not around.shards.holds():
            return 0
        every = defaults.GENERATION_EVERY.total_seconds()
        if self._count_due or self._counted_at is None or around.monotonic.seconds() - self._counted_at >= every:
            await self.count()
            self._count_due = False
        boxes = await around.store.read(recovering.recovering)
        self.waiting = bool(boxes)
        if not boxes or not self._at_rest():
            return 0
        await self._replay_opt_outs()
        now = around.clock.now()
        unread = [m for m in self._own(boxes) if not self._is_read(m) and (m.skip_until is None or m.skip_until <= now)]
        read = await self._read_back_all(unread)
        boxes = await around.store.read(recovering.recovering)
        done = [
            await self._finish(mailbox, reading.began_at)
            for mailbox in self._own(recovering.ready_for_answers(boxes))
            if (reading := self._reading(mailbox)) is not None
        ]
        self.waiting = bool(await around.store.read(recovering.recovering))
        return read + sum(done)

    def _own(self, boxes: list[Mailbox]) -> list[Mailbox]:
        """Return those that this worker reads; the others have their own owners."""
        return [mailbox for mailbox in boxes if self._around.shards.hold(mailbox.shard) is not None]

    def _is_read(self, mailbox: Mailbox) -> bool:
        """Whether this process has read everything; one that died meanwhile has left nobody to say so."""
        return mailbox.sent_read_back_at is not None and self._reading(mailbox) is not None

    def _reading(self, mailbox: Mailbox) -> _Reading | None:
        """Return what this process has read since the older state was noticed."""
        reading = self._readings.get(_box(mailbox))
        return reading if reading is not None and reading.noticed_at == mailbox.recover_noticed_at else None

    async def _read_back_all(self, unread: list[Mailbox]) -> int:
        jobs = [(mailbox, partial(self._read_back, mailbox)) for mailbox in unread]
        return await for_each(self._around, self._room, jobs, fenced="read_back.fenced")

    async def _read_back(self, mailbox: Mailbox, hold: Hold) -> int:
        """Fetch everything since the backup, and understand the mailbox's own messages."""
        around, box = self._around, _box(mailbox)
        began_at = around.clock.now()
        try:
            if mailbox.saves_sent and began_at >= recovering.copies_are_in_at(mailbox):
                seen = await self._witness.look(mailbox, await self._connections.of(mailbox), hold)
                if isinstance(seen, Unseen):
                    return await self._not_seen(mailbox, seen, began_at)
            sent_folder = await self._fetch(mailbox, hold)
            shows_known = await self._shows_known(mailbox)
        except ConnectorError as error:
            return await self._failed(mailbox, str(error))
        except (StoreError, LostRaceError, FencedError):
            raise
        except Exception as error:  # noqa: BLE001  # one mailbox's trouble must not keep the others from recovering
            return await self._failed(mailbox, repr(error))
        await self._ingester.drain_copies(box)
        self._readings[box] = _Reading(
            noticed_at=mailbox.recover_noticed_at, began_at=began_at, sent_folder=sent_folder
        )
        proof = await persistence.write_as_owner(
            around,
            hold,
            recovering.sent_read_back,
            mailbox,
            sent_folder=sent_folder,
            shows_known=shows_known,
            began_at=began_at,
            now=around.clock.now(),
        )
        match proof:
            case recovering.TooEarly(until=until):
                around.log.info("mailbox.read_back", mailbox=mailbox.address, again_at=until)
            case recovering.Unproven(reason=reason):
                around.log.warning("mailbox.sent_unproven", mailbox=mailbox.address, why=reason)
            case recovering.Proven():
                around.log.info("mailbox.sent_read_back", mailbox=mailbox.address)
        return 1

    async def _not_seen(self, mailbox: Mailbox, seen: Unseen, now: datetime) -> int:
        """Look again for what the mailbox wrote to itself."""
        if seen.why is not None:
            return await self._failed(mailbox, seen.why)
        await persistence.write(self._around, recovering.read_later, mailbox, until=now + defaults.LOOK_FIRST)
        return 0

    async def _fetch(self, mailbox: Mailbox, hold: Hold) -> bool:
        """Stage what came since this process has read it, or everything since the backup, wherever the cursors stand.

        Return whether there is a Sent folder.
        """
        around, box = self._around, _box(mailbox)
        ids = {"workspace_id": box.workspace_id, "mailbox_id": box.mailbox_id}
        before = self._reading(mailbox)
        if before is None:
            await self._connections.drop(box)  # what the old connection knows of folders is of another state
        connector = await self._connections.of(mailbox)
        cursors = await around.store.read(mailboxes.cursors, **ids) if before is not None else {}
        roles = set()
        async for batch in connector.read(cursors, since=mailbox.recover_since or mailbox.created_at):
            roles.add(batch.cursor.role)
            await persistence.write_as_owner(
                around, hold, ingestion.stage_batch, **ids, batch=batch, now=around.clock.now()
            )
        return bool(roles & {FolderRole.SENT, FolderRole.ALL}) or (before is not None and before.sent_folder)

    async def _shows_known(self, mailbox: Mailbox) -> bool:
        """Whether one of the newest messages that are known to have left lies in Sent now, or none is known."""
        known = await self._around.store.read(recovering.newest_sent, mailbox)
        connector = await self._connections.of(mailbox)
        for attempt in known:
            if isinstance(await connector.find_sent(sought_of(attempt)), Found):
                return True
        return not known

    async def _failed(self, mailbox: Mailbox, error: str) -> int:
        around = self._around
        until = await persistence.write(around, recovering.not_read, mailbox, error=error, now=around.clock.now())
        around.log.warning("mailbox.not_read_back", mailbox=mailbox.address, error=error, until=until)
        return 0

    async def _finish(self, mailbox: Mailbox, started_at: datetime) -> int:
        """Understand everything else; let the mailbox go, if its Sent folder has told what left."""
        around, box = self._around, _box(mailbox)
        hold = around.shards.hold(mailbox.shard)
        if hold is None:  # as above
            return 0
        await self._ingester.drain(box)
        finished = await persistence.write_as_owner(
            around, hold, recovering.finish, mailbox, started_at=started_at, now=around.clock.now()
        )
        if not finished:
            return 0
        del self._readings[box]
        self._witness.forget(box)
        around.log.info("mailbox.recovered", mailbox=mailbox.address)
        return 1


def _box(mailbox: Mailbox) -> Box:
    return Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id)
