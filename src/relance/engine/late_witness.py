"""Whether a Sent folder shows what was sent after an older state was noticed: each mailbox writes to itself, and looks.

Rule 1: only then does it count that something else is not there: a folder may be full, or lag.
Rule 2: what was written has to lie there late enough by the server's clock too; ours may have been set forward since.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from relance.core import defaults
from relance.core.mailbox import Mailbox
from relance.engine.probing import probe
from relance.engine.surroundings import Box, Surroundings
from relance.ports.connector import CannotLook, Connector, Found, NotFound, Sought
from relance.services.leasing import Hold
from relance.services.reconciling import COPY_AFTER


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Something that left late enough lies there, or there is no Sent folder in which it could."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """Not yet. `why`: what is wrong, once that has lasted too long."""

    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """The last message of a mailbox to itself."""

    noticed_at: datetime
    count: int
    at: datetime
    sought: Sought


class LateWitness:
    """Knows what the mailboxes have written to themselves."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._written: dict[Box, _Written] = {}

    async def look(self, mailbox: Mailbox, connector: Connector, hold: Hold) -> Seen | Unseen:
        """Look for what the mailbox wrote to itself, or let it write. Raises ConnectorError."""
        box, now = Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id), self._around.clock.now()
        noticed_at = mailbox.recover_noticed_at or mailbox.created_at
        written = self._written.get(box)
        if written is None or written.noticed_at != noticed_at:
            return await self._write(mailbox, connector, hold, noticed_at=noticed_at, count=1)
        enough = noticed_at + defaults.WITNESS_AFTER
        rested = now - written.at >= COPY_AFTER
        match await connector.find_sent(written.sought):
            case CannotLook():
                return Seen()
            case Found(at=at) | NotFound(witness=at) if at is not None and at >= enough:
                return Seen()
            case Found() if written.count >= defaults.PROBES_AT_MOST:
                return Unseen(why="what it wrote to itself came too early by its server's clock: set that clock")
            case Found() if rested:
                return await self._write(mailbox, connector, hold, noticed_at=noticed_at, count=written.count + 1)
            case NotFound() if rested:
                return Unseen(
                    why="what it wrote to itself is not in its Sent folder, so that nothing can be told from it"
                )
        return Unseen()

    def forget(self, box: Box) -> None:
        """Forget what a mailbox wrote; it has recovered."""
        self._written.pop(box, None)

    async def _write(
        self, mailbox: Mailbox, connector: Connector, hold: Hold, *, noticed_at: datetime, count: int
    ) -> Unseen:
        around, now = self._around, self._around.clock.now()
        may_leave = partial(around.shards.still, hold)
        sought = await probe(connector, mailbox, keys=around.keys, now=now, may_leave=may_leave)
        box = Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id)
        self._written[box] = _Written(noticed_at=noticed_at, count=count, at=now, sought=sought)
        return Unseen()
