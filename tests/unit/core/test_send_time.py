"""The hour at which a person reads mail, by what they opened."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.defaults import OPENS_LEAST, SEND_TIME_MOST
from relance.core.gates import evaluate
from relance.core.hours_gates import send_time
from relance.core.send_time import best_moment, habit, is_machine
from relance.core.sequence import Interval, QuietHours, SendTime, Window
from relance.core.situation import Situation
from relance.core.verdict import PASS, Defer, Holds
from unit.core.making import enrollment, lead, plan, situation

MORNING = datetime(2026, 11, 30, 9, tzinfo=UTC)  # a Monday
ZONES = st.sampled_from(
    ["UTC", "Europe/Paris", "Asia/Kathmandu", "Pacific/Chatham", "Australia/Lord_Howe", "Pacific/Apia"]
).map(ZoneInfo)
CHANGES = st.sampled_from([datetime(2026, *when, tzinfo=UTC) for when in [(3, 29, 1), (10, 25, 1), (4, 4, 15)]])
MOMENTS = st.builds(lambda change, minutes: change + timedelta(minutes=minutes), CHANGES, st.integers(-3_000, 3_000))
LEAD_ZONES = st.sampled_from([None, "Asia/Kathmandu"])
QUIET = st.none() | st.just(time(22))
OPENS = st.lists(MOMENTS, max_size=9)
WINDOWS = st.sampled_from(
    [
        Window(always=True),
        Window(timezone="Europe/Paris"),
        Window(timezone="Asia/Tokyo", days=frozenset(range(7)), intervals=(Interval(start=time(22), end=time(2, 30)),)),
    ]
)


def opened(*hours: int) -> tuple[datetime, ...]:
    """Return opens at these hours, each on a day of its own."""
    return tuple(datetime(2026, 11, 1 + day, hour, 20, tzinfo=UTC) for day, hour in enumerate(hours))


def due(at: datetime, opens: tuple[datetime, ...], **policy: object) -> Situation:
    """Return a step that became due at that moment, of a sequence that goes by opens."""
    going = {"window": Window(always=True), "send_time": SendTime.OPENS, **policy}
    return situation(now=at, plan=plan(**going), enrollment=enrollment(next_due_at=at), opens=opens)


@given(OPENS, ZONES, MOMENTS, st.integers(0, 1_440))
def test_what_is_chosen_lies_between_now_and_the_last_moment(
    opens: list[datetime], zone: ZoneInfo, now: datetime, minutes: int
):
    """Never in the past, never beyond what a person may be kept waiting."""
    until = now + timedelta(minutes=minutes)
    best = best_moment(opens, zone=zone, now=now, until=until, may_leave=lambda moment: moment)

    assert best == now or now < best < until


@given(OPENS, ZONES, MOMENTS)
def test_whoever_waits_for_it_finds_nothing_better_then(opens: list[datetime], zone: ZoneInfo, now: datetime):
    """One deferral, not a chain of them."""

    def choose(at: datetime) -> datetime:
        return best_moment(opens, zone=zone, now=at, until=now + SEND_TIME_MOST, may_leave=lambda moment: moment)

    assert choose(now) == choose(choose(now))


@given(OPENS, ZONES, MOMENTS)
def test_no_hour_that_may_be_chosen_is_better(opens: list[datetime], zone: ZoneInfo, now: datetime):
    """Of two that are as good, the earlier."""
    weights = habit(opens, zone)
    best = best_moment(opens, zone=zone, now=now, until=now + SEND_TIME_MOST, may_leave=lambda moment: moment)

    if weights is None:
        assert now == best
    else:
        hours = [(now + timedelta(minutes=15 * n)).astimezone(zone).hour for n in range(96)]
        assert max(weights[hour] for hour in hours) == weights[best.astimezone(zone).hour]


@given(OPENS, ZONES)
def test_the_order_of_opens_and_their_repetition_within_an_hour_tell_nothing(opens: list[datetime], zone: ZoneInfo):
    """Who looks at one message ten times reads no more mail in that hour."""
    assert habit(opens, zone) == habit([*reversed(opens), *opens], zone)


@given(OPENS.map(tuple), WINDOWS, QUIET, LEAD_ZONES, MOMENTS, st.integers(0, 2_000))
def test_the_gate_waits_for_a_moment_at_which_a_message_may_leave(
    opens: tuple[datetime, ...], window: Window, quiet: time | None, zone: str | None, at: datetime, minutes: int
):
    """Inside window and quiet hours, at most a day after the step was due; then it passes."""
    hours = QuietHours(interval=Interval(start=quiet, end=time(6))) if quiet else None
    asked = due(at, opens, window=window, quiet_hours=hours)
    asked = replace(asked, now=at + timedelta(minutes=minutes))
    asked = replace(asked, lead=lead(timezone=zone))
    verdict = send_time(asked)

    if isinstance(verdict, Defer):
        assert asked.now < verdict.until < at + SEND_TIME_MOST
        assert ("", PASS) == evaluate(replace(asked, now=verdict.until))


def test_a_step_waits_for_the_hour_at_which_its_person_reads_mail():
    """Due at nine, for somebody who reads at two in the afternoon."""
    gate, verdict = evaluate(due(MORNING, opened(14, 14, 15)))

    assert "send_time" == gate
    assert Defer(until=MORNING.replace(hour=14), reason="send_time", holds=Holds.LEAD) == verdict


def test_the_hour_is_read_off_the_person_s_clock():
    """Somebody in Kathmandu, 5:45 ahead, reads at nine there."""
    opens = tuple(at - timedelta(hours=5, minutes=45) for at in opened(9, 9, 9))
    asked = replace(due(MORNING, opens), lead=lead(timezone="Asia/Kathmandu"))

    assert datetime(2026, 12, 1, 3, 15, tzinfo=UTC) == getattr(evaluate(asked)[1], "until", None)


@pytest.mark.parametrize(
    "asked",
    [
        due(MORNING, opened(14, 14)),  # one fewer than tell a habit
        due(MORNING, opened(9, 9, 14)),  # they read now as well as later
        due(MORNING, opened(22, 23, 22), window=Window()),  # only while the window is closed
        due(MORNING, opened(14, 14, 14), send_time=SendTime.OFF),
        replace(due(MORNING, opened(14, 14, 14)), now=MORNING + SEND_TIME_MOST),  # it has waited a day
    ],
)
def test_nobody_waits_without_reason(asked: Situation):
    """Too few opens, as good an hour now, no better one inside the window, switched off, or a day is over."""
    assert PASS == send_time(asked)
    assert OPENS_LEAST == 3


@pytest.mark.parametrize(
    "seconds, agent, who",
    [
        (-1, None, "machine"),  # before it was sent
        (3, "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0", "machine"),  # a filter looks at once
        (3_600, "Mozilla/5.0", "machine"),  # Apple's proxies
        (3_600, "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0", "person"),
        (3_600, None, "person"),
    ],
)
def test_a_program_that_opens_is_told_from_a_person(seconds: int, agent: str | None, who: str):
    """By its haste, or by its name."""
    assert (who == "machine") == is_machine(MORNING + timedelta(seconds=seconds), sent_at=MORNING, user_agent=agent)
