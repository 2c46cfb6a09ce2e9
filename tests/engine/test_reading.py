"""Reading mailboxes: what freshness means, what a push during a read does, and that no message holds up another."""

import asyncio
from datetime import timedelta

import pytest

from engine.rig import until
from relance.core.enrollment import StopReason
from relance.core.mailbox import MailboxStatus
from relance.ports.connector import LoginRefusedError, MailboxUnreachableError, ReadingFailedError
from relance.services import ingestion, recovering
from relance.testing import letters
from relance.testing.builders import email
from relance.testing.fake_clock import FakeMonotonic
from relance.testing.fake_connector import Hold, Point
from relance.testing.faulty_store import Failure


async def test_freshness_is_the_start_of_the_read(rig):
    """What came in during it may have been missed."""
    box = await rig.prepare()
    hold = Hold()
    box.script(Point.READ_END, hold)
    began = rig.clock.now()
    reading = asyncio.create_task(rig.parts().poller.refresh(await rig.box_name()))
    await hold.reached.wait()
    rig.later(seconds=50)
    hold.go.set()

    assert await reading
    assert (began, rig.clock.now()) == ((await rig.box()).fresh_at, (await rig.box()).last_read_at)


@pytest.mark.parametrize("point", [Point.READ, Point.FOLDER, Point.READ_END])
async def test_freshness_moves_only_when_every_folder_was_read(rig, point):
    """The folders that were yielded before stand; the next read goes on after them."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
    box.script(point, ReadingFailedError("a folder is gone"))
    read = await parts.poller.refresh(await rig.box_name())
    fresh = (await rig.box()).fresh_at
    again = await parts.poller.refresh(await rig.box_name())

    assert (False, None) == (read, fresh)
    assert again
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason
    assert MailboxStatus.ACTIVE is (await rig.box()).status


async def test_freshness_moves_only_when_everything_read_is_ingested(rig):
    """A message that waits to be understood may be the answer."""
    box = await rig.prepare()
    await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
    rig.store.fail("ingest", Failure.DOWN)
    read = await parts.poller.refresh(await rig.box_name())

    assert not read
    assert (await rig.box()).fresh_at is None
    assert await parts.poller.refresh(await rig.box_name())


async def test_who_asks_during_a_read_gets_the_running_one(rig):
    """One read of a mailbox at a time."""
    box = await rig.prepare()
    hold = Hold()
    box.script(Point.READ, hold)
    poller = rig.parts().poller
    name = await rig.box_name()
    first = asyncio.create_task(poller.refresh(name))
    await hold.reached.wait()
    second = asyncio.create_task(poller.refresh(name))
    hold.go.set()

    assert all(await asyncio.gather(first, second))
    assert 1 == box.reads


async def test_a_push_during_a_read_leads_to_another_read(rig):
    """The folder that it is about may have been read already."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    async with rig.running() as engine:
        await rig.settle(engine)
        reads = box.reads
        hold = Hold()
        box.script(Point.READ_END, hold)
        box.push()
        await hold.reached.wait()
        box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
        hold.go.set()
        await rig.settle(engine)

    assert 2 == box.reads - reads
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason


async def test_a_reply_that_is_pushed_stops_the_run_without_time_passing(rig):
    """Reply to stopped: no sweep is waited for."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    async with rig.running() as engine:
        await rig.settle(engine)
        box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
        await rig.settle(engine)

    assert StopReason.REPLIED is (await rig.again(run)).stop_reason


async def test_a_reply_that_nobody_told_of_is_found_by_the_sweep(rig):
    """IDLE dies silently; the mailbox is read again within half an hour."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    async with rig.running() as engine:
        await rig.settle(engine)
        box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()), told=False)
        rig.later(minutes=31)
        engine.time_has_jumped()
        await rig.settle(engine)

    assert StopReason.REPLIED is (await rig.again(run)).stop_reason


