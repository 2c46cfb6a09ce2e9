"""Which free mailbox opens the next conversation: in turn, by what is left of its day, or by its weight."""

from collections import Counter

import pytest

from relance.core.sequence import Order, Rotation
from relance.services import sending
from relance.testing.builders import email

SENT = 20


async def opened(life, rotation, **others):
    """Let two mailboxes that are always free open conversations, the second with `others`; count each one's."""
    scene = await life.scene(email("intro", subject="Hi"), rotation=rotation)
    other = await life.mailbox(scene, "al@acme.example", **{"daily_cap": 500, "hourly_cap": 500, **others})
    by_box: Counter[int] = Counter()
    for number in range(SENT):
        if number:
            await life.person(scene, f"p{number}@lead.example")
        for claimed in await life.claim():
            reserved = await life.reserve(claimed)
            assert isinstance(reserved, sending.Reserved)
            await life.begin(reserved)
            await life.confirm(reserved)
            by_box[claimed.mailbox_id] += 1
        life.later(minutes=4)
    return by_box[scene.box.id], by_box[other.id]


@pytest.mark.parametrize(
    "rotation, others, expected",
    [
        pytest.param(Rotation.LEAST_RECENT, {"daily_cap": 125}, (10, 10), id="in turn, whatever the cap"),
        pytest.param(Rotation.LEAST_LOADED, {"daily_cap": 125}, (16, 4), id="four times the cap, four times as many"),
        pytest.param(Rotation.LEAST_LOADED, {}, (10, 10), id="like caps, like loads"),
        pytest.param(Rotation.WEIGHTED, {"weight": 3}, (5, 15), id="three times the weight"),
    ],
)
async def test_new_conversations_are_spread_as_the_sequence_says(life, rotation, others, expected):
    """More mailboxes are free than people are due."""
    assert expected == await opened(life, rotation, **others)


@pytest.mark.parametrize("rotation", Rotation)
async def test_while_somebody_waits_no_free_mailbox_does(life, rotation):
    """A share that held work up would be a cap by another name."""
    scene = await life.scene(email("intro", subject="Hi"), rotation=rotation)
    for number in range(3):
        await life.mailbox(scene, f"b{number}@acme.example", weight=10 ** (3 - number), daily_cap=9, hourly_cap=9)
        await life.person(scene, f"p{number}@lead.example")

    assert 4 == len({claimed.mailbox_id for claimed in await life.claim()})


@pytest.mark.parametrize("rotation", [Rotation.LEAST_LOADED, Rotation.WEIGHTED])
async def test_a_mailbox_whose_turn_it_is_not_sends_its_follow_ups(life, rotation):
    """Only who opens is chosen; a thread goes on where it began."""
    scene = await life.scene(
        email("intro", subject="Hi"), email("bump", "1h"), rotation=rotation, order=Order.NEW_LEADS_FIRST
    )
    await life.send()
    idle = await life.mailbox(scene, "al@acme.example", daily_cap=500, hourly_cap=500)
    new = await life.person(scene, "new@lead.example")
    life.later(hours=2)
    await life.read_all_freshly()
    claims = {claimed.mailbox_id: claimed.enrollment_id for claimed in await life.claim()}

    assert {scene.box.id: scene.run.id, idle.id: new.id} == claims


async def test_who_is_not_free_has_no_turn(life):
    """The least loaded of all may rest; then the next one opens."""
    scene = await life.scene(email("intro", subject="Hi"), rotation=Rotation.WEIGHTED)
    await life.mailbox(scene, "al@acme.example", weight=1000, skip_until=life.now.replace(hour=23))
    (claimed,) = await life.claim()

    assert scene.box.id == claimed.mailbox_id
