"""Two workers over one database: what one that slept past its lease may still do, and what each asks of the other."""

import asyncio
from collections.abc import Coroutine
from contextlib import nullcontext

import pytest

from engine.rig import LEASE, WITHIN, Parts, Rig, until
from relance.core.attempt import AttemptStatus
from relance.engine.shards import Shards
from relance.engine.surroundings import Rights
from relance.ports.connector import OutcomeUnknownError
from relance.services import leasing
from relance.testing import builders
from relance.testing.builders import email
from relance.testing.fake_connector import SENT, FakeMailbox, Hold, Point


def parts_of(rig: Rig, shards: Shards, worker: str) -> Parts:
    """Return one worker's loops."""
    parts = Parts(rig.around(worker, shards=shards))
    shards.on_taken = lambda holds: parts.rescuer.took_over(holds, rig.clock.now())
    return parts


@pytest.mark.parametrize(
    "point,clock_has_told,left",
    [
        (Point.STAGE, False, 0),  # its own clock is slow: the epoch fences `begin`
        (Point.STAGE, True, 0),
        (Point.DOT, True, 0),
        (Point.REPLY, True, 1),  # it had left before: that is recorded
    ],
)
async def test_a_worker_that_slept_past_its_lease_does_nothing_harmful_wherever_it_slept(
    any_rig: Rig,
    point: Point,
    clock_has_told: bool,  # noqa: FBT001  # a parameter
    left: int,
):
    """Another has taken over and looked after what was left; in the end the person has the message once."""
    rig = any_rig
    box = await rig.prepare(email("intro", subject="Hello"))
    run = await rig.person("ann@lead.example")
    first, second = rig.shards("w1", alone=False), rig.shards("w2", alone=False)
    one, two = parts_of(rig, first, "w1"), parts_of(rig, second, "w2")
    await leave_the_rig_out(rig)
    await first.take()
    hold = Hold()
    box.script(point, hold)
    sending = asyncio.create_task(one.send_one())
    await asyncio.wait_for(hold.reached.wait(), WITHIN)
    if clock_has_told:
        rig.monotonic.advance(LEASE * 2)
    await rig.store.inner.write(leasing.take_part, owner="w1", lease_seconds=-1.0)
    await second.take()
    rig.later(seconds=1)
    await two.rescuer.run_once()
    hold.go.set()
    await asyncio.wait_for(sending, WITHIN)
    by_the_first = len(rig.subjects("ann@lead.example"))
    for _ in range(6):
        await two.rescuer.run_once()
        await two.reconciler.run_once()
        await two.send_one()
        rig.later(minutes=20)

    assert left == by_the_first
    assert 1 == len(rig.subjects("ann@lead.example"))
    assert [AttemptStatus.SENT] == [attempt.status for attempt in await rig.attempts(run)]


async def test_what_was_read_by_a_worker_that_slept_is_not_stored_by_it(any_rig: Rig):
    """Its cursor would hide from the new owner what that has yet to read."""
    rig = any_rig
    box = await rig.prepare(email("intro", subject="Hello"))
    first, second = rig.shards("w1", alone=False), rig.shards("w2", alone=False)
    one = parts_of(rig, first, "w1")
    await leave_the_rig_out(rig)
    await first.take()
    hold = Hold()
    box.script(Point.READ, hold)
    reading = asyncio.create_task(one.poller.refresh(await rig.box_name()))
    await asyncio.wait_for(hold.reached.wait(), WITHIN)
    await rig.store.inner.write(leasing.take_part, owner="w1", lease_seconds=-1.0)
    await second.take()
    hold.go.set()
    read = await asyncio.wait_for(reading, WITHIN)

    assert not read
    assert 1 == len(rig.log.said("read.fenced"))
    assert (await rig.box()).fresh_at is None


