"""The setting of a random life, and what one worker's hands do in it: claim, reserve, begin, and every way it ends."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import WALKING, Enrollment
from relance.core.failure import AddressRejected, Failure, MailboxTrouble, TryLater, Withdrawn
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import SequenceStatus
from relance.core.suppression import Suppression
from relance.ports.store import Reader, Store
from relance.services import rescuing, sending, sequences, walking
from relance.services.dispatching import Claim
from relance.testing import builders
from relance.testing.builders import KEYS, email, wait
from services.life import WORKER, Life
from services.repeating import RepeatingStore

T = TypeVar("T")
PEOPLE = ("ann@lead.example", "ben@lead.example", "cleo@else.example")
SEQUENCES = ("q4", "slow")
ENDS = ("accepted", "accepted", "lost", "lost after all", "refused, and heard late")
STEPS = (email("intro", subject="Question"), email("bump", "1h"), wait("rest", "1h"), email("last", "1h"))


@dataclass(slots=True, kw_only=True)
class Flight:
    """One send in our hands, and how far it has come."""

    reserved: sending.Reserved
    attempt: Attempt | None = None  #: In flight, once begun.


class Hands(RuleBasedStateMachine):
    """Sending, by one worker, who may be thought dead, and whose successor tidies up."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.store = RepeatingStore(self.run(self.open()))
        self.life = Life(self.store)
        self.flights: list[Flight] = []
        self.late: list[Flight] = []  #: Accepted, and their sender has been thought dead since.
        self.left: dict[tuple[int, int], int] = {}  #: Enrollment and step counter to how often a server took it.
        self.sent: list[tuple[Mailbox, bytes]] = []
        self.boxes: list[Mailbox] = []

    async def open(self) -> Store:
        """Open a new store."""
        raise NotImplementedError

    async def close(self, store: Store) -> None:
        """Close it again."""
        await store.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run to the end."""
        return self.runner.run(coroutine)

    def teardown(self) -> None:
        """Let go of everything."""
        self.run(self.close(self.store.inner))
        self.runner.close()

    # --- setting up ---

    @initialize(cap=st.integers(2, 6))
    def begin_life(self, cap: int) -> None:
        """Two sequences, two mailboxes with small caps, everyone in both."""

        def make(tx: Any) -> list[Mailbox]:
            self.workspace = builders.workspace(tx)
            for name in SEQUENCES:
                policy: dict[str, Any] = {"max_new_per_day": 2, "daily_cap": cap * 2} if name == "slow" else {}
                builders.published(tx, self.workspace, builders.plan(*STEPS, name=name, **policy))
            made = [builders.mailbox(tx, self.workspace, f"box{n}@acme.example", daily_cap=cap) for n in (1, 2)]
            people = [builders.lead(tx, self.workspace, address) for address in PEOPLE]
            for name in SEQUENCES:
                builders.enrollment(tx, self.workspace, people, name)
            return made

        self.boxes = self.run(self.store.write(make))

    @rule(writes=st.integers(1, 5))
    def commits_are_unheard(self, writes: int) -> None:
        """Write again what is written next."""
        self.store.again = writes

    # --- outward ---

    @rule()
    def claim_and_reserve(self) -> None:
        """Take whatever is due."""
        for claimed in self.claims():
            self.reserve(claimed)

    def claims(self) -> list[Claim]:
        """Claim whatever is due, all mailboxes freshly read."""
        self.run(self.life.read_all_freshly())
        busy = frozenset(flight.reserved.mailbox.id for flight in self.flights)
        return self.run(self.life.claim(busy=busy))

    def reserve(self, claimed: Claim) -> sending.ReserveOutcome:
        """Reserve what was claimed, and look ourselves: nothing is reserved against which something speaks now."""
        outcome = self.run(self.life.reserve(claimed))
        if isinstance(outcome, sending.Reserved):
            self.flights.append(Flight(reserved=outcome))
            self._nothing_speaks_against(outcome)
        return outcome

    @rule(ends=st.lists(st.sampled_from(ENDS), min_size=4, max_size=4))
    def hours_of_work(self, ends: list[str]) -> None:
        """Send what is due, as usual, and again what is due then; most of it is accepted."""
        for _ in range(2):
            self.prepare()
            for flight, end in zip(list(self.flights), ends, strict=False):
                self.send(flight, end)

    def send(self, flight: Flight, end: str) -> None:
        """Take the last look, and let it come to this end."""
        outcome = self.last_look(flight) if flight.attempt is None else sending.Begun(attempt=flight.attempt)
        self.flights.remove(flight)
        if not isinstance(outcome, sending.Begun):
            return
        if end in {"accepted", "lost after all"}:
            self.accept(flight)
        if end == "accepted":
            self.run(self.life.confirm(flight.reserved))
        else:
            self.run(self.life.lose(outcome.attempt))
        if end == "refused, and heard late":
            self.run(self.life.fail(outcome.attempt, TryLater(reason="greylisted", response="451")))
            settled = self.run(self.life.attempt(outcome.attempt))
            assert (AttemptStatus.FAILED, False) == (settled.status, settled.holds_slot)

    def prepare(self) -> None:
        """See to it that something is about to leave, if anything can: resume, and let as much as a day pass."""
        for hours in (1, 3, 24):
            if any(flight.attempt is None for flight in self.flights):
                return
            if not self.flights:
                self.everybody_goes_on()
                self.life.later(hours=hours)
            self.walk()
            self.claim_and_reserve()

    def everybody_goes_on(self) -> None:
        """Lift whatever an operator has held back."""
        raise NotImplementedError

    @precondition(lambda self: any(flight.attempt is None for flight in self.flights))
    @rule(data=st.data(), heard=st.sampled_from([True, True, False]))
    def begin(self, data: st.DataObject, *, heard: bool) -> None:
        """Take the last look; where its COMMIT was not heard, nothing is released and that is recorded."""
        flight = data.draw(st.sampled_from([one for one in self.flights if one.attempt is None]))
        outcome = self.last_look(flight)
        if isinstance(outcome, sending.Begun) and heard:
            flight.attempt = outcome.attempt
            return
        self.flights.remove(flight)
        if not heard:
            self.run(self.life.fail(flight.reserved.attempt, Withdrawn(reason="not_released")))

    def last_look(self, flight: Flight) -> sending.Begun | sending.Withheld:
        """Take the last look, and look ourselves: nothing may leave for whom something speaks against it now."""
        outcome = self.run(self.life.begin(flight.reserved))
        if isinstance(outcome, sending.Begun):
            self._nothing_speaks_against(flight.reserved)
        return outcome

    def _nothing_speaks_against(self, reserved: sending.Reserved) -> None:
        run = self.run(self.life.again(reserved.enrollment))
        box = self.run(self.life.box(reserved.mailbox))
        names = [self.run(self.store.read(sequences.by_name, self.workspace.id, name)) for name in SEQUENCES]
        suppressed = {one.value for one in self.all_of(Suppression, "suppressions.of_workspace")}

        assert run.status in WALKING
        assert (run.replied_at, run.step_counter) == (None, reserved.attempt.step_counter)
        assert box.status not in {MailboxStatus.PAUSED, MailboxStatus.REMOVED}
        assert SequenceStatus.LIVE is next(one.status for one in names if one.id == run.sequence_id)
        assert reserved.lead.email not in suppressed

    def _land(self, data: st.DataObject, *, began: bool) -> Flight:
        flight = data.draw(st.sampled_from([f for f in self.flights if (f.attempt is not None) or not began]))
        self.flights.remove(flight)
        return flight

    def accept(self, flight: Flight) -> None:
        """Let a server take it."""
        attempt = flight.reserved.attempt
        key = (attempt.enrollment_id, attempt.step_counter)
        self.left[key] = self.left.get(key, 0) + 1
        self.sent.append((flight.reserved.mailbox, self.life.compose(flight.reserved)))

    @precondition(lambda self: any(flight.attempt is not None for flight in self.flights))
    @rule(data=st.data())
    def accepted(self, data: st.DataObject) -> None:
        """Hear the server say yes."""
        flight = self._land(data, began=True)
        self.accept(flight)
        self.run(self.life.confirm(flight.reserved))

    @precondition(lambda self: any(flight.attempt is not None for flight in self.flights))
    @rule(data=st.data(), accepted=st.booleans())
    def lost(self, data: st.DataObject, *, accepted: bool) -> None:
        """Break the line, whether or not the server had taken it."""
        flight = self._land(data, began=True)
        if accepted:
            self.accept(flight)
        assert flight.attempt is not None
        self.run(self.life.lose(flight.attempt))

    @precondition(lambda self: bool(self.flights))
    @rule(data=st.data(), kind=st.integers(0, 4))
    def failed(self, data: st.DataObject, kind: int) -> None:
        """Hear a definite no, of any kind."""
        flight = self._land(data, began=False)
        until = self.life.now + timedelta(minutes=10)
        failures: tuple[Failure, ...] = (
            TryLater(reason="greylisted", response="451"),
            Withdrawn(reason="not_released"),
            MailboxTrouble(reason="quota", response="550", status=None, until=until),
            MailboxTrouble(reason="smtp_unreachable", response="", status=MailboxStatus.UNREACHABLE, until=until),
            AddressRejected(reason="unknown_user", response="550 5.1.1"),
        )
        self.run(self.life.fail(flight.attempt or flight.reserved.attempt, failures[kind]))

    # --- death, true or thought to be ---

    @rule()
    def die_and_be_rescued(self) -> None:
        """End the process; the next one takes over what it left."""
        self.flights.clear()
        self.late.clear()
        self.life.later(seconds=31)
        self.be_taken_over()

    @precondition(lambda self: bool(self.flights))
    @rule(had_left=st.booleans())
    def be_thought_dead(self, *, had_left: bool) -> None:
        """Lose the lease and live on: what was reserved is tried on, what had left is confirmed when it is too late."""
        for flight in [one for one in self.flights if one.attempt is not None]:
            self.flights.remove(flight)  # no dot is written without a lease
            if had_left:
                self.accept(flight)
                self.late.append(flight)
        self.be_taken_over()

    @precondition(lambda self: bool(self.late))
    @rule()
    def hear_a_late_yes(self) -> None:
        """Confirm what another process has already called unknown, or found out about."""
        self.run(self.life.confirm(self.late.pop().reserved))

    def be_taken_over(self) -> None:
        """Let a successor tidy up what nobody seems to work on."""
        now, store = self.life.now, self.store

        async def rescue() -> None:
            found = await store.read(rescuing.left_behind, worker="successor", now=now, limit=99, since=now)
            for attempt in found.abandoned:
                await store.write(rescuing.give_up_on, attempt, now=now)
            found = await store.read(rescuing.left_behind, worker="successor", now=now, limit=99, since=now)
            for row in found.locked:
                ids = {"workspace_id": row.workspace_id, "enrollment_id": row.id}
                await store.write(rescuing.take_over, **ids, holder=WORKER)
            for attempt in found.slots:
                await store.write(rescuing.return_slot, attempt)

        self.run(rescue())

    @rule()
    def walk(self) -> None:
        """End the waits that are over."""
        for due in self.run(self.store.read(walking.due, now=self.life.now, limit=99)):
            ids = {"workspace_id": due.workspace_id, "enrollment_id": due.id}
            self.run(self.store.write(walking.walk, **ids, worker=WORKER, keys=KEYS, now=self.life.now))

    # --- looking ---

    def all_of(self, into: type[T], statement: str, **params: Any) -> list[T]:
        """Read rows of the workspace."""

        def read(reader: Reader) -> list[T]:
            return reader.all(into, statement, workspace_id=self.workspace.id, **params)

        return self.run(self.store.read(read))

    def runs(self) -> list[Enrollment]:
        """Read every enrollment."""
        return self.all_of(Enrollment, "enrollments.chosen", sequence_id=None, lead_id=None)