async def test_a_watch_that_ended_is_opened_again_and_the_mailbox_is_read(rig):
    """Something may have come in while nobody was told."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    box.script(Point.WATCH, MailboxUnreachableError("reset by peer"), MailboxUnreachableError("reset again"))
    async with rig.running() as engine:
        await rig.settle(engine)
        watched = box.watched
        box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()), told=False)
        rig.monotonic.advance(2)
        await until(lambda: box.watched)
        box.push()
        await rig.settle(engine)

    assert not watched
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason


async def test_trouble_with_reading_rests_the_mailbox_ever_longer_and_is_forgotten(rig):
    """A quarter of a minute, a half, a whole one; a read that works starts anew."""
    box = await rig.prepare()
    parts = rig.parts()
    name = await rig.box_name()
    rests = []
    for error in (MailboxUnreachableError("no route"), LoginRefusedError("no"), MailboxUnreachableError("no route")):
        box.script(Point.READ, error)
        await parts.poller.refresh(name)
        troubled = await rig.box()
        rests.append((troubled.skip_until - rig.clock.now(), troubled.status))
    await parts.poller.refresh(name)
    recovered = await rig.box()

    assert [
        (timedelta(seconds=15), MailboxStatus.UNREACHABLE),
        (timedelta(seconds=30), MailboxStatus.AUTH_ERROR),
        (timedelta(seconds=60), MailboxStatus.UNREACHABLE),
    ] == rests
    assert (MailboxStatus.ACTIVE, None, 0) == (
        recovered.status,
        recovered.skip_until,
        recovered.consecutive_failures,
    )


@pytest.mark.parametrize(
    "trouble, hours",
    [
        pytest.param(MailboxUnreachableError("no route"), 72, id="unreachable for three days"),
        pytest.param(LoginRefusedError("no"), 1, id="the login refused for an hour"),
        pytest.param(ReadingFailedError("[LIMIT] too many"), 24, id="throttled for a day"),
    ],
)
async def test_while_a_mailbox_cannot_be_read_nothing_follows_and_afterwards_every_answer_counts(rig, trouble, hours):
    """The follow-up falls due meanwhile and waits: the answer to the first message lies there unread."""
    box = await rig.prepare(email("intro", subject="Question"), email("bump", "30m"))
    run = await rig.person("ann@lead.example")
    async with rig.running() as engine:
        await rig.settle(engine)
        box.script(Point.READ, *[trouble] * 10_000)
        box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()), told=False)
        for _ in range(4 * hours):
            rig.later(minutes=15)
            engine.time_has_jumped()
            await rig.settle(engine)
        meanwhile = await rig.again(run)
        box.heal(Point.READ)
        rig.later(minutes=61)
        engine.time_has_jumped()
        await rig.settle(engine)

    assert meanwhile.stop_reason is None
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason
    assert 1 == len(rig.world.accepted)


async def test_a_mailbox_that_rests_is_left_alone_and_does_not_keep_the_engine_from_rest(rig):
    """An engine that starts while a mailbox is in trouble tries the others and comes to rest."""
    box = await rig.prepare()
    parts = rig.parts()
    box.script(Point.READ, LoginRefusedError("no"))
    await parts.poller.refresh(await rig.box_name())
    reads = box.reads
    async with rig.running() as engine:
        await rig.settle(engine)
        settled_after = box.reads - reads

    assert settled_after <= 1


async def test_an_error_nobody_thought_of_while_reading_rests_the_mailbox_like_any_other(rig):
    """It is neither swallowed nor repeated without pause."""
    box = await rig.prepare()
    box.script(Point.READ, ZeroDivisionError("a bug of ours"))
    async with rig.running() as engine:
        await rig.settle(engine)
        troubled = await rig.box()
        rig.later(minutes=2)
        engine.time_has_jumped()
        await rig.settle(engine)

    assert troubled.consecutive_failures == 1
    assert (await rig.box()).fresh_at == rig.clock.now()


async def test_a_poison_message_is_shelved_and_the_reply_behind_it_is_ingested(rig):
    """After three tries; it is kept for a person to look at."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    box.deliver(letters.write(sender="x@y.example", to=box.address, subject="x", text="poison", at=rig.clock.now()))
    rig.store.fail("ingest", *[Failure.REFUSED] * 3)
    box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
    read = await parts.poller.refresh(await rig.box_name())

    assert read
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason
    assert 3 == len(rig.log.said("message.not_understood"))
    assert [] == await rig.store.read(ingestion.waiting_mailboxes)


