"""The state machines: what is in the tables happens, and nothing else."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import TERMINAL, WALKING, Enrollment, EnrollmentStatus, HistoryEntry, StopReason
from relance.core.events import EventName
from relance.core.sequence import SequenceStatus
from relance.core.transitions import (
    ATTEMPT_TRANSITIONS,
    ENROLLMENT_TRANSITIONS,
    SEQUENCE_TRANSITIONS,
    IllegalTransitionError,
    allowed,
    change,
    change_attempt,
    change_sequence,
    made,
)
from unit.core.making import NOW, attempt, enrollment, sequence

STATUSES = st.sampled_from(EnrollmentStatus)
EVENTS = st.sampled_from(EventName)
LIVING = [status for status in EnrollmentStatus if status not in TERMINAL]


def reasons(to: EnrollmentStatus) -> dict[str, Any]:
    """Return what a move to that status must bring along."""
    match to:
        case EnrollmentStatus.STOPPED:
            return {"stop_reason": StopReason.REPLIED}
        case EnrollmentStatus.BLOCKED:
            return {"stop_reason": StopReason.STEP_CEILING}
        case EnrollmentStatus.HELD:
            return {"hold_reason": "missing_value:company"}
        case _:
            return {}


def standing(status: EnrollmentStatus) -> Enrollment:
    """Return an enrollment of that status, with the columns that belong to it."""
    if status in TERMINAL:
        return enrollment(status=status, next_due_at=None, ended_at=NOW, **reasons(status))
    return enrollment(status=status, **reasons(status))


def due_where_it_goes_on(row: Enrollment, to: EnrollmentStatus) -> Enrollment:
    """Return the row as a caller hands it over: whoever goes on after an end is due again."""
    return replace(row, next_due_at=NOW) if row.terminal and to not in TERMINAL else row


@given(STATUSES, EVENTS, STATUSES)
def test_what_is_not_in_the_table_raises_and_says_what_may_happen_instead(status, event, to):
    """Every change of status is an entry of the table."""
    row = due_where_it_goes_on(standing(status), to)
    if to in allowed(status, event):
        moved, entry = change(row, event=event, to=to, now=NOW, cause="because", **reasons(to) if to != status else {})
        assert (to, status, to, event) == (moved.status, entry.from_status, entry.to_status, entry.event)
    else:
        with pytest.raises(IllegalTransitionError, match=r"possible instead|may lead to|nothing may happen"):
            change(row, event=event, to=to, now=NOW, cause="because", **reasons(to))


@pytest.mark.parametrize("status", sorted(TERMINAL))
def test_an_ended_enrollment_never_moves_again_by_what_arrives(status):
    """Terminal rows only take records; only a person who corrects what had stopped one lets it go on."""
    arriving = set(EventName) - {EventName.CLASS_CORRECTED}
    corrected = allowed(status, EventName.CLASS_CORRECTED) - {status}

    assert {status} == {target for event in arriving for target in allowed(status, event)}
    assert corrected == (WALKING if status is EnrollmentStatus.STOPPED else set())


@pytest.mark.parametrize("status", EnrollmentStatus)
@pytest.mark.parametrize("event", [EventName.STEP_ACCEPTED, EventName.OUTCOME_SETTLED, EventName.REPLY_RECEIVED])
def test_acceptance_and_replies_are_recorded_in_every_status(status, event):
    """A message that left, or an answer after completion, is never refused."""
    row = standing(status)

    assert row == change(row, event=event, to=status, now=NOW, cause="because")[0]


@pytest.mark.parametrize("status", LIVING)
@pytest.mark.parametrize(
    "event",
    [
        EventName.REPLY_RECEIVED,
        EventName.BOUNCE_RECEIVED,
        EventName.UNSUBSCRIBE_RECEIVED,
        EventName.COMPLAINT_RECEIVED,
        EventName.ENROLLMENT_STOPPED,
        EventName.LEAD_ERASED,
    ],
)
def test_a_reply_while_paused_or_held_stops_the_enrollment(status, event):
    """Pausing protects from no ending: an answer ends it, and so do the others."""
    moved, _ = change(
        standing(status),
        event=event,
        to=EnrollmentStatus.STOPPED,
        now=NOW,
        cause="because",
        stop_reason=StopReason.REPLIED,
    )

    assert (EnrollmentStatus.STOPPED, None, None) == (moved.status, moved.next_due_at, moved.hold_reason)


def test_only_an_operator_resumes():
    """Nothing that comes in sets a paused or held enrollment going again."""
    ways = {
        event
        for status in (EnrollmentStatus.PAUSED, EnrollmentStatus.HELD)
        for event in EventName
        if allowed(status, event) & WALKING
    }

    assert {EventName.ENROLLMENT_RESUMED} == ways


@pytest.mark.parametrize("status", [EnrollmentStatus.PAUSED, EnrollmentStatus.HELD])
def test_setting_aside_keeps_the_due_time_and_ending_clears_it(status):
    """Paused and held rows keep next_due_at; terminal ones lose due time, deferral and lock."""
    row = enrollment(skip_until=NOW + timedelta(hours=1), lock_holder="w1", lock_expires_at=NOW)
    event = EventName.ENROLLMENT_PAUSED if status is EnrollmentStatus.PAUSED else EventName.VALUE_MISSED
    aside, _ = change(row, event=event, to=status, now=NOW, cause="because", **reasons(status))
    ended, _ = change(
        aside,
        event=EventName.ENROLLMENT_STOPPED,
        to=EnrollmentStatus.STOPPED,
        now=NOW,
        cause="because",
        stop_reason=StopReason.MANUAL,
    )

    assert (row.next_due_at, row.skip_until) == (aside.next_due_at, aside.skip_until)
    assert (None, None, None, None, NOW) == (
        ended.next_due_at,
        ended.skip_until,
        ended.lock_holder,
        ended.lock_expires_at,
        ended.ended_at,
    )


@pytest.mark.parametrize(
    "to,given_reasons",
    [
        (EnrollmentStatus.STOPPED, {}),
        (EnrollmentStatus.BLOCKED, {}),
        (EnrollmentStatus.HELD, {}),
        (EnrollmentStatus.PAUSED, {"stop_reason": StopReason.MANUAL}),
        (EnrollmentStatus.COMPLETED, {"stop_reason": StopReason.REPLIED}),
    ],
)
def test_a_reason_stands_where_it_belongs_and_nowhere_else(to, given_reasons):
    """The database's CHECKs tie status to reasons; a move that would break them is refused here already."""
    event = next(event for event in EventName if to in allowed(EnrollmentStatus.ACTIVE, event))

    with pytest.raises(ValueError, match="reason"):
        change(enrollment(), event=event, to=to, now=NOW, cause="because", **given_reasons)


