"""People who act: mail comes in, and what they do about it waits in a heap until its time.

Rule 1: people act on sandbox time only, and at most once on a message that comes twice.
Rule 2: what they send is visible from the moment `run_due` delivers it; the journal says when that was.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from relance.sandbox.answers import Occasion, Post, answer, stop, unsubscribe
from relance.sandbox.chance import draw, pick
from relance.sandbox.clock import SandboxClock
from relance.sandbox.journal import Nature
from relance.sandbox.letters import read
from relance.sandbox.machine_mail import BounceForm, bounce, bounce_form, delay_notice, out_of_office
from relance.sandbox.mailstore import Use
from relance.sandbox.person import Behaviour, Person, Population
from relance.sandbox.post_office import PostOffice, Received

_MARGINS = (timedelta(minutes=10), timedelta(minutes=1), timedelta(seconds=10), timedelta(0))
_REFUSALS = (
    "550 5.1.1 <{address}>: Recipient address rejected: User unknown in virtual mailbox table",
    "550 5.1.1 The email account that you tried to reach does not exist: {address}",
    "550-5.1.1 {address}\r\n550 5.1.1 No such user here",
)


@dataclass(frozen=True, slots=True, order=True)
class _Due:
    """One thing a person will do."""

    at: datetime
    order: int
    person: str = field(compare=False)
    nature: Nature = field(compare=False)
    lands_in: Use = field(compare=False)
    write: Callable[[datetime], Post] = field(compare=False)


@dataclass(slots=True, kw_only=True)
class People:
    """Everybody outside, with what they have received and what they are about to do."""

    clock: SandboxClock
    seed: int
    population: Population
    step_waits: Sequence[timedelta]
    """How long after each mail the next one would be due: late answers come just before."""
    post_office: PostOffice | None = None
    _received: dict[str, set[str]] = field(default_factory=dict)
    _due: list[_Due] = field(default_factory=list)
    _order: int = 0

    def refusal_of(self, address: str) -> str | None:
        """Return how the outside world refuses this address at RCPT, or None."""
        if self.population.person(address).behaviour is not Behaviour.UNKNOWN_USER:
            return None
        return pick(self.seed, _REFUSALS, "refusal", address).format(address=address)

    def receive(self, received: Received) -> None:
        """Take a message in and plan what comes of it."""
        person = self.population.person(received.recipient)
        original = read(received.raw)
        known = self._received.setdefault(person.address, set())
        if original.message_id in known:
            return
        known.add(original.message_id)
        if len(known) == person.acts_on:
            occasion = Occasion(seed=self.seed, person=person, original=original, received_at=self.clock.now())
            self._plan(person, occasion, received.sender)

    def next_due(self) -> datetime | None:
        """Return when somebody acts next, or None."""
        return self._due[0].at if self._due else None

    def run_due(self, now: datetime) -> int:
        """Let everybody act whose time has come, and return how many messages that made."""
        if self.post_office is None:
            raise RuntimeError("People need a post office before they can write.")
        count = 0
        while self._due and self._due[0].at <= now:
            due = heapq.heappop(self._due)
            post = due.write(due.at)
            self.post_office.deliver(
                post.to, post.raw, sender=post.sender, nature=due.nature, person=due.person, use=due.lands_in
            )
            count += 1
        return count

    def _plan(self, person: Person, occasion: Occasion, bounce_to: str) -> None:
        second = Occasion(
            seed=self.seed, person=person, original=occasion.original, received_at=occasion.received_at, number=1
        )
        match person.behaviour:
            case Behaviour.IGNORES | Behaviour.UNKNOWN_USER:
                return
            case Behaviour.ANSWERS_AT_ONCE:
                self._after(self._between(person, 1, 30), person, Nature.ANSWER, lambda at: answer(occasion, at))
            case Behaviour.ANSWERS_LATE:
                wait = self.step_waits[min(person.acts_on, len(self.step_waits)) - 1]
                delay = wait - _MARGINS[person.turn % len(_MARGINS)]
                self._after(delay, person, Nature.ANSWER, lambda at: answer(occasion, at))
            case Behaviour.ANSWERS_TWICE:
                first = self._between(person, 5, 60)
                self._after(first, person, Nature.ANSWER, lambda at: answer(occasion, at))
                later = first + self._between(person, 40, 1_500, "second")
                self._after(later, person, Nature.ANSWER, lambda at: answer(second, at))
            case Behaviour.ANSWERS_ELSEWHERE:
                delay = self._between(person, 10, 600)
                self._after(delay, person, Nature.ANSWER, lambda at: answer(occasion, at, elsewhere=True))
            case Behaviour.OUT_OF_OFFICE:
                self._after(
                    self._between(person, 0, 2), person, Nature.AUTO_REPLY, lambda at: out_of_office(occasion, at)
                )
            case Behaviour.BOUNCES_LATER:
                self._plan_bounce(person, occasion, bounce_to)
            case Behaviour.UNSUBSCRIBES:
                delay = self._between(person, 10, 480)
                self._after(delay, person, Nature.OPT_OUT, lambda at: unsubscribe(occasion, at))
            case Behaviour.SAYS_STOP:
                delay = self._between(person, 2, 300)
                self._after(delay, person, Nature.OPT_OUT, lambda at: stop(occasion, at))

    def _plan_bounce(self, person: Person, occasion: Occasion, to: str) -> None:
        delay = self._between(person, 2, 180)
        if bounce_form(person.turn) is BounceForm.AFTER_DELAY:
            self._after(timedelta(hours=4), person, Nature.DELAY, lambda at: delay_notice(occasion, at, to))
            delay += timedelta(hours=24)
        self._after(delay, person, Nature.BOUNCE, lambda at: bounce(occasion, at, to))

    def _between(self, person: Person, shortest: int, longest: int, what: str = "delay") -> timedelta:
        """Draw a delay between two numbers of minutes, in whole seconds."""
        share = draw(self.seed, what, person.address)
        return timedelta(seconds=int(60 * (shortest + (longest - shortest) * share)))

    def _after(self, delay: timedelta, person: Person, nature: Nature, write: Callable[[datetime], Post]) -> None:
        self._order += 1
        lands_in = person.answers_land_in if nature is Nature.ANSWER else Use.INBOX
        heapq.heappush(self._due, _Due(self.clock.now() + delay, self._order, person.address, nature, lands_in, write))
