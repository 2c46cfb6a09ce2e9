"""Wall-clock rules: windows, quiet hours and delays, across every change of the clocks."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import whenever
from hypothesis import given
from hypothesis import strategies as st

from relance.core.calendar import (
    Never,
    after,
    clamped,
    day_begins,
    day_ends,
    day_of,
    first_zone,
    hour_ends,
    hour_of,
    is_open,
    opens_at,
    quiet_until,
    zone_of,
)
from relance.core.sequence import Delay, Interval, QuietHours, Unit, Window

# Changes at 01:00 UTC, by half an hour, at midnight, a standard time that is summer, none at all, 45 minutes off.
ZONES = st.sampled_from(
    [
        "Europe/Paris",
        "America/New_York",
        "Australia/Lord_Howe",
        "Africa/Cairo",
        "America/Santiago",
        "Asia/Kolkata",
        "Australia/Sydney",
        "Pacific/Chatham",
        "Asia/Kathmandu",
    ],
).map(ZoneInfo)
# Half of them within two days of a change of the clocks somewhere.
CHANGES = st.sampled_from(
    [
        datetime(2026, *when, tzinfo=UTC)
        for when in [(3, 29, 1), (10, 25, 1), (3, 8, 7), (11, 1, 6), (4, 4, 15), (4, 23, 22), (9, 6, 4)]
    ],
)
INSTANTS = st.one_of(
    st.integers(0, 94_608_000).map(lambda seconds: datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)),
    st.builds(lambda change, seconds: change + timedelta(seconds=seconds), CHANGES, st.integers(-172_800, 172_800)),
)
TIMES = st.builds(time, st.integers(0, 23), st.sampled_from([0, 15, 30, 45]))
INTERVALS = st.builds(Interval, start=TIMES, end=TIMES)
WINDOWS = st.builds(
    Window,
    days=st.frozensets(st.integers(0, 6), min_size=1),
    intervals=st.lists(INTERVALS, min_size=1, max_size=3).map(tuple),
    blackout=st.frozensets(st.dates(date(2026, 3, 25), date(2026, 4, 10)), max_size=3),
)
PARIS = ZoneInfo("Europe/Paris")
OFFICE = Window()


def paris(month: int, day: int, hour: int, minute: int = 0, *, fold: int = 0) -> datetime:
    """Return what the clocks of Paris show in 2026 as an instant."""
    return datetime(2026, month, day, hour, minute, tzinfo=PARIS, fold=fold).astimezone(UTC)


def bd(amount: int) -> Delay:
    """Return so many business days."""
    return Delay(amount=amount, unit=Unit.BUSINESS_DAYS)


@given(WINDOWS, ZONES, INSTANTS)
def test_the_next_opening_is_open_and_nothing_before_it_is(window, zone, at):
    """`opens_at` gives the first open instant from `at` on: probed at every quarter of an hour in between."""
    opening = opens_at(window, zone, at)

    assert not isinstance(opening, Never)
    assert at <= opening
    assert is_open(window, zone, opening)
    probe = at
    while probe < min(opening, at + timedelta(days=4)):
        assert not is_open(window, zone, probe)
        probe += timedelta(minutes=15)
    if opening > at:
        assert not is_open(window, zone, opening - timedelta(seconds=1))


@given(WINDOWS, ZONES, INSTANTS)
def test_open_means_that_the_clock_on_the_wall_shows_a_time_of_the_window(window, zone, at):
    """A wall clock decides, also in an hour that comes twice; a wrapping interval belongs to the day it starts on."""
    local = whenever.Instant(at).to_tz(zone.key).to_plain()

    def covers(interval: Interval, days_ago: int) -> bool:
        day = local.date().subtract(days=days_ago)
        if day.day_of_week().value - 1 not in window.days or day.to_stdlib() in window.blackout:
            return False
        start = day.at(whenever.Time(interval.start))
        end = day.at(whenever.Time(interval.end))
        end = end if end > start else day.add(days=1).at(whenever.Time(interval.end))
        return start <= local < end

    expected = any(covers(interval, ago) for interval in window.intervals for ago in (0, 1))

    assert expected == is_open(window, zone, at)


@given(ZONES, INSTANTS, st.integers(1, 400))
def test_days_are_days_on_the_wall(zone, at, days):
    """`3d` is the same time of day three dates later; `whenever` agrees in every zone."""
    plain = whenever.Instant(at).to_tz(zone.key).to_plain().add(days=days)
    expected = plain.assume_tz(zone.key, disambiguation="compatible").to_instant().to_stdlib()

    assert expected == after(at, Delay(amount=days, unit=Unit.DAYS), OFFICE, zone)


@given(ZONES, INSTANTS, st.integers(0, 1000), st.sampled_from([Unit.SECONDS, Unit.MINUTES, Unit.HOURS]))
def test_hours_minutes_and_seconds_are_absolute(zone, at, amount, unit):
    """72h is 72 hours, whatever the clocks do."""
    names = {Unit.SECONDS: "seconds", Unit.MINUTES: "minutes", Unit.HOURS: "hours"}

    assert at + timedelta(**{names[unit]: amount}) == after(at, Delay(amount=amount, unit=unit), OFFICE, zone)


@given(WINDOWS, ZONES, INSTANTS, st.integers(1, 30))
def test_business_days_are_counted_by_the_days_on_which_the_window_opens(window, zone, at, amount):
    """Between the day of the start and the result lie exactly `amount - 1` days that open."""
    due = after(at, bd(amount), window, zone)

    def opens(day: date) -> bool:
        return day.weekday() in window.days and day not in window.blackout

    # Which day an instant after midnight belongs to is the business of wrapping intervals; leave it to the examples.
    if all(interval.end > interval.start for interval in window.intervals):
        first, last = at.astimezone(zone).date(), due.astimezone(zone).date()
        between = [first + timedelta(days=n) for n in range(1, (last - first).days)]
        assert amount - 1 == sum(opens(day) for day in between)
        assert opens(last)
    assert at < due


@given(WINDOWS, ZONES, INSTANTS, st.integers(0, 50), st.sampled_from(Unit))
def test_a_clamped_wait_never_ends_early_or_outside_the_window(window, zone, at, amount, unit):
    """B11: an overnight wait does not land at four in the morning, and no wait is shortened."""
    raw = after(at, Delay(amount=amount, unit=unit), window, zone)
    due = clamped(raw, window, zone)

    assert at <= raw <= due
    assert is_open(window, zone, due)


@given(INTERVALS.filter(lambda interval: interval.start != interval.end), ZONES, INSTANTS)
def test_quiet_hours_end_at_the_first_instant_that_is_not_quiet(interval, zone, at):
    """Quiet hours wrap midnight and hold on every day; their end is exact across changes of the clocks."""
    quiet = QuietHours(interval=interval)
    same_hours = Window(days=frozenset(range(7)), intervals=(interval,))
    until = quiet_until(quiet, zone, at)

    assert is_open(same_hours, zone, at) == (until is not None)
    if until is not None:
        assert at < until
        assert quiet_until(quiet, zone, until) is None
        assert quiet_until(quiet, zone, until - timedelta(microseconds=1)) is not None


@given(ZONES, INSTANTS)
def test_a_day_and_an_hour_end_where_their_names_change(zone, at):
    """Counters of caps turn over exactly where the next period begins, in hours of any length."""
    tick = timedelta(microseconds=1)

    assert day_of(at, zone) == day_of(day_ends(at, zone) - tick, zone)
    assert day_of(at, zone) != day_of(day_ends(at, zone), zone)
    assert hour_of(at, zone) == hour_of(hour_ends(at, zone) - tick, zone)
    assert hour_of(at, zone) != hour_of(hour_ends(at, zone), zone)
    assert hour_ends(at, zone) - at <= timedelta(hours=1)


@pytest.mark.parametrize("unit", [Unit.DAYS, Unit.BUSINESS_DAYS])
def test_nine_o_clock_in_paris_stays_nine_o_clock_when_summer_time_ends(unit):
    """Hours do not shift by one when the clocks are put back."""
    assert paris(10, 26, 9) == after(
        paris(10, 23, 9), Delay(amount={Unit.DAYS: 3}.get(unit, 1), unit=unit), OFFICE, PARIS
    )


def test_sunday_plus_one_business_day_is_the_opening_of_monday():
    """It does not land on Tuesday."""
    assert paris(11, 30, 9) == after(paris(11, 29, 15), bd(1), OFFICE, PARIS)


def test_a_start_after_closing_counts_from_its_own_day():
    """Friday evening plus one business day is Monday's opening, not Tuesday's."""
    assert paris(11, 30, 9) == after(paris(11, 27, 20), bd(1), OFFICE, PARIS)


def test_friday_afternoon_plus_one_business_day_is_monday_afternoon():
    """Inside the window the time of day is kept."""
    assert paris(11, 30, 15, 30) == after(paris(11, 27, 15, 30), bd(1), OFFICE, PARIS)


def test_holidays_and_blackout_dates_are_no_business_days():
    """Wednesday before Christmas plus two business days, with two holidays and a blackout date."""
    window = Window(
        holiday_dates=frozenset({date(2026, 12, 25)}),
        blackout=frozenset({date(2026, 12, 24), date(2026, 12, 28)}),
    )

    assert paris(12, 30, 11) == after(paris(12, 23, 11), bd(2), window, PARIS)


def test_a_night_shift_after_midnight_still_belongs_to_the_evening_before():
    """Friday's 22:00-06:00 reaches into Saturday; one business day later is Monday's shift, on Tuesday at three."""
    nights = Window(intervals=(Interval(start=time(22), end=time(6)),))

    assert is_open(nights, PARIS, paris(11, 28, 3))
    assert not is_open(nights, PARIS, paris(11, 30, 3))
    assert paris(12, 1, 3) == after(paris(11, 28, 3), bd(1), nights, PARIS)


def test_an_opening_that_the_clocks_skip_is_the_end_of_the_gap():
    """02:30 does not exist on 29 March 2026 in Paris: a window 02:30-04:00 opens at three."""
    window = Window(days=frozenset(range(7)), intervals=(Interval(start=time(2, 30), end=time(4)),))

    assert paris(3, 29, 3) == opens_at(window, PARIS, paris(3, 29, 0))


def test_a_window_that_the_clocks_skip_waits_for_the_next_day():
    """02:00-03:00 does not exist on 29 March 2026 in Paris."""
    window = Window(days=frozenset(range(7)), intervals=(Interval(start=time(2), end=time(3)),))

    assert paris(3, 30, 2) == opens_at(window, PARIS, paris(3, 29, 0))


def test_a_repeated_hour_is_open_twice():
    """02:00-02:30 comes twice on 25 October 2026 in Paris."""
    window = Window(days=frozenset(range(7)), intervals=(Interval(start=time(2), end=time(2, 30)),))

    assert paris(10, 25, 2, fold=1) == opens_at(window, PARIS, paris(10, 25, 2, 40))


def test_quiet_hours_from_nine_in_the_evening_to_eight_in_the_morning():
    """They are neither never nor always quiet."""
    quiet = QuietHours(interval=Interval(start=time(21), end=time(8)))

    assert paris(11, 28, 8) == quiet_until(quiet, PARIS, paris(11, 27, 21))
    assert paris(11, 28, 8) == quiet_until(quiet, PARIS, paris(11, 28, 7, 59))
    assert quiet_until(quiet, PARIS, paris(11, 28, 8)) is None
    assert quiet_until(quiet, PARIS, paris(11, 28, 20, 59)) is None


def test_quiet_hours_run_on_where_the_clocks_skip_the_time_between_them():
    """Cairo's clocks go from midnight to one on 24 April 2026: quiet 01:00-00:00 knows no pause that night."""
    quiet = QuietHours(interval=Interval(start=time(1), end=time(0)))
    cairo = ZoneInfo("Africa/Cairo")

    assert datetime(2026, 4, 24, 21, tzinfo=UTC) == quiet_until(quiet, cairo, datetime(2026, 4, 23, 20, tzinfo=UTC))


