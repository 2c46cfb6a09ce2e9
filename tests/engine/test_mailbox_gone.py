"""A mailbox removed while the engine works: what is on the wire is finished, what was lost is still looked for."""

import asyncio

import pytest

from engine.rig import WITHIN, until
from relance.core.attempt import AttemptStatus
from relance.ports.connector import LoginRefusedError, OutcomeUnknownError
from relance.services import mailboxes
from relance.testing.fake_connector import Hold, Point


async def remove(rig):
    """Remove the mailbox and return it."""
    box = await rig.box()
    await rig.store.write(mailboxes.remove, box, now=rig.clock.now())
    return box


async def poller_looks(engine):
    """Let the poller do a pass, whatever else is under way: that it has looked is what this is about."""
    poller = engine._loops["poller"]  # noqa: SLF001
    passes = poller.passes
    poller.wake()
    await until(lambda: poller.passes > passes)


@pytest.mark.parametrize("point", [Point.STAGE, Point.DOT, Point.REPLY])
async def test_what_is_on_the_wire_is_finished_and_its_connection_kept_until_then(any_rig, point):
    """Closing it under a message would make an unknown outcome out of a removal. What has not begun does not leave."""
    rig = any_rig
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    hold = Hold()
    box.script(point, hold)
    async with rig.running() as engine:
        async with asyncio.timeout(WITHIN):
            await hold.reached.wait()
        await remove(rig)
        await poller_looks(engine)
        open_meanwhile = box.open_connectors
        hold.go.set()
        await rig.settle(engine)
        await poller_looks(engine)
        await rig.settle(engine)
        open_afterwards = box.open_connectors
    (attempt,) = await rig.attempts(run)
    begun = point is not Point.STAGE

    assert (1, 0) == (open_meanwhile, open_afterwards)
    assert int(begun) == len(rig.world.accepted)
    assert (AttemptStatus.SENT if begun else AttemptStatus.RESERVED) is attempt.status
    assert begun == attempt.holds_slot


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_lost_outcome_is_looked_for_in_a_removed_mailbox(any_rig, accepted):
    """Found, it is settled and the connection closed. Not found, nothing is sent from the mailbox to prove it."""
    rig = any_rig
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    box.script(Point.REPLY if accepted else Point.DOT, OutcomeUnknownError("the line broke"))
    parts = rig.parts()
    await parts.poller.refresh(await rig.box_name())
    await parts.send_one()
    await remove(rig)
    rig.later(hours=2)
    looked = await parts.reconciler.run_once()
    (attempt,) = await rig.attempts(run)

    assert 1 == looked
    assert (AttemptStatus.SENT if accepted else AttemptStatus.UNKNOWN) is attempt.status
    assert (accepted, 0) == (attempt.next_look_at is None, box.open_connectors)
    assert int(accepted) == len(rig.world.accepted)


async def test_a_login_that_is_refused_midway_burns_nobody(any_rig):
    """The lead goes to another mailbox of the pool; the trouble stands on the mailbox, once."""
    rig = any_rig
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    box.script(Point.STAGE, LoginRefusedError("535 5.7.8 no"))
    parts = rig.parts()
    await parts.send_one()
    broken = await rig.box()
    other = await rig.mailbox("al@ours.example")
    await parts.poller.refresh(await rig.box_name("al@ours.example"))
    await parts.send_one()
    (attempt,) = await rig.attempts(run)

    assert "auth_error" == broken.status
    assert (AttemptStatus.SENT, 0) == (attempt.status, (await rig.again(run)).consecutive_failures)
    assert [other.address] == [one.mailbox for one in rig.world.accepted]
