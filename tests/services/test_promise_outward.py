"""The promises on the way out, attacked: writes applied twice, clocks that go back, reservations nobody resumes."""

from datetime import timedelta

import pytest

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.core.failure import TryLater, Withdrawn
from relance.core.mailbox import Mailbox
from relance.services import dispatching, enrollments, mailboxes, reconciling, rescuing, sending


async def _fail(life, held: Attempt, failure) -> None:
    await life.store.write(sending.fail, held, failure=failure, now=life.now)


async def test_a_failure_written_twice_leaves_the_next_try_alone(life):
    """COMMIT of the failure was lost, though it held; meanwhile another mailbox has the message on its way."""
    scene = await life.scene()
    await life.mailbox(scene, "cy@acme.example")
    first, _ = await life.begun()
    await _fail(life, first.attempt, Withdrawn(reason="not_released"))
    life.later(minutes=5)
    second, flying = await life.begun()
    await _fail(life, first.attempt, Withdrawn(reason="not_released"))
    attempt, run = await life.attempt(flying), await life.again(scene.run)

    assert first.attempt.id == second.attempt.id
    assert (AttemptStatus.IN_FLIGHT, True) == (attempt.status, attempt.holds_slot)
    assert run.lock_holder is not None
    assert [] == [one for one in await life.claim() if one.enrollment_id == run.id]


async def test_a_failure_written_twice_counts_once(life):
    """Five failures in a row end a run: a repeated COMMIT must not be one of them."""
    scene = await life.scene()
    first, _ = await life.begun()
    for _ in range(2):
        await _fail(life, first.attempt, TryLater(reason="greylisted", response="451 later"))

    assert 1 == (await life.again(scene.run)).consecutive_failures
    assert 0 == await life.used(scene.box)


async def test_a_read_in_the_future_is_not_fresh(life):
    """The clock was an hour ahead when the mailbox was read, and was put right: that read says nothing about now."""
    scene = await life.scene()
    await life.send()
    life.later(days=1)
    ids = {"workspace_id": scene.workspace.id, "mailbox_id": scene.box.id}
    ahead = life.now + timedelta(hours=1)
    await life.store.write(mailboxes.mark_read, **ids, started_at=ahead, now=ahead)
    outcome = await life.reserve((await life.claim())[0])
    await life.store.write(mailboxes.mark_read, **ids, started_at=life.now, now=life.now)
    again = await life.reserve(_claim_of(scene))

    assert sending.Unread(mailbox_ids=(scene.box.id,)) == outcome
    assert isinstance(again, sending.Reserved)
    assert life.now == (await life.box(scene.box)).fresh_at


def _claim_of(scene) -> dispatching.Claim:
    return dispatching.Claim(
        workspace_id=scene.workspace.id,
        enrollment_id=scene.run.id,
        step_counter=2,
        mailbox_id=scene.box.id,
        shard=scene.box.shard,
    )


@pytest.mark.parametrize("what", ["paused", "removed"])
async def test_whoever_was_never_written_to_does_not_wait_for_a_mailbox_that_is_gone(life, what):
    """Its mailbox was paused or removed at the last moment: another one of the pool opens the conversation."""
    scene = await life.scene()
    other = await life.mailbox(scene, "cy@acme.example")
    reserved = await life.reserved()
    mine, spare = (scene.box, other) if reserved.mailbox.id == scene.box.id else (other, scene.box)

    def interfere(tx) -> None:
        box = tx.one(Mailbox, "mailboxes.get", workspace_id=mine.workspace_id, id=mine.id)
        if what == "paused":
            mailboxes.pause(tx, box, reason="by hand", now=life.now)
        else:
            mailboxes.remove(tx, box, now=life.now)

    await life.store.write(interfere)
    withheld = await life.begin(reserved)
    life.later(hours=1)
    again = await life.reserved()

    assert isinstance(withheld, sending.Withheld)
    assert (spare.id, reserved.attempt.id) == (again.attempt.mailbox_id, again.attempt.id)
    assert 0 == await life.used(mine)


