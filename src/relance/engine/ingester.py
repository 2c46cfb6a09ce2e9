"""Understands staged messages one after the other: parse, classify, and write what each does.

A message that cannot be understood after several tries is put aside; those behind it go on.
"""

import asyncio
from functools import partial
from typing import Protocol

from relance.engine import persistence
from relance.engine.surroundings import Box, Surroundings
from relance.mail.classify import Classification, classify
from relance.mail.message import Message
from relance.mail.parse import parse
from relance.ports.store import CommitUnknownError, Reader, StoreBusyError, StoreUnavailableError
from relance.services import ingestion
from relance.services.ingestion import Ingested, StagedMessage
from relance.services.mailboxes import own_addresses
from relance.services.refusals import LostRaceError

_TRIES = 3
_AT_ONCE = 50
#: Larger messages are parsed beside the loop, so that one does not hold everybody up.
_INLINE = 64 * 1024


class _StagedOf(Protocol):
    """What is staged in one mailbox: all of it, or its own mail only."""

    def __call__(self, reader: Reader, *, workspace_id: int, mailbox_id: int, limit: int) -> list[StagedMessage]:
        """Return the next of it."""
        ...


def _nobody_listens() -> None:
    """Do nothing: an ingester of its own tells nobody."""


def _is_not(box: Box) -> bool:  # noqa: ARG001  # stands in for the poller's
    """Nobody reads."""
    return False


class Ingester:
    """One pass takes what is staged in every mailbox."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._locks: dict[Box, asyncio.Lock] = {}
        #: Told when a copy of ours has proven that the database is an older state; see `relance.engine.recoverer`.
        self.on_proof = _nobody_listens
        #: Whether a mailbox is read for the first time since the start: its reader takes what it stages, Sent first.
        self.first_read = _is_not

    async def run_once(self) -> int:
        """Run a pass; the number is that of messages taken off the stage."""
        shards = tuple(hold.shard for hold in self._around.shards.holds())
        waiting = await self._around.store.read(ingestion.waiting_mailboxes, shards)
        moved = 0
        for row in waiting:
            box = Box(workspace_id=row.workspace_id, mailbox_id=row.mailbox_id)
            if not self.first_read(box):
                moved += await self._take(box)
        return moved

    async def drain(self, box: Box) -> int:
        """Take everything staged in one mailbox and return how much that was; nothing is left then."""
        taken = 0
        while some := await self._take(box):
            taken += some
        return taken

    async def drain_copies(self, box: Box) -> int:
        """Take what is staged of one mailbox's own mail and return how much that was; the rest stays."""
        taken = 0
        while some := await self._take(box, staged_of=ingestion.staged_copies_of):
            taken += some
        return taken

    async def _take(self, box: Box, *, staged_of: _StagedOf = ingestion.staged_of) -> int:
        async with self._locks.setdefault(box, asyncio.Lock()):
            staged = await self._around.store.read(
                staged_of, workspace_id=box.workspace_id, mailbox_id=box.mailbox_id, limit=_AT_ONCE
            )
            if not staged:
                return 0
            own = await self._around.store.read(own_addresses, box.workspace_id)
            return sum([await self._one(message, own) for message in staged])

    async def _one(self, staged: StagedMessage, own: frozenset[str]) -> int:
        around = self._around
        try:
            message, classification = await _understand(staged, own)
            became = await persistence.write(
                around,
                ingestion.ingest,
                staged=staged,
                message=message,
                classification=classification,
                keys=around.keys,
                now=around.clock.now(),
            )
        except (StoreBusyError, StoreUnavailableError, CommitUnknownError, LostRaceError):
            raise  # the message is innocent
        except Exception as error:  # noqa: BLE001  # a poison message must not stop the reading of a mailbox
            return await self._failed(staged, repr(error))
        around.log.info(
            "message.ingested", mailbox=staged.mailbox_id, kind=str(classification.kind), became=str(became)
        )
        if became is Ingested.PROOF:
            around.log.warning("restore.noticed", why="a message of ours lies in Sent that this database does not know")
            self.on_proof()
        return 1

    async def _failed(self, staged: StagedMessage, error: str) -> int:
        around = self._around
        around.log.error("message.not_understood", mailbox=staged.mailbox_id, uid=staged.uid, error=error)
        if staged.failures + 1 >= _TRIES:
            await self._shelve(staged, error)
        else:
            await persistence.write(
                around, ingestion.mark_failed, workspace_id=staged.workspace_id, staged_id=staged.id, error=error
            )
        return 1

    async def _shelve(self, staged: StagedMessage, error: str) -> None:
        """Put it aside, and hold whoever may have written it; what cannot even be held must not block the rest."""
        around, now = self._around, self._around.clock.now()
        shelve = partial(ingestion.shelve, staged=staged, error=error, keys=around.keys, now=now)
        try:
            held = await persistence.write(around, shelve)
        except (StoreBusyError, StoreUnavailableError, CommitUnknownError, LostRaceError):
            raise
        except Exception as trouble:  # noqa: BLE001  # as above
            around.log.error("message.nobody_held", mailbox=staged.mailbox_id, uid=staged.uid, error=repr(trouble))
            await persistence.write(around, shelve, hold=False)
            return
        around.log.warning("message.shelved", mailbox=staged.mailbox_id, uid=staged.uid, held=held)


async def _understand(staged: StagedMessage, own: frozenset[str]) -> tuple[Message, Classification]:
    def work() -> tuple[Message, Classification]:
        message = parse(staged.raw)
        return message, classify(message, own_addresses=own, received_at=staged.internal_date)

    return work() if len(staged.raw) <= _INLINE else await asyncio.to_thread(work)
