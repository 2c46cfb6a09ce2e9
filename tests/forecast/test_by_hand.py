"""Schedules that were worked out by hand, beside what is foreseen of them: second for second."""

from datetime import UTC, datetime, time

import pytest

from relance.core.events import Event, EventName
from relance.core.sequence import Interval, SendTime, Window
from relance.forecast.playing import play
from relance.forecast.silent_world import SilentWorld
from relance.sandbox.clock import SandboxClock
from relance.services import forecasting, mailboxes, workspaces
from relance.services.records import record
from relance.storage.scratch import ScratchStore
from relance.testing import builders
from relance.testing.builders import KEYS, email, plan
from relance.testing.fake_clock import FakeMonotonic

EVERY_DAY = frozenset(range(7))
GAP = 600.0  #: Seconds, always the same.


def at(text: str) -> datetime:
    """Read `03-28 08:10` of 2026, in UTC."""
    return datetime.strptime(f"2026-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC)


def window(zone: str, start: str, end: str, days: frozenset[int] = EVERY_DAY) -> Window:
    """Return a window that opens on each of these days."""
    return Window(
        timezone=zone, days=days, intervals=(Interval(start=time.fromisoformat(start), end=time.fromisoformat(end)),)
    )


async def foreseen(start, steps=(), *, people=4, paused=False, opens=(), **policy) -> list[datetime]:
    """Let one mailbox write to some people, and return when each message leaves."""
    store, clock, zone = ScratchStore.empty(), SandboxClock(start), policy.get("window", Window()).timezone

    def fill(tx):
        workspaces.ensure_installation(tx, uid="by-hand", now=start)
        acme = builders.workspace(tx, now=start)
        facts = {"daily_cap": 3, "hourly_cap": 9, "min_gap": GAP, "max_gap": GAP, "timezone": zone}
        box = builders.mailbox(tx, acme, "bo@ours.example", now=start, **facts)
        builders.published(tx, acme, plan(*(steps or [email("intro", subject="Hi")]), **policy), now=start)
        leads = [builders.lead(tx, acme, f"p{n}@lead{n}.example", now=start) for n in range(people)]
        for lead in leads:
            for opened in opens:
                name = EventName.MESSAGE_OPENED
                record(tx, Event(workspace_id=acme.id, at=opened, name=name, detail="", lead_id=lead.id))
        builders.enrollment(tx, acme, leads, now=start)
        if paused:
            mailboxes.pause(tx, box, reason="by hand", now=start)

    await store.write(fill)
    world = SilentWorld(clock, reply_rate=0.0, bounce_rate=0.0)
    await play(store, clock, world, keys=KEYS, monotonic=FakeMonotonic(), days=60)
    found = await store.read(forecasting.sends, workspace_id=1, since=start)
    await store.close()
    return [send.planned_at for send in found]


@pytest.mark.parametrize(
    "start, hours, expected",
    [
        pytest.param(
            "03-28 06:00",
            window("Europe/Berlin", "09:00", "17:00"),
            ["03-28 08:00", "03-28 08:10", "03-28 08:20", "03-29 07:00"],
            id="the clocks are put forward in the north",
        ),
        pytest.param(
            "04-03 20:00",
            window("Australia/Sydney", "09:00", "17:00"),
            ["04-03 22:00", "04-03 22:10", "04-03 22:20", "04-04 23:00"],
            id="the clocks are put back in the south",
        ),
        pytest.param(
            "06-01 00:00",
            window("Asia/Kathmandu", "09:00", "17:00"),
            ["06-01 03:15", "06-01 03:25", "06-01 03:35", "06-02 03:15"],
            id="a zone with 45 minutes",
        ),
        pytest.param(
            "06-01 12:00",
            window("UTC", "23:55", "00:25"),
            ["06-01 23:55", "06-02 00:05", "06-02 00:15", "06-02 23:55"],
            id="over midnight; the cap's day begins in between",
        ),
        pytest.param(
            "06-05 12:00",
            window("UTC", "09:00", "09:15", frozenset({0, 4})),
            ["06-08 09:00", "06-08 09:10", "06-12 09:00", "06-12 09:10"],
            id="a window for two messages, on Mondays and Fridays",
        ),
        pytest.param(
            "06-01 08:55",
            window("UTC", "09:00", "09:05"),
            ["06-01 09:00", "06-02 09:00", "06-03 09:00", "06-04 09:00"],
            id="a gap longer than the window",
        ),
    ],
)
async def test_what_leaves_when_is_what_a_person_works_out(start, hours, expected):
    """One mailbox, ten minutes between two messages, three a day, four people."""
    assert [at(text) for text in expected] == await foreseen(at(start), window=hours)


async def test_a_follow_up_in_business_days_waits_for_the_next_day_of_the_window():
    """A Friday and one of them is Monday, at the same time of day."""
    steps = [email("intro", subject="Hi"), email("bump", "1bd")]
    hours = window("UTC", "09:00", "17:00", frozenset(range(5)))

    assert [at("06-05 09:00"), at("06-08 09:00")] == await foreseen(at("06-05 06:00"), steps, people=1, window=hours)


async def test_a_forecast_knows_the_hour_of_a_person():
    """Opened at two on three days: due at nine, foreseen for two."""
    opens = [at(f"05-{day} 14:20") for day in (26, 27, 28)]
    going = {"window": window("UTC", "09:00", "17:00"), "send_time": SendTime.OPENS}

    assert [at("06-01 14:00")] == await foreseen(at("06-01 06:00"), people=1, opens=opens, **going)
    assert [at("06-01 09:00")] == await foreseen(at("06-01 06:00"), people=1, opens=opens[:2], **going)


async def test_from_paused_mailboxes_nothing_is_foreseen():
    """Nobody resumes them in a forecast."""
    assert [] == await foreseen(at("06-01 06:00"), paused=True)


async def test_the_first_of_march_follows_the_twenty_eighth_of_february():
    """Three a day over the end of a short month."""
    found = await foreseen(at("02-27 06:00"), people=7, window=window("UTC", "09:00", "17:00"))
    expected = [f"{day} 09:{minute}" for day in ("02-27", "02-28") for minute in ("00", "10", "20")]

    assert [*map(at, expected), at("03-01 09:00")] == found
