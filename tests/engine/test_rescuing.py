"""What this process is still at work on is left alone by its own rescuer, however long it takes."""

import asyncio

import pytest

from engine.rig import WITHIN
from relance.core.attempt import AttemptStatus
from relance.testing.builders import email
from relance.testing.fake_connector import Hold, Point


@pytest.mark.parametrize(
    "point,meanwhile", [(Point.STAGE, AttemptStatus.RESERVED), (Point.REPLY, AttemptStatus.IN_FLIGHT)]
)
async def test_a_message_whose_sender_is_slow_is_left_to_its_sender(any_rig, point, meanwhile):
    """Its lock or its last moment is over by the clock; its sender knows better what became of it."""
    rig = any_rig
    box = await rig.prepare(email("intro", subject="Hello"))
    run = await rig.person("ann@lead.example")
    parts, hold = rig.parts(), Hold()
    box.script(point, hold)
    sending = asyncio.create_task(parts.send_one())
    await asyncio.wait_for(hold.reached.wait(), WITHIN)
    rig.later(minutes=5)
    rescued = await parts.rescuer.run_once()
    locked = (await rig.again(run)).lock_holder
    (attempt,) = await rig.attempts(run)
    hold.go.set()
    await asyncio.wait_for(sending, WITHIN)

    assert (0, "w1", meanwhile) == (rescued, locked, attempt.status)
    assert 1 == len(rig.subjects("ann@lead.example"))
    assert [AttemptStatus.SENT] == [each.status for each in await rig.attempts(run)]
