"""A mail world in memory behind `ports.connector`: mailboxes with folders, and faults scripted point by point.

    world = MailWorld(clock)
    box = world.add("bo@ours.example")
    box.script(Point.STAGE, RejectedError(stage="RCPT", code=550, enhanced="5.1.1", text="unknown"))
    box.script(Point.REPLY, OutcomeUnknownError("the reply was lost"))      # accepted, then lost
    box.script(Point.DOT, OutcomeUnknownError("the connection broke"))      # lost, not accepted

Each fault is used once, by the next call that reaches its point. A `Hold` keeps the call there until it is let go, so
that a test can act, or let the process die, at exactly that moment. `world.accepted` is the servers' own log.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from relance.core.mailbox import Mailbox
from relance.ports.clock import Clock
from relance.ports.connector import (
    Accepted,
    CannotLook,
    CheckReport,
    CheckStep,
    Cursor,
    Envelope,
    FetchedMessage,
    FolderBatch,
    FolderRole,
    Found,
    Lookup,
    NotFound,
    NotReleasedError,
    ReadingFailedError,
    Sought,
)
from relance.testing.letters import headers_of

INBOX, JUNK, SENT = "INBOX", "Junk", "Sent"
_ROLES = {INBOX: FolderRole.INBOX, JUNK: FolderRole.JUNK, "Archive": FolderRole.ARCHIVE, SENT: FolderRole.SENT}


class Point(StrEnum):
    """Where a call can be made to fail or to stand still."""

    STAGE = "stage"  #: Connecting, login, MAIL, RCPT.
    DOT = "dot"  #: Before the final dot: nothing has left.
    REPLY = "reply"  #: After the final dot: the message is accepted and its reply is on the way.
    READ = "read"  #: Before a read begins.
    FOLDER = "folder"  #: Before the last folder of a read; the folders before it were yielded.
    READ_END = "read_end"  #: After the last folder, before the read returns.
    LOOK = "look"  #: Looking into Sent.
    LOOK_END = "look_end"  #: Sent was looked into, and what was seen there is not told yet.
    SAVE = "save"  #: Putting a copy into Sent.
    WATCH = "watch"  #: Opening the notification.


@dataclass(slots=True)
class Hold:
    """Keeps a call at its point. `reached` is set when it is there; set `go` to let it on."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One message that a server took, whatever the client heard of it."""

    at: datetime
    mailbox: str
    recipient: str
    message_id: str
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    uid: int
    at: datetime
    raw: bytes


class FakeMailbox:
    """One mailbox on the server's side. `saves_sent`: its SMTP side keeps a copy in Sent. None: there is no Sent."""

    def __init__(self, world: "MailWorld", address: str, *, saves_sent: bool | None = True) -> None:
        self.world = world
        self.address = address
        self.saves_sent = saves_sent
        self.reads = 0
        self.stages = 0
        self.open_connectors = 0
        names = (INBOX, JUNK, "Archive", *((SENT,) if saves_sent is not None else ()))
        self.folders: dict[str, list[_Kept]] = {name: [] for name in names}
        self._scripts: defaultdict[Point, deque[Exception | Hold]] = defaultdict(deque)
        self._watchers: list[Callable[[], None]] = []

    def script(self, point: Point, *faults: Exception | Hold) -> None:
        """Let the next calls that reach a point meet these, one each."""
        self._scripts[point].extend(faults)

    def heal(self, point: Point) -> None:
        """Forget what was scripted there."""
        self._scripts[point].clear()

    async def meet(self, point: Point) -> None:
        """Meet whatever is scripted there."""
        if not self._scripts[point]:
            await asyncio.sleep(0)
            return
        match self._scripts[point].popleft():
            case Hold() as hold:
                hold.reached.set()
                await hold.go.wait()
            case error:
                raise error

    def deliver(self, raw: bytes, *, folder: str = INBOX, at: datetime | None = None, told: bool = True) -> None:
        """Put a message into a folder; `told` False: no notification says so."""
        self._keep(folder, raw, at or self.world.clock.now())
        if told:
            self.push()

    def push(self) -> None:
        """Notify whoever watches."""
        for on_change in list(self._watchers):
            on_change()

    @property
    def watched(self) -> bool:
        """Whether a notification is held."""
        return bool(self._watchers)

    def _keep(self, folder: str, raw: bytes, at: datetime) -> None:
        kept = self.folders[folder]
        kept.append(_Kept(uid=len(kept) + 1, at=at, raw=raw))

    def take(self, envelope: Envelope) -> None:
        """Accept a message, as the server does at the final dot."""
        now = self.world.clock.now()
        self.world.accepted.append(
            Delivery(
                at=now,
                mailbox=self.address,
                recipient=envelope.recipient,
                message_id=envelope.message_id,
                raw=envelope.raw,
            )
        )
        if self.saves_sent:
            self._keep(SENT, envelope.raw, now - self.world.behind)
        if envelope.recipient in self.world.boxes:
            self.world.boxes[envelope.recipient].deliver(envelope.raw)

    async def hold_watch(self, on_change: Callable[[], None]) -> None:
        """Notify until cancelled; the first time at once."""
        self._watchers.append(on_change)
        try:
            on_change()
            await asyncio.Event().wait()
        finally:
            self._watchers.remove(on_change)


