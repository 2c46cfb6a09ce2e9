"""How much a mailbox may send, and how long things rest."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.backoff import cooldown, look_again, mailbox_rest, reconnect
from relance.core.ceilings import DAY, MINUTE, Allowance, allowances, provider_behind
from relance.core.health import Healthy, Record, Reduced, Sick, health, score
from relance.core.pacing import PRESETS, cap_today, gap, ramp_days
from unit.core.making import mailbox

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize("days,expected", [(0, 10), (1, 15), (5, 35), (6, 40), (400, 40)])
def test_a_new_mailbox_ramps_up_to_its_cap(days, expected):
    """10 on the first day, 5 more each day, up to 40."""
    box = mailbox(ramp=True, ramp_days=max(0, days - 1), ramp_day=TODAY - timedelta(days=1) if days else None)

    assert expected == cap_today(box, today=TODAY)


def test_a_mailbox_that_never_sent_stands_on_its_first_day():
    """Waiting does not warm it up."""
    assert 10 == cap_today(mailbox(ramp=True), today=TODAY)


@given(st.integers(0, 500), st.integers(0, 100), st.integers(0, 1000), st.floats(0, 1), st.booleans())
def test_no_ramp_and_no_health_lifts_the_cap(cap, start, days, factor, ramp):
    """The daily cap is never exceeded, and a mailbox that may send at all keeps one message to recover by."""
    box = mailbox(daily_cap=cap, ramp=ramp, ramp_start=start, ramp_days=days, ramp_day=TODAY - timedelta(days=1))

    assert (1 if cap and (start or not ramp) else 0) <= cap_today(box, today=TODAY, factor=factor) <= cap


@pytest.mark.parametrize("idle,expected", [(0, 40), (1, 40), (7, 40), (8, 35), (10, 25), (13, 10), (400, 10)])
def test_a_ramp_begins_again_gently_after_a_silence(idle, expected):
    """A week off costs nothing; each day more takes one day of the climb back, down to where it began."""
    box = mailbox(ramp=True, ramp_days=200, ramp_day=TODAY - timedelta(days=idle))

    assert expected == cap_today(box, today=TODAY)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 20), st.integers(1, 60))
def test_a_ramp_never_climbs_by_waiting(days, idle, step, cap):
    """From one day to the next the ramp gains one step at most, and only by a day on which it sent."""
    box = mailbox(ramp=True, daily_cap=cap, ramp_step=step, ramp_days=days, ramp_day=TODAY)
    later = [ramp_days(box, today=TODAY + timedelta(days=n)) for n in range(idle + 2)]

    assert later[1] <= days + 1
    assert sorted(later[1:], reverse=True) == later[1:]


def test_a_clock_that_goes_back_neither_lowers_nor_raises_the_ramp():
    """Yesterday comes again: it stays where it was."""
    box = mailbox(ramp=True, ramp_days=3, ramp_day=TODAY)

    assert 3 == ramp_days(box, today=TODAY - timedelta(days=1))


@pytest.mark.parametrize(
    "changes,provider",
    [
        ({"settings": {"smtp_host": "SMTP.gmail.com."}}, "google"),
        ({"settings": {"smtp_host": "smtp.office365.com"}}, "microsoft"),
        ({"settings": {"smtp_host": "mail.acme.example"}}, None),
        ({"settings": {"smtp_host": "smtp.gmail.com"}, "ceiling": "google_trial"}, "google_trial"),
        ({"settings": {"smtp_host": "smtp.gmail.com"}, "ceiling": "none"}, None),
        ({"provider": "graph"}, "microsoft"),
    ],
)
def test_a_provider_is_recognised_by_the_server_that_sends(changes, provider):
    """A Google account reached over SMTP is a Google account."""
    assert provider == provider_behind(mailbox(**changes))


def test_a_ceiling_is_counted_only_where_the_caps_could_exceed_it():
    """Two days of 999 fit into 2,000; two of 1,001 do not. Thirty a minute need two seconds between them."""
    google, microsoft = {"smtp_host": "smtp.gmail.com"}, {"smtp_host": "smtp.office365.com"}

    assert () == allowances(mailbox(settings=google, daily_cap=1000))
    assert (Allowance(messages=2000, period=DAY),) == allowances(mailbox(settings=google, daily_cap=1001))
    assert () == allowances(mailbox(settings=microsoft, min_gap=2.0))
    assert (Allowance(messages=30, period=MINUTE),) == allowances(mailbox(settings=microsoft, min_gap=1.9))


def test_a_provider_s_own_ceiling_holds():
    """Gmail takes 2,000 a day, whatever the cap says."""
    assert 2000 == cap_today(mailbox(provider="gmail", daily_cap=9999), today=TODAY)


@given(st.text(min_size=1), st.sampled_from(sorted(PRESETS)))
def test_the_gap_is_drawn_between_its_bounds_and_always_the_same(key, preset):
    """Whoever asks again, here or elsewhere, gets the same rest."""
    box = replace(mailbox(), min_gap=PRESETS[preset].min_gap, max_gap=PRESETS[preset].max_gap)
    drawn = gap(box, key=key)

    assert timedelta(seconds=box.min_gap) <= drawn <= timedelta(seconds=box.max_gap)
    assert drawn == gap(box, key=key)


def test_gaps_differ_and_spread_over_their_range():
    """A mailbox does not tick like a clock."""
    drawn = sorted(gap(mailbox(), key=f"7:{n}").total_seconds() for n in range(200))

    assert 200 == len(set(drawn))
    assert drawn[0] < 100
    assert drawn[-1] > 170
    assert 125 < sum(drawn) / len(drawn) < 145


def test_the_cautious_preset_is_slow():
    """30 a day, 8 to 15 minutes apart."""
    cautious = PRESETS["cautious"]

    assert (30, 480, 900) == (cautious.daily_cap, cautious.min_gap, cautious.max_gap)


@pytest.mark.parametrize(
    "sends,bounces,complaints,expected",
    [
        (49, 49, 49, Healthy),
        (100, 2, 0, Healthy),
        (100, 3, 0, Reduced),
        (100, 4, 0, Reduced),
        (100, 5, 0, Sick),
        (1000, 0, 0, Healthy),
        (1000, 0, 1, Reduced),
        (1000, 0, 2, Reduced),
        (1000, 0, 3, Sick),
        (1000, 30, 3, Sick),
    ],
)
def test_health_is_judged_by_shares_over_at_least_fifty_sends(sends, bounces, complaints, expected):
    """Bounces from 3 % halve the cap and from 5 % pause; complaints from 0.1 % and 0.3 %."""
    judged = health(Record(sends=sends, bounces=bounces, blocks=0, complaints=complaints))

    assert expected is type(judged)


@pytest.mark.parametrize("blocks,expected", [(2, Healthy), (3, Reduced), (5, Sick)])
def test_blocks_reduce_and_pause_as_bounces_do(blocks, expected):
    """Being refused as unwanted is the mailbox's own trouble."""
    assert expected is type(health(Record(sends=100, bounces=0, blocks=blocks, complaints=0)))


