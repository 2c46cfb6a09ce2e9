"""Where a walk goes next and when that is due."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.calendar import is_open
from relance.core.enrollment import EnrollmentStatus
from relance.core.planning import (
    BranchedToStop,
    Broken,
    Ceiling,
    Decided,
    Entered,
    Finished,
    NotYet,
    advance,
    decide,
    first,
)
from relance.core.sequence import FieldEquals, RepliedWithin, Window
from unit.core.making import DELAYS, NOW, branch, delay, email, enrollment, lead, plan, wait

UTC_ZONE = ZoneInfo("UTC")
PARIS = ZoneInfo("Europe/Paris")
HOURS = st.integers(0, 2_000).map(lambda hours: NOW + timedelta(hours=hours))


@given(HOURS, DELAYS, DELAYS)
def test_a_step_is_due_inside_the_window_and_never_early(ended_at, after, duration):
    """B11: a wait that ends outside the sending window ends when it opens."""
    second = wait("rest", str(duration), str(after)) if duration.amount else email("bump", str(after))
    the_plan = plan(email("intro"), second, window=Window())
    match advance(the_plan, enrollment(), ended_at=ended_at, zone=PARIS):
        case Entered(enrollment=entered):
            assert entered.next_due_at is not None
            assert ended_at <= entered.next_due_at
            assert is_open(the_plan.window, PARIS, entered.next_due_at)
        case other:
            pytest.fail(f"{other}")


@given(st.lists(st.sampled_from(["email", "wait"]), min_size=1, max_size=20), HOURS)
def test_walking_to_the_end_enters_every_step_once_in_order(kinds, start):
    """Nobody goes back to step one and nobody skips: the counter is the number of steps entered."""
    steps = [email(f"s{n}") if kind == "email" else wait(f"s{n}", "1d") for n, kind in enumerate(kinds)]
    the_plan = plan(*steps)
    place = first(the_plan, now=start, zone=UTC_ZONE)
    row = enrollment(
        step=place.step, step_kind=place.kind, step_counter=place.counter, status=place.status, next_due_at=place.due_at
    )
    seen = [row.step]
    while isinstance(outcome := advance(the_plan, row, ended_at=row.next_due_at or start, zone=UTC_ZONE), Entered):
        assert outcome.enrollment.step_counter == row.step_counter + 1
        row = outcome.enrollment
        seen.append(row.step)

    assert Finished() == outcome
    assert [step.id for step in steps] == seen


def test_what_was_counted_about_the_step_before_ends_with_it():
    """Failures, deferral and its reason belong to a step; replies and the mailbox to the whole walk."""
    row = enrollment(
        consecutive_failures=4,
        skip_until=NOW,
        last_skip_reason="cooldown",
        verification_attempts=2,
        soft_bounces=1,
        mailbox_id=5,
    )
    match advance(plan(email("intro"), email("bump", "3d")), row, ended_at=NOW, zone=UTC_ZONE):
        case Entered(enrollment=entered):
            assert (0, None, None, 0) == (
                entered.consecutive_failures,
                entered.skip_until,
                entered.last_skip_reason,
                entered.verification_attempts,
            )
            assert ("bump", "email", 2, 1, 5) == (
                entered.step,
                entered.step_kind,
                entered.step_counter,
                entered.soft_bounces,
                entered.mailbox_id,
            )
            assert NOW + timedelta(days=3) == entered.next_due_at
        case other:
            pytest.fail(f"{other}")


def test_a_message_is_active_and_a_wait_or_a_branch_is_waiting():
    """The dispatcher claims what acts, the walker what only lets time pass."""
    the_plan = plan(
        email("intro"), wait("rest", "2d"), branch("check", RepliedWithin(within=delay("72h")), "stop"), email("last")
    )

    def status_of(step: str) -> EnrollmentStatus:
        match advance(the_plan, enrollment(step=step), ended_at=NOW, zone=UTC_ZONE):
            case Entered(enrollment=entered):
                return entered.status
            case other:
                pytest.fail(f"{other}")

    assert EnrollmentStatus.WAITING is status_of("intro")
    assert EnrollmentStatus.WAITING is status_of("rest")
    assert EnrollmentStatus.ACTIVE is status_of("check")
    assert EnrollmentStatus.ACTIVE is first(the_plan, now=NOW, zone=UTC_ZONE).status


def test_a_genuine_loop_back_is_another_visit():
    """The counter moves on, so that the step is sent again."""
    the_plan = plan(email("intro"), branch("again", FieldEquals(field="tier", value="a"), "intro", after="5d"))
    row = enrollment(step="again", step_counter=2)
    match advance(the_plan, row, ended_at=NOW, zone=UTC_ZONE, target="intro"):
        case Entered(enrollment=entered):
            assert ("intro", 3) == (entered.step, entered.step_counter)
        case other:
            pytest.fail(f"{other}")


@pytest.mark.parametrize(
    "row,target,expected",
    [
        (enrollment(step="bump"), None, Finished()),
        (enrollment(), "stop", BranchedToStop()),
        (enrollment(step_counter=100), None, Ceiling()),
        (enrollment(step="gone"), None, Broken),
        (enrollment(), "gone", Broken),
    ],
)
def test_a_walk_ends_in_one_of_five_ways(row, target, expected):
    """The end of the steps, a branch to stop, the ceiling of 100 steps, or a step that does not exist."""
    outcome = advance(plan(email("intro"), email("bump")), row, ended_at=NOW, zone=UTC_ZONE, target=target)

    assert expected == (type(outcome) if isinstance(expected, type) else outcome)


def test_the_last_of_a_hundred_steps_is_still_walked():
    """A13: the ceiling is 100 steps, not 99."""
    outcome = advance(plan(email("intro"), email("bump")), enrollment(step_counter=99), ended_at=NOW, zone=UTC_ZONE)

    assert isinstance(outcome, Entered)


def test_a_plan_without_steps_is_no_plan():
    """Publishing refuses it; whoever gets here has not published."""
    with pytest.raises(ValueError, match="no steps"):
        first(replace(plan(), steps=()), now=NOW, zone=UTC_ZONE)


# --- branches ---

CHECK = branch("check", RepliedWithin(within=delay("72h")), "stop", "last")
WALK = plan(email("intro"), CHECK, email("last", "4bd"))


def entered_branch(**changes):
    """Return the row just after it entered the branch `check`."""
    match advance(WALK, enrollment(**changes), ended_at=NOW, zone=UTC_ZONE):
        case Entered(enrollment=entered):
            return entered
        case other:
            pytest.fail(f"{other}")


@given(st.integers(0, 10_000), st.integers(-10_000, 10_000))
def test_a_branch_on_replies_does_not_depend_on_how_late_it_is_decided(minutes_late, replied_after_minutes):
    """A reply counts if and only if it came within the period, whenever the walker gets there."""
    row = replace(entered_branch(), replied_at=NOW + timedelta(minutes=replied_after_minutes))
    decided = decide(CHECK, row, lead(), NOW + timedelta(hours=72, minutes=minutes_late))

    assert Decided(target="stop" if replied_after_minutes <= 72 * 60 else "last") == decided


def test_a_branch_on_replies_is_decided_at_once_when_there_is_one():
    """True as soon as the lead replied; until the period is over it is not yet false."""
    row = entered_branch()

    assert NotYet(until=NOW + timedelta(hours=72)) == decide(CHECK, row, lead(), NOW + timedelta(hours=1))
    replied = replace(row, replied_at=NOW + timedelta(minutes=30))
    assert Decided(target="stop") == decide(CHECK, replied, lead(), NOW + timedelta(hours=1))


def test_a_branch_after_a_reply_waits_for_nothing():
    """Who has replied before the branch began is not waited for."""
    assert NOW == entered_branch(replied_at=NOW - timedelta(days=1)).next_due_at


def test_a_branch_on_a_field_folds_case_and_goes_on_without_an_else():
    """`{field: equals}` is decided when the branch's own `after` has passed; no `else` is the next step."""
    step = branch("tier", FieldEquals(field="tier", value="Gold"), "stop")
    row = enrollment(step="tier", next_due_at=NOW)

    assert Decided(target="stop") == decide(step, row, lead(fields={"tier": " gOLD "}), NOW)
    assert Decided(target=None) == decide(step, row, lead(fields={}), NOW)
    assert NotYet(until=NOW) == decide(step, row, lead(), NOW - timedelta(seconds=1))


def test_waiting_over_a_change_of_the_clocks_keeps_the_time_of_day():
    """A wait of three days over the end of summer time ends at the same hour on the wall."""
    start = datetime(2026, 10, 22, 9, 30, tzinfo=PARIS).astimezone(UTC)
    the_plan = plan(email("intro"), wait("rest", "4d"), window=Window())
    match advance(the_plan, enrollment(), ended_at=start, zone=PARIS):
        case Entered(enrollment=entered):
            assert datetime(2026, 10, 26, 9, 30, tzinfo=PARIS) == entered.next_due_at
        case other:
            pytest.fail(f"{other}")
