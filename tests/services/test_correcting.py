"""A class corrected by hand: what the message did is undone, what it is does its own, and back again."""

import pytest

from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.inbound import InboundKind
from relance.core.sequence import OnReply
from relance.services import answers, correcting, enrollments, numbers
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.services.threads import listing
from relance.services.threads.listing import Filter, State
from relance.testing import letters
from relance.testing.builders import KEYS

ACTIVE, STOPPED = EnrollmentStatus.ACTIVE, EnrollmentStatus.STOPPED
AUTO, HUMAN, OPT_OUT = InboundKind.AUTO_REPLY, InboundKind.HUMAN_REPLY, InboundKind.UNSUBSCRIBE


async def correct(life, scene, kind, message_id):
    """Say that a message is of a class."""
    return await life.store.write(
        correcting.correct,
        workspace_id=scene.workspace.id,
        message_id=message_id,
        kind=kind,
        by="bo@acme.example",
        keys=KEYS,
        now=life.now,
    )


async def incoming(life, scene):
    """Return the ids of what came in, oldest first."""
    found = await life.store.read(answers.incoming, workspace_id=scene.workspace.id, limit=100)
    return [one.id for one in reversed(found)]


async def replied(life, **policy):
    """Send one message and receive an answer; return the scene and the answer's id."""
    scene = await life.scene(**policy)
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    return scene, (await incoming(life, scene))[0]


async def test_a_run_goes_on_that_a_misread_absence_notice_had_stopped(life):
    """Where it stood, due when it would have been; and the next step leaves."""
    scene = await life.scene()
    raw = await life.send()
    due = (await life.again(scene.run)).next_due_at
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    (message,) = await incoming(life, scene)
    stopped = await life.again(scene.run)
    await correct(life, scene, AUTO, message)
    run = await life.again(scene.run)
    life.later(days=4)
    await life.send()

    assert (STOPPED, ACTIVE) == (stopped.status, run.status)
    assert ("bump", due, None, None, None) == (run.step, run.next_due_at, run.stop_reason, run.ended_at, run.replied_at)
    assert ["intro", "bump"] == [one.step for one in await life.attempts(run)]


async def test_correcting_back_brings_back_what_was(life):
    """As often as somebody changes their mind."""
    scene, message = await replied(life)
    seen = []
    for kind in (AUTO, HUMAN, AUTO, HUMAN):
        await correct(life, scene, kind, message)
        run = await life.again(scene.run)
        seen.append((run.status, run.stop_reason))

    assert [(ACTIVE, None), (STOPPED, StopReason.REPLIED)] * 2 == seen


async def test_an_absence_notice_that_was_an_answer_stops_the_run(life):
    """As the answer would have."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I am away."))
    (message,) = await incoming(life, scene)
    await correct(life, scene, HUMAN, message)

    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason


async def test_a_misread_opt_out_is_lifted_and_one_that_was_missed_binds(life):
    """Suppression goes with the class."""
    scene, message = await replied(life)
    await correct(life, scene, OPT_OUT, message)
    bound = await life.suppressed(scene.workspace)
    await correct(life, scene, HUMAN, message)

    assert [("ann@lead.example", "unsubscribed")] == bound
    assert [] == await life.suppressed(scene.workspace)
    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason


async def test_what_another_message_does_too_is_not_undone(life):
    """The person has answered twice; one of the two was a program."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    life.later(hours=1)
    await life.receive(scene.box, letters.reply(raw, at=life.now, text="One more thing."))
    first, second = await incoming(life, scene)
    await correct(life, scene, AUTO, first)
    still = (await life.again(scene.run)).status
    await correct(life, scene, AUTO, second)

    assert (STOPPED, ACTIVE) == (still, (await life.again(scene.run)).status)


async def test_a_run_that_an_answer_had_paused_goes_on(life):
    """The policy was `pause`."""
    scene, message = await replied(life, on_reply=OnReply.PAUSE)
    paused = (await life.again(scene.run)).status
    await correct(life, scene, AUTO, message)

    assert (EnrollmentStatus.PAUSED, ACTIVE) == (paused, (await life.again(scene.run)).status)


async def test_what_a_person_has_stopped_stays_stopped(life):
    """Only the message's own doing is undone."""
    scene = await life.scene()
    raw = await life.send()
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.stop, **ids, cause="by hand", now=life.now)
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    (message,) = await incoming(life, scene)
    await correct(life, scene, AUTO, message)

    assert StopReason.MANUAL is (await life.again(scene.run)).stop_reason


async def test_a_step_that_was_withdrawn_is_entered_anew(life):
    """Its attempt stays withdrawn, and the step is sent once, under a higher counter."""
    scene = await life.scene()
    first = await life.send()
    life.later(days=4)
    await life.reserved()
    await life.receive(scene.box, letters.reply(first, at=life.now))
    (message,) = await incoming(life, scene)
    await correct(life, scene, AUTO, message)
    life.later(minutes=10)
    await life.send()
    attempts = await life.attempts(scene.run)

    assert [("intro", 1, "sent"), ("bump", 2, "voided"), ("bump", 3, "sent")] == [
        (one.step, one.step_counter, one.status) for one in attempts
    ]


async def test_a_step_that_left_while_the_run_ended_is_not_sent_again(life):
    """The answer came while the follow-up was on the wire."""
    scene = await life.scene()
    first = await life.send()
    life.later(days=4)
    reserved, _ = await life.begun()
    await life.receive(scene.box, letters.reply(first, at=life.now))
    await life.confirm(reserved)
    (message,) = await incoming(life, scene)
    await correct(life, scene, AUTO, message)
    run = await life.again(scene.run)

    assert (ACTIVE, "last", 3) == (run.status, run.step, run.step_counter)
    assert [("intro", "sent"), ("bump", "sent")] == [(one.step, one.status) for one in await life.attempts(run)]


async def test_numbers_and_conversation_follow(life):
    """One answer less, one notice more; and nobody need look at it."""
    scene, message = await replied(life)
    await correct(life, scene, AUTO, message)
    pair = {"workspace_id": scene.workspace.id, "sequence_id": scene.run.sequence_id}
    total = numbers.total(await life.store.read(numbers.by_step, **pair))
    wanted = Filter(state=State.ALL)
    page = await life.store.read(listing.page, workspace_id=scene.workspace.id, wanted=wanted, now=life.now)

    assert (0, 1) == (total.replied, total.auto)
    assert [("auto_reply", False)] == [(one.kind, one.open) for one in page.lines]


async def test_what_cannot_be_corrected_is_refused(life):
    """A class that is none of a message's, a message that went out, one of another workspace."""
    scene, message = await replied(life)
    other = await life.scene(workspace="other")
    with pytest.raises(WrongInputError, match="choose one of"):
        await correct(life, scene, InboundKind.WARMUP, message)
    with pytest.raises(RefusedError, match="came in"):
        await correct(life, scene, AUTO, message - 1)
    with pytest.raises(NotFoundError):
        await correct(life, other, AUTO, message)
