"""The state changes under a running engine, or is put back before two of them: nobody gets a step twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from engine.places import OverServer, Place
from engine.rig import LIMITS, WITHIN, Rig, until
from relance.core import defaults
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import Enrollment, EnrollmentStatus, StopReason
from relance.engine.engine import Engine
from relance.ports.connector import OutcomeUnknownError
from relance.services import recovering, scheduling
from relance.testing import letters
from relance.testing.builders import email
from relance.testing.fake_connector import Hold, Point

ANN, BEN = "ann@lead.example", "ben@lead.example"


async def _on_a_server(place: Place) -> None:
    """Let a person wait behind another for the mailbox's gap, over a server that can come up anew."""
    rig = place.rig
    rig.store = OverServer(rig.store.inner)
    await rig.prepare(email("intro", subject="Hello"))
    for person in (ANN, BEN):
        await rig.person(person)


async def _count(rig: Rig, engine: Engine) -> None:
    """Let the number that tells states apart grow once more, or show that it has not grown."""
    recoverer = engine._loops["recoverer"]  # noqa: SLF001
    seen = recoverer.passes
    rig.monotonic.advance(defaults.GENERATION_EVERY.total_seconds())
    recoverer.wake()
    await until(lambda: recoverer.passes > seen and recoverer.idle)


async def _until_its_turn(rig: Rig, engine: Engine) -> None:
    """Jump to when the next message may leave."""
    following = await engine.next_event()
    assert following is not None
    rig.clock.jump(following)
    engine.time_has_jumped()


async def _sending(rig: Rig, engine: Engine, point: Point) -> Hold:
    """Let the next message leave as far as a point, and keep it there."""
    hold = Hold()
    rig.world.boxes["bo@ours.example"].script(point, hold)
    await _until_its_turn(rig, engine)
    async with asyncio.timeout(WITHIN):
        await hold.reached.wait()
    return hold


@asynccontextmanager
async def _going_on_from_a_kept_state(place: Place) -> AsyncIterator[tuple[Rig, Engine]]:
    """Run an engine over a server, keep the state that it finds, and let it go on."""
    await _on_a_server(place)
    rig = place.rig
    async with rig.running() as engine:
        await rig.settle(engine)
        await place.remember()
        await _count(rig, engine)
        yield rig, engine


async def _recover(rig: Rig, engine: Engine) -> None:
    """Let the engine end what it has begun."""
    for _ in range(20):
        await rig.settle(engine)
        if (following := await engine.next_event()) is None:
            return
        rig.clock.jump(following)
        engine.time_has_jumped()


async def test_nothing_is_sent_by_an_older_state_that_came_under_a_running_engine(place: Place):
    """Its server came up anew as an older one: that is found out between the claim and the send, not seconds later."""
    async with _going_on_from_a_kept_state(place) as (rig, engine):
        await _until_its_turn(rig, engine)
        await rig.settle(engine)
        before = [len(rig.subjects(person)) for person in (ANN, BEN)]
        await place.put_back_under_the_engine()
        engine.time_has_jumped()
        await _recover(rig, engine)

    assert [1, 1] == before
    assert [1, 1] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert 1 == len(rig.log.said("restore.noticed"))
    assert 1 == len(rig.log.said("mailbox.recovered"))


async def test_what_was_on_the_wire_when_the_state_changed_is_read_back_too(place: Place):
    """Nothing is read back before it has come to its end: else its copy would come after the reading."""
    async with _going_on_from_a_kept_state(place) as (rig, engine):
        hold = await _sending(rig, engine, Point.DOT)
        await place.put_back_under_the_engine()
        await _count(rig, engine)
        too_early = rig.log.said("mailbox.read_back") + rig.log.said("mailbox.sent_read_back")
        hold.go.set()
        await _recover(rig, engine)

    assert [] == too_early
    assert [1, 1] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert 1 == len(rig.log.said("mailbox.recovered"))


async def test_what_a_server_took_while_the_state_changed_is_not_sent_again_where_no_copy_tells(place: Place):
    """The engine lived on and heard the server's yes: it is kept, though the attempt is not there any more."""
    async with _going_on_from_a_kept_state(place) as (rig, engine):
        rig.world.boxes["bo@ours.example"].saves_sent = False
        hold = await _sending(rig, engine, Point.REPLY)
        await place.put_back_under_the_engine()
        hold.go.set()
        await _count(rig, engine)
        rig.world.boxes["bo@ours.example"].saves_sent = True
        await _recover(rig, engine)

    assert [1, 1] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert 1 == len(rig.log.said("send.not_in_database"))
    assert 1 == len(rig.log.said("mailbox.recovered"))


