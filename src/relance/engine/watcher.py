"""Holds the notification of every mailbox and only wakes the poller; what it misses, the sweep finds.

Connections are opened as `admission` allows; who listens already is in nobody's way.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from relance.core import backoff, splitting
from relance.core.mailbox import Mailbox
from relance.engine.admission import Admission, Ticket, server_of
from relance.engine.connections import Connections
from relance.engine.surroundings import Box, Surroundings, mailbox_of
from relance.ports.connector import ConnectorError, LoginRefusedError
from relance.ports.store import Reader
from relance.services.leasing import these


class Watcher:
    """One pass starts a watch for every connected mailbox that has none, and ends those of removed ones."""

    def __init__(self, around: Surroundings, connections: Connections, want: Callable[[Box], None]) -> None:
        self._around = around
        self._connections = connections
        self._want = want
        self._watches: dict[Box, asyncio.Task[None]] = {}
        self._shards: dict[Box, int] = {}
        self._admission = Admission(at_once=around.limits.opens_at_once)

    async def run_once(self) -> int:
        """Run a pass; the number is that of watches started or ended."""
        shards = tuple(hold.shard for hold in self._around.shards.holds())
        found = await self._around.store.read(_watchable, shards)
        boxes = {Box(workspace_id=m.workspace_id, mailbox_id=m.id): m.shard for m in found}
        ended = [box for box in self._watches if box not in boxes]
        for box in ended:
            self._watches.pop(box).cancel()
        started = [box for box in boxes if box not in self._watches]
        for box in started:
            self._watches[box] = asyncio.create_task(self._watch(box), name=f"watch {box.mailbox_id}")
        self._shards = boxes
        return len(ended) + len(started)

    async def _watch(self, box: Box) -> None:
        """Watch one mailbox for ever; a connection that ends is opened again, at once and then ever more patiently."""
        around, failures = self._around, 0
        while True:
            began = around.monotonic.seconds()
            try:
                mailbox = await around.store.read(mailbox_of, box)
                if mailbox is None:
                    return
                ticket = await self._admission.enter(box.workspace_id, server_of(mailbox))
                began = around.monotonic.seconds()
                await self._listen(mailbox, box, ticket)
            except ConnectorError as error:
                around.log.info("watch.ended", mailbox=box.mailbox_id, error=str(error))
            except Exception as error:  # noqa: BLE001  # one mailbox's watch must not end those of all others
                around.log.error("watch.failed", mailbox=box.mailbox_id, error=repr(error))
            failures = 0 if around.monotonic.seconds() - began > _LASTED else failures + 1
            self._want(box)  # something may have come in while nobody was told
            patience = 1 + splitting.uniform(str(box.mailbox_id), f"reconnect {failures}")  # not all at one moment
            await around.monotonic.sleep(patience * backoff.reconnect(failures - 1).total_seconds())

    async def _listen(self, mailbox: Mailbox, box: Box, ticket: Ticket) -> None:
        """Hold the notification; the ticket is given back once it is held, or cannot be."""

        def ring() -> None:
            ticket.leave(well=True)
            self._want(box)

        well = False
        try:
            connector = await self._connections.of(mailbox)
            await connector.watch(ring)
        except LoginRefusedError as error:
            well = not error.temporary
            raise
        except asyncio.CancelledError:
            well = True
            raise
        finally:
            ticket.leave(well=well)

    async def leave(self, shards: frozenset[int]) -> None:
        """End the watches of shards that go to another worker."""
        await self._end([box for box in self._watches if self._shards.get(box) in shards])

    async def close(self) -> None:
        """End all watches."""
        await self._end(list(self._watches))

    async def _end(self, boxes: list[Box]) -> None:
        watches = [self._watches.pop(box) for box in boxes]
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)


#: Seconds after which a watch counts as having worked.
_LASTED = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Watchable:
    """Any mailbox but one whose reading side refuses the login; the sending side's trouble is another."""

    workspace_id: int
    id: int
    shard: int


def _watchable(reader: Reader, shards: tuple[int, ...]) -> list[_Watchable]:
    return reader.all(_Watchable, "mailboxes.to_watch", shard_list=these(shards))