def test_an_enrollment_is_made_walking_or_held_out():
    """Nobody is enrolled into an end, except the control group."""
    expected = {EnrollmentStatus.ACTIVE, EnrollmentStatus.WAITING, EnrollmentStatus.HOLDOUT}

    assert expected == allowed(None, EventName.LEAD_ENROLLED)
    assert None is made(enrollment(), cause="import").from_status
    with pytest.raises(IllegalTransitionError):
        made(enrollment(status=EnrollmentStatus.PAUSED), cause="import")


class Life(RuleBasedStateMachine):
    """Whatever happens in whatever order, a row is consistent and its history says how it got there."""

    def __init__(self) -> None:
        super().__init__()
        self.row = enrollment()
        self.history: list[HistoryEntry] = [made(self.row, cause="import")]

    @rule(event=EVENTS, data=st.data())
    def something_happens(self, event: EventName, data: st.DataObject) -> None:
        targets = sorted(allowed(self.row.status, event))
        if targets:
            to = data.draw(st.sampled_from(targets))
            more = reasons(to) if to != self.row.status else {}
            row = due_where_it_goes_on(self.row, to)
            self.row, entry = change(row, event=event, to=to, now=NOW, cause="because", **more)
            self.history.append(entry)

    @precondition(lambda self: self.row.status in TERMINAL)
    @rule(event=EVENTS, to=STATUSES)
    def an_ended_row_is_left_alone(self, event: EventName, to: EnrollmentStatus) -> None:
        if to != self.row.status and event is not EventName.CLASS_CORRECTED:
            with pytest.raises(IllegalTransitionError):
                change(self.row, event=event, to=to, now=NOW, cause="because")

    @invariant()
    def columns_fit_the_status(self) -> None:
        row = self.row
        assert (row.status in {EnrollmentStatus.STOPPED, EnrollmentStatus.BLOCKED}) == (row.stop_reason is not None)
        assert row.terminal == (row.ended_at is not None)
        assert row.terminal == (row.next_due_at is None)
        assert row.status is not EnrollmentStatus.HELD or row.hold_reason is not None

    @invariant()
    def the_history_is_unbroken(self) -> None:
        for before, entry in zip(self.history, self.history[1:], strict=False):
            assert before.to_status == entry.from_status
        assert self.row.status == self.history[-1].to_status


TestLife = Life.TestCase


# --- attempts ---


