"""One person, two workers with a mailbox each, and everything that can happen next.

What is real: the schema, the statements, every service, `engine.Sender` (stopped at each of its waits), `Rescuer` and
`Reconciler` (a pass at a time). What is played: the servers, time, death, the lease, a person who answers, an operator.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from exhaustive import outside
from exhaustive.ground import AnyGround
from exhaustive.outside import Post
from exhaustive.puppet import STAGE, Ask, Leased, Position, Puppet, Silence, run_through
from relance.core.mailbox import Mailbox
from relance.engine.connections import Connections
from relance.engine.contents import StoredContents
from relance.engine.reconciler import Reconciler
from relance.engine.rescuer import Rescuer
from relance.engine.surroundings import Surroundings
from relance.ports.connector import Accepted, NotReleasedError, OutcomeUnknownError, RejectedError
from relance.ports.store import CommitUnknownError, ConflictError, StoreError
from relance.services import dispatching, leasing
from relance.services.refusals import LostRaceError
from relance.testing import builders
from relance.testing.builders import KEYS
from relance.testing.fake_checker import FakeChecker
from relance.testing.fake_clock import MONDAY, FakeMonotonic

LOCK = timedelta(seconds=90)
CLAIMS = 2  #: Of each worker, at most.


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What may go wrong, how often, and what people do; each of `events` once, at any moment."""

    steps: int = 1
    ticks: tuple[timedelta, ...] = (timedelta(seconds=31), timedelta(seconds=65), timedelta(minutes=16))
    crashes: int = 0
    stalls: int = 0
    losses: int = 0
    refusals: int = 0
    unheard: int = 0
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One process with the mailboxes of its shards."""

    name: str
    boxes: frozenset[int]
    alive: bool = True
    leased: bool = True
    claims: int = CLAIMS
    position: Position | None = None
    since: datetime | None = None  #: When it took another one's mailboxes over.

    @property
    def acts(self) -> bool:
        """Whether it may act."""
        return self.alive and self.leased


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that is not in the database."""

    at: datetime = MONDAY
    ticks: int = 0
    workers: tuple[Worker, ...]
    post: Post = field(default_factory=Post)
    crashes: int = 0
    stalls: int = 0
    losses: int = 0
    refusals: int = 0
    unheard: int = 0
    events: frozenset[str] = frozenset()
    counter: int = 1  #: The step counter when it was last looked at.


Move = tuple[str, Callable[[], State | None]]