async def test_what_may_have_left_while_the_state_changed_is_not_sent_again_where_no_copy_tells(place: Place):
    """The engine lived on and lost the server's answer: the doubt is kept, and a person is asked, as ever."""
    async with _going_on_from_a_kept_state(place) as (rig, engine):
        box = rig.world.boxes["bo@ours.example"]
        box.saves_sent = False
        hold = await _sending(rig, engine, Point.DOT)
        box.script(Point.REPLY, OutcomeUnknownError("the connection was lost after the dot"))
        await place.put_back_under_the_engine()
        hold.go.set()
        await _count(rig, engine)
        await _recover(rig, engine)
    waiting = await rig.box()
    await rig.store.write(recovering.decide, waiting, hold=False, now=rig.clock.now())
    async with rig.running() as engine:
        await _recover(rig, engine)
    runs = await rig.store.read(
        lambda reader: reader.all(Enrollment, "enrollments.chosen", workspace_id=1, sequence_id=None, lead_id=None)
    )
    (doubted,) = [one for run in runs for one in await rig.attempts(run) if one.status is AttemptStatus.UNKNOWN]

    assert [1, 1] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert "relance mailbox recovered" in (waiting.status_reason or "")
    assert doubted.holds_slot


async def test_a_mailbox_that_was_being_read_when_the_state_changed_is_let_be_read_first(place: Place):
    """Two readers of one mailbox would move its cursors past one another."""
    async with _going_on_from_a_kept_state(place) as (rig, engine):
        hold = Hold()
        box = rig.world.boxes["bo@ours.example"]
        box.script(Point.READ_END, hold)
        box.push()
        async with asyncio.timeout(WITHIN):
            await hold.reached.wait()
        await place.put_back_under_the_engine()
        await _count(rig, engine)
        too_early = rig.log.said("mailbox.read_back") + rig.log.said("mailbox.sent_read_back")
        hold.go.set()
        await _recover(rig, engine)

    assert [] == too_early
    assert [1, 1] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert 1 == len(rig.log.said("mailbox.recovered"))


BOXES = tuple(f"{name}@ours.example" for name in ("bo", "cy", "flo", "gil"))  #: Two of either half of the shards.
PEOPLE = tuple(f"{name}@lead.example" for name in ("ann", "ben", "cas", "dan", "eve", "fay", "gus", "hal"))


async def _play_two(rig: Rig, engines: tuple[Engine, Engine], *, span: timedelta) -> None:
    """Run two engines beside one another for that long, by the domain's time."""
    end = rig.clock.now() + span
    for _ in range(500):
        for _ in range(3):  # what one has done may be the other's to go on with
            for engine in engines:
                for loop in engine._loops.values():  # noqa: SLF001
                    loop.wake()
                await rig.settle(engine)
        standing = await rig.store.read(scheduling.standing, now=rig.clock.now())
        following = min(filter(None, [await engine.next_event() for engine in engines]), default=None)
        if following is None or following > end or standing.walking == 0:
            return
        rig.clock.jump(following)
        for engine in engines:
            engine.time_has_jumped()
    raise AssertionError("not at rest")


@pytest.mark.parametrize("place", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
async def test_two_workers_over_a_state_that_was_put_back_write_to_nobody_twice_or_after_an_answer(place: Place):
    """Each reads back its own mailboxes; an answer in one's waits for the Sent folders of the other."""
    rig = place.rig
    await rig.prepare()
    for address in BOXES[1:]:
        await rig.mailbox(address)
    runs = [await rig.person(person) for person in PEOPLE]
    async with rig.running() as engine:
        await rig.play(engine, until=rig.clock.now() + timedelta(hours=10))
    await place.back_up()
    async with rig.running() as engine:
        await rig.play(engine, until=rig.clock.now() + timedelta(days=1))
    for person in PEOPLE[:2]:
        last = rig.world.received_by(person)[-1]
        elsewhere = next(address for address in BOXES if address != last.mailbox)
        rig.world.boxes[elsewhere].deliver(letters.reply(last.raw, at=rig.clock.now()), told=False)
    before = {person: len(rig.subjects(person)) for person in PEOPLE}
    await place.put_back()
    engines = await _two_workers(rig)
    shares = [len(owned) for owned in await _owned(rig, engines)]
    await _play_two(rig, engines, span=timedelta(days=9))
    for engine in engines:
        await engine.drain()
    ids = [one.message_id for one in rig.world.accepted]
    ended = [await rig.again(run) for run in runs]

    assert all(shares)
    assert {2} == set(before.values())
    assert len(set(ids)) == len(ids)
    assert [2, 2] + [3] * 6 == [len(rig.subjects(person)) for person in PEOPLE]
    assert [StopReason.REPLIED] * 2 == [run.stop_reason for run in ended[:2]]
    assert {EnrollmentStatus.COMPLETED} == {run.status for run in ended[2:]}
    assert len(BOXES) == len(rig.log.said("mailbox.recovered"))


async def _two_workers(rig: Rig) -> tuple[Engine, Engine]:
    """Start two engines at once and let them share."""
    made = []
    for worker in ("one", "two"):
        shards = rig.shards(worker, alone=False)
        made.append((shards, Engine(rig.around(worker, LIMITS, shards), shards, rig.journal, rig.generation)))
    for shards, _ in made:
        await shards.take()
    for _ in range(4):
        for shards, _ in made:
            await shards.run_once()
    (_, one), (_, two) = made
    await one.start()
    await two.start()
    return one, two


async def _owned(rig: Rig, engines: tuple[Engine, Engine]) -> list[set[str]]:
    """Return whose mailboxes are whose."""
    boxes = [await rig.box(address) for address in BOXES]
    shares = [engine._shards for engine in engines]  # noqa: SLF001
    return [{box.address for box in boxes if share.hold(box.shard) is not None} for share in shares]
