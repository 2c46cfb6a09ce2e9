"""A mailbox's day: what it sent of what it may, what holds it, what it may in the days to come."""

from datetime import timedelta

import pytest

from relance.services import mailbox_days, mailboxes
from relance.services.mailbox_days import MailboxDay
from relance.services.refusals import NotFoundError


async def day(life, scene) -> MailboxDay:
    """Return the day of the scene's mailbox."""
    found: list[MailboxDay] = await life.store.read(mailbox_days.page, scene.workspace, after="", limit=9, now=life.now)
    return found[0]


async def test_what_left_counts_against_the_cap_and_the_gap_holds_for_a_while(life):
    """In the mailbox's own day and hour."""
    scene = await life.scene()
    before = await day(life, scene)
    await life.confirm((await life.begun())[0])
    after = await day(life, scene)
    life.later(days=1)
    tomorrow = await day(life, scene)

    assert [(0, 500), (1, 500), (0, 500)] == [(one.sent, one.cap) for one in (before, after, tomorrow)]
    assert ("", 1) == (before.waits_for, after.this_hour)
    assert "rests between two messages" in after.waits_for
    assert after.waits_until is not None
    assert after.waits_until > life.now - timedelta(days=1)
    assert 1 == after.health.record.sends


async def test_a_ramp_is_foreseen_as_if_it_sent_every_day(life):
    """Up to its cap, and never above."""
    scene = await life.scene()
    ramping = await life.mailbox(scene, "cy@acme.example", ramp=True, ramp_start=10, ramp_step=5, daily_cap=22)
    [_, found] = await life.store.read(mailbox_days.page, scene.workspace, after="", limit=9, now=life.now)

    assert ramping.id == found.mailbox.id
    assert (10, 15, 20, 22, 22) == found.ahead[:5]


async def test_what_a_person_has_to_do_is_said_first(life):
    """A paused mailbox waits for somebody, whatever its gap says."""
    scene = await life.scene()
    await life.store.write(mailboxes.pause, scene.box, reason="paused by mia", now=life.now)

    assert "paused by mia" == (await day(life, scene)).waits_for


async def test_pages_of_mailboxes_follow_one_another_by_address(life):
    """And another workspace's are not among them."""
    scene = await life.scene()
    await life.mailbox(scene, "cy@acme.example")
    rival = await life.scene(workspace="rival", email="eve@lead.example")
    ask = {"limit": 1, "now": life.now}

    [first] = await life.store.read(mailbox_days.page, scene.workspace, after="", **ask)
    [second] = await life.store.read(mailbox_days.page, scene.workspace, after=first.mailbox.address, **ask)

    assert ("bo@acme.example", "cy@acme.example") == (first.mailbox.address, second.mailbox.address)
    assert [] == await life.store.read(mailbox_days.page, scene.workspace, after=second.mailbox.address, **ask)
    with pytest.raises(NotFoundError):
        await life.store.read(mailbox_days.by_id, rival.workspace.id, scene.box.id)