class Stage:
    """Carries moves out. A move that is not possible, or changes nothing, returns None."""

    def __init__(self, script: Script, ground: AnyGround) -> None:
        self.script = script
        self.ground = ground
        self.puppets: dict[str, Puppet] = {}
        steps = [builders.email("intro", subject="Question"), builders.email("bump", "10m")][: script.steps]
        self.workspace = ground.carry_out(builders.workspace)
        ground.carry_out(leasing.take_all, owner="stage", lease_seconds=60.0)
        ground.carry_out(builders.published, self.workspace, builders.plan(*steps))
        self.boxes = tuple(
            ground.carry_out(builders.mailbox, self.workspace, f"{name}@ours.example") for name in ("bo", "cy")
        )
        lead = ground.carry_out(builders.lead, self.workspace, "ann@lead.example")
        self.run = ground.carry_out(builders.enrollment, self.workspace, lead)

    def opening(self) -> State:
        """Return the state in which a lead was enrolled and two workers stand ready."""
        script = self.script
        return State(
            workers=tuple(Worker(name=f"w{n}", boxes=frozenset({box.id})) for n, box in enumerate(self.boxes, 1)),
            crashes=script.crashes,
            stalls=script.stalls,
            losses=script.losses,
            refusals=script.refusals,
            unheard=script.unheard,
            events=frozenset(script.events),
        )

    # --- what can happen ---

    def moves(self, state: State) -> Iterator[Move]:
        """Name everything that can happen next."""
        for number, worker in enumerate(state.workers):
            yield from self._moves_of(state, number, worker)
        yield from self._ticks(state)
        for event in sorted(state.events):
            yield event, lambda event=event: self._event(state, event)  # type: ignore[misc]
        if state.post.unread:
            yield "the mailbox is read", lambda: replace(state, post=self.read(state))

    def _moves_of(self, state: State, number: int, worker: Worker) -> Iterator[Move]:
        name = worker.name
        if worker.alive and worker.position is not None:
            yield from self._goes_on(state, number, worker, worker.position)
        if worker.alive and state.crashes and (worker.position is not None or worker.since is not None):
            dead = replace(worker, alive=False, leased=False, position=None)
            yield f"{name} dies", lambda: _with(state, number, dead, crashes=state.crashes - 1)
        if not worker.acts:
            return
        if worker.position is None and worker.claims and (number == 0 or state.workers[0].claims < CLAIMS):
            # The two are alike until one of them has claimed: that one is the first.
            yield f"{name} claims", lambda: self._claim(state, number)
        gone = frozenset().union(*(w.boxes for w in state.workers if not w.leased)) - worker.boxes
        if gone:
            took = replace(worker, boxes=worker.boxes | gone, since=state.at)
            yield f"{name} takes over", lambda: _with(state, number, took)
        if worker.since is not None:
            yield f"{name} rescues", lambda: self._rescue(state, worker)
        if self.ground.rows("SELECT 1 FROM attempts WHERE status = 'unknown'"):
            yield f"{name} reconciles", lambda: self._reconcile(state, worker)

    def _ticks(self, state: State) -> Iterator[Move]:
        if state.ticks == len(self.script.ticks):
            return
        later = replace(state, at=state.at + self.script.ticks[state.ticks], ticks=state.ticks + 1)
        yield "time passes", lambda: later
        for number, worker in enumerate(state.workers):
            if state.stalls and worker.acts and worker.position is not None:
                stalled = replace(worker, leased=False)
                yield (
                    f"time passes, and {worker.name} loses its lease",
                    lambda number=number, stalled=stalled: _with(later, number, stalled, stalls=state.stalls - 1),  # type: ignore[misc]
                )

    def _goes_on(self, state: State, number: int, worker: Worker, position: Position) -> Iterator[Move]:
        asks = position.asks
        assert asks is not None
        for label, answer, change in self._answers(state, worker, asks):

            def move(answer: Callable[[], Any] = answer, change: dict[str, Any] = change) -> State:
                made = {name: value() if callable(value) else value for name, value in change.items()}
                heard = answer()
                return self._heard(replace(state, **made), number, worker, position, heard)

            yield f"{worker.name}: {label}", move

    def _answers(
        self, state: State, worker: Worker, asks: Ask
    ) -> Iterator[tuple[str, Callable[[], Any], dict[str, Any]]]:
        refused = RejectedError(stage="RCPT", code=451, enhanced="4.7.1", text="greylisted")
        if asks.service is not None:
            service = asks.service
            yield asks.what, lambda: self._commit(service), {}
            if state.unheard:
                spent = {"unheard": state.unheard - 1}
                yield f"{asks.what}, its COMMIT unheard", lambda: self._unheard(service), spent
                yield f"{asks.what} lost in COMMIT", lambda: CommitUnknownError("never done"), spent
        elif asks.what == "refresh":
            yield "reads the mailbox", lambda: True, {"post": lambda: self.read(state)}
        elif asks.what == "stage":
            yield "stage", lambda: None, {}
            if state.refusals:
                yield "is refused", lambda: refused, {"refusals": state.refusals - 1}
        else:
            yield from self._dot(state, worker, asks, refused)

    def _dot(
        self, state: State, worker: Worker, asks: Ask, refused: Exception
    ) -> Iterator[tuple[str, Callable[[], Any], dict[str, Any]]]:
        assert asks.may_leave is not None
        assert asks.envelope is not None
        puppet = self.puppets[worker.name]
        puppet.at, puppet.leased = state.at, worker.leased
        if not asks.may_leave():
            yield "the dot is not written", lambda: NotReleasedError("the last look said no"), {}
            return
        post, yes, lost = state.post, Accepted(response="250 taken"), OutcomeUnknownError("the line broke")
        took, lagging = (post.taking(asks.envelope, at=state.at, lags=lags) for lags in (False, True))
        spent = {"losses": state.losses - 1}
        yield "the dot is accepted", lambda: yes, {"post": took}
        if state.losses:
            yield "the dot is accepted, its reply lost", lambda: lost, {"post": took, **spent}
            yield "the dot is accepted, its reply lost, Sent lags", lambda: lost, {"post": lagging, **spent}
            yield "the line breaks before the dot arrives", lambda: lost, spent
        if state.refusals:
            yield "the dot is refused", lambda: refused, {"refusals": state.refusals - 1}

    # --- carrying it out ---

    def _commit(self, service: Callable[..., Any]) -> Any:
        try:
            return self.ground.carry_out(service)
        except (LostRaceError, ConflictError, StoreError) as error:
            return error

    def _unheard(self, service: Callable[..., Any]) -> Exception:
        self._commit(service)
        return CommitUnknownError("done, and not heard")

    def _heard(self, state: State, number: int, worker: Worker, position: Position, answer: object) -> State:
        puppet = self.puppets[worker.name]
        puppet.leased = worker.leased
        further: Position | None = puppet.go_on(position, answer, at=state.at)
        if further is not None and further.asks is None:
            further = None
        return _with(state, number, replace(worker, position=further))

    def _claim(self, state: State, number: int) -> State | None:
        worker = state.workers[number]
        claims = self.ground.carry_out(
            dispatching.claim,
            worker=worker.name,
            lock_expires_at=state.at + LOCK,
            now=state.at,
            busy=frozenset(box.id for box in self.boxes) - worker.boxes,
            limit=1,
        )
        if not claims:
            return None
        puppet = self.puppets.setdefault(worker.name, Puppet(worker.name))
        puppet.leased = True
        position = puppet.begin(claims[0], at=state.at)
        return _with(state, number, replace(worker, position=position, claims=worker.claims - 1))

    def _around(self, state: State, worker: Worker) -> Surroundings:
        puppet = Puppet(worker.name)
        puppet.at = state.at

        async def connect(_: Mailbox) -> Any:
            return outside.Looking(state.post, state.at)

        return Surroundings(
            store=self.ground,
            clock=puppet,
            monotonic=FakeMonotonic(),
            log=Silence(),
            keys=KEYS,
            worker=worker.name,
            connect=connect,
            shards=Leased(lambda: worker.leased),
            contents=StoredContents(self.ground),
            addresses=FakeChecker(),
        )

    def _rescue(self, state: State, worker: Worker) -> State | None:
        claimed = worker.position.claimed.enrollment_id if worker.position else None
        rescuer = Rescuer(self._around(state, worker), lambda _, enrollment_id: enrollment_id == claimed)
        assert worker.since is not None
        rescuer.took_over(STAGE, worker.since)
        return state if run_through(rescuer.run_once()) else None

    def _reconcile(self, state: State, worker: Worker) -> State | None:
        around = self._around(state, worker)
        return state if run_through(Reconciler(around, Connections(around)).run_once()) else None

    def read(self, state: State) -> Post:
        for box in self.boxes:
            outside.read(self.ground, box, state.post, now=state.at)
        return replace(state.post, read=state.post.answered_at is not None)

    def _event(self, state: State, event: str) -> State | None:
        left = replace(state, events=state.events - {event})
        if event == "ann answers":
            answered = state.post.answering(at=state.at)
            return None if answered is None else replace(left, post=answered)
        done = outside.operate(self.ground, event, self.run, self.boxes, now=state.at)
        return left if done else None


def _with(state: State, number: int, worker: Worker, **changes: Any) -> State:
    workers = tuple(worker if n == number else one for n, one in enumerate(state.workers))
    return replace(state, workers=workers, **changes)
