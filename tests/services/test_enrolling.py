"""Enrolling, pausing, resuming, publishing and archiving: once, in place, and from the identical step."""

import pytest

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import Enrollment, EnrollmentStatus, StopReason
from relance.core.failure import Withdrawn
from relance.core.sequence import OnReply, SequenceStatus
from relance.services import enrollments, leads, sending, sequences
from relance.services.refusals import NotFoundError, RefusedError
from relance.testing import builders, letters
from relance.testing.builders import KEYS, email


async def test_enrolling_twice_is_one_row(life):
    """Launching a list again, in full or in part, starts nobody a second time."""
    scene = await life.scene()
    again = await life.store.write(
        enrollments.enroll,
        workspace_id=scene.workspace.id,
        sequence_name="q4",
        lead_ids=[scene.lead.id, scene.lead.id],
        source_list="again",
        keys=KEYS,
        now=life.now,
    )

    assert enrollments.Enrolled(enrolled=0, already=2, holdout=0) == again
    assert scene.run == await life.again(scene.run)


async def test_who_has_completed_a_sequence_is_not_started_again(life):
    """Whatever its status: what a person has received is remembered."""
    scene = await life.scene(email("only", subject="Hello"))
    await life.send()
    completed = await life.again(scene.run)
    await life.store.write(builders.enrollment, scene.workspace, scene.lead)

    assert EnrollmentStatus.COMPLETED is completed.status
    assert completed == await life.again(scene.run)
    assert [] == await life.claim()


async def test_the_control_group_is_never_written_to(life):
    """A holdout of 100 per cent has nothing to do."""
    scene = await life.scene(holdout=1.0)

    assert EnrollmentStatus.HOLDOUT is scene.run.status
    assert scene.run.next_due_at is None
    assert [] == await life.claim()


async def test_a_draft_or_paused_sequence_takes_nobody(life):
    """Only a live one accepts people."""
    scene = await life.scene()
    await life.store.write(sequences.pause, workspace_id=scene.workspace.id, name="q4", now=life.now)

    with pytest.raises(RefusedError, match="paused"):
        await life.person(scene, "new@lead.example")
    with pytest.raises(NotFoundError, match="no sequence 'q5'"):
        await life.store.write(builders.enrollment, scene.workspace, scene.lead, "q5")


async def test_resuming_goes_on_after_the_last_accepted_send(life):
    """A step accepted while its run was paused counts; nobody gets it again."""
    scene = await life.scene()
    reserved, attempt = await life.begun()
    await life.store.write(enrollments.pause, **which(scene), cause="by hand", now=life.now)
    await life.confirm(reserved)
    paused = await life.again(scene.run)
    life.later(minutes=1)
    await life.store.write(enrollments.resume, **which(scene), cause="by hand", now=life.now)
    resumed = await life.again(scene.run)

    assert (EnrollmentStatus.PAUSED, "intro") == (paused.status, paused.step)
    assert AttemptStatus.SENT is (await life.attempt(attempt)).status
    assert (EnrollmentStatus.ACTIVE, "bump", 2) == (resumed.status, resumed.step, resumed.step_counter)


async def test_pausing_freezes_in_place_and_keeps_the_due_time(life):
    """Due times do not slide: it goes on from the identical step, and what was due stays due."""
    scene = await life.scene()
    await life.send()
    before = await life.again(scene.run)
    paused = await life.store.write(enrollments.pause, **which(scene), cause="by hand", now=life.now)
    life.later(days=9)
    claims = await life.claim()
    resumed = await life.store.write(enrollments.resume, **which(scene), cause="by hand", now=life.now)
    after = await life.again(scene.run)

    assert (True, True) == (paused, resumed)
    assert [] == claims
    assert (before.step, before.step_counter, before.next_due_at) == (after.step, after.step_counter, after.next_due_at)


async def test_pausing_or_resuming_twice_says_that_there_was_nothing_to_do(life):
    """And writes nothing."""
    scene = await life.scene()
    resumed = await life.store.write(enrollments.resume, **which(scene), cause="by hand", now=life.now)
    await life.store.write(enrollments.pause, **which(scene), cause="by hand", now=life.now)
    history = await life.history(scene.run)
    paused = await life.store.write(enrollments.pause, **which(scene), cause="by hand", now=life.now)

    assert (False, False) == (resumed, paused)
    assert history == await life.history(scene.run)


async def test_a_paused_sequence_freezes_everyone_and_resumes_from_the_identical_step(life):
    """Its runs are not touched at all."""
    scene = await life.scene()
    await life.send()
    life.later(days=2)
    before = await life.again(scene.run)
    await life.store.write(sequences.pause, workspace_id=scene.workspace.id, name="q4", now=life.now)
    frozen = await life.claim()
    await life.store.write(sequences.resume, workspace_id=scene.workspace.id, name="q4", now=life.now)
    await life.read_all_freshly()

    assert [] == frozen
    assert before == await life.again(scene.run)
    assert [scene.run.id] == [claimed.enrollment_id for claimed in await life.claim()]


async def test_publishing_the_same_content_twice_is_publishing_it_once(life):
    """A second `publish` of the file makes no version."""
    scene = await life.scene()
    again = await life.store.write(
        sequences.publish, workspace_id=scene.workspace.id, plan=builders.plan(), now=life.now
    )

    assert sequences.Published(name="q4", version=1, changed=False) == again


async def test_runs_stay_on_the_version_they_began_with(life):
    """Publishing freezes; who comes later gets the new one."""
    scene = await life.scene()
    other = builders.plan(email("intro", subject="New words"))
    await life.store.write(sequences.publish, workspace_id=scene.workspace.id, plan=other, now=life.now)
    later = await life.person(scene, "later@lead.example")

    assert 1 == (await life.again(scene.run)).version
    assert 2 == later.version
    assert b"Subject: Question" in await life.send()


