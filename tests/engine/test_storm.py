"""A sequence that is resumed after two weeks: everybody wakes, and nobody is hurried.

Thousands are due at once. Caps, gaps and the window hold, the longest due go first, a small sequence is not pushed
aside, and neither the resume nor a pass of the dispatcher costs more because so many wait.
"""

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from engine.counting import CountingStore
from engine.rig import Rig
from relance.core.enrollment import Enrollment
from relance.core.sequence import Window
from relance.services import scheduling, sequences
from relance.services.records import columns
from relance.testing import builders
from relance.testing.builders import email
from relance.testing.fake_clock import MONDAY

MANY, FEW = 5_000, 10
BATCHES = 5
BOXES = tuple(f"b{n}@ours.example" for n in range(6))
DAILY, HOURLY, GAP = 15, 5, 90.0
TWO_WEEKS = timedelta(days=14)


@pytest.fixture
async def storm(any_rig):
    """Return a rig over a store that counts, with a large and a small sequence that were paused two weeks ago."""
    rig = Rig(CountingStore(any_rig.store.inner))
    rig.workspace = await rig.store.write(builders.workspace)
    await rig.rights.take(rig.store)
    for address in BOXES:
        await rig.mailbox(address, daily_cap=DAILY, hourly_cap=HOURLY, min_gap=GAP, max_gap=2 * GAP)
    await rig.publish(builders.plan(email("hello", subject="Hello"), name="large", window=Window()))
    await rig.publish(builders.plan(email("hello", subject="Hello"), name="small", window=Window()))
    for batch in range(BATCHES):  # whoever was added later is due earlier, so that ids tell nothing about due times
        people = range(batch * MANY // BATCHES, (batch + 1) * MANY // BATCHES)
        await rig.store.write(enter, rig.workspace, "large", people, now=MONDAY + timedelta(minutes=BATCHES - batch))
    await rig.store.write(enter, rig.workspace, "small", range(MANY, MANY + FEW), now=MONDAY)
    for name in ("large", "small"):
        await rig.store.write(sequences.pause, workspace_id=rig.workspace.id, name=name, now=MONDAY)
    return rig


def enter(tx, workspace, sequence, people, *, now):
    """Add people and enroll them: one by the services, the others as copies of that one."""
    first, *others = [f"p{number}@lead{number}.example" for number in people]
    lead = builders.lead(tx, workspace, first, now=now)
    run = builders.enrollment(tx, workspace, lead, sequence, now=now)
    for address in others:
        lead_id = tx.one(int, "leads.insert", **without_id(replace(lead, email=address)))
        tx.one(int, "enrollments.insert", **without_id(replace(run, uid=f"{sequence}-{address}", lead_id=lead_id)))


def without_id(value):
    """Return a value's columns but the id that the database gives."""
    return {name: column for name, column in columns(value).items() if name != "id"}


async def resume(rig):
    """Resume both."""
    for name in ("large", "small"):
        await rig.store.write(sequences.resume, workspace_id=rig.workspace.id, name=name, now=rig.clock.now())


async def revisions(rig):
    """Return how often any enrollment was written."""
    ids = {"workspace_id": rig.workspace.id, "sequence_id": None, "lead_id": None}
    return sum(one.revision for one in await rig.store.read(lambda r: r.all(Enrollment, "enrollments.chosen", **ids)))


async def test_a_resume_after_two_weeks_sends_within_caps_and_gaps(storm):
    """One day of it."""
    rig = storm
    async with rig.running() as engine:
        await rig.play(engine, until=MONDAY + TWO_WEEKS)
        while_paused = len(rig.world.accepted)
        before = await revisions(rig)
        counting = rig.store.inner
        counting.forget()
        await resume(rig)
        cost, written = counting.counts.total(), counting.rows["sequences.save"]
        untouched = await revisions(rig) == before
        awake = (await rig.store.read(scheduling.standing, now=rig.clock.now())).walking
        engine.time_has_jumped()
        await rig.play(engine, until=MONDAY + TWO_WEEKS + timedelta(hours=23), most=20_000)
    sent = sorted(rig.world.accepted, key=lambda one: one.at)
    by_box = defaultdict(list)
    for one in sent:
        by_box[one.mailbox].append(one.at)
    hours = Counter((one.mailbox, one.at.replace(minute=0, second=0, microsecond=0)) for one in sent)
    gaps = [later - earlier for times in by_box.values() for earlier, later in pairwise(times)]

    assert (0, MANY + FEW) == (while_paused, awake)
    assert (True, 2) == (untouched, written)
    assert cost <= 10
    assert dict.fromkeys(BOXES, DAILY) == {address: len(times) for address, times in by_box.items()}
    assert max(hours.values()) <= HOURLY
    assert min(gaps) >= timedelta(seconds=GAP)
    assert all(9 <= one.at.hour < 17 for one in sent)
    assert 1 == max(Counter(one.recipient for one in sent).values())
    assert_in_turn(sent)


def assert_in_turn(sent):
    """Check that the small sequence had every second turn, and in the large one whoever was due first."""
    numbers = [int(one.recipient.partition("@")[0][1:]) for one in sent]
    small_ended = max(turn for turn, number in enumerate(numbers) if number >= MANY)
    large = [number for number in numbers if number < MANY]
    due_first = range((BATCHES - 1) * MANY // BATCHES, MANY)

    assert FEW == sum(number >= MANY for number in numbers)
    assert small_ended < 2 * FEW + len(BOXES)
    assert all(number in due_first for number in large)
    assert sorted(large) == list(due_first)[: len(large)]


async def test_a_pass_costs_by_what_it_can_send_and_not_by_how_many_wait(storm):
    """Five thousand are due: a pass asks for the most due of each sequence, for each mailbox that is free."""
    rig = storm
    rig.clock.jump(MONDAY + TWO_WEEKS)
    await resume(rig)
    parts, counting = rig.parts(), rig.store.inner
    counting.forget()
    claimed = await parts.send_one()
    first = Counter({name: n for name, n in counting.rows.items() if name.startswith("enrollments.earliest")})
    asked = counting.counts["enrollments.earliest_of_pool"]
    counting.forget()
    again = await parts.dispatcher.run_once()

    assert (len(BOXES), 0) == (claimed, again)
    assert len(BOXES) == first.total() == asked
    assert counting.counts.total() <= 4
