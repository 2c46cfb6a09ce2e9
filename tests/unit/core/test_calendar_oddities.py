"""Days and zones that come up once in a lifetime, and would be met by somebody's sequence all the same."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from relance.core.calendar import after, clamped, day_ends, day_of, opens_at, zone_of
from relance.core.hours_gates import window
from relance.core.sequence import Interval, Window
from relance.core.verdict import PASS, Defer, Holds
from unit.core.making import delay, lead, mailbox, plan, situation

OFFICE = Window()
APIA = ZoneInfo("Pacific/Apia")


def instant(zone: str, *when: int) -> datetime:
    """Return what the clocks of a zone show as an instant."""
    year, month, day, hour, minute = (*when, 0)[:5]
    return datetime(year, month, day, hour, minute, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def test_the_day_that_samoa_skipped_is_no_day():
    """29 December 2011 was followed by the 31st: no Friday, no business day, no day of a cap."""
    thursday = instant("Pacific/Apia", 2011, 12, 29, 10)
    weekdays_too = Window(days=frozenset(range(7)))

    assert "2011-12-29" == day_of(thursday, APIA)
    assert "2011-12-31" == day_of(day_ends(thursday, APIA), APIA)
    assert instant("Pacific/Apia", 2011, 12, 31, 9) == opens_at(weekdays_too, APIA, thursday + timedelta(hours=8))
    assert instant("Pacific/Apia", 2012, 1, 2, 9) == opens_at(OFFICE, APIA, thursday + timedelta(hours=8))


@pytest.mark.parametrize("zone", ["Europe/Paris", "Australia/Sydney", "Pacific/Chatham", "Asia/Kathmandu"])
def test_twenty_ninth_of_february_is_a_day_like_any_other(zone):
    """A day after the 28th in a leap year, and the 1st of March in any other."""
    for year, following in ((2028, (2, 29)), (2027, (3, 1))):
        start = instant(zone, year, 2, 28, 10)

        assert instant(zone, year, *following, 10) == after(start, delay("1d"), OFFICE, ZoneInfo(zone))


@pytest.mark.parametrize(
    "zone,day",
    [
        ("Europe/Paris", (2026, 3, 29)), ("Europe/Paris", (2026, 10, 25)),
        ("Australia/Sydney", (2026, 4, 5)), ("Australia/Sydney", (2026, 10, 4)),
        ("Pacific/Chatham", (2026, 4, 5)), ("Pacific/Chatham", (2026, 9, 27)),
        ("America/Santiago", (2026, 4, 5)), ("America/Santiago", (2026, 9, 6)),
    ],
)  # fmt: skip
def test_nine_o_clock_stays_nine_o_clock_in_both_hemispheres(zone, day):
    """Over every change of the clocks, forward and back, in north and south."""
    every_day = Window(days=frozenset(range(7)))
    eve = date(*day) - timedelta(days=1)
    before = instant(zone, eve.year, eve.month, eve.day, 9)
    opening = clamped(after(before, delay("1d"), every_day, ZoneInfo(zone)), every_day, ZoneInfo(zone))

    assert (9, 0) == (opening.astimezone(ZoneInfo(zone)).hour, opening.astimezone(ZoneInfo(zone)).minute)


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Pacific/Chatham", "Australia/Eucla"])
def test_a_zone_with_forty_five_minutes_opens_at_its_own_nine(zone):
    """The whole hours of UTC are nobody's whole hours there."""
    opening = opens_at(OFFICE, ZoneInfo(zone), instant(zone, 2026, 11, 30, 3, 1))

    assert instant(zone, 2026, 11, 30, 9) == opening
    assert 0 != instant(zone, 2026, 11, 30, 9).minute


def test_a_lead_without_a_zone_has_the_one_that_the_sequence_says():
    """Its own, else what the window names for that, else the workspace's."""
    told = Window(timezone="lead", unknown_timezone="Asia/Kathmandu")
    by_box = Window(timezone="lead", unknown_timezone="mailbox")
    places = {"mailbox_timezone": "Europe/Paris", "workspace_timezone": "America/New_York"}

    assert "Asia/Tokyo" == zone_of(told, lead_timezone="Asia/Tokyo", **places).key
    assert "Asia/Kathmandu" == zone_of(told, lead_timezone=None, **places).key
    assert "Asia/Kathmandu" == zone_of(told, lead_timezone="Mars/Olympus", **places).key
    assert "Europe/Paris" == zone_of(by_box, lead_timezone=None, **places).key
    assert "America/New_York" == zone_of(Window(timezone="lead"), lead_timezone=None, **places).key


def test_the_window_waits_for_the_mailbox_where_its_zone_stands_in_for_the_lead_s():
    """Before a mailbox is in mind its zone is not known; then the gate says until when."""
    by_box = plan(window=Window(timezone="lead", unknown_timezone="mailbox"))
    nobody = situation(plan=by_box, lead=lead(timezone=None), mailbox=None)
    tokyo = situation(plan=by_box, lead=lead(timezone=None), mailbox=mailbox(timezone="Asia/Tokyo"))

    assert PASS == window(nobody)
    opening = instant("Asia/Tokyo", 2026, 12, 1, 9)
    assert Defer(until=opening, reason="window", holds=Holds.LEAD) == window(tokyo)


def test_a_window_over_midnight_belongs_to_the_evening_on_every_zone_s_last_day():
    """Friday 22:00 to 06:00 ends on Saturday morning, in leap years and where the clocks change too."""
    night = Window(days=frozenset({4}), intervals=(Interval(start=time(22), end=time(6)),))
    friday = date(2026, 10, 2)

    for zone in ("Australia/Sydney", "Pacific/Apia", "Europe/Paris"):
        start = instant(zone, friday.year, friday.month, friday.day, 22)
        inside = instant(zone, 2026, 10, 3, 5, 59)

        assert inside == opens_at(night, ZoneInfo(zone), inside)
        next_friday = opens_at(night, ZoneInfo(zone), instant(zone, 2026, 10, 3, 6))

        assert isinstance(next_friday, datetime)
        assert inside < next_friday <= start + timedelta(days=7)