@given(st.sampled_from(AttemptStatus), st.sampled_from(AttemptStatus))
def test_an_attempt_moves_by_the_table_only(status, to):
    """Nothing sends twice, and nothing that is unknown is tried again blindly."""
    row = attempt(status=status)
    if to in ATTEMPT_TRANSITIONS[status]:
        assert to == change_attempt(row, to, release_by=NOW, sent_at=NOW).status
    else:
        with pytest.raises(IllegalTransitionError, match=r"possible instead|nothing may happen"):
            change_attempt(row, to)


def ways_to(target: AttemptStatus, start: AttemptStatus) -> set[AttemptStatus]:
    """Return every status that can be reached from `start` without passing `target`."""
    seen: set[AttemptStatus] = set()
    todo = [start]
    while todo:
        status = todo.pop()
        if status not in seen and status is not target:
            seen.add(status)
            todo.extend(ATTEMPT_TRANSITIONS[status])
    return seen


def test_only_a_definite_failure_opens_another_try():
    """Neither `sent` nor `unknown` leads back to the wire, except through a settlement as failed."""
    assert AttemptStatus.IN_FLIGHT not in ways_to(AttemptStatus.FAILED, AttemptStatus.UNKNOWN)
    assert {AttemptStatus.SENT} == ways_to(AttemptStatus.FAILED, AttemptStatus.SENT)
    assert AttemptStatus.RESERVED in ATTEMPT_TRANSITIONS[AttemptStatus.FAILED]


@pytest.mark.parametrize(
    "status", [s for s in AttemptStatus if s not in {AttemptStatus.SENT, AttemptStatus.NOT_DELIVERED}]
)
def test_proof_that_it_left_settles_every_attempt(status):
    """An answer, a notice or a Sent copy that names a message says more than what we believed."""
    assert AttemptStatus.SENT is change_attempt(attempt(status=status), AttemptStatus.SENT, sent_at=NOW).status


def test_in_flight_needs_a_release_limit_and_loses_it_when_it_lands():
    """release_by belongs to an attempt that may be on the wire, and to no other."""
    with pytest.raises(ValueError, match="release_by"):
        change_attempt(attempt(), AttemptStatus.IN_FLIGHT)
    flying = change_attempt(attempt(), AttemptStatus.IN_FLIGHT, release_by=NOW)
    landed = change_attempt(flying, AttemptStatus.RESERVED, tries=1, error="450 later")

    assert (None, 1, "450 later") == (landed.release_by, landed.tries, landed.error)


def test_sent_needs_its_time():
    """An attempt that was sent knows when."""
    with pytest.raises(ValueError, match="sent_at"):
        change_attempt(attempt(), AttemptStatus.SENT)


class Sending(RuleBasedStateMachine):
    """However an attempt is moved about, its open flag and its times fit its status."""

    def __init__(self) -> None:
        super().__init__()
        self.row: Attempt = attempt()

    @rule(to=st.sampled_from(AttemptStatus))
    def something_happens(self, to: AttemptStatus) -> None:
        if to in ATTEMPT_TRANSITIONS[self.row.status]:
            was_sent = self.row.status is AttemptStatus.SENT
            self.row = change_attempt(self.row, to, release_by=NOW, sent_at=NOW)
            assert not was_sent

    @invariant()
    def columns_fit_the_status(self) -> None:
        may_be_on_the_wire = self.row.status in {AttemptStatus.IN_FLIGHT, AttemptStatus.UNKNOWN}
        assert may_be_on_the_wire == (self.row.release_by is not None)


TestSending = Sending.TestCase


# --- sequences ---


@given(st.sampled_from(SequenceStatus), EVENTS, st.sampled_from(SequenceStatus))
def test_a_sequence_moves_by_the_table_only(status, event, to):
    """Only what is listed happens to a sequence."""
    row = sequence(status=status)
    if to in SEQUENCE_TRANSITIONS[status].get(event, frozenset()):
        assert to == change_sequence(row, event=event, to=to).status
    else:
        with pytest.raises(IllegalTransitionError, match=r"possible instead|nothing may happen"):
            change_sequence(row, event=event, to=to)


def test_publishing_while_paused_does_not_wake_a_sequence():
    """Only resuming does."""
    published = SEQUENCE_TRANSITIONS[SequenceStatus.PAUSED][EventName.SEQUENCE_PUBLISHED]

    assert {SequenceStatus.PAUSED} == published


def test_every_status_has_a_row():
    """A status that somebody adds must say what may happen to it."""
    assert {None, *EnrollmentStatus} == set(ENROLLMENT_TRANSITIONS)
    assert set(AttemptStatus) == set(ATTEMPT_TRANSITIONS)
    assert set(SequenceStatus) == set(SEQUENCE_TRANSITIONS)
