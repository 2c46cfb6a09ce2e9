"""The sandbox's servers in real time, in a thread of the test's own, with people who act when the test says so.

Their journal is the witness: what was accepted for whom, and when an answer became visible.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from acceptance.product import Product
from relance.sandbox.answers import Occasion, answer
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Account
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.journal import Accepted, Nature
from relance.sandbox.leads import Script
from relance.sandbox.letters import read
from relance.sandbox.post_office import Received
from relance.sandbox.world import World

T = TypeVar("T")
START_LIMIT = 20.0  #: Real seconds in which the servers must stand.


class RealTimeClock(SandboxClock):
    """The machine's time: nothing jumps here."""

    def __init__(self) -> None:
        super().__init__(datetime.now(UTC))  # noqa: TID251 - these servers live in real time

    def now(self) -> datetime:
        """Return the present instant."""
        return datetime.now(UTC)  # noqa: TID251 - these servers live in real time


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One message that a person got."""

    recipient: str
    step: str


class LiveSandbox:
    """Three mailboxes on the sandbox's three domains; a context manager.

    `answering` is whom to let answer, and which step: the answer is there `answer_after` real seconds later.
    `on_accepted` is called in the servers' thread for every message taken for a person, before its sender is told.
    """

    def __init__(
        self,
        folder: Path,
        *,
        seed: int,
        steps: tuple[str, ...],
        answering: Mapping[str, str],
        answer_after: float,
        on_accepted: Callable[[Delivery], None] = lambda _: None,
        clock: SandboxClock | None = None,
    ) -> None:
        folder.mkdir()
        markers = {step: f"This is step {step}." for step in steps}
        script = Script(markers=markers, waits=(timedelta(days=1),) * len(steps))
        self.world = World(
            clock=clock or RealTimeClock(), seed=seed, directory=folder, mailboxes=3, faults=NO_FAULTS, script=script
        )
        self.world.post_office.to_person = self._received
        self._seed = seed
        self._answering = dict(answering)
        self._answer_after = answer_after
        self.on_accepted = on_accepted
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="live sandbox", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.world.start(), self._loop).result(START_LIMIT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self.world.stop(), self._loop).result(START_LIMIT)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_LIMIT)
        self._loop.close()

    def connect_to(self, product: Product, **more: str) -> None:
        """Add every mailbox to the product, with further options as `Product.connect` takes them."""
        for account in self.world.accounts:
            self.connect(product, account, **more)

    def connect(self, product: Product, account: Account, **more: str) -> None:
        """Add one mailbox to the product."""
        product.connect(
            account.address,
            smtp=str(account.smtp),
            imap=str(account.imap),
            password=account.password,
            ca_file=account.ca_file,
            username=account.username,
            **more,
        )

    def accepted(self) -> list[Accepted]:
        """Return what was accepted for people so far, oldest first."""
        ours = {domain.name for domain in (mailbox.domain for mailbox in self.world.post_office.mailboxes.values())}
        return [
            each for each in self.look(self.world.journal.accepted) if each.recipient.rpartition("@")[2] not in ours
        ]

    def steps_of(self, person: str) -> list[str | None]:
        """Return the steps that a person got, in order."""
        return [each.marker for each in self.accepted() if each.recipient == person]

    def answered_at(self) -> dict[str, datetime]:
        """Return when each person's first answer became visible."""
        found: dict[str, datetime] = {}
        for arrived in self.look(self.world.journal.arrived):
            if arrived.nature is Nature.ANSWER:
                found.setdefault(arrived.person, arrived.at)
        return found

    def look(self, at: Callable[[], Iterable[T]]) -> list[T]:
        """Read something in the servers' own thread."""
        result: Future[list[T]] = Future()
        self._loop.call_soon_threadsafe(lambda: result.set_result(list(at())))
        return result.result(START_LIMIT)

    def written_to_themselves(self) -> list[str]:
        """Return the mailbox of every message that one has sent to itself."""
        return [each.mailbox for each in self.look(self.world.journal.accepted) if each.mailbox == each.recipient]

    def saves_sent(self, mailbox: str) -> bool:
        """Whether a mailbox's server keeps a copy of what it sends."""
        return self.world.mailbox(mailbox).domain.saves_sent

    def _received(self, received: Received) -> None:
        original = read(received.raw)
        step = next((s for s, marker in self.world.post_office.markers.items() if marker in original.text), "")
        self.on_accepted(Delivery(recipient=received.recipient, step=step))
        if self._answering.get(received.recipient) == step:
            del self._answering[received.recipient]
            self._loop.call_later(self._answer_after, self._answer, received)

    def _answer(self, received: Received) -> None:
        person = self.world.population.person(received.recipient)
        now = self.world.clock.now()
        occasion = Occasion(seed=self._seed, person=person, original=read(received.raw), received_at=now)
        post = answer(occasion, now)
        self.world.post_office.deliver(
            post.to, post.raw, sender=post.sender, nature=Nature.ANSWER, person=person.address
        )
