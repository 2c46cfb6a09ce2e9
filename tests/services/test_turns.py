"""Whose turn it is: follow-ups and new people, pools by name, by domain and by address."""

from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest

from relance.core import splitting
from relance.core.sequence import Order, Rotation
from relance.services import dispatching, mailboxes
from relance.testing.builders import email
from relance.testing.fake_clock import FakeClock


async def one_of_each(life, order):
    """Return a follow-up that is due and, due before it, somebody who was never written to."""
    scene = await life.scene(email("intro", subject="Hi"), email("bump", "2h"), order=order)
    await life.send()
    life.later(hours=1)
    new = await life.person(scene, "new@lead.example")
    life.later(hours=2)
    return scene.run, new


@pytest.mark.parametrize(
    "order,first",
    [(Order.FOLLOW_UPS_FIRST, "follow-up"), (Order.NEW_LEADS_FIRST, "new"), (Order.MOST_DUE_FIRST, "new")],
)
async def test_the_order_of_a_sequence_says_who_is_first(life, order, first):
    """By default whoever was written to already; most due first asks only who has waited longer."""
    follow_up, new = await one_of_each(life, order)
    reserved = await life.reserved()

    assert {"follow-up": follow_up.id, "new": new.id}[first] == reserved.enrollment.id


@pytest.mark.parametrize("order", Order)
async def test_whoever_is_second_still_has_a_turn(life, order):
    """No order leaves anybody behind."""
    follow_up, new = await one_of_each(life, order)
    first = await life.reserved()
    await life.begin(first)
    await life.confirm(first)
    life.later(minutes=5)
    second = await life.reserved()

    assert {follow_up.id, new.id} == {first.enrollment.id, second.enrollment.id}


async def test_a_domain_s_mailboxes_are_a_pool(life):
    """`@acme.example` admits every mailbox of that domain, and none of one that ends alike."""
    scene = await life.scene(mailboxes=("@Other.example",), pool=None)
    none = await life.claim()
    await life.mailbox(scene, "bo@another.example")
    still_none = await life.claim()
    box = await life.mailbox(scene, "bo@other.example")
    (claimed,) = await life.claim()

    assert ([], []) == (none, still_none)
    assert box.id == claimed.mailbox_id


async def test_a_pool_that_is_changed_while_people_wait_is_the_pool_they_get(life):
    """Whoever was not written to goes to what the mailboxes are now; a follow-up stays with its own."""
    scene = await life.scene(email("intro", subject="Hi"), email("bump", "1h"))
    await life.send()
    waiting = await life.person(scene, "new@lead.example")
    other = await life.mailbox(scene, "al@acme.example")

    def swap(tx):
        mailboxes.change(tx, replace(scene.box, pool="else"), sealed=None)

    await life.store.write(swap)
    life.later(hours=2)
    await life.read_all_freshly()
    claims = {claimed.enrollment_id: claimed.mailbox_id for claimed in await life.claim()}

    assert {scene.run.id: scene.box.id, waiting.id: other.id} == claims


async def test_without_any_mailbox_nobody_is_claimed_and_nobody_is_lost(life):
    """No mailbox, or all of them paused: people wait where they stand, and go on with the first that can send."""
    scene = await life.scene(mailboxes=("later@acme.example",), pool=None)
    nobody = await life.claim()
    box = await life.mailbox(scene, "later@acme.example")
    await life.store.write(mailboxes.pause, box, reason="test", now=life.now)
    paused = await life.claim()
    await life.store.write(mailboxes.resume, box, now=life.now)

    assert ([], []) == (nobody, paused)
    assert scene.run.next_due_at == (await life.again(scene.run)).next_due_at
    assert 1 == len(await life.claim())


async def test_a_cap_that_is_lowered_below_what_was_sent_means_tomorrow(life):
    """Not an error, and not one more."""
    scene = await life.scene()
    await life.person(scene, "second@lead.example")
    await life.person(scene, "third@lead.example")
    await life.send()
    await life.send()

    def lower(tx):
        box = mailboxes.by_address(tx, scene.workspace.id, scene.box.address)
        mailboxes.change(tx, replace(box, daily_cap=1), sealed=None)

    await life.store.write(lower)
    outcome = await life.attempt_to_reserve()

    assert ("daily_cap", life.now.replace(hour=0, minute=0, second=0)) < (outcome.reason, outcome.until)
    assert outcome.until.date() > life.now.date()


async def test_a_gap_longer_than_the_window_means_one_message_a_window(life):
    """Whoever comes second is sent in the next one, not never."""
    scene = await life.scene(mailboxes=("slow@acme.example",), pool=None)
    await life.mailbox(scene, "slow@acme.example", min_gap=10 * 3600.0, max_gap=10 * 3600.0, workday="08:30-17:30")
    await life.person(scene, "second@lead.example")
    await life.send()
    at_once = await life.claim()
    life.later(hours=10)
    outcome = await life.attempt_to_reserve()
    life.clock.jump(outcome.until)
    reserved = await life.reserved()

    assert [] == at_once
    assert "workday" == outcome.reason
    assert reserved.attempt.planned_at == outcome.until


async def test_a_clock_that_goes_back_sends_nothing_twice_and_nothing_too_early(life):
    """The gap ends when it would have; the day's count stays."""
    scene = await life.scene()
    await life.person(scene, "second@lead.example")
    reserved = await life.reserved()
    await life.begin(reserved)
    await life.confirm(reserved)
    life.clock = FakeClock(life.now - timedelta(hours=2))
    claims = await life.claim()

    assert [] == claims
    assert 1 == await life.used(scene.box)


class _UndoneError(Exception):
    """Carries what was claimed out of a transaction that is not kept."""


async def _would_claim(life, *, listed, limit):
    def claim(tx):
        lock = {"worker": "w1", "lock_expires_at": life.now + timedelta(seconds=90), "now": life.now}
        raise _UndoneError(dispatching.claim(tx, **lock, busy=frozenset(), limit=limit, listed=listed))

    with pytest.raises(_UndoneError) as undone:
        await life.store.write(claim)
    return undone.value.args[0]


@pytest.mark.parametrize("seed", range(8))
async def test_whether_the_due_are_listed_or_asked_for_mailbox_by_mailbox_the_same_are_claimed(life, seed):
    """The list is for the usual case that few are due, and must not change who has a turn."""
    turn = count()

    def below(most: int) -> int:
        return int(splitting.uniform(str(seed), str(next(turn))) * most)

    orders = list(Order)
    rotation = list(Rotation)[below(3)]
    scene = await life.scene(
        email("intro", subject="Hi"), email("bump", "1h"), order=orders[below(3)], rotation=rotation
    )
    await life.scene(email("intro", subject="Hi"), email("bump", "2h"), name="other", order=orders[below(3)])
    elsewhere = await life.scene(email="zoe@far.example", workspace="second")
    for number in range(3):
        await life.mailbox(scene, f"box{number}@acme.example", pool=["default", "default", "else"][below(3)])
    for number in range(4 + below(8)):
        await life.person([scene, scene, elsewhere][below(3)], f"p{number}@lead.example")
        life.later(minutes=below(40))
        if below(2):
            await life.send()
    await life.person(scene, "last@lead.example", "other")
    life.later(hours=below(3))
    await life.read_all_freshly()
    limit = 1 + below(7)

    listed = await _would_claim(life, listed=1000, limit=limit)
    assert listed == await _would_claim(life, listed=1, limit=limit)
    assert listed
