"""A random life over the real services: three people, two sequences, two mailboxes, and everything that can happen.

Here stand what operators and people do and what must hold after each step; what a worker does is in `machine_hands.py`.
"""

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import TERMINAL, WALKING, Enrollment, EnrollmentStatus
from relance.core.failure import Failure, TryLater, Withdrawn
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.suppression import SuppressionReason
from relance.ports.store import Reader
from relance.services import enrollments, leads, mailboxes, sending, sequences, suppressions
from relance.services.dispatching import Claim
from relance.services.refusals import NotFoundError, RefusedError
from relance.testing import builders, letters
from relance.testing.builders import KEYS, email
from row_stories import Story, check_history, check_row, check_usage, contradictions, stories_of
from services.machine_hands import PEOPLE, SEQUENCES, STEPS, Flight, Hands

WAITS = st.sampled_from([timedelta(seconds=1), timedelta(minutes=5), timedelta(hours=1), timedelta(days=1)])
#: What cannot be taken back comes one time in so many: a life in which all have ended has nothing more to tell.
SELDOM = st.integers(0, 7).map(lambda drawn: drawn == 0)
#: What holds one person, a sequence or a mailbox back, and can be taken back.
HOLDS = ("a pause", "a paused sequence", "a paused mailbox", "a removed mailbox", "a note")


