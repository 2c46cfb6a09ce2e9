"""No transaction is open while a server is talked to: a silent server would hold rows, and everybody who needs them.

Rule 1: a function that runs in a transaction leaves a mark in its context, which goes along wherever it calls to: into
    another task, another loop, or straight on.
Rule 2: whatever stands for the network looks for that mark: each place of the mail world at which a real connector
    waits for a server, and every socket, name lookup and process of Python's own (by `sys.addaudithook`).
"""

import asyncio
import socket
import sys
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

import pytest

from engine.rig import Rig
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.ports.connector import OutcomeUnknownError
from relance.testing import letters
from relance.testing.builders import email
from relance.testing.fake_connector import FakeMailbox, Point

_OPEN: ContextVar[tuple[str, list[str]] | None] = ContextVar("open transaction", default=None)
_OUTWARD = ("socket.", "subprocess.", "os.posix_spawn", "os.fork", "os.system", "smtplib.", "imaplib.", "urllib.")


def _look(place: str) -> None:
    marked = _OPEN.get()
    if marked is not None:
        service, found = marked
        found.append(f"{service}: {place}")


def _audit(event: str, _: object) -> None:
    if event.startswith(_OUTWARD):
        _look(event)


sys.addaudithook(_audit)  # for good, as hooks are; it looks only where a transaction of these tests is open


class Watched:
    """Implements `ports.store.Store` over another one; keeps what was talked to inside its transactions."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.services: set[str] = set()
        self.talked: list[str] = []

    async def write(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Write, with the mark."""
        return await self._inner.write(self._marked(fn), *args, **kwargs)

    async def read(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Read, with the mark."""
        return await self._inner.read(self._marked(fn), *args, **kwargs)

    async def close(self) -> None:
        """Close."""
        await self._inner.close()

    def _marked(self, fn: Any) -> Any:
        name = getattr(fn, "__name__", "a function")

        @wraps(fn)
        def marked(*args: Any, **kwargs: Any) -> Any:
            self.services.add(name)
            token = _OPEN.set((name, self.talked))
            try:
                return fn(*args, **kwargs)
            finally:
                _OPEN.reset(token)

        return marked


@pytest.fixture
def watched(any_rig: Rig) -> Watched:
    """Let every transaction of the rig leave its mark."""
    store = Watched(any_rig.store.inner)
    any_rig.store.inner = store
    return store


def look_at(box: FakeMailbox) -> list[Point]:
    """Let a mailbox look for the mark wherever its server is talked to; return where it was, filled as it happens."""
    met, seen = box.meet, []

    async def meet(point: Point) -> None:
        seen.append(point)
        _look(f"the wire at {point}")
        await met(point)

    box.meet = meet  # type: ignore[method-assign]  # each place passes here, and no other
    return seen


async def test_no_server_is_talked_to_inside_a_transaction(any_rig, watched):
    """While an engine sends, loses an outcome and finds it, files a copy, watches, reads and stops who answers."""
    keeps = await any_rig.prepare(email("intro", subject="Question"), email("bump", "1d"))
    files = await any_rig.mailbox("bea@ours.example", saves_sent=False)
    places = [look_at(keeps), look_at(files)]
    runs = [await any_rig.person(f"p{number}@lead.example") for number in range(4)]
    keeps.script(Point.REPLY, OutcomeUnknownError("the connection broke"))
    async with any_rig.running() as engine:
        await any_rig.settle(engine)
        first = any_rig.world.accepted[0]
        box = keeps if first.mailbox == keeps.address else files
        box.deliver(letters.reply(first.raw, at=any_rig.clock.now()))
        await any_rig.play(engine)
    after = [await any_rig.again(run) for run in runs]

    assert [] == watched.talked
    assert set(Point) == {point for seen in places for point in seen}
    assert {"reserve", "begin", "confirm", "ingest", "settle_sent"} <= watched.services
    assert [StopReason.REPLIED] == [run.stop_reason for run in after if run.stop_reason]
    assert 3 == sum(run.status is EnrollmentStatus.COMPLETED for run in after)


def by_the_engines_loop(box: FakeMailbox, loop: asyncio.AbstractEventLoop) -> None:
    """Ask the loop that runs the engine to read, and wait for it."""
    asyncio.run_coroutine_threadsafe(box.meet(Point.READ), loop).result(20)


def by_a_loop_of_its_own(box: FakeMailbox, _: asyncio.AbstractEventLoop) -> None:
    """Read in a loop of one's own."""
    asyncio.run(box.meet(Point.READ))


def by_a_socket(_: FakeMailbox, __: asyncio.AbstractEventLoop) -> None:
    """Ask who a host is."""
    socket.getaddrinfo("127.0.0.1", 25)


@pytest.mark.parametrize("talk", [by_the_engines_loop, by_a_loop_of_its_own, by_a_socket])
async def test_what_is_talked_to_inside_a_transaction_is_noticed(any_rig, watched, talk: Callable[..., None]):
    """Whichever way a service might find to a server."""
    box = await any_rig.prepare()
    look_at(box)
    loop = asyncio.get_running_loop()

    def careless(_: object) -> None:
        talk(box, loop)

    await any_rig.store.write(careless)
    await any_rig.store.read(careless)

    assert 2 <= len(watched.talked)
    assert {"careless"} == {found.partition(":")[0] for found in watched.talked}
