"""Mailboxes that take everything and say nothing, but for the answers and bounces that were supposed.

Who answers, to which message and after how long follows from the person's address: the same question has one answer.
"""

import asyncio
import heapq
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NoReturn

from relance.core import splitting
from relance.core.mailbox import Mailbox
from relance.ports.clock import Clock
from relance.ports.connector import (
    Accepted,
    CheckReport,
    Cursor,
    Envelope,
    FetchedMessage,
    FolderBatch,
    FolderRole,
    Found,
    Lookup,
    NotReleasedError,
    RejectedError,
    Sought,
)

#: Answers come within two days, most of them soon; to the first message as often as to the second.
ANSWERS_WITHIN = timedelta(days=2)
_INBOX = "INBOX"


@dataclass(frozen=True, slots=True, order=True)
class _Answer:
    at: datetime
    box: str
    raw: bytes


class SilentWorld:
    """Every mailbox's server, and the people."""

    def __init__(self, clock: Clock, *, reply_rate: float, bounce_rate: float) -> None:
        self._clock = clock
        self._reply_rate = reply_rate
        self._bounce_rate = bounce_rate
        self._coming: list[_Answer] = []
        self._inboxes: defaultdict[str, list[FetchedMessage]] = defaultdict(list)
        self._told: defaultdict[str, list[Callable[[], None]]] = defaultdict(list)
        self._received: defaultdict[str, int] = defaultdict(int)

    async def connect(self, mailbox: Mailbox) -> "SilentMailbox":
        """Return the connector of a mailbox; nobody is asked for a password."""
        await asyncio.sleep(0)
        return SilentMailbox(self, mailbox.address)

    def next_event(self) -> datetime | None:
        """Return when the next answer comes in."""
        return self._coming[0].at if self._coming else None

    def run_due(self, now: datetime) -> None:
        """Put into the mailboxes what has come in by now."""
        while self._coming and self._coming[0].at <= now:
            answer = heapq.heappop(self._coming)
            inbox = self._inboxes[answer.box]
            inbox.append(
                FetchedMessage(
                    folder=_INBOX,
                    role=FolderRole.INBOX,
                    uid_validity=1,
                    uid=len(inbox) + 1,
                    internal_date=answer.at,
                    raw=answer.raw,
                )
            )
            for tell in self._told[answer.box]:
                tell()

    def refuse(self, recipient: str) -> None:
        """Raise RejectedError for an address that is supposed not to exist."""
        if splitting.uniform(recipient, "forecast bounce") < self._bounce_rate:
            raise RejectedError(stage="RCPT", code=550, enhanced="5.1.1", text="no such user (supposed)")

    def take(self, envelope: Envelope) -> None:
        """Take a message; whoever is to answer it does so in time."""
        person = envelope.recipient
        self._received[person] += 1
        if splitting.uniform(person, "forecast reply") >= self._reply_rate:
            return
        answers_first = splitting.uniform(person, "forecast reply to") < 0.5  # noqa: PLR2004 - one in two
        if self._received[person] != (1 if answers_first else 2):
            return
        wait = ANSWERS_WITHIN * splitting.uniform(person, "forecast reply after") ** 2
        raw = (
            f"From: <{person}>\r\nTo: <{envelope.sender}>\r\nSubject: Re: your message\r\n"
            f"Message-ID: <forecast.{self._received[person]}.{person}>\r\nIn-Reply-To: {envelope.message_id}\r\n"
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThank you, let us talk.\r\n"
        )
        heapq.heappush(self._coming, _Answer(self._clock.now() + wait, envelope.sender, raw.encode()))

    def inbox(self, address: str, after: int) -> list[FetchedMessage]:
        """Return what came in after a UID."""
        return self._inboxes[address][after:]

    async def tell(self, address: str, on_change: Callable[[], None]) -> NoReturn:
        """Call `on_change` at once and whenever something comes in, until cancelled."""
        self._told[address].append(on_change)
        try:
            on_change()
            while True:
                await asyncio.Event().wait()
        finally:
            self._told[address].remove(on_change)


class SilentMailbox:
    """Implements `relance.ports.connector.Connector`."""

    def __init__(self, world: SilentWorld, address: str) -> None:
        self._world = world
        self._address = address

    async def stage(self, envelope: Envelope) -> "_Staged":
        """Be ready. Raises RejectedError."""
        await asyncio.sleep(0)
        self._world.refuse(envelope.recipient)
        return _Staged(self._world, envelope)

    async def read(self, cursors: Mapping[str, Cursor], *, since: datetime) -> AsyncIterator[FolderBatch]:  # noqa: ARG002 - nothing here is older
        """Yield what came in."""
        cursor = cursors.get(_INBOX)
        last = cursor.last_uid if cursor and cursor.uid_validity == 1 else 0
        new = self._world.inbox(self._address, last)
        if new:
            moved = Cursor(folder=_INBOX, role=FolderRole.INBOX, uid_validity=1, last_uid=new[-1].uid)
            yield FolderBatch(messages=tuple(new), cursor=moved)

    async def watch(self, on_change: Callable[[], None]) -> None:
        """Tell of what comes in."""
        await self._world.tell(self._address, on_change)

    async def find_sent(self, sought: Sought) -> Lookup:
        """Say that it was sent: whatever was on the wire when the state was copied most likely was."""
        await asyncio.sleep(0)
        return Found(wire_message_id=sought.message_ids[0], at=sought.since)

    async def save_sent(self, raw: bytes, *, at: datetime) -> None:
        """Keep nothing."""

    async def check(self, probe: Envelope, *, sleep: Callable[[float], Awaitable[None]]) -> CheckReport:  # noqa: ARG002 - there is nothing to check
        """Say that everything works."""
        await sleep(0)
        return CheckReport(steps=(), saves_sent=True, ids_survive=True)

    async def close(self) -> None:
        """Let go of nothing."""


class _Staged:
    def __init__(self, world: SilentWorld, envelope: Envelope) -> None:
        self._world = world
        self._envelope = envelope

    async def release(self, *, may_leave: Callable[[], bool], time_limit: float) -> Accepted:  # noqa: ARG002 - no time passes
        """Take it."""
        await asyncio.sleep(0)
        if not may_leave():
            raise NotReleasedError("the last look before the dot said no")
        self._world.take(self._envelope)
        return Accepted(response="250 2.0.0 taken (supposed)")

    async def discard(self) -> None:
        """Give it up."""
