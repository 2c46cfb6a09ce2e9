"""The whole engine: it walks everyone to their end, comes to rest, drains, restarts what fails, and survives a kill."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.rig import LIMITS, WITHIN, die, until
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.sequence import RepliedWithin
from relance.engine.engine import Engine
from relance.ports.connector import OutcomeUnknownError
from relance.testing import builders, letters
from relance.testing.builders import branch, delay, email, wait
from relance.testing.fake_connector import Hold, Point

LOOPS = {
    "dispatcher",
    "answerer",
    "walker",
    "poller",
    "ingester",
    "verifier",
    "reconciler",
    "housekeeper",
    "recoverer",
    "rescuer",
    "watcher",
    "shards",
}


async def test_a_lead_walks_a_sequence_from_its_first_to_its_last_step(any_rig):
    """Mail, wait, branch, mail, each when it is due and not before."""
    began = any_rig.clock.now()
    await any_rig.prepare(
        email("intro", subject="Question"),
        wait("rest", "2d"),
        branch("check", RepliedWithin(within=delay("1d")), "stop", "last"),
        email("last", "1d"),
    )
    run = await any_rig.person("ann@lead.example")
    async with any_rig.running() as engine:
        await any_rig.play(engine)
    sent = any_rig.world.received_by("ann@lead.example")

    assert EnrollmentStatus.COMPLETED is (await any_rig.again(run)).status
    assert [timedelta(0), timedelta(days=4)] == [one.at - began for one in sent]


async def test_thirty_leads_get_every_step_once(any_rig):
    """Over three mailboxes, with their gaps; the engine comes to rest by itself."""
    await any_rig.prepare()
    for number in range(2):
        await any_rig.mailbox(f"box{number}@ours.example")
    runs = [await any_rig.person(f"p{number}@lead.example") for number in range(30)]
    async with any_rig.running() as engine:
        await any_rig.play(engine)
    copies = {f"p{n}@lead.example": len(set(any_rig.subjects(f"p{n}@lead.example"))) for n in range(30)}

    assert {3} == set(copies.values())
    assert 90 == len(any_rig.world.accepted)
    assert {EnrollmentStatus.COMPLETED} == {(await any_rig.again(run)).status for run in runs}


async def test_nothing_moves_twice_without_time_passing(rig):
    """At rest is at rest: waking everyone up once more finds nothing to do."""
    await rig.prepare()
    await rig.person("ann@lead.example")
    async with rig.running() as engine:
        await rig.settle(engine)
        written = len(rig.store.writes)
        engine.time_has_jumped()
        await rig.settle(engine)

    claims = [name for name in rig.store.writes[written:] if name not in {"claim_as_owner", "leave"}]
    assert [] == claims
    assert 1 == len(rig.world.accepted)


async def test_health_names_every_loop(rig):
    """And says that they run."""
    await rig.prepare()
    async with rig.running() as engine:
        await rig.settle(engine)
        health = engine.health()

    assert LOOPS == {one.loop for one in health}
    assert all(one.running and one.restarts == 0 and one.last_error is None for one in health)


async def test_a_loop_that_fails_is_started_again_with_back_off(rig):
    """And the others go on meanwhile; its health says what happened."""
    await rig.prepare()
    run = await rig.person("ann@lead.example")
    async with rig.running() as engine:
        await rig.settle(engine)
        rig.store.down = True
        engine.time_has_jumped()
        await until(lambda: restarts(engine, "dispatcher") == 1)
        (failed,) = [one for one in engine.health() if one.loop == "dispatcher"]
        rig.monotonic.advance(1)
        await until(lambda: restarts(engine, "dispatcher") == 2)
        waiting = rig.monotonic.sleepers
        rig.store.down = False
        rig.later(days=1)
        rig.monotonic.advance(3600)
        await until(lambda: len(rig.world.accepted) == 2)
        await rig.settle(engine)

    assert "StoreUnavailableError" in (failed.last_error or "")
    assert failed.failing
    assert failed.running
    assert 2.0 in waiting
    assert "last" == (await rig.again(run)).step


async def test_draining_finishes_what_is_in_flight_and_claims_nothing_more(rig):
    """What the server was told is recorded; whoever is due stays due."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    hold = Hold()
    box.script(Point.REPLY, hold)
    engine = rig.engine()
    await engine.start()
    await hold.reached.wait()
    other = await rig.person("ben@lead.example")
    rig.later(minutes=5)
    draining = asyncio.create_task(engine.drain())
    engine.time_has_jumped()
    await asyncio.sleep(0)
    hold.go.set()
    async with asyncio.timeout(WITHIN):
        await draining

    assert AttemptStatus.SENT is (await rig.attempts(run))[0].status
    assert [] == await rig.attempts(other)
    assert None is (await rig.again(other)).lock_holder
    assert 0 == box.open_connectors


async def test_a_drained_engine_leaves_nothing_running(rig):
    """No task, no connection, no lock."""
    box = await rig.prepare()
    await rig.person("ann@lead.example")
    before = asyncio.all_tasks()
    async with rig.running() as engine:
        await rig.settle(engine)

    assert before == asyncio.all_tasks()
    assert (0, False) == (box.open_connectors, box.watched)