async def test_publishing_leaves_a_paused_sequence_paused(life):
    """Nobody starts to send by correcting a word."""
    scene = await life.scene()
    await life.store.write(sequences.pause, workspace_id=scene.workspace.id, name="q4", now=life.now)
    corrected = builders.plan(email("intro", subject="Corrected"))
    await life.store.write(sequences.publish, workspace_id=scene.workspace.id, plan=corrected, now=life.now)
    sequence = await life.store.read(sequences.by_name, scene.workspace.id, "q4")

    assert (SequenceStatus.PAUSED, 2) == (sequence.status, sequence.version)


async def test_a_reply_sequence_must_be_live_and_another_one(life):
    """`on_reply: enroll:OTHER` that leads nowhere is refused when publishing, not when somebody answers."""
    scene = await life.scene()
    for named, complaint in (("nowhere", "no sequence 'nowhere'"), ("circle", "same sequence")):
        circle = builders.plan(name="circle", on_reply=OnReply.ENROLL, reply_sequence=named)
        with pytest.raises(RefusedError, match=complaint):
            await life.store.write(sequences.publish, workspace_id=scene.workspace.id, plan=circle, now=life.now)


async def test_archiving_refuses_while_runs_are_unfinished(life):
    """Unless told to stop them."""
    scene = await life.scene()
    archive = {"workspace_id": scene.workspace.id, "name": "q4", "now": life.now}
    with pytest.raises(RefusedError, match="1 enrollments of 'q4' are unfinished"):
        await life.store.write(sequences.archive, **archive, stop_active=False)
    stopped = await life.store.write(sequences.archive, **archive, stop_active=True)
    again = await life.store.write(sequences.archive, **archive, stop_active=False)
    run = await life.again(scene.run)

    assert (1, 0) == (stopped, again)
    assert (EnrollmentStatus.STOPPED, StopReason.ARCHIVED) == (run.status, run.stop_reason)


async def test_archiving_a_finished_sequence_disturbs_nothing(life):
    """Who had completed it stays completed."""
    scene = await life.scene(email("only", subject="Hello"))
    await life.send()
    before = await life.again(scene.run)
    await life.store.write(
        sequences.archive, workspace_id=scene.workspace.id, name="q4", stop_active=False, now=life.now
    )

    assert before == await life.again(scene.run)


async def test_a_note_pauses_the_person(life):
    """Whoever writes a note about somebody knows something that the sequence does not."""
    scene = await life.scene()
    other = await life.scene(name="slow", on_note="continue")
    paused = await life.store.write(
        leads.note,
        workspace_id=scene.workspace.id,
        email=scene.lead.email,
        text="spoke on the phone",
        author="bo",
        now=life.now,
    )

    assert 1 == paused
    assert EnrollmentStatus.PAUSED is (await life.again(scene.run)).status
    assert EnrollmentStatus.ACTIVE is (await life.again(other.run)).status


async def test_an_operator_stops_a_run_for_good(life):
    """With its reason, its history, and no due time."""
    scene = await life.scene()
    await life.store.write(enrollments.stop, **which(scene), cause="asked on the phone", now=life.now)
    run = await life.again(scene.run)
    entry = (await life.history(scene.run))[-1]

    assert (EnrollmentStatus.STOPPED, StopReason.MANUAL, None) == (run.status, run.stop_reason, run.next_due_at)
    assert ("active", "stopped", "asked on the phone") == (entry.from_status, entry.to_status, entry.cause)
    assert not await life.store.write(enrollments.stop, **which(scene), cause="again", now=life.now)


async def test_what_a_stopped_run_had_reserved_is_voided_and_never_left(life):
    """The sender, who comes second, finds it so and gives the slot back."""
    scene = await life.scene()
    reserved = await life.reserved()
    await life.store.write(enrollments.stop, **which(scene), cause="by hand", now=life.now)
    outcome = await life.begin(reserved)

    assert isinstance(outcome, sending.Withheld)
    assert AttemptStatus.VOIDED is (await life.attempt(reserved.attempt)).status
    assert 0 == await life.used(scene.box)


async def test_a_resumed_run_whose_try_was_withdrawn_sends_its_step(life):
    """Withdrawn means that nothing left."""
    scene = await life.scene()
    reserved, attempt = await life.begun()
    await life.store.write(enrollments.pause, **which(scene), cause="by hand", now=life.now)
    await life.fail(attempt, Withdrawn(reason="not_released"))
    life.later(minutes=5)
    await life.store.write(enrollments.resume, **which(scene), cause="by hand", now=life.now)
    raw = await life.send()

    assert reserved.attempt.message_id == letters.message_id_of(raw)


async def test_chosen_finds_runs_by_sequence_by_person_and_by_both(life):
    """And names what does not exist."""
    scene = await life.scene()
    other = await life.person(scene, "other@lead.example")
    choose = {"workspace_id": scene.workspace.id}

    def ids(**which):
        return life.store.read(lambda reader: [e.id for e in enrollments.chosen(reader, **choose, **which)])

    assert [scene.run.id, other.id] == await ids(sequence_name="q4", email=None)
    assert [other.id] == await ids(sequence_name="q4", email="Other@Lead.example ")
    assert [scene.run.id, other.id] == await ids(sequence_name=None, email=None)
    with pytest.raises(NotFoundError, match="no sequence 'q9'"):
        await ids(sequence_name="q9", email=None)
    with pytest.raises(NotFoundError, match="no lead"):
        await ids(sequence_name=None, email="nobody@lead.example")


def which(scene) -> dict[str, int]:
    """Name the scene's run."""
    run: Enrollment = scene.run
    return {"workspace_id": run.workspace_id, "enrollment_id": run.id}
