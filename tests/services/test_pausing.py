"""Pausing and archiving win over what is being prepared: what has not begun does not leave, and its slot returns."""

import pytest

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.services import enrollments, mailboxes, rescuing, sending, sequences


async def pause_sequence(life, scene):
    """Pause the sequence."""
    await life.store.write(sequences.pause, workspace_id=scene.workspace.id, name="q4", now=life.now)


async def resume_sequence(life, scene):
    """Resume the sequence."""
    await life.store.write(sequences.resume, workspace_id=scene.workspace.id, name="q4", now=life.now)


async def pause_run(life, scene):
    """Pause this one enrollment."""
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.pause, **ids, cause="by hand", now=life.now)


async def resume_run(life, scene):
    """Resume this one enrollment."""
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.resume, **ids, cause="by hand", now=life.now)


async def pause_mailbox(life, scene):
    """Pause the mailbox."""
    await life.store.write(mailboxes.pause, scene.box, reason="by hand", now=life.now)


async def resume_mailbox(life, scene):
    """Resume the mailbox."""
    await life.store.write(mailboxes.resume, await life.box(scene.box), now=life.now)


PAUSES = {
    "sequence": (pause_sequence, resume_sequence),
    "enrollment": (pause_run, resume_run),
    "mailbox": (pause_mailbox, resume_mailbox),
}
pauses = pytest.mark.parametrize("pause, resume", PAUSES.values(), ids=PAUSES.keys())


@pauses
async def test_what_is_paused_is_not_claimed_by_the_next_pass(life, pause, resume):
    """And nothing of it was touched: a resume goes on from the identical step, which is due as it was."""
    scene = await life.scene()
    before = await life.again(scene.run)
    await pause(life, scene)
    claimed = await life.claim()
    life.later(days=14)
    await resume(life, scene)
    await life.read_all_freshly()
    after = await life.again(scene.run)

    assert [] == claimed
    assert (before.step, before.step_counter, before.next_due_at) == (after.step, after.step_counter, after.next_due_at)
    assert [scene.run.id] == [one.enrollment_id for one in await life.claim()]


@pauses
async def test_what_is_paused_after_it_was_claimed_is_not_reserved(life, pause, resume):
    """The gates read everything anew."""
    scene = await life.scene()
    (claimed,) = await life.claim()
    await pause(life, scene)
    outcome = await life.reserve(claimed)
    row = await life.again(scene.run)
    none = await life.attempts(scene.run)
    await resume(life, scene)
    life.later(minutes=6)
    await life.send()

    assert isinstance(outcome, sending.Left | sending.Deferred), outcome
    assert ([], None) == (none, row.lock_holder)
    assert 1 == len(await life.attempts(scene.run))


@pauses
async def test_what_is_paused_between_reserve_and_begin_does_not_leave(life, pause, resume):
    """Its slot and its gap go back, and after the resume it leaves once."""
    scene = await life.scene()
    reserved = await life.reserved()
    taken = await life.used(scene.box)
    await pause(life, scene)
    outcome = await life.begin(reserved)
    (attempt,) = await life.attempts(scene.run)
    given_back = await life.used(scene.box)
    free_at = (await life.box(scene.box)).next_allowed_at
    await resume(life, scene)
    life.later(minutes=6)
    await life.send()

    assert isinstance(outcome, sending.Withheld)
    assert (AttemptStatus.RESERVED, False, None) == (attempt.status, attempt.holds_slot, attempt.began_at)
    assert (1, 0, attempt.planned_at) == (taken, given_back, free_at)
    assert [AttemptStatus.SENT] == [one.status for one in await life.attempts(scene.run)]
    assert 1 == await life.used(scene.box)


@pauses
async def test_what_is_paused_in_flight_is_still_recorded(life, pause, resume):
    """The dot may have left: acceptance is written down in every status, and the step never goes out again."""
    scene = await life.scene()
    reserved, _ = await life.begun()
    await pause(life, scene)
    await life.confirm(reserved)
    await resume(life, scene)
    run = await life.again(scene.run)

    assert [AttemptStatus.SENT] == [one.status for one in await life.attempts(scene.run)]
    assert ("bump", 2) == (run.step, run.step_counter)


async def test_an_archived_sequence_does_not_send_what_was_reserved(life):
    """The run has ended, its attempt is voided, and its slot goes back by whoever held it."""
    scene = await life.scene()
    reserved = await life.reserved()
    archive = {"workspace_id": scene.workspace.id, "name": "q4", "stop_active": True, "now": life.now}
    await life.store.write(sequences.archive, **archive)
    outcome = await life.begin(reserved)
    (attempt,) = await life.attempts(scene.run)

    assert isinstance(outcome, sending.Withheld)
    assert (AttemptStatus.VOIDED, False, 0) == (attempt.status, attempt.holds_slot, await life.used(scene.box))
    assert EnrollmentStatus.STOPPED is (await life.again(scene.run)).status
    assert [] == await life.claim()


async def test_an_archived_sequence_gets_its_slots_back_though_the_sender_died(life):
    """The rescuer finds ended attempts that still hold one."""
    scene = await life.scene()
    await life.reserved()
    archive = {"workspace_id": scene.workspace.id, "name": "q4", "stop_active": True, "now": life.now}
    await life.store.write(sequences.archive, **archive)
    found = await life.store.read(rescuing.left_behind, worker="w2", now=life.now, limit=10)
    for attempt in found.slots:
        await life.store.write(rescuing.return_slot, attempt)

    assert 1 == len(found.slots)
    assert 0 == await life.used(scene.box)


async def test_an_archived_sequence_accepts_nobody_and_moves_nobody(life):
    """Not even who was claimed a moment before."""
    scene = await life.scene()
    (claimed,) = await life.claim()
    archive = {"workspace_id": scene.workspace.id, "name": "q4", "stop_active": True, "now": life.now}
    await life.store.write(sequences.archive, **archive)

    assert isinstance(await life.reserve(claimed), sending.Left)
    assert [] == await life.attempts(scene.run)
