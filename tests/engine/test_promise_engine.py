"""The promises inside one process, attacked: loops that interleave, a store that fails between two steps, drains."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from engine.rig import LIMITS, WITHIN, Rig
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.engine.rescuer import Rescuer
from relance.engine.surroundings import Limits
from relance.ports.connector import MailboxUnreachableError, OutcomeUnknownError
from relance.ports.store import Transaction
from relance.services import mailboxes
from relance.testing import letters
from relance.testing.fake_connector import Hold, Point
from relance.testing.faulty_store import Failure


async def test_what_this_process_is_sending_is_never_called_abandoned(rig: Rig):
    """The server takes its time, or the clock jumps: the sender itself will say what became of it."""
    box, run = await rig.prepare(), await rig.person("ann@lead.example")
    hold = Hold()
    box.script(Point.REPLY, hold)
    parts = rig.parts()
    rescuer = Rescuer(parts.around, parts.dispatcher.is_sending)
    sending = asyncio.create_task(parts.send_one())
    await asyncio.wait_for(hold.reached.wait(), WITHIN)
    rig.later(minutes=5)
    rescued = await rescuer.run_once()
    meanwhile = (await rig.attempts(run))[0].status
    hold.go.set()
    await sending

    assert 0 == rescued
    assert (AttemptStatus.IN_FLIGHT, AttemptStatus.SENT) == (meanwhile, (await rig.attempts(run))[0].status)


async def test_a_lock_that_could_not_be_let_go_runs_out(rig: Rig):
    """The database was away when the send failed, and when its row was to be let go: nobody is lost for that."""
    await rig.prepare()
    run = await rig.person("ann@lead.example")
    rig.store.fail("reserve", Failure.DOWN)
    rig.store.fail("put_off", Failure.DOWN)
    parts = rig.parts()
    rescuer = Rescuer(parts.around, parts.dispatcher.is_sending)
    await parts.send_one()
    early = await rescuer.run_once()
    rig.later(seconds=91)
    late = await rescuer.run_once()
    await parts.send_one()

    assert (0, 1) == (early, late)
    assert [AttemptStatus.SENT] == [attempt.status for attempt in await rig.attempts(run)]


async def test_trouble_that_does_not_pass_is_not_tried_in_a_circle(rig: Rig):
    """A lead whose sending breaks each time rests, and those behind it are sent to."""
    await rig.prepare()
    first, second = await rig.person("ann@lead.example"), await rig.person("ben@lead.example")
    rig.store.fail("reserve", Failure.DOWN)
    parts = rig.parts()
    for _ in range(3):
        await parts.send_one()

    assert 1 == len(rig.world.accepted)
    assert "cooldown" == (await rig.again(first)).last_skip_reason
    assert [AttemptStatus.SENT] == [attempt.status for attempt in await rig.attempts(second)]


async def test_nothing_is_sent_by_a_process_that_has_handed_its_lease_back(rig: Rig):
    """A send that takes longer than the drain is cut off, and is looked for after the restart."""
    box, run = await rig.prepare(), await rig.person("ann@lead.example")
    hold = Hold()
    box.script(Point.DOT, hold)
    engine = rig.engine(limits=Limits(poll=LIMITS.poll, drain=0.01))
    before = asyncio.all_tasks()
    await engine.start()
    await asyncio.wait_for(hold.reached.wait(), WITHIN)
    await asyncio.wait_for(engine.drain(), WITHIN)
    hold.go.set()
    left = asyncio.all_tasks() - before

    assert set() == left
    assert [] == rig.world.accepted
    assert AttemptStatus.IN_FLIGHT is (await rig.attempts(run))[0].status


async def test_a_claim_that_comes_back_while_draining_is_let_go(rig: Rig):
    """Nothing is begun that nobody would wait for."""
    await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    claiming = asyncio.create_task(parts.dispatcher.claim_free())
    await asyncio.sleep(0)
    await parts.dispatcher.drain()
    claims = await claiming

    assert (0, True) == (claims, parts.dispatcher.idle)
    assert (await rig.again(run)).lock_holder is None
    assert [] == rig.world.accepted


async def test_nobody_reconciles_without_the_lease(rig: Rig):
    """Another engine may be at it: two would write two probes and two copies."""
    box, run = await rig.prepare(saves_sent=False), await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    rig.rights.given = False
    moved = await parts.reconciler.run_once()
    rig.rights.given = True
    then = await parts.reconciler.run_once()

    assert (0, 1, 1) == (moved, then, len(box.folders["Sent"]))
    assert (await rig.attempts(run))[0].sent_copy_at is not None


async def test_our_own_copy_never_passes_for_one_that_the_server_saved(rig: Rig):
    """It was appended, and the process died before it could say so: then the poller saw it."""
    box, run = await rig.prepare(saves_sent=False), await rig.person("ann@lead.example")
    await _forget(rig)
    parts = rig.parts()
    await parts.send_one()
    rig.later(minutes=3)
    rig.store.fail("mark_copied", *[Failure.DOWN] * 5)
    try:
        await parts.reconciler.run_once()
    except Exception as error:  # noqa: BLE001  # the supervisor's business
        assert "does not answer" in str(error)  # noqa: PT017
    await parts.poller.refresh(await rig.box_name())

    assert 1 == len(box.folders["Sent"])
    assert (await rig.box()).saves_sent is False
    assert (await rig.attempts(run))[0].sent_copy_at is not None


async def test_a_lost_outcome_is_looked_for_again_once_the_server_is_known_to_keep_copies(rig: Rig):
    """Whether it saves what it relays was not known at first; nobody has to settle it by hand for that."""
    box, run = await rig.prepare(), await rig.person("ann@lead.example")
    await _forget(rig)
    box.script(Point.DOT, OutcomeUnknownError("the line broke"))
    parts = rig.parts()
    await parts.send_one()
    rig.later(minutes=16)
    await parts.reconciler.run_once()
    waiting = (await rig.attempts(run))[0]

    assert AttemptStatus.UNKNOWN is waiting.status
    assert waiting.next_look_at is not None


async def test_a_new_route_has_to_show_anew_whether_it_keeps_copies(rig: Rig):
    """What was learned about one server says nothing about the next: absence there would prove nothing."""
    await rig.prepare()
    box = await rig.box()

    def move(tx: Transaction, /, **settings: object) -> None:
        mailboxes.change(tx, replace(box, settings={**box.settings, **settings}), sealed=None)

    await rig.store.write(move)
    same = await rig.box()
    await rig.store.write(move, smtp_host="relay.example")
    moved = await rig.box()

    assert (True, True) == (same.saves_sent, same.ids_survive)
    assert (None, None) == (moved.saves_sent, moved.ids_survive)


async def test_a_mailbox_that_rests_for_another_reason_is_still_read(rig: Rig):
    """Its messages of today are sent, and one read failed: answers are read again within minutes, not tomorrow."""
    box = await rig.prepare()
    name = await rig.box_name()
    ids = {"workspace_id": name.workspace_id, "id": name.mailbox_id}
    tomorrow = rig.clock.now() + timedelta(hours=15)
    await rig.store.write(lambda tx: tx.run("mailboxes.put_off", **ids, until=tomorrow, reason="daily_cap"))
    box.script(Point.READ, MailboxUnreachableError("reset by peer"))
    parts = rig.parts()
    failed = await parts.poller.refresh(name)
    resting = await parts.poller.run_once()
    rig.later(minutes=2)
    again = await parts.poller.run_once()
    await parts.poller.refresh(name)

    assert (False, 0, 1) == (failed, resting, again)
    assert rig.clock.now() == (await rig.box()).fresh_at


async def test_a_paused_mailbox_that_cannot_be_read_rests_too(rig: Rig):
    """It would be locked out by its provider for asking each second."""
    box = await rig.prepare()
    name = await rig.box_name()
    paused = await rig.box()
    await rig.store.write(mailboxes.pause, paused, reason="by hand", now=rig.clock.now())
    box.script(Point.READ, MailboxUnreachableError("reset by peer"))
    parts = rig.parts()
    await parts.poller.refresh(name)

    assert 0 == await parts.poller.run_once()


async def test_a_copy_that_cannot_be_kept_is_not_tried_each_second(rig: Rig):
    """The Sent folder is full, say: its server is asked again later, and ever more patiently."""
    box, run = await rig.prepare(saves_sent=False), await rig.person("ann@lead.example")
    box.script(Point.SAVE, MailboxUnreachableError("over quota"))
    parts = rig.parts()
    await parts.send_one()
    moved = [await parts.reconciler.run_once() for _ in range(3)]
    kept = len(box.folders["Sent"])
    rig.later(minutes=2)
    await parts.reconciler.run_once()

    assert ([0, 0, 0], 0, 1) == (moved, kept, len(box.folders["Sent"]))
    assert (await rig.attempts(run))[0].sent_copy_at is not None


async def test_whoever_may_have_written_what_nobody_understands_is_left_in_peace(rig: Rig):
    """The message breaks the reader three times, but its headers name ours: a person has to decide, not the clock."""
    box, run = await rig.prepare(), await rig.person("ann@lead.example")
    other = await rig.person("ben@lead.example")
    parts = rig.parts()
    await parts.send_one()
    rig.later(minutes=5)
    await parts.send_one()
    await parts.poller.refresh(await rig.box_name())  # our own copies
    rig.store.fail("ingest", *[Failure.REFUSED] * 6)
    by_id = letters.reply(rig.world.accepted[0].raw, at=rig.clock.now(), sender="someone@else.example")
    by_sender = letters.write(sender="BEN@lead.example", to=box.address, subject="x", text="y", at=rig.clock.now())
    box.deliver(by_id)
    box.deliver(by_sender)
    read = await parts.poller.refresh(await rig.box_name())
    held = [await rig.again(one) for one in (run, other)]

    assert read
    assert [(EnrollmentStatus.HELD, "unreadable_answer")] * 2 == [(one.status, one.hold_reason) for one in held]


async def _forget(rig: Rig) -> None:
    """Know nothing about how the server treats what it sends."""
    box = await rig.box()

    def forget(tx: Transaction) -> None:
        mailboxes.change(tx, replace(box, settings={"changed": True}), sealed=None)

    await rig.store.write(forget)
