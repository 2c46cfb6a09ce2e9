"""A mailbox that is gone: its follow-ups wait, or others go on with them in a new thread, as a person decides."""

import pytest

from relance.services import handing_over, housekeeping, mailboxes, sending
from relance.services.refusals import NotFoundError
from relance.testing.builders import email


async def removed(life, scene):
    """Remove the mailbox that wrote, connect another, and wait until the follow-up is due."""
    other = await life.mailbox(scene, "al@acme.example")
    await life.store.write(mailboxes.remove, await life.box(scene.box), now=life.now)
    life.later(days=2)
    await life.read_all_freshly()
    return other


async def hand_over(life, scene):
    """Decide that others go on."""
    return await life.store.write(handing_over.hand_over, await life.box(scene.box), now=life.now)


async def test_a_follow_up_of_a_removed_mailbox_waits_for_a_decision(life):
    """An answer may lie where nobody reads it."""
    scene = await life.scene(email("intro", subject="Question"), email("bump", "1d"))
    await life.send()
    await removed(life, scene)

    assert [] == await life.claim()
    assert scene.box.id == (await life.again(scene.run)).mailbox_id


async def test_handed_over_it_goes_on_from_another_mailbox_in_a_new_thread(life):
    """Under the same subject, as an opening message, once; and it stays with the new mailbox."""
    scene = await life.scene(email("intro", subject="Question"), email("bump", "1d"), email("last", "1d"))
    await life.send()
    other = await removed(life, scene)
    freed = await hand_over(life, scene)
    reserved = await life.reserved()
    await life.begin(reserved)
    raw = await life.confirm(reserved)
    life.later(days=2)
    last = await life.reserved()

    assert 1 == freed
    assert (other.id, True, "bump") == (reserved.mailbox.id, reserved.thread.opens, reserved.attempt.step)
    assert "Question" == reserved.thread.subject
    assert b"In-Reply-To" not in raw
    assert (other.id, False) == (last.mailbox.id, last.thread.opens)


async def test_a_person_who_was_handed_over_is_no_new_lead(life):
    """The cap on first messages is not theirs."""
    scene = await life.scene(email("intro", subject="Question"), email("bump", "1d"), max_new_per_day=1)
    await life.send()
    await removed(life, scene)
    await hand_over(life, scene)
    await life.person(scene, "new@lead.example")
    first = await life.reserved()
    await life.begin(first)
    await life.confirm(first)
    life.later(minutes=5)

    assert isinstance(await life.attempt_to_reserve(), sending.Reserved)


async def test_whose_last_message_may_have_left_goes_on_only_when_that_is_known(life):
    """The housekeeper asks again; nobody gets a step twice."""
    scene = await life.scene(email("intro", subject="Question"), email("bump", "1d"))
    reserved, attempt = await life.begun()
    await life.lose(attempt)
    await removed(life, scene)
    freed = await hand_over(life, scene)
    pinned = (await life.again(scene.run)).mailbox_id
    await life.confirm(reserved)
    await life.store.write(housekeeping.prune, now=life.now)

    assert (0, scene.box.id) == (freed, pinned)
    assert (None, "bump") == ((await life.again(scene.run)).mailbox_id, (await life.again(scene.run)).step)


async def test_a_mailbox_that_is_connected_again_is_waited_for_again(life):
    """It can be read."""
    scene = await life.scene(email("intro", subject="Question"), email("bump", "1d"))
    await life.send()
    await removed(life, scene)
    await hand_over(life, scene)
    back = await life.mailbox(scene, scene.box.address)
    again = await life.box(back)

    assert (scene.box.id, False) == (again.id, again.handed_over)


async def test_only_what_is_removed_is_handed_over(life):
    """A mailbox that works, or will again, keeps its people."""
    scene = await life.scene()

    with pytest.raises(NotFoundError, match="comes first"):
        await life.store.read(handing_over.removed, scene.workspace.id, scene.box.address)
