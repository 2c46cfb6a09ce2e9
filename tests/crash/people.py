"""The scenario's people: who writes back, to which step, when, and what."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from relance.sandbox.answers import Occasion, answer, unsubscribe
from relance.sandbox.clock import SandboxClock
from relance.sandbox.journal import Nature
from relance.sandbox.letters import read
from relance.sandbox.machine_mail import bounce
from relance.sandbox.person import Behaviour, Population
from relance.sandbox.post_office import PostOffice, Received

POISON = (
    b"From: nobody@nowhere.example\r\nTo: you@keeps.example\r\nSubject: poison\r\nX-Poison: yes\r\n\r\nDrink me.\r\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """What somebody does about a step, and how long after they got it."""

    step: str
    after: timedelta
    nature: Nature


@dataclass(slots=True, kw_only=True)
class ScriptedPeople:
    """Everybody outside: they act in the world's time, once on a message that comes twice."""

    clock: SandboxClock
    reactions: dict[str, Reaction]
    step_of: Callable[[bytes], str | None]
    poison: bool = False
    post_office: PostOffice | None = None
    received: dict[str, Received] = field(default_factory=dict)  #: The first message that each person got.
    _population: Population = field(default_factory=lambda: Population(seed=1))
    _due: list[tuple[datetime, int, Callable[[], None]]] = field(default_factory=list)
    _order: int = 0

    def __post_init__(self) -> None:
        for address, reaction in self.reactions.items():
            bounces = reaction.nature is Nature.BOUNCE
            self._population.settle(address, Behaviour.BOUNCES_LATER if bounces else Behaviour.ANSWERS_AT_ONCE)

    def receive(self, received: Received) -> None:
        """Take a message in and plan what comes of it."""
        self.received.setdefault(received.recipient, received)
        reaction = self.reactions.get(received.recipient)
        if reaction is not None and reaction.step == self.step_of(received.raw):
            del self.reactions[received.recipient]
            self.later(reaction.after, lambda: self.react(received, reaction.nature))

    def later(self, delay: timedelta, act: Callable[[], None]) -> None:
        """Do something when its time has come."""
        self._order += 1
        heapq.heappush(self._due, (self.clock.now() + delay, self._order, act))

    def next_due(self) -> datetime | None:
        """Return when something happens next, or None."""
        return self._due[0][0] if self._due else None

    def run_due(self, now: datetime) -> None:
        """Let everything happen whose time has come."""
        while self._due and self._due[0][0] <= now:
            heapq.heappop(self._due)[2]()

    def react(self, received: Received, nature: Nature) -> None:
        """Write back about a message, now."""
        office = self.post_office
        if office is None:
            raise RuntimeError("people need a post office")
        now = self.clock.now()
        person = self._population.person(received.recipient)
        occasion = Occasion(seed=1, person=person, original=read(received.raw), received_at=now)
        match nature:
            case Nature.OPT_OUT:
                post = unsubscribe(occasion, now)
            case Nature.BOUNCE:
                post = bounce(occasion, now, received.sender)
            case _:
                post = answer(occasion, now)
        if self.poison:
            office.deliver(post.to, POISON, sender="", nature=Nature.OTHER, person="nobody@nowhere.example")
        office.deliver(post.to, post.raw, sender=post.sender, nature=nature, person=person.address)