@pytest.mark.parametrize("point", [Point.STAGE, Point.DOT, Point.REPLY])
@pytest.mark.parametrize("step", ["intro", "bump"])
async def test_a_process_that_dies_anywhere_loses_nobody_and_writes_to_nobody_twice(rig, point, step):
    """Killed while it waits for the server: before RCPT, before the dot, after it. The next engine goes on."""
    box = await rig.prepare(email("intro", subject="Question"), email("bump", "1d"))
    run = await rig.person("ann@lead.example")
    mine = asyncio.all_tasks()
    if step == "bump":
        async with rig.running() as engine:
            await rig.settle(engine)
        rig.later(days=1)
    hold = Hold()
    box.script(point, hold)
    await rig.engine().start()
    async with asyncio.timeout(WITHIN):
        await hold.reached.wait()
    await die(mine)
    rig.later(seconds=5)
    async with rig.running() as engine:
        await rig.play(engine)

    assert EnrollmentStatus.COMPLETED is (await rig.again(run)).status
    assert 2 == len(rig.subjects("ann@lead.example")) == len(set(rig.subjects("ann@lead.example")))
    assert [AttemptStatus.SENT] * 2 == [attempt.status for attempt in await rig.attempts(run)]


@pytest.mark.parametrize("point", [Point.READ, Point.FOLDER, Point.READ_END])
async def test_a_process_that_dies_while_reading_loses_no_answer(any_rig, point):
    """What was fetched is staged with its cursor, what was not is fetched again."""
    box = await any_rig.prepare()
    run = await any_rig.person("ann@lead.example")
    mine = asyncio.all_tasks()
    async with any_rig.running() as engine:
        await any_rig.settle(engine)
    box.deliver(letters.reply(any_rig.world.accepted[0].raw, at=any_rig.clock.now()), told=False)
    hold = Hold()
    box.script(point, hold)
    await any_rig.engine().start()
    await hold.reached.wait()
    await die(mine)
    any_rig.later(days=1)
    async with any_rig.running() as engine:
        await any_rig.play(engine)

    assert StopReason.REPLIED is (await any_rig.again(run)).stop_reason
    assert 1 == len(any_rig.world.accepted)


@pytest.mark.parametrize("point", [Point.LOOK, Point.DOT])
async def test_a_process_that_dies_while_reconciling_settles_nothing_wrongly(rig, point):
    """While it looks into Sent, or while it writes to itself."""
    box = await rig.prepare(email("intro", subject="Question"))
    run = await rig.person("ann@lead.example")
    mine = asyncio.all_tasks()
    box.script(Point.DOT, OutcomeUnknownError("broke"))
    engine, hold = rig.engine(), Hold()
    if point is Point.LOOK:
        box.script(point, hold)
    await engine.start()
    if point is Point.DOT:
        await rig.settle(engine)
        box.script(Point.DOT, hold)
        rig.later(minutes=20)
        engine.time_has_jumped()
    async with asyncio.timeout(WITHIN):
        await hold.reached.wait()
    await die(mine)
    async with rig.running() as engine:
        await rig.play(engine)

    assert EnrollmentStatus.COMPLETED is (await rig.again(run)).status
    assert 1 == len(rig.subjects("ann@lead.example"))


async def test_a_large_sequence_cannot_starve_a_small_one(rig):
    """The most-due row of each sequence, then the second of each, whoever was enrolled first."""
    await rig.prepare(email("only", subject="Big"))
    await rig.publish(builders.plan(email("only", subject="Small"), name="small"))
    for number in range(12):
        await rig.person(f"big{number}@lead.example")
    for number in range(4):
        await rig.person(f"small{number}@lead.example", "small")
    async with rig.running() as engine:
        await rig.play(engine)
    first = [one.recipient.rstrip("0123456789@.adelmpx") for one in rig.world.accepted[:8]]

    assert 16 == len(rig.world.accepted)
    assert 4 == sum(one.recipient.startswith("small") for one in rig.world.accepted[:8]), first


async def test_workspaces_take_turns(rig):
    """One claim a pass: another tenant's ten mailboxes do not come before our one."""
    rival = await rig.store.write(builders.workspace, "rival")
    await rig.publish(builders.plan(email("only", subject="Theirs")), rival)
    for number in range(10):
        await rig.mailbox(f"theirs{number}@rival.example", workspace=rival)
        await rig.person(f"theirs{number}@lead.example", workspace=rival)
    await rig.prepare(email("only", subject="Ours"))
    for number in range(2):
        await rig.person(f"ours{number}@lead.example")
    async with rig.running(limits=replace(LIMITS, sends_at_once=1)) as engine:
        await rig.settle(engine)

    assert "ours0@lead.example" in [one.recipient for one in rig.world.accepted[:2]]


async def test_a_second_mailbox_takes_over_while_the_first_one_rests(rig):
    """A backlog behind an exhausted mailbox costs nothing and waits for nobody."""
    await rig.prepare(email("only", subject="Hello"))
    await rig.mailbox("second@ours.example", daily_cap=1)
    for number in range(3):
        await rig.person(f"p{number}@lead.example")
    async with rig.running() as engine:
        await rig.settle(engine)
        await rig.play(engine, until=rig.clock.now() + timedelta(minutes=10))
    senders = sorted(one.mailbox for one in rig.world.accepted)

    assert ["bo@ours.example", "bo@ours.example", "second@ours.example"] == senders


def restarts(engine: Engine, loop: str) -> int:
    """Return how often a loop was started again."""
    return sum(one.restarts for one in engine.health() if one.loop == loop)
