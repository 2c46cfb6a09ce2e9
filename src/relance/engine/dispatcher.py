"""Claims at most what can be sent now, and hands each claim to the sender."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import timedelta
from functools import partial

from relance.engine.surroundings import Surroundings, always
from relance.services import dispatching
from relance.services.dispatching import Claim
from relance.services.leasing import FencedError, Hold

#: How long a claim is shown as held; a dead holder is recognised by its lease, not by this.
LOCK_TIME = timedelta(seconds=90)


class Dispatcher:
    """One pass claims one enrollment for every mailbox that is free, as far as there is room."""

    def __init__(self, around: Surroundings, send: Callable[[Claim], Coroutine[None, None, None]]) -> None:
        self._around = around
        self._send = send
        self._sending: dict[int, asyncio.Task[None]] = {}
        self._claims: dict[int, Claim] = {}
        self._stopped = False
        self.on_done: Callable[[], None] = lambda: None
        #: Whether the database is still the one whose state is known; see `relance.engine.recoverer`.
        self.unchanged: Callable[[], Awaitable[bool]] = always
        #: Mailboxes that were not read since the start; None: which they are is not known yet.
        self.unread: Callable[[], frozenset[int] | None] = frozenset
        #: Those of some shards whose mailboxes are known.
        self.known: Callable[[Sequence[Hold]], Sequence[Hold]] = lambda holds: holds

    @property
    def idle(self) -> bool:
        """Whether nothing is being sent."""
        return not self._sending

    def is_sending(self, workspace_id: int, enrollment_id: int) -> bool:
        """Whether this process is at work on that enrollment now."""
        wanted = (workspace_id, enrollment_id)
        return any((one.workspace_id, one.enrollment_id) == wanted for one in self._claims.values())

    def is_sending_from(self, mailbox_id: int) -> bool:
        """Whether this process is sending something from that mailbox now."""
        return mailbox_id in self._sending

    async def run_once(self) -> int:
        """Run a pass; the number is 0 if another one could claim nothing more before a send is done.

        A pass takes one for every free mailbox, unless it runs out of room.
        """
        claimed = await self.claim_free()
        return claimed if len(self._sending) >= self._around.limits.sends_at_once else 0

    async def claim_free(self) -> int:
        """Claim what can be sent now, hand it to the sender, and return how much that was."""
        room = self._around.limits.sends_at_once - len(self._sending)
        unread = self.unread()  # what came in while no engine listened is read before anything is sent
        holds = self.known(self._around.shards.holds())
        if room <= 0 or unread is None or self._stopped or not holds:
            return 0
        now = self._around.clock.now()
        try:
            claims = await self._around.store.write(
                dispatching.claim_as_owner,
                holds,
                worker=self._around.worker,
                lock_expires_at=now + LOCK_TIME,
                now=now,
                busy=unread.union(self._sending),
                limit=room,
            )
        except FencedError as error:
            self._around.log.warning("claim.fenced", error=str(error))
            return 0
        if self._draining() or (claims and not await self.unchanged()):  # since the claims were asked for
            for claimed in claims:
                await self._around.store.write(dispatching.release_lock, claimed, worker=self._around.worker)
            return 0
        for claimed in claims:
            self._claims[claimed.mailbox_id] = claimed
            task = asyncio.create_task(self._send(claimed), name=f"send {claimed.enrollment_id}")
            self._sending[claimed.mailbox_id] = task
            task.add_done_callback(partial(self._done, claimed.mailbox_id))
        return len(claims)

    def _done(self, mailbox_id: int, _: "asyncio.Task[None]") -> None:
        del self._sending[mailbox_id], self._claims[mailbox_id]
        self.on_done()

    def _draining(self) -> bool:
        return self._stopped

    async def drain(self) -> None:
        """Claim nothing more and wait until what is being sent is sent and recorded.

        Whatever takes too long is cut off: nothing is sent by a process that has handed its lease back.
        """
        self._stopped = True
        if not self._sending:
            return
        _, late = await asyncio.wait(list(self._sending.values()), timeout=self._around.limits.drain)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