async def test_a_store_that_is_down_shelves_nothing(rig):
    """A message is not poison because the database was away, or because somebody else was always faster."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
    rig.store.fail("ingest", *[Failure.DOWN, Failure.COMMIT_UNDONE] * 3)
    for _ in range(7):
        await parts.poller.refresh(await rig.box_name())

    assert StopReason.REPLIED is (await rig.again(run)).stop_reason
    assert [] == rig.log.said("message.not_understood")


async def test_nothing_is_lost_between_a_batch_and_its_cursor(rig):
    """The read is fetched again where its staging failed."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
    rig.store.fail("stage_batch", Failure.DOWN, Failure.COMMIT_DONE, Failure.COMMIT_UNDONE)
    results = [await parts.poller.refresh(await rig.box_name()) for _ in range(4)]

    assert [False, False, False, True] == results
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason


class Ticking(FakeMonotonic):
    """A second passes whenever somebody looks: so that a look at every mailbox takes time."""

    def seconds(self) -> float:
        """Return the seconds it stands at."""
        self.advance(1.0)
        return super().seconds()


@pytest.mark.parametrize("told", ["asked for", "look anew", "nothing"])
async def test_a_mailbox_that_is_new_or_back_is_not_overlooked_between_two_looks_at_all(rig, told):
    """Looks at every mailbox are rare where there are many; whoever is asked for by name leads to one."""
    await rig.prepare()
    rig.monotonic = Ticking()
    parts = rig.parts()
    await parts.poller.run_once()
    added = await rig.mailbox("new@ours.example")
    box = await rig.box_name("new@ours.example")
    if told == "asked for":
        parts.poller.want(box)
    elif told == "look anew":
        parts.poller.look_anew()
    started = await parts.poller.run_once()
    await parts.poller.refresh(box)

    assert (told != "nothing", 1) == (started == 1, added.reads)


async def test_one_connector_serves_all_loops_of_a_mailbox(rig):
    """Also when the watcher, the poller and the sender ask for it at the same moment; draining closes it."""
    box = await rig.prepare()
    parts = rig.parts()
    mailbox = await rig.box()
    made = await asyncio.gather(*(parts.connections.of(mailbox) for _ in range(5)))
    opened = box.open_connectors
    await parts.connections.close()

    assert 1 == len({id(one) for one in made})
    assert (1, 0) == (opened, box.open_connectors)


async def test_at_the_start_no_mailbox_of_a_workspace_sends_before_all_were_read(rig):
    """The Sent folder of one may hold what another would send next, if the database is older than the last send."""
    box = await rig.prepare()
    await rig.mailbox("cleo@ours.example")
    names = {(await rig.box(address)).id for address in ("bo@ours.example", "cleo@ours.example")}
    hold = Hold()
    box.script(Point.READ, hold)
    poller = rig.parts().poller
    finished: list[bool] = []
    poller.on_done = finished.append
    await poller.run_once()
    await hold.reached.wait()
    await until(lambda: len(finished) == 1)
    while_one_is_read = poller.plan.unread()
    hold.go.set()
    await until(lambda: len(finished) == 2)

    assert (names, frozenset()) == (while_one_is_read, poller.plan.unread())


async def test_a_mailbox_that_was_away_is_read_as_soon_as_it_is_back(rig):
    """Nothing leaves it before: not even when its connection was in use while it recovered, and so was kept."""
    await rig.prepare()
    parts = rig.parts()
    parts.poller.in_use = lambda _: True
    await parts.poller.run_once()
    await parts.poller.refresh(await rig.box_name())
    swept = await parts.poller.run_once()
    await rig.store.write(recovering.enter, alive_at=rig.clock.now(), why="a backup was put back", now=rig.clock.now())
    away = await parts.poller.run_once()
    now = rig.clock.now()
    await rig.store.write(recovering.finish, await rig.box(), started_at=now, now=now)

    assert (0, 0, 1) == (swept, away, await parts.poller.run_once())
