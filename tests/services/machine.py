"""A random life over the real services: three people, two sequences, two mailboxes, and everything that can happen."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from relance.core.attempt import OPEN, Attempt, AttemptStatus
from relance.core.enrollment import TERMINAL, WALKING, Enrollment, HistoryEntry
from relance.core.failure import AddressRejected, Failure, MailboxTrouble, TryLater, Withdrawn
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import SequenceStatus
from relance.ports.store import Reader, Store
from relance.services import enrollments, leads, mailboxes, rescuing, sending, sequences, walking
from relance.services.refusals import RefusedError
from relance.testing import builders, letters
from relance.testing.builders import KEYS, email, wait
from services.life import WORKER, Life

T = TypeVar("T")
PEOPLE = ("ann@lead.example", "ben@lead.example", "cleo@else.example")
SEQUENCES = ("q4", "slow")
STEPS = (email("intro", subject="Question"), email("bump", "1h"), wait("rest", "1h"), email("last", "1h"))
WAITS = st.sampled_from([timedelta(seconds=1), timedelta(minutes=5), timedelta(hours=1), timedelta(days=1)])


@dataclass(slots=True, kw_only=True)
class Flight:
    """One send in our hands, and how far it has come."""

    reserved: sending.Reserved
    attempt: Attempt | None = None  #: In flight, once begun.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    run: Enrollment
    attempts: list[Attempt]
    history: list[HistoryEntry]


class LifeMachine(RuleBasedStateMachine):
    """Everything that can happen, in any order; what must hold is looked at after each step."""

    store: Store

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.store = self.run(self.open())
        self.life = Life(self.store)
        self.flights: list[Flight] = []
        self.left: dict[tuple[int, int], int] = {}  #: Enrollment and step counter to how often a server took it.
        self.sent: list[tuple[Mailbox, bytes]] = []
        self.counters: dict[int, int] = {}
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
        self.run(self.close(self.store))
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
        self.slow = self.run(self.store.read(sequences.by_name, self.workspace.id, "slow")).id

    # --- outward ---

    @rule()
    def claim_and_reserve(self) -> None:
        """Whatever is due."""
        self.run(self.life.read_all_freshly())
        busy = frozenset(flight.reserved.mailbox.id for flight in self.flights)
        for claimed in self.run(self.life.claim(busy=busy)):
            outcome = self.run(self.life.reserve(claimed))
            if isinstance(outcome, sending.Reserved):
                self.flights.append(Flight(reserved=outcome))

    @precondition(lambda self: not self.flights)
    @rule(ends=st.lists(st.sampled_from(["accepted", "accepted", "lost", "lost after all"]), min_size=2, max_size=2))
    def an_hour_of_work(self, ends: list[str]) -> None:
        """Send what is due, as usual; most of it is accepted."""
        self._prepare()
        for flight, end in zip(list(self.flights), ends, strict=False):
            outcome = self._begin(flight)
            self.flights.remove(flight)
            if not isinstance(outcome, sending.Begun):
                continue
            if end != "lost":
                self._accept(flight)
            if end == "accepted":
                self.run(self.life.confirm(flight.reserved))
            else:
                self.run(self.life.lose(outcome.attempt))

    def _prepare(self) -> None:
        """See to it that something is about to leave, if anything can."""
        if not self.flights:
            self.life.later(hours=1)
            self.walk()
            self.claim_and_reserve()

    @rule()
    def everybody_goes_on(self) -> None:
        """Resume all that is held back."""
        for run in self._runs():
            ids = {"workspace_id": run.workspace_id, "enrollment_id": run.id}
            self.run(self.store.write(enrollments.resume, **ids, cause="by hand", now=self.life.now))
        for box in self.boxes:
            self.run(self.store.write(mailboxes.resume, box, now=self.life.now))
        for name in SEQUENCES:
            self.operate_sequence(name, sequences.resume)

    @precondition(lambda self: any(flight.attempt is None for flight in self.flights))
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Take the last look."""
        flight = data.draw(st.sampled_from([one for one in self.flights if one.attempt is None]))
        outcome = self._begin(flight)
        if isinstance(outcome, sending.Begun):
            flight.attempt = outcome.attempt
        else:
            self.flights.remove(flight)

    @rule(data=st.data(), what=st.sampled_from(["run", "sequence", "mailbox", "note"]))
    def something_comes_between(self, data: st.DataObject, what: str) -> None:
        """Pause what is prepared, then take the last look."""
        self._prepare()
        if all(one.attempt is not None for one in self.flights):
            return
        flight = data.draw(st.sampled_from([one for one in self.flights if one.attempt is None]))
        run, now = flight.reserved.enrollment, self.life.now
        ids = {"workspace_id": run.workspace_id}
        match what:
            case "run":
                self.run(self.store.write(enrollments.pause, **ids, enrollment_id=run.id, cause="by hand", now=now))
            case "sequence":
                self.operate_sequence(flight.reserved.plan.name, sequences.pause)
            case "mailbox":
                self.run(self.store.write(mailboxes.pause, flight.reserved.mailbox, reason="by hand", now=now))
            case _:
                self.note(flight.reserved.lead.email)
        if isinstance(self._begin(flight), sending.Withheld):
            self.flights.remove(flight)
            return
        raise AssertionError(f"it left although its {what} was paused")

    def _begin(self, flight: Flight) -> sending.Begun | sending.Withheld:
        """Take the last look, and look ourselves: nothing may leave for whom something speaks against it now."""
        outcome = self.run(self.life.begin(flight.reserved))
        if isinstance(outcome, sending.Begun):
            run = self.run(self.life.again(flight.reserved.enrollment))
            box = self.run(self.life.box(flight.reserved.mailbox))
            names = [self.run(self.store.read(sequences.by_name, self.workspace.id, name)) for name in SEQUENCES]

            assert run.status in WALKING
            assert (run.replied_at, run.step_counter) == (None, outcome.attempt.step_counter)
            assert MailboxStatus.PAUSED is not box.status
            assert SequenceStatus.LIVE is next(one.status for one in names if one.id == run.sequence_id)
        return outcome

    def _land(self, data: st.DataObject, *, began: bool) -> Flight:
        flight = data.draw(st.sampled_from([f for f in self.flights if (f.attempt is not None) or not began]))
        self.flights.remove(flight)
        return flight

    def _accept(self, flight: Flight) -> None:
        attempt = flight.reserved.attempt
        key = (attempt.enrollment_id, attempt.step_counter)
        self.left[key] = self.left.get(key, 0) + 1
        self.sent.append((flight.reserved.mailbox, self.life.compose(flight.reserved)))

    @precondition(lambda self: any(flight.attempt is not None for flight in self.flights))
    @rule(data=st.data())
    def accepted(self, data: st.DataObject) -> None:
        """Let the server say yes."""
        flight = self._land(data, began=True)
        self._accept(flight)
        self.run(self.life.confirm(flight.reserved))

    @precondition(lambda self: any(flight.attempt is not None for flight in self.flights))
    @rule(data=st.data(), accepted=st.booleans())
    def lost(self, data: st.DataObject, *, accepted: bool) -> None:
        """Break the line, whether or not the server had taken it."""
        flight = self._land(data, began=True)
        if accepted:
            self._accept(flight)
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

    @rule()
    def die_and_be_rescued(self) -> None:
        """End the process; the next one takes over what it left."""
        self.flights.clear()
        self.life.later(seconds=31)

        async def rescue() -> None:
            found = await self.store.read(rescuing.left_behind, worker="successor", now=self.life.now, limit=99)
            for attempt in found.abandoned:
                await self.store.write(rescuing.give_up_on, attempt, now=self.life.now)
            found = await self.store.read(rescuing.left_behind, worker="successor", now=self.life.now, limit=99)
            for row in found.locked:
                ids = {"workspace_id": row.workspace_id, "enrollment_id": row.id}
                await self.store.write(rescuing.take_over, **ids, holder=WORKER)
            for attempt in found.slots:
                await self.store.write(rescuing.return_slot, attempt)

        self.run(rescue())

    def _unknown(self) -> list[Attempt]:
        return [attempt for attempt in self._attempts() if attempt.status is AttemptStatus.UNKNOWN]

    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        """Look a lost outcome up, and find the truth."""
        unknown = self._unknown()
        if not unknown:
            return
        attempt = data.draw(st.sampled_from(unknown))
        left = self.left.get((attempt.enrollment_id, attempt.step_counter), 0) > 0
        decide = sending.settle_sent if left else sending.settle_failed
        ids = {"workspace_id": attempt.workspace_id, "attempt_id": attempt.id}
        self.run(self.store.write(decide, **ids, by="looked up", now=self.life.now))

    @rule()
    def walk(self) -> None:
        """End the waits that are over."""
        for workspace_id, enrollment_id in self.run(self.store.read(walking.due, now=self.life.now, limit=99)):
            ids = {"workspace_id": workspace_id, "enrollment_id": enrollment_id}
            self.run(self.store.write(walking.walk, **ids, worker=WORKER, keys=KEYS, now=self.life.now))

    # --- inward ---

    @precondition(lambda self: bool(self.sent))
    @rule(data=st.data(), kind=st.sampled_from(["reply", "bounce", "soft", "unsubscribe", "away", "copy", "complaint"]))
    def mail_comes_in(self, data: st.DataObject, kind: str) -> None:
        """Receive an answer of any kind to any message that was sent."""
        box, raw = data.draw(st.sampled_from(self.sent))
        now = self.life.now
        mail = {
            "reply": lambda: letters.reply(raw, at=now),
            "bounce": lambda: letters.bounce(raw, at=now),
            "soft": lambda: letters.bounce(raw, at=now, status="4.2.2", diagnostic="452 4.2.2 mailbox full"),
            "unsubscribe": lambda: letters.unsubscribe(raw, at=now),
            "away": lambda: letters.auto_reply(raw, at=now, text="I am out of the office."),
            "complaint": lambda: letters.complaint(raw, at=now),
            "copy": lambda: raw,
        }[kind]()
        self.run(self.life.receive(box, mail, folder="Sent" if kind == "copy" else "INBOX"))

    # --- people ---

    @rule(data=st.data(), what=st.sampled_from([enrollments.pause, enrollments.resume]))
    def operate(self, data: st.DataObject, what: Any) -> None:
        """Pause or resume anyone."""
        run = data.draw(st.sampled_from(self._runs()))
        ids = {"workspace_id": run.workspace_id, "enrollment_id": run.id}
        self.run(self.store.write(what, **ids, cause="by hand", now=self.life.now))

    @rule(name=st.sampled_from(SEQUENCES), what=st.sampled_from([sequences.pause, sequences.resume]))
    def operate_sequence(self, name: str, what: Any) -> None:
        """Pause or resume a sequence."""
        try:
            self.run(self.store.write(what, workspace_id=self.workspace.id, name=name, now=self.life.now))
        except RefusedError:
            return

    @rule(number=st.integers(0, 1), what=st.sampled_from(["pause", "resume", "unreadable"]))
    def operate_mailbox(self, number: int, what: str) -> None:
        """Pause, resume, or lose the way to a mailbox."""
        box = self.boxes[number]
        match what:
            case "pause":
                self.run(self.store.write(mailboxes.pause, box, reason="by hand", now=self.life.now))
            case "resume":
                self.run(self.store.write(mailboxes.resume, box, now=self.life.now))
            case _:
                ids = {"workspace_id": box.workspace_id, "mailbox_id": box.id}
                status, error = MailboxStatus.UNREACHABLE, "no route"
                self.run(
                    self.store.write(mailboxes.reading_failed, **ids, status=status, error=error, now=self.life.now)
                )

    @rule(name=st.sampled_from(SEQUENCES), words=st.sampled_from(["one", "two", "three"]))
    def publish(self, name: str, words: str) -> None:
        """Other words; runs stay on their version."""
        plan = builders.plan(email("intro", subject="Question", text=words), *STEPS[1:], name=name)
        self.run(self.store.write(sequences.publish, workspace_id=self.workspace.id, plan=plan, now=self.life.now))

    @rule(who=st.sampled_from(PEOPLE))
    def note(self, who: str) -> None:
        """Write a note, which pauses."""
        ids = {"workspace_id": self.workspace.id}
        self.run(self.store.write(leads.note, **ids, email=who, text="called", author="bo", now=self.life.now))

    @rule(by=WAITS)
    def time_passes(self, by: timedelta) -> None:
        """Let a little pass, or a day; what is in our hands comes to an end before its deadline."""
        if not self.flights:
            self.life.clock.advance(by)

    # --- what must hold ---

    def _all(self, into: type[T], statement: str, **params: Any) -> list[T]:
        def read(reader: Reader) -> list[T]:
            return reader.all(into, statement, workspace_id=self.workspace.id, **params)

        return self.run(self.store.read(read))

    def _runs(self) -> list[Enrollment]:
        return self._all(Enrollment, "enrollments.chosen", sequence_id=None, lead_id=None)

    def _attempts(self) -> list[Attempt]:
        return [attempt for name in SEQUENCES for attempt in self._of_sequence(name)]

    def _of_sequence(self, name: str) -> list[Attempt]:
        sequence = self.run(self.store.read(sequences.by_name, self.workspace.id, name))
        return self._all(Attempt, "attempts.of_sequence", sequence_id=sequence.id)

    @invariant()
    def nobody_got_a_step_twice(self) -> None:
        """By what the servers took, not by what we believe."""
        assert all(count == 1 for count in self.left.values()), self.left

    @invariant()
    def every_row_tells_a_true_story(self) -> None:
        """One look at everything that is stored."""
        if not self.boxes:
            return
        rows = self.run(self.store.read(self._look))
        for row in rows:
            self._is_sound(row)
        self._adds_up([attempt for row in rows for attempt in row.attempts])

    def _look(self, reader: Reader) -> list[_Row]:
        ids = {"workspace_id": self.workspace.id}
        return [
            _Row(
                run=run,
                attempts=reader.all(Attempt, "attempts.of_enrollment", **ids, enrollment_id=run.id),
                history=reader.all(HistoryEntry, "enrollments.history", **ids, enrollment_id=run.id),
            )
            for run in reader.all(Enrollment, "enrollments.chosen", **ids, sequence_id=None, lead_id=None)
        ]

    def _is_sound(self, row: _Row) -> None:
        """One open attempt at most; counters only grow; who has ended is never due; history ends where the row is."""
        run, history = row.run, row.history

        waiting = {AttemptStatus.RESERVED} if run.status in TERMINAL else set()

        assert 1 >= sum(attempt.status in OPEN for attempt in row.attempts)
        assert waiting.isdisjoint(attempt.status for attempt in row.attempts)
        assert self.counters.get(run.id, 1) <= run.step_counter
        assert run.status not in TERMINAL or (run.next_due_at, run.lock_holder) == (None, None)
        assert run.status is history[-1].to_status
        assert all(after.from_status is before.to_status for before, after in pairwise(history))
        self.counters[run.id] = run.step_counter

    def _adds_up(self, attempts: list[Attempt]) -> None:
        """Check that what left is never called failed, that no slot leaks and that none is given back twice."""
        for attempt in attempts:
            if self.left.get((attempt.enrollment_id, attempt.step_counter)):
                flying = any(f.reserved.attempt.id == attempt.id for f in self.flights)
                assert flying or attempt.status in {AttemptStatus.SENT, AttemptStatus.UNKNOWN}, attempt
        held = [attempt for attempt in attempts if attempt.holds_slot]
        expected: Counter[tuple[str, int, str]] = Counter()
        for one in held:
            expected["mailbox_day", one.mailbox_id, one.slot_day] += 1
            expected["mailbox_hour", one.mailbox_id, one.slot_hour] += 1
            if one.sequence_id == self.slow and one.version == 1:  # the only version with caps of its own
                expected["sequence_day", one.sequence_id, one.slot_day] += 1
                expected["sequence_new_day", one.sequence_id, one.slot_day] += one.step_counter == 1
        for one in attempts:
            for scope, scope_id, bucket in (
                ("mailbox_day", one.mailbox_id, one.slot_day),
                ("mailbox_hour", one.mailbox_id, one.slot_hour),
                ("sequence_day", one.sequence_id, one.slot_day),
                ("sequence_new_day", one.sequence_id, one.slot_day),
            ):
                used = self._all(int, "usage.used", scope=scope, scope_id=scope_id, bucket=bucket)

                assert expected[scope, scope_id, bucket] == (used[0] if used else 0), (scope, scope_id, bucket)
