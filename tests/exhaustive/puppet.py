"""The real `engine.Sender`, stopped at every point where it waits for the outside, and made to go on from there.

A coroutine cannot be copied, so a position in it is what it has heard so far: to go on from a position, the sender runs
again from its claim and hears the same. It decides nothing by chance, and its clock shows it the same times.
"""

from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from relance.core.mailbox import Mailbox
from relance.engine.connections import Connections
from relance.engine.contents import StoredContents
from relance.engine.sender import Sender
from relance.engine.surroundings import Box, Surroundings
from relance.ports.connector import Accepted, Connector, Envelope
from relance.ports.store import Transaction
from relance.services.dispatching import Claim
from relance.services.leasing import ALL_SHARDS, Hold
from relance.testing.builders import KEYS
from relance.testing.fake_checker import FakeChecker
from relance.testing.fake_clock import MONDAY, FakeMonotonic

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What the sender waits for."""

    what: str  #: The service's name, or `stage`, `dot`, `refresh`.
    service: Callable[[Transaction], Any] | None = None
    envelope: Envelope | None = None
    may_leave: Callable[[], bool] | None = None

    def __await__(self) -> Generator["Ask", Any, Any]:
        """Hand it to whoever plays the outside."""
        heard = yield self
        if isinstance(heard, Exception):
            raise heard
        return heard


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An answer from outside (an exception is raised), and when the sender went on with it."""

    answer: Any
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where one sending is: everything it has heard, and what it waits for now (None: it is over)."""

    claimed: Claim
    began_at: datetime
    heard: tuple[Heard, ...] = ()
    asks: Ask | None


class Silence:
    """Implements `ports.telemetry.Log` by saying nothing."""

    def info(self, event: str, /, **facts: object) -> None:
        """Say nothing."""

    warning = error = info


class _Asking:
    """Implements the parts of a store and of a connector that a sender uses, by asking."""

    def __init__(self, puppet: "Puppet") -> None:
        self._puppet = puppet
        self._envelope: Envelope | None = None

    async def write(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        answer: T = await Ask(what=fn.__name__, service=lambda tx: fn(tx, *args, **kwargs))
        return answer

    async def read(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        answer: T = await Ask(what=f"read {fn.__name__}", service=lambda tx: fn(tx, *args, **kwargs))
        return answer

    async def close(self) -> None:
        """Nothing is open."""

    async def stage(self, envelope: Envelope) -> "_Asking":
        await Ask(what="stage", envelope=envelope)
        self._envelope = envelope
        return self

    async def release(self, *, may_leave: Callable[[], bool], time_limit: float) -> Accepted:
        assert time_limit > 0
        answer: Accepted = await Ask(what="dot", envelope=self._envelope, may_leave=may_leave)
        return answer

    async def discard(self) -> None:
        """Nothing is open."""


#: Every shard is the stage's in the database, whoever acts: which worker still may is played.
STAGE = tuple(Hold(shard=number, owner="stage", epoch=1) for number in ALL_SHARDS)


class Leased:
    """Implements `engine.surroundings.Rights`: a worker that has lost its lease goes on with what it has begun."""

    def __init__(self, leased: Callable[[], bool]) -> None:
        self._leased = leased

    def hold(self, shard: int) -> Hold:
        """Return a shard's."""
        return STAGE[shard]

    def holds(self) -> tuple[Hold, ...]:
        """Return all, or none."""
        return STAGE if self._leased() else ()

    def still(self, _: Hold) -> bool:
        """Whether the lease is not lost."""
        return self._leased()

    def work(self, _: Hold) -> AbstractContextManager[None]:
        """Nobody drains."""
        return nullcontext()


class Puppet:
    """One worker's sender. `at` and `leased` are what its clock and its lease say at present."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.at = MONDAY
        self.leased = True

    def now(self) -> datetime:
        """Implement `ports.clock.Clock`."""
        return self.at

    def begin(self, claimed: Claim, *, at: datetime) -> Position:
        """Start sending a claim."""
        return self._play(claimed, at, ())

    def go_on(self, position: Position, answer: object, *, at: datetime) -> Position:
        """Hear one answer more."""
        return self._play(position.claimed, position.began_at, (*position.heard, Heard(answer=answer, at=at)))

    def _play(self, claimed: Claim, began_at: datetime, heard: tuple[Heard, ...]) -> Position:
        asking: Any = _Asking(self)
        around = Surroundings(
            store=asking,
            clock=self,
            monotonic=FakeMonotonic(),
            log=Silence(),
            keys=KEYS,
            worker=self.name,
            connect=_connected_to(asking),
            shards=Leased(lambda: self.leased),
            contents=StoredContents(asking),
            addresses=FakeChecker(),
        )
        sending = Sender(around, Connections(around), _refresh).send(claimed)
        self.at = began_at
        asks = _run(sending, None)
        for one in heard:
            self.at = one.at
            asks = _run(sending, one.answer)
        sending.close()
        return Position(claimed=claimed, began_at=began_at, heard=heard, asks=asks)


def _connected_to(asking: Connector) -> Callable[[Mailbox], Coroutine[Any, Any, Connector]]:
    async def connect(_: Mailbox) -> Connector:
        return asking

    return connect


async def _refresh(_: Box) -> bool:
    answer: bool = await Ask(what="refresh")
    return answer


def _run(sending: Coroutine[Any, Any, None], answer: object) -> Ask | None:
    try:
        asks = sending.send(answer)
        while asks is None:  # it let others go first
            asks = sending.send(None)
    except StopIteration:
        return None
    assert isinstance(asks, Ask), asks
    return asks


def run_through(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to its end a coroutine that waits for nobody."""
    try:
        while True:
            assert coroutine.send(None) is None
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        coroutine.close()