async def taken_meanwhile(rig: Rig, box: FakeMailbox, point: Point, act: Coroutine[object, object, object]) -> None:
    """Let a worker do something, and another take its shards while it stands still there, before that looks at them."""
    second = rig.shards("w2", alone=False)
    hold = Hold()
    box.script(point, hold)
    acting = asyncio.create_task(act)
    await asyncio.wait_for(hold.reached.wait(), WITHIN)
    await rig.store.inner.write(leasing.take_part, owner="w1", lease_seconds=-1.0)
    await second.take()
    hold.go.set()
    await asyncio.wait_for(acting, WITHIN)


async def test_what_was_reserved_is_not_begun_once_the_shard_has_changed_hands(any_rig: Rig):
    """Its own clock is slow and the other has not come round to the reservation: only the epoch tells."""
    rig = any_rig
    box = await rig.prepare(email("intro", subject="Hello"))
    run = await rig.person("ann@lead.example")
    first = rig.shards("w1", alone=False)
    one = parts_of(rig, first, "w1")
    await leave_the_rig_out(rig)
    await first.take()
    await taken_meanwhile(rig, box, Point.STAGE, one.send_one())

    assert [] == rig.subjects("ann@lead.example")
    assert [AttemptStatus.RESERVED] == [attempt.status for attempt in await rig.attempts(run)]
    assert 1 == len(rig.log.said("send.fenced"))


async def test_what_a_worker_that_slept_did_not_find_is_not_called_unsent_by_it(any_rig: Rig):
    """The other may have sent it again and lost the answer: a look from before says nothing about that message."""
    rig = any_rig
    box = await rig.prepare(email("intro", subject="Hello"))
    run = await rig.person("ann@lead.example")
    first = rig.shards("w1", alone=False)
    one = parts_of(rig, first, "w1")
    await leave_the_rig_out(rig)
    await first.take()
    box.script(Point.DOT, OutcomeUnknownError("the connection broke"))
    await one.send_one()
    rig.later(minutes=12)
    await rig.person("ben@lead.example")
    await one.send_one()
    rig.later(minutes=20)
    await taken_meanwhile(rig, box, Point.LOOK, one.reconciler.run_once())

    assert [AttemptStatus.UNKNOWN] == [attempt.status for attempt in await rig.attempts(run)]
    assert 1 == len(rig.log.said("look.fenced"))


async def told_meanwhile(rig: Rig, box: FakeMailbox, point: Point, act: Coroutine[object, object, object]) -> None:
    """Let a worker sleep past its lease there, and wake up after another has taken over and looked after its work."""
    second = rig.shards("w2", alone=False)
    two = parts_of(rig, second, "w2")
    hold = Hold()
    box.script(point, hold)
    acting = asyncio.create_task(act)
    await asyncio.wait_for(hold.reached.wait(), WITHIN)
    rig.monotonic.advance(LEASE * 2)
    await rig.store.inner.write(leasing.take_part, owner="w1", lease_seconds=-1.0)
    await second.take()
    await two.reconciler.run_once()
    hold.go.set()
    await asyncio.wait_for(acting, WITHIN)


async def test_a_copy_is_filed_once_though_a_worker_slept_before_it_filed_it(any_rig: Rig):
    """Both have looked and found none; the one whose lease is over leaves it to the other."""
    rig = any_rig
    box = await rig.prepare(email("intro", subject="Hello"), saves_sent=False)
    await rig.person("ann@lead.example")
    first = rig.shards("w1", alone=False)
    one = parts_of(rig, first, "w1")
    await leave_the_rig_out(rig)
    await first.take()
    await one.send_one()
    await told_meanwhile(rig, box, Point.LOOK_END, one.reconciler.run_once())

    assert 1 == len(box.folders[SENT])
    assert 1 == len(rig.log.said("copy.fenced"))