async def test_a_last_look_that_finds_another_hand_lets_the_row_go(life):
    """Something wrote the attempt in between: nothing leaves, and nobody stays locked by a sender that has left."""
    scene = await life.scene()
    reserved = await life.reserved()
    ids = {"workspace_id": scene.workspace.id, "id": reserved.attempt.id}
    await life.store.write(lambda tx: tx.run("attempts.mark_copied", **ids, at=life.now, wire_message_id=None))
    outcome = await life.begin(reserved)

    assert isinstance(outcome, sending.Withheld)
    assert (await life.again(scene.run)).lock_holder is None


async def test_a_copy_in_sent_proves_even_a_message_that_was_refused(life):
    """The server said 451 to the final dot and sent it all the same: its copy comes before the second try."""
    scene = await life.scene()
    reserved, _ = await life.begun()
    raw = life.compose(reserved)
    await _fail(life, reserved.attempt, TryLater(reason="greylisted", response="451 later"))
    life.later(minutes=1)
    await life.receive(scene.box, raw, folder="Sent")
    attempt, run = await life.attempt(reserved.attempt), await life.again(scene.run)

    assert AttemptStatus.SENT is attempt.status
    assert ("bump", EnrollmentStatus.ACTIVE) == (run.step, run.status)
    assert scene.box.id == run.mailbox_id


async def test_a_claim_that_came_to_grief_is_put_off_with_its_reason(life):
    """One lead that makes trouble must not be claimed again and again before all others."""
    scene = await life.scene()
    claimed = (await life.claim())[0]
    later = life.now + timedelta(minutes=10)
    await life.store.write(
        dispatching.put_off, claimed, worker="w1", until=later, reason="cooldown", detail="a bug", now=life.now
    )
    run = await life.again(scene.run)

    assert (None, None, later, "cooldown") == (run.lock_holder, run.mailbox_id, run.skip_until, run.last_skip_reason)
    assert [] == await life.claim()


async def test_putting_off_touches_no_row_of_another_worker(life):
    """Whoever lost the row in the meantime has no say."""
    scene = await life.scene()
    claimed = (await life.claim())[0]
    before = await life.again(scene.run)
    await life.store.write(
        dispatching.put_off, claimed, worker="w2", until=life.now, reason="cooldown", detail="", now=life.now
    )

    assert before == await life.again(scene.run)


async def test_a_lock_of_this_very_worker_that_nobody_holds_any_more_is_taken_over(life):
    """The claim's COMMIT was lost, or letting go failed: its time passes, and the row is free again."""
    scene = await life.scene()
    reserved = await life.reserved()
    fresh = await life.store.read(rescuing.left_behind, worker="w1", now=life.now, limit=10)
    life.later(seconds=91)
    left = await life.store.read(rescuing.left_behind, worker="w1", now=life.now, limit=10)
    for row in left.locked:
        await life.store.write(
            rescuing.take_over, workspace_id=row.workspace_id, enrollment_id=row.id, holder=row.lock_holder
        )
    late = await life.begin(reserved)

    assert [] == fresh.locked
    assert [scene.run.id] == [row.id for row in left.locked]
    assert isinstance(late, sending.Withheld)
    assert 0 == await life.used(scene.box)


async def test_a_slot_is_given_back_once_whoever_was_first(life):
    """The rescuer read it as held; the last look had already given it back."""
    scene = await life.scene()
    await life.person(scene, "dee@lead.example")
    reserved = await life.reserved()
    which = {"workspace_id": scene.workspace.id, "enrollment_id": reserved.enrollment.id}
    await life.store.write(enrollments.stop, **which, cause="by hand", now=life.now)
    left = await life.store.read(rescuing.left_behind, worker="w1", now=life.now, limit=10)
    await life.begin(reserved)
    life.later(minutes=5)
    await life.reserved()
    for attempt in left.slots:
        await life.store.write(rescuing.return_slot, attempt)

    assert [reserved.attempt.id] == [attempt.id for attempt in left.slots]
    assert 1 == await life.used(scene.box)


async def test_a_message_whose_copy_was_seen_first_is_kept_all_the_same(life):
    """Its acceptance was late in coming: by then its copy in Sent had settled it."""
    scene = await life.scene()
    reserved, attempt = await life.begun()
    life.later(seconds=25)
    await life.receive(scene.box, life.compose(reserved), folder="Sent")
    raw = await life.confirm(reserved)
    kept = await life.store.read(reconciling.outgoing_raw, await life.attempt(attempt))

    assert raw == kept