class LifeMachine(Hands):
    """Everything that can happen, in any order; what must hold is looked at after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.counters: dict[int, int] = {}
        self.ended: dict[int, EnrollmentStatus] = {}

    def act(self, service: Any, *args: Any, **kwargs: Any) -> None:
        """Do what an operator does; a refusal is an answer too."""
        try:
            self.run(self.store.write(service, *args, **kwargs, now=self.life.now))
        except (RefusedError, NotFoundError):
            return

    # --- operators ---

    @rule()
    def everybody_goes_on(self) -> None:
        """Resume all that is held back, and connect what was removed."""
        for run in self.runs():
            self.act(enrollments.resume, workspace_id=run.workspace_id, enrollment_id=run.id, cause="by hand")
        for number in range(len(self.boxes)):
            self.operate_mailbox(number, "resume")
            self.operate_mailbox(number, "connect")
        for name in SEQUENCES:
            self.operate_sequence(name, sequences.resume)

    @rule(data=st.data(), against=st.lists(st.sampled_from([*HOLDS, "a rescue"]), min_size=3, max_size=3, unique=True))
    def something_comes_before_the_last_look(self, data: st.DataObject, against: list[str]) -> None:
        """Stop what is prepared, then take the last look: it never leaves. So with one thing after the other."""
        for what in [*against, *self._now_and_then(data, "an opt-out")]:
            flight = self._prepared(data)
            if flight is None:
                return
            self._come_between(what, flight.reserved.enrollment, flight.reserved.mailbox)
            if isinstance(self.last_look(flight), sending.Begun):
                raise AssertionError(f"it left although {what} had come between")  # noqa: TRY004  # no type is wrong
            self.flights.remove(flight)

    @rule(data=st.data(), against=st.lists(st.sampled_from(HOLDS), min_size=3, max_size=3, unique=True))
    def something_comes_before_the_slot(self, data: st.DataObject, against: list[str]) -> None:
        """Stop what is claimed: no slot is taken for it, and whoever else was claimed goes on."""
        for what in [*against, *self._now_and_then(data, "an opt-out")]:
            claims = self._due()
            if not claims:
                return
            chosen = data.draw(st.sampled_from(claims))
            run = next(run for run in self.runs() if run.id == chosen.enrollment_id)
            self._come_between(what, run, next(box for box in self.boxes if box.id == chosen.mailbox_id))
            if isinstance(self.reserve(chosen), sending.Reserved):
                raise AssertionError(f"it was reserved although {what} had come between")  # noqa: TRY004  # as above
            for other in claims:
                if other is not chosen:
                    self.reserve(other)

    def _now_and_then(self, data: st.DataObject, what: str) -> list[str]:
        """Return what cannot be taken back, one time in three."""
        return [what] * (data.draw(st.integers(0, 2)) == 0)

    def _due(self) -> list[Claim]:
        """Bring what is in our hands to its end, and claim what is due then, within a day."""
        for hours in (1, 3, 24):
            for flight in list(self.flights):
                self.send(flight, "accepted")
            self.everybody_goes_on()
            self.life.later(hours=hours)
            self.walk()
            if claims := self.claims():
                return claims
        return []

    @rule(data=st.data(), what=st.sampled_from(HOLDS))
    def something_comes_before_the_yes(self, data: st.DataObject, what: str) -> None:
        """Stop what is in flight: its acceptance is recorded, and moves nobody who does not walk."""
        flight = self._prepared(data)
        if flight is None:
            return
        outcome = self.last_look(flight)
        self.flights.remove(flight)
        if isinstance(outcome, sending.Withheld):
            return
        self._come_between(what, flight.reserved.enrollment, flight.reserved.mailbox)
        before = self.run(self.life.again(flight.reserved.enrollment))
        self.accept(flight)
        self.run(self.life.confirm(flight.reserved))
        after = self.run(self.life.again(flight.reserved.enrollment))
        attempt = self.run(self.life.attempt(flight.reserved.attempt))
        moved = after.step_counter > before.step_counter or after.status is EnrollmentStatus.COMPLETED

        assert AttemptStatus.SENT is attempt.status
        assert (before.status in WALKING) == moved

    @rule(data=st.data(), failure=st.sampled_from([TryLater(reason="late", response="451"), Withdrawn(reason="late")]))
    def a_ghost_speaks(self, data: st.DataObject, failure: Failure) -> None:
        """Fail, by who was thought dead, what another one has reserved anew: that try is not theirs to fail."""
        flight = self._prepared(data)
        if flight is None:
            return
        self.flights.clear()
        self.be_taken_over()
        self.life.later(minutes=5)
        self.claim_and_reserve()
        before = self.run(self.life.attempt(flight.reserved.attempt))
        self.run(self.life.fail(flight.reserved.attempt, failure))

        assert before == self.run(self.life.attempt(flight.reserved.attempt))

    def _prepared(self, data: st.DataObject) -> Flight | None:
        """Return something that is about to leave, if anything can."""
        self.prepare()
        reserved = [one for one in self.flights if one.attempt is None]
        return data.draw(st.sampled_from(reserved)) if reserved else None

    def _come_between(self, what: str, run: Enrollment, box: Mailbox) -> None:
        match what:
            case "a pause":
                self.act(enrollments.pause, workspace_id=run.workspace_id, enrollment_id=run.id, cause="by hand")
            case "a paused sequence":
                self.operate_sequence(self._name_of(run), sequences.pause)
            case "a paused mailbox":
                self.act(mailboxes.pause, box, reason="by hand")
            case "a removed mailbox":
                self.act(mailboxes.remove, box)
            case "an opt-out":
                self.opt_out(self._email_of(run), second=False, really=True)
            case "a rescue":
                self.be_taken_over()
            case _:
                self.note(self._email_of(run))

    def _name_of(self, run: Enrollment) -> str:
        found = [self.run(self.store.read(sequences.by_name, self.workspace.id, name)) for name in SEQUENCES]
        return next(one.name for one in found if one.id == run.sequence_id)

    def _email_of(self, run: Enrollment) -> str:
        lead = self.run(
            self.store.read(lambda reader: reader.one(Lead, "leads.get", workspace_id=run.workspace_id, id=run.lead_id))
        )
        assert lead is not None
        return lead.email

    @rule(data=st.data(), what=st.sampled_from([enrollments.pause, enrollments.resume]))
    def operate(self, data: st.DataObject, what: Any) -> None:
        """Pause or resume anyone."""
        run = data.draw(st.sampled_from(self.runs()))
        self.act(what, workspace_id=run.workspace_id, enrollment_id=run.id, cause="by hand")

    @rule(name=st.sampled_from(SEQUENCES), what=st.sampled_from([sequences.pause, sequences.resume]))
    def operate_sequence(self, name: str, what: Any) -> None:
        """Pause or resume a sequence."""
        self.act(what, workspace_id=self.workspace.id, name=name)

    @rule(number=st.integers(0, 1), what=st.sampled_from(["pause", "resume", "unreadable", "remove", "connect"]))
    def operate_mailbox(self, number: int, what: str) -> None:
        """Pause, resume, remove, connect again, or lose the way to a mailbox."""
        box = self.boxes[number]
        match what:
            case "pause":
                self.act(mailboxes.pause, box, reason="by hand")
            case "resume":
                self.act(mailboxes.resume, box)
            case "remove":
                self.act(mailboxes.remove, box)
            case "connect":
                self.act(mailboxes.add, box, sealed=b"sealed")
            case _:
                ids = {"workspace_id": box.workspace_id, "mailbox_id": box.id}
                self.act(mailboxes.reading_failed, **ids, status=MailboxStatus.UNREACHABLE, error="no route")

    @rule(name=st.sampled_from(SEQUENCES), words=st.sampled_from(["one", "two", "three"]))
    def publish(self, name: str, words: str) -> None:
        """Publish other words; runs stay on their version."""
        plan = builders.plan(email("intro", subject="Question", text=words), *STEPS[1:], name=name)
        self.act(sequences.publish, workspace_id=self.workspace.id, plan=plan)

    @rule(name=st.sampled_from(SEQUENCES), really=SELDOM)
    def archive(self, name: str, *, really: bool) -> None:
        """End a sequence; without --stop-active that is refused while anybody walks it."""
        self.act(sequences.archive, workspace_id=self.workspace.id, name=name, stop_active=really)

    @rule(who=st.sampled_from(PEOPLE))
    def note(self, who: str) -> None:
        """Write a note, which pauses."""
        self.act(leads.note, workspace_id=self.workspace.id, email=who, text="called", author="bo")

    @rule(who=st.sampled_from(PEOPLE), really=SELDOM)
    def erase(self, who: str, *, really: bool) -> None:
        """Forget a person."""
        if really:
            self.act(leads.erase, workspace_id=self.workspace.id, email=who, keys=KEYS)

    @rule(who=st.sampled_from(PEOPLE), second=st.booleans(), really=SELDOM)
    def opt_out(self, who: str, *, second: bool, really: bool) -> None:
        """Suppress one of a person's addresses by their own will."""
        if really:
            self.act(
                suppressions.suppress_address,
                workspace_id=self.workspace.id,
                address=f"also-{who}" if second else who,
                reason=SuppressionReason.UNSUBSCRIBED,
                source="one click",
                tombstone_key=KEYS.tombstone,
            )

    @rule(who=st.sampled_from(PEOPLE), identity=st.sampled_from(["a", "b"]), second=st.booleans())
    def merge(self, who: str, identity: str, *, second: bool) -> None:
        """Import a person, perhaps by another address, under an identity that may be another one's."""
        ids = {"workspace_id": self.workspace.id}
        values = {"first_name": "Again", "external_id": f"{identity}-{PEOPLE.index(who)}"}
        address = f"also-{who}" if second else who
        self.act(leads.add, **ids, email=address, values=values, source="import", list_name=None)

    @rule(who=st.sampled_from(PEOPLE), name=st.sampled_from(SEQUENCES))
    def enter_again(self, who: str, name: str) -> None:
        """Enroll who is enrolled: nobody starts twice."""
        known = self.run(self.store.read(leads.known_among, workspace_id=self.workspace.id, emails=[who]))
        if known:
            lead = self.run(self.store.read(leads.by_email, self.workspace.id, who))
            facts: dict[str, Any] = {"sequence_name": name, "lead_ids": [lead.id], "source_list": None, "keys": KEYS}
            self.act(enrollments.enroll, workspace_id=self.workspace.id, **facts)

    @rule(data=st.data(), by=st.sampled_from(["looked up", "a person"]))
    def settle(self, data: st.DataObject, by: str) -> None:
        """Find the truth about a lost outcome."""
        unknown = [attempt for attempt in self.attempts() if attempt.status is AttemptStatus.UNKNOWN]
        if not unknown:
            return
        attempt = data.draw(st.sampled_from(unknown))
        left = self.left.get((attempt.enrollment_id, attempt.step_counter), 0) > 0
        decide = sending.settle_sent if left else sending.settle_failed
        self.act(decide, workspace_id=attempt.workspace_id, attempt_id=attempt.id, by=by)

    # --- people, and time ---

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

    @rule(by=WAITS)
    def time_passes(self, by: timedelta) -> None:
        """Let a little pass, or a day; what is in our hands comes to an end before its deadline."""
        if not self.flights:
            self.life.clock.advance(by)

    # --- what must hold ---

    def attempts(self) -> list[Attempt]:
        """Read every attempt."""
        return [attempt for story in self.stories() for attempt in story.attempts]

    def stories(self) -> list[Story]:
        """Read everything about everyone."""
        return self.run(self.store.read(stories_of, self.workspace.id))

    @invariant()
    def nobody_got_a_step_twice(self) -> None:
        """By what the servers took, not by what we believe."""
        assert all(count == 1 for count in self.left.values()), self.left

    @invariant()
    def every_row_tells_a_true_story(self) -> None:
        """One look at everything that is stored."""
        if not self.boxes:
            return

        def read(reader: Reader) -> list[Story]:
            stories = stories_of(reader, self.workspace.id)
            check_usage(reader, self.workspace.id, stories)
            return stories

        for story in self.run(self.store.read(read)):
            self._is_sound(story)
            self._is_never_denied(story)

    @invariant()
    def the_doctor_finds_nothing(self) -> None:
        """Whatever can be reached contradicts nothing; only a slot may wait for a rescuer to give it back."""
        if self.boxes:
            found = self.run(self.store.read(contradictions, self.workspace.id, self.life.now))

            assert {one.rule for one in found} <= {"slot_kept"}, found

    def _is_sound(self, story: Story) -> None:
        """Counters only grow, history arrives where the row is, and who has ended has ended."""
        run = story.run
        check_row(story, counter_before=self.counters.get(run.id, 1))
        check_history(story)

        assert self.ended.get(run.id, run.status) is run.status
        self.counters[run.id] = run.step_counter
        if run.status in TERMINAL:
            self.ended[run.id] = run.status

    def _is_never_denied(self, story: Story) -> None:
        """See that what left is called sent, or unknown, by all but the one who has not spoken yet."""
        flying = {flight.reserved.attempt.id for flight in (*self.flights, *self.late)}
        for attempt in story.attempts:
            if self.left.get((attempt.enrollment_id, attempt.step_counter)) and attempt.id not in flying:
                assert attempt.status in {AttemptStatus.SENT, AttemptStatus.UNKNOWN}, attempt
