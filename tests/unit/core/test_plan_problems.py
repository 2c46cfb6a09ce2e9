"""What is wrong with a plan is said before anybody is written to."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from relance.core.lead import Lead
from relance.core.plan_problems import problems
from relance.core.planning import Advance, Broken, Ceiling, Decided, Entered, advance, decide, first
from relance.core.sequence import (
    BranchStep,
    EmailStep,
    FieldEquals,
    FrequencyCap,
    Interval,
    OnReply,
    Plan,
    QuietHours,
    RepliedWithin,
    Step,
    Window,
)
from unit.core.making import NOW, branch, delay, email, enrollment, lead, plan, variant, wait

REPLIED = RepliedWithin(within=delay("72h"))
GOLD = FieldEquals(field="tier", value="gold")
FOLLOW_UP = variant(subject=None)
UTC_ZONE = ZoneInfo("UTC")
NIGHT = QuietHours(interval=Interval(start=time(20), end=time(8)))


def test_an_ordinary_plan_has_none():
    """Three e-mails, a wait and a branch."""
    the_plan = plan(
        email("intro"),
        email("bump", "3d", FOLLOW_UP),
        branch("check", REPLIED, "stop", "last"),
        wait("rest", "2d"),
        email("last", "4bd", FOLLOW_UP),
        window=Window(),
        quiet_hours=NIGHT,
    )

    assert () == problems(the_plan), "that both ways jump over `rest` is the writer's business"


@pytest.mark.parametrize(
    "the_plan,step,words",
    [
        (plan(email("intro"), email("intro", "1d", FOLLOW_UP)), "intro", "two steps have the id"),
        (plan(email("intro"), branch("b", GOLD, "nowhere")), "b", "unknown step 'nowhere'"),
        (plan(email("intro"), branch("b", GOLD, "stop", "nowhere")), "b", "unknown step 'nowhere'"),
        (plan(email("stop")), "stop", "reserved"),
        (plan(email("  ")), "  ", "no id"),
        (plan(email("intro"), branch("b", GOLD, "intro")), "intro", "without any wait"),
        (plan(email("intro", "1d"), branch("b", GOLD, "b", "intro")), "b", "without any wait"),
        (plan(email("intro"), branch("b", REPLIED, "intro")), "intro", "without any wait"),
        (plan(email("intro", "0s", FOLLOW_UP)), "intro", "no subject"),
        (plan(wait("w", "1d"), email("intro", "0s", variant(), variant(id="b", subject=None))), "intro", "no subject"),
        (plan(branch("b", GOLD, "y"), email("x"), email("y", "1d", FOLLOW_UP)), "y", "no subject"),
        (plan(*[email(f"s{n}", "1d") for n in range(101)]), None, "101 steps"),
        (plan(email("intro"), window=Window(days=frozenset())), None, "never opens"),
        (plan(email("intro"), window=Window(intervals=())), None, "never opens"),
        (plan(email("intro"), window=Window(days=frozenset({7}))), None, "no week has"),
        (plan(email("intro"), window=Window(timezone="Mars/Olympus")), None, "time zone"),
        (plan(email("intro"), quiet_hours=replace(NIGHT, timezone="lead")), None, "time zone"),
        (
            plan(email("intro"), quiet_hours=QuietHours(interval=Interval(start=time(8), end=time(8)))),
            None,
            "never end",
        ),
        (
            plan(email("intro"), window=Window(intervals=(Interval(start=time(21), end=time(7)),)), quiet_hours=NIGHT),
            None,
            "in quiet hours only",
        ),
        (plan(email("intro", "0s", variant(weight=0))), "intro", "weight 0"),
        (plan(email("intro", "0s", variant(), variant())), "intro", "two variants"),
        (plan(email("intro", "0s", variant(text="  "))), "intro", "is empty"),
        (plan(email("intro", "0s", variant(subject=" "))), "intro", "empty subject"),
        (plan(replace(email("intro"), variants=())), "intro", "no text"),
        (plan(email("intro", "1001d")), "intro", "longer than 1000 days"),
        (plan(email("intro"), wait("w", "24001h")), "w", "longer than 1000 days"),
        (plan(email("intro"), branch("b", RepliedWithin(within=delay("1001d")), "stop")), "b", "longer than 1000 days"),
        (replace(plan(), steps=()), None, "no steps"),
        (plan(wait("rest", "2d")), None, "sends nothing"),
        (plan(name=" "), None, "no name"),
        (plan(pool=None), None, "no mailboxes"),
        (plan(on_reply=OnReply.ENROLL), None, "into no sequence"),
        (plan(on_reply=OnReply.ENROLL, reply_sequence="q4"), None, "the sequence itself"),
        (plan(daily_cap=0), None, "daily_cap is 0"),
        (plan(max_new_per_day=0), None, "max_new_per_day is 0"),
        (plan(frequency_cap=FrequencyCap(messages=0, per=delay("2d"))), None, "no message at all"),
        (plan(frequency_cap=FrequencyCap(messages=1, per=delay("0d"))), None, "positive"),
        (plan(holdout=1.0), None, "holdout"),
    ],
)
def test_each_mistake_is_named_with_its_step_and_its_remedy(the_plan, step, words):
    """A publish with an error says what is wrong, where, and what to write instead."""
    (found,) = [p for p in problems(the_plan) if words in p.message or words in p.remedy]

    assert step == found.step
    assert found.remedy


def test_all_mistakes_are_named_at_once():
    """Nobody has to publish five times to find five mistakes."""
    found = problems(plan(email("stop", "0s", variant(weight=0)), email("stop", "0s", variant(text="")), daily_cap=0))

    assert 5 == len(found), found


def test_a_loop_is_named_once():
    """Not once for each of its steps."""
    the_plan = plan(email("a"), email("b"), branch("c", GOLD, "a"))

    assert ["a → b → c → a"] == [p.message.split(" run ")[0].removeprefix("the steps ") for p in problems(the_plan)]


@pytest.mark.parametrize(
    "steps",
    [
        (email("intro", "1d"), branch("b", GOLD, "intro")),
        (email("intro"), wait("w", "1d"), branch("b", GOLD, "intro")),
        (email("intro"), branch("b", GOLD, "intro", after="5d")),
        (email("intro"), branch("b", REPLIED, "stop", "intro")),
    ],
)
def test_a_loop_in_which_time_passes_is_allowed(steps):
    """A genuine loop back sends again; the ceiling ends it."""
    assert () == problems(plan(*steps))


IDS = ["a", "b", "c", "d", "e"]
DELAY_TEXTS = st.sampled_from(["1h", "2d", "0s"])
CONDITIONS = st.sampled_from([REPLIED, GOLD])
EMAILS = st.tuples(st.just("email"), DELAY_TEXTS, st.sampled_from(["Hello", "Hello", "Hello", None]))
WAITS = st.tuples(st.just("wait"), DELAY_TEXTS, DELAY_TEXTS)


def build(step_id, parts):
    """Return a step of the drawn parts."""
    kind, *arguments = parts
    if kind == "email":
        after, subject = arguments
        return email(step_id, after, variant(subject=subject))
    return wait(step_id, *arguments) if kind == "wait" else branch(step_id, *arguments)


@st.composite
def plans(draw) -> Plan:
    """Draw a plan whose branches lead to steps that exist."""
    ids = IDS[: draw(st.integers(1, len(IDS)))]
    targets = st.sampled_from([*ids, "stop"])
    steps = [build(ids[0], draw(EMAILS))]
    for step_id in ids[1:]:
        branches = st.tuples(st.just("branch"), CONDITIONS, targets, st.none() | targets, DELAY_TEXTS)
        steps.append(build(step_id, draw(EMAILS | WAITS | branches)))
    return plan(*draw(st.permutations(steps)))


def walk(the_plan: Plan, person: Lead, replied_at: datetime | None) -> Iterator[tuple[Step | None, datetime, Advance]]:
    """Yield each step that is entered, when it is due, and what follows it, until something other than a step does."""
    place = first(the_plan, now=NOW, zone=UTC_ZONE)
    row = enrollment(
        step=place.step, step_kind=place.kind, status=place.status, next_due_at=place.due_at, replied_at=replied_at
    )
    while True:
        step, due = the_plan.step(row.step), row.next_due_at or NOW
        decision = decide(step, row, person, due) if isinstance(step, BranchStep) else Decided(target=None)
        assert isinstance(decision, Decided), "a branch that is due can be decided"
        outcome = advance(the_plan, row, ended_at=due, zone=UTC_ZONE, target=decision.target)
        yield step, due, outcome
        if not isinstance(outcome, Entered):
            return
        row = outcome.enrollment


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(plans(), st.booleans(), st.none() | st.just(NOW))
def test_a_plan_without_problems_can_be_walked(the_plan, gold, replied_at):
    """Whoever walks it never meets a missing step, never stands still in a circle, and opens with a subject."""
    assume(not problems(the_plan))
    walked = list(walk(the_plan, lead(fields={"tier": "gold"} if gold else {}), replied_at))
    steps, times, outcomes = zip(*walked, strict=True)
    opening = next((step for step in steps if isinstance(step, EmailStep)), None)

    assert not any(isinstance(outcome, Broken) for outcome in outcomes)
    assert list(times) == sorted(times)
    assert opening is None or all(wording.subject for wording in opening.variants)
    if isinstance(outcomes[-1], Ceiling):
        assert timedelta(hours=10) <= times[-1] - times[0], "a hundred steps in a circle take time"