def test_a_window_that_never_opens_says_so_and_leaves_due_times_alone():
    """Nobody is lost to a window without days: the gate names it."""
    closed, at = Window(days=frozenset()), paris(11, 27, 12)

    assert Never() == opens_at(closed, PARIS, at)
    assert at == clamped(at, closed, PARIS)
    assert paris(11, 29, 12) == after(at, bd(2), closed, PARIS)


def test_always_is_open_at_night_on_sunday():
    """`window: always` knows neither days nor hours, and every day is a business day."""
    always, at = Window(always=True), paris(11, 29, 3)

    assert at == opens_at(always, PARIS, at)
    assert paris(11, 30, 3) == after(at, bd(1), always, PARIS)


def test_a_day_that_begins_at_one_o_clock():
    """Cairo's clocks skip midnight on 24 April 2026."""
    assert datetime(2026, 4, 23, 22, tzinfo=UTC) == day_begins(date(2026, 4, 24), ZoneInfo("Africa/Cairo"))


@pytest.mark.parametrize(
    "named,lead,mailbox,workspace,expected",
    [
        ("Europe/Berlin", "Asia/Tokyo", "Asia/Kolkata", "Europe/London", "Europe/Berlin"),
        ("lead", "Asia/Tokyo", "Asia/Kolkata", "Europe/London", "Asia/Tokyo"),
        ("lead", None, "Asia/Kolkata", "Europe/London", "Europe/London"),
        ("lead", "Mars/Olympus", "Asia/Kolkata", "Europe/London", "Europe/London"),
        ("mailbox", "Asia/Tokyo", "Asia/Kolkata", "Europe/London", "Asia/Kolkata"),
        ("mailbox", "Asia/Tokyo", None, "Europe/London", "Europe/London"),
        (None, "Asia/Tokyo", "Asia/Kolkata", "Europe/London", "Europe/London"),
        (None, "Asia/Tokyo", "Asia/Kolkata", None, "UTC"),
    ],
)
def test_a_window_without_a_usable_zone_inherits_the_workspace_s(named, lead, mailbox, workspace, expected):
    """A new mailbox or an unknown lead zone never falls to UTC while the workspace has one."""
    zone = zone_of(Window(timezone=named), lead_timezone=lead, mailbox_timezone=mailbox, workspace_timezone=workspace)

    assert expected == zone.key


@pytest.mark.parametrize("name", ["", "Europe", "../etc/passwd", "Nowhere/Land", "\0"])
def test_a_name_that_is_no_zone_is_passed_over(name):
    """Whatever a CSV puts into a zone's place, it is no error at sending time."""
    assert "UTC" == first_zone(name, None).key
