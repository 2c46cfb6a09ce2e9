"""A mailbox's working day."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core import mailbox_gates
from relance.core.verdict import PASS, Defer, Holds
from relance.core.workday import intervals_on, workday_of, works_at
from unit.core.making import mailbox, situation

TEXT = "08:30-17:30 lunch 12:00-13:00 jitter 20"
FIRST, LAST = datetime.fromisoformat("2011-12-25"), datetime.fromisoformat("2028-03-02")  #: Read in any zone.
ZONES = ["UTC", "Europe/Paris", "Australia/Sydney", "Asia/Kathmandu", "Pacific/Chatham", "Pacific/Apia"]


def test_each_day_is_drawn_near_what_is_written_and_no_two_are_alike():
    """Twenty minutes either way, another way each day."""
    days = [
        intervals_on(workday_of(TEXT), (date(2026, 6, 1) + timedelta(days=n)).isoformat(), key="bo") for n in range(60)
    ]

    for morning, afternoon in days:
        assert time(8, 10) <= morning.start <= time(8, 50)
        assert time(11, 40) <= morning.end <= time(12, 20)
        assert time(12, 40) <= afternoon.start <= time(13, 20)
        assert time(17, 10) <= afternoon.end <= time(17, 50)
    assert 30 < len({day[0].start for day in days})


@pytest.mark.parametrize(
    "text",
    ["", "8-17", "17:00-08:00", "09:00-17:00 lunch 17:00-18:00", "09:00-09:30 jitter 20", "09:00-24:00 jitter 5",
     "00:10-08:00 jitter 20", "09:00-17:00 lunch 12:00-12:10 jitter 10", "25:00-26:00", "09:75-17:00"],
)  # fmt: skip
def test_a_day_that_cannot_be_worked_is_refused_with_what_to_write(text):
    """No mailbox is silent because of a slip of the pen."""
    with pytest.raises(ValueError, match="write it"):
        workday_of(text)


@given(
    st.sampled_from(ZONES),
    st.datetimes(FIRST, LAST, timezones=st.just(UTC)),
    st.text(min_size=1, max_size=5),
)
def test_the_next_working_minute_is_never_past_and_is_worked(zone, at, key):
    """In any zone and across every change of the clocks, 29 February and Samoa's lost day."""
    begins = works_at(workday_of(TEXT), ZoneInfo(zone), at, key=key)
    wall = begins.astimezone(ZoneInfo(zone))
    hours = intervals_on(workday_of(TEXT), wall.date().isoformat(), key=key)

    assert at <= begins <= at + timedelta(days=3)
    assert any(part.start <= wall.time() < part.end for part in hours)
    assert begins == works_at(workday_of(TEXT), ZoneInfo(zone), begins, key=key)


def test_the_gate_holds_the_mailbox_and_not_the_lead():
    """Its until is the next beginning, in the mailbox's zone."""
    now = datetime(2026, 11, 30, 3, tzinfo=UTC)
    box = mailbox(workday="09:00-17:00", timezone="Europe/Paris")
    eight = datetime(2026, 11, 30, 8, tzinfo=UTC)

    assert Defer(until=eight, reason="workday", holds=Holds.MAILBOX) == mailbox_gates.workday(
        situation(now=now, mailbox=box)
    )
    assert PASS == mailbox_gates.workday(situation(now=eight, mailbox=box))
    assert PASS == mailbox_gates.workday(situation(now=now, mailbox=None))