@given(st.integers(0, 2000), st.integers(0, 200), st.integers(0, 200), st.integers(0, 200))
def test_the_score_says_what_the_verdict_says(sends, bounces, blocks, complaints):
    """Above 50 it is healthy, at 0 it is sick; without enough sends there is no number, but a reason."""
    record = Record(sends=sends, bounces=bounces, blocks=blocks, complaints=complaints)
    judged, points = health(record), score(record).points

    if points is None:
        assert sends < 50
        assert score(record).reasons
    else:
        assert 0 <= points <= 100
        assert isinstance(judged, Sick) or points > 0
        assert isinstance(judged, Healthy) or points <= 50
        assert bool(score(record).reasons) == bool(bounces or blocks or complaints)


@given(st.integers(-1, 10_000))
@pytest.mark.parametrize("rest", [cooldown, mailbox_rest, reconnect, look_again])
def test_each_failure_rests_at_least_as_long_as_the_one_before(rest, failures):
    """Back-off never shrinks and never overflows."""
    assert timedelta() <= rest(failures) <= rest(failures + 1) <= timedelta(hours=4)


def test_a_lead_cools_down_from_ten_minutes_to_four_hours():
    """B8."""
    minutes = [cooldown(failures).total_seconds() / 60 for failures in range(7)]

    assert [0, 10, 20, 40, 80, 160, 240] == minutes


def test_a_mailbox_rests_from_a_quarter_of_a_minute_to_an_hour():
    """The mailbox is put off, not its leads."""
    minutes = [mailbox_rest(failures).total_seconds() / 60 for failures in range(1, 11)]

    assert [0.25, 0.5, 1, 2, 4, 8, 16, 32, 60, 60] == minutes