async def test_a_mailbox_does_not_write_to_itself_once_the_lease_is_over(any_rig: Rig):
    """Its new owner has done so: what would leave now is a message too many."""
    rig = any_rig
    box = await rig.prepare(email("intro", subject="Hello"))
    await rig.person("ann@lead.example")
    first = rig.shards("w1", alone=False)
    one = parts_of(rig, first, "w1")
    await leave_the_rig_out(rig)
    await first.take()
    box.script(Point.DOT, OutcomeUnknownError("the connection broke"))
    await one.send_one()
    rig.later(minutes=20)
    await told_meanwhile(rig, box, Point.STAGE, one.reconciler.run_once())

    assert ["bo@ours.example"] == [each.recipient for each in rig.world.accepted]


class Only:
    """Implements `engine.surroundings.Rights`: those of the rig, for some shards only."""

    def __init__(self, rights: Rights, *shards: int) -> None:
        self._rights = rights
        self._shards = shards

    def hold(self, shard: int) -> leasing.Hold | None:
        """Return the right to one of ours."""
        return self._rights.hold(shard) if shard in self._shards else None

    def holds(self) -> tuple[leasing.Hold, ...]:
        """Return ours."""
        return tuple(hold for hold in self._rights.holds() if hold.shard in self._shards)

    def still(self, hold: leasing.Hold) -> bool:
        """Whether it is held."""
        return self._rights.still(hold)

    def work(self, _: leasing.Hold) -> nullcontext[None]:
        """Nobody takes it away."""
        return nullcontext()


async def test_each_worker_claims_and_reads_for_its_own_mailboxes_only(any_rig: Rig):
    """A first message leaves from whichever mailbox is free, by the worker that owns it."""
    rig = any_rig
    await rig.prepare(email("intro", subject="Hello"))
    await rig.mailbox("cy@ours.example")
    for name in ("ann", "ben", "cas"):
        await rig.person(f"{name}@lead.example")
    one, two = await parts_by_mailbox(rig, "bo@ours.example", "cy@ours.example")
    claims = [await one.send_one(), await two.send_one()]
    reads = [await one.poller.run_once(), await two.poller.run_once()]

    assert [1, 1] == claims
    assert ["bo@ours.example", "cy@ours.example"] == [one.mailbox for one in rig.world.accepted]
    assert [1, 1] == reads


async def test_a_mailbox_of_another_worker_is_read_because_it_was_asked_for(any_rig: Rig):
    """Nothing is sent to somebody whose answer may lie there; the send waits its turn."""
    rig = any_rig
    await rig.prepare(email("intro", subject="Hello"))
    await rig.mailbox("cy@ours.example", pool="other")
    await rig.publish(builders.plan(email("hi", "5m", subject="Hi"), name="later", pool="other"))
    lead = await rig.store.write(builders.lead, rig.workspace, "ann@lead.example", now=rig.clock.now())
    for sequence in ("q4", "later"):
        await rig.store.write(builders.enrollment, rig.workspace, lead, sequence, now=rig.clock.now())
    one, two = await parts_by_mailbox(rig, "bo@ours.example", "cy@ours.example")
    await one.send_one()
    swept = await read_all(one)
    rig.later(minutes=6)
    before = await read_all(one)
    await two.send_one()
    too_early = len(rig.world.accepted)
    asked = await read_all(one)
    then = await read_all(one)
    rig.later(seconds=16)
    await two.send_one()

    assert (1, 0, 1, 0) == (swept, before, asked, then)
    assert 1 == too_early
    assert ["bo@ours.example", "cy@ours.example"] == [one.mailbox for one in rig.world.accepted]


async def parts_by_mailbox(rig: Rig, *addresses: str) -> list[Parts]:
    """Return a worker for each mailbox."""
    shards = [(await rig.box(address)).shard for address in addresses]
    return [Parts(rig.around(f"w{n}", shards=Only(rig.rights, shard))) for n, shard in enumerate(shards, 1)]


async def read_all(parts: Parts) -> int:
    """Do a pass of the poller and wait for its reads; return how many it began."""
    begun = await parts.poller.run_once()
    await until(lambda: parts.poller.idle)
    return begun


async def leave_the_rig_out(rig: Rig) -> None:
    """Let the workers of a test share the shards alone."""
    await rig.store.inner.write(leasing.leave, owner="rig")
