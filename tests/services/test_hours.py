"""Hours that are the same for everyone in a sequence are written once, on the sequence; a lead's own on the lead.

When a window closes over thousands of due rows, none of them is touched, and the dispatcher looks no further.
"""

from dataclasses import replace
from datetime import date, time, timedelta

import pytest

from relance.core.sequence import Interval, QuietHours, Window
from relance.services import mailboxes, sending, sequences
from relance.services.refusals import RefusedError
from relance.testing import builders
from relance.testing.builders import email

EVENING = {"hours": 9}  #: From nine in the morning until one hour after the window closes.
NIGHT = QuietHours(interval=Interval(start=time(17), end=time(9)), timezone=None)


async def at_evening(life, **policy):
    """Return two people of one sequence in the evening, and what a pass did about the first of them."""
    scene = await life.scene(email("a", subject="A"), email("b", "1h"), **policy)
    other = await life.person(scene, "ben@lead.example")
    life.later(**EVENING)
    (claimed,) = await life.claim()
    return scene, other, await life.reserve(claimed)


async def hold_of(life, scene):
    """Return what holds the sequence."""
    found = await life.store.read(sequences.by_name, scene.workspace.id, "q4")
    return found.last_skip_reason, found.skip_until


@pytest.mark.parametrize(
    "policy, reason",
    [
        ({"window": Window()}, "window"),
        ({"window": Window(timezone="Europe/Paris")}, "window"),
        ({"quiet_hours": NIGHT}, "quiet_hours"),
    ],
)
async def test_hours_of_everybody_are_written_once(life, policy, reason):
    """Nobody's row is touched, and nobody else of the sequence is claimed in vain."""
    scene, other, outcome = await at_evening(life, **policy)
    rows = [await life.again(run) for run in (scene.run, other)]

    assert isinstance(outcome, sending.Deferred)
    assert (reason, outcome.until) == await hold_of(life, scene)
    assert [(None, None)] * 2 == [(row.skip_until, row.lock_holder) for row in rows]
    assert [] == await life.claim()
    life.later(hours=15)
    assert 1 == len(await life.claim())


@pytest.mark.parametrize("zone", ["lead", "mailbox"])
async def test_hours_that_differ_from_lead_to_lead_are_the_leads_own(life, zone):
    """The next one may live where it is still day."""
    scene, _, outcome = await at_evening(life, window=Window(timezone=zone))
    claimed = await life.claim()

    assert ("window", outcome.until) == (
        (await life.again(scene.run)).last_skip_reason,
        (await life.again(scene.run)).skip_until,
    )
    assert (None, None) == await hold_of(life, scene)
    assert 1 == len(claimed)


async def test_versions_whose_hours_differ_do_not_hold_one_another(life):
    """Who walks the version with the longer hours goes on."""
    scene = await life.scene(email("a", subject="A"), window=Window())
    longer = builders.plan(email("a", subject="A"))
    await life.store.write(sequences.publish, workspace_id=scene.workspace.id, plan=longer, now=life.now)
    later = await life.person(scene, "ben@lead.example")
    life.later(**EVENING)
    (first,) = await life.claim()
    deferred = await life.reserve(first)
    (second,) = await life.claim()
    reserved = await life.reserve(second)

    assert (scene.run.id, later.id) == (first.enrollment_id, second.enrollment_id)
    assert isinstance(deferred, sending.Deferred)
    assert isinstance(reserved, sending.Reserved)


async def test_a_new_version_lifts_what_the_old_hours_held(life):
    """Whoever publishes longer hours need not wait for the old ones to pass."""
    scene, _, _ = await at_evening(life, window=Window())
    longer = builders.plan(email("a", subject="A"))
    await life.store.write(sequences.publish, workspace_id=scene.workspace.id, plan=longer, now=life.now)

    assert (None, None) == await hold_of(life, scene)


async def test_a_shorter_rest_never_replaces_a_longer_one(life):
    """Two workers may write their reasons one after the other."""
    scene, _, outcome = await at_evening(life, window=Window())
    ids = {"workspace_id": scene.workspace.id, "id": scene.run.sequence_id}
    await life.store.write(lambda tx: tx.run("sequences.put_off", **ids, until=life.now, reason="sequence_cap"))

    assert ("window", outcome.until) == await hold_of(life, scene)


CLOSED = frozenset(date(2026, 11, 30) + timedelta(days=n) for n in range(500))


async def published(life, scene, window):
    """Publish one more sequence with that window, and return what is said against it."""
    plan = builders.plan(email("a", subject="A"), name="more", window=window)
    try:
        await life.store.write(sequences.publish, workspace_id=scene.workspace.id, plan=plan, now=life.now)
    except RefusedError as refusal:
        return str(refusal)
    return None


@pytest.mark.parametrize(
    "window",
    [Window(blackout=CLOSED), Window(holiday_dates=CLOSED), Window(timezone="lead", blackout=CLOSED)],
    ids=["blackout", "holidays", "of leads"],
)
async def test_a_window_that_is_closed_for_good_is_not_published(life, window):
    """Its weekdays are fine; the dates are what closes it."""
    scene = await life.scene()

    assert "every day that it names is a holiday or blacked out" in (await published(life, scene, window) or "")
    assert await published(life, scene, replace(window, blackout=frozenset(), holiday_dates=frozenset())) is None


NIGHTS = (Interval(start=time(20), end=time(23)),)


async def test_a_window_that_never_meets_a_working_day_is_not_published(life):
    """Each in its own zone. One mailbox that is at work then is enough."""
    scene = await life.scene()
    nine_to_five = replace(scene.box, workday="09:00-17:00 jitter 10")
    await life.store.write(lambda tx: mailboxes.change(tx, nine_to_five, sealed=None))
    said = await published(life, scene, Window(intervals=NIGHTS))
    elsewhere = await published(life, scene, Window(intervals=NIGHTS, timezone="Asia/Tokyo"))
    of_leads = await published(life, scene, Window(intervals=NIGHTS, timezone="lead"))
    await life.mailbox(scene, "late@acme.example", workday="18:00-23:00")

    assert "never opens in the working hours of its mailboxes, such as bo@acme.example (09:00-17:00 jitter 10)" in said
    assert (None, None) == (elsewhere, of_leads)  # evening in Tokyo is noon here; leads may be anywhere
    assert await published(life, scene, Window(intervals=NIGHTS)) is None


async def test_who_can_never_be_written_to_for_the_mailbox_works_at_other_hours_is_told_so(life):
    """A window in the lead's zone: nobody knew when it was published."""
    scene = await life.scene(email("a", subject="A"), window=Window(intervals=NIGHTS, timezone="lead"))
    nine_to_five = replace(scene.box, workday="09:00-17:00")
    await life.store.write(lambda tx: mailboxes.change(tx, nine_to_five, sealed=None))
    reasons = []
    for _ in range(3):
        run, box = await life.again(scene.run), await life.box(scene.box)
        life.clock.jump(max(filter(None, (life.now, run.ready_at, box.skip_until))))
        (claimed,) = await life.claim()
        outcome = await life.reserve(claimed)
        assert isinstance(outcome, sending.Deferred)
        reasons.append(outcome.reason)

    assert ["workday", "workday_misses_window", "workday"] == reasons