class MailWorld:
    """Every mailbox, and what their servers accepted."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.behind = timedelta()  #: By how much the servers' clocks are, where ours was set forward.
        self.boxes: dict[str, FakeMailbox] = {}
        self.accepted: list[Delivery] = []

    def add(self, address: str, *, saves_sent: bool | None = True) -> FakeMailbox:
        """Make a mailbox."""
        self.boxes[address] = FakeMailbox(self, address, saves_sent=saves_sent)
        return self.boxes[address]

    async def connect(self, mailbox: Mailbox) -> "FakeConnector":
        """Return a connector for a mailbox of the product, which asks for its credentials first."""
        await asyncio.sleep(0)
        return FakeConnector(self.boxes[mailbox.address])

    def received_by(self, recipient: str) -> list[Delivery]:
        """Return what was accepted for one person, oldest first."""
        return [one for one in self.accepted if one.recipient == recipient]


class _Staged:
    def __init__(self, box: FakeMailbox, envelope: Envelope) -> None:
        self._box = box
        self._envelope = envelope

    async def release(self, *, may_leave: Callable[[], bool], time_limit: float) -> Accepted:
        """Take the message, unless something is scripted or the last look says no."""
        assert time_limit > 0
        await self._box.meet(Point.DOT)
        if not may_leave():
            raise NotReleasedError("the last look before the dot said no")
        self._box.take(self._envelope)
        await self._box.meet(Point.REPLY)
        return Accepted(response="250 2.0.0 taken")

    async def discard(self) -> None:
        """Give it up."""
        await asyncio.sleep(0)


class FakeConnector:
    """Implements `ports.connector.Connector` over a `FakeMailbox`."""

    def __init__(self, box: FakeMailbox) -> None:
        self._box = box
        self._closed = False
        box.open_connectors += 1

    async def stage(self, envelope: Envelope) -> _Staged:
        """Meet what is scripted, else be ready."""
        self._box.stages += 1
        await self._box.meet(Point.STAGE)
        return _Staged(self._box, envelope)

    async def read(self, cursors: Mapping[str, Cursor], *, since: datetime) -> AsyncIterator[FolderBatch]:
        """Yield what is new, folder by folder."""
        box = self._box
        box.reads += 1
        await box.meet(Point.READ)
        for number, (name, kept) in enumerate(box.folders.items(), 1):
            if number == len(box.folders):
                await box.meet(Point.FOLDER)
            cursor = cursors.get(name)
            last = cursor.last_uid if cursor else 0
            new = [one for one in kept if one.uid > last and one.at >= since]
            yield FolderBatch(
                messages=tuple(
                    FetchedMessage(
                        folder=name, role=_ROLES[name], uid_validity=1, uid=one.uid, internal_date=one.at, raw=one.raw
                    )
                    for one in new
                ),
                cursor=Cursor(folder=name, role=_ROLES[name], uid_validity=1, last_uid=len(kept)),
            )
        await box.meet(Point.READ_END)

    async def watch(self, on_change: Callable[[], None]) -> None:
        """Notify until something scripted ends it."""
        await self._box.meet(Point.WATCH)
        await self._box.hold_watch(on_change)

    async def find_sent(self, sought: Sought) -> Lookup:
        """Look for the message and for later ones with our mark."""
        await self._box.meet(Point.LOOK)
        if SENT not in self._box.folders:
            return CannotLook(reason="there is no Sent folder")
        witness: datetime | None = None
        found: list[Found] = []
        for one in self._box.folders[SENT]:
            head = headers_of(one.raw)
            by_us = head[sought.copy_header] is not None
            if head["Message-ID"] in sought.message_ids or head[sought.trace_header] == sought.trace:
                found.append(Found(wire_message_id=str(head["Message-ID"]), at=one.at, by_us=by_us))
            if head[sought.trace_header] is not None and one.at > sought.since and not by_us:
                witness = max(witness or one.at, one.at)
        await self._box.meet(Point.LOOK_END)
        return min(found, key=lambda one: one.by_us) if found else NotFound(witness=witness)

    async def save_sent(self, raw: bytes, *, at: datetime) -> None:
        """Keep a copy."""
        await self._box.meet(Point.SAVE)
        if SENT not in self._box.folders:
            raise ReadingFailedError("there is no Sent folder")
        self._box.deliver(raw, folder=SENT, at=at, told=False)

    async def check(self, probe: Envelope, *, sleep: Callable[[float], Awaitable[None]]) -> CheckReport:
        """Send the probe to itself and say what was seen."""
        staged = await self.stage(probe)
        await staged.release(may_leave=lambda: True, time_limit=20.0)
        await sleep(0)
        return CheckReport(
            steps=(CheckStep(name="all", ok=True, detail="in memory"),),
            saves_sent=bool(self._box.saves_sent),
            ids_survive=True,
        )

    async def close(self) -> None:
        """Let go."""
        await asyncio.sleep(0)
        if not self._closed:
            self._closed = True
            self._box.open_connectors -= 1
