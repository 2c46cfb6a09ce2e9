"""What becomes of a message that was on its way: accepted, lost, settled; and the last look that it has to pass."""

from datetime import timedelta

import pytest

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.failure import AddressRejected, MailboxTrouble, TryLater, Withdrawn
from relance.services import enrollments, mailboxes, reconciling, rescuing, sending, sequences
from relance.services.ingestion import Ingested
from relance.services.sending.fail import TOLD_LATE
from relance.testing import builders, letters
from relance.testing.builders import email
from relance.testing.moments import MONDAY
from services.life import WORKER


async def test_acceptance_writes_attempt_run_and_message_together(life):
    """And the next step is due from then on."""
    scene = await life.scene()
    reserved, attempt = await life.begun()
    raw = await life.confirm(reserved)
    run, attempt = await life.again(scene.run), await life.attempt(attempt)
    kept = await life.store.read(reconciling.outgoing_raw, attempt)

    assert (AttemptStatus.SENT, life.now) == (attempt.status, attempt.sent_at)
    assert ("bump", 2, life.now + timedelta(days=1)) == (run.step, run.step_counter, run.next_due_at)
    assert (life.now, None) == (run.last_sent_at, run.lock_holder)
    assert raw == kept


async def test_confirming_twice_is_confirming_once(life):
    """A COMMIT whose outcome was lost is applied again."""
    scene = await life.scene()
    reserved, _ = await life.begun()
    await life.confirm(reserved)
    once, history = await life.again(scene.run), await life.history(scene.run)
    await life.confirm(reserved)

    assert once == await life.again(scene.run)
    assert history == await life.history(scene.run)


LATER = MONDAY + timedelta(hours=3)


@pytest.mark.parametrize(
    "failure, status, skip",
    [
        (TryLater(reason="greylisted", response="451 later"), EnrollmentStatus.ACTIVE, "cooldown"),
        (Withdrawn(reason="not_released"), EnrollmentStatus.ACTIVE, "not_released"),
        (MailboxTrouble(reason="quota", response="550", status=None, until=LATER), EnrollmentStatus.ACTIVE, None),
        (AddressRejected(reason="unknown_user", response="550 5.1.1"), EnrollmentStatus.STOPPED, None),
    ],
    ids=lambda value: getattr(value, "reason", value),
)
async def test_a_refusal_that_is_heard_late_settles_what_a_successor_has_called_unknown(life, failure, status, skip):
    """Who was told knows that it did not leave: nobody has to look, and nobody has to wait for the grace."""
    scene = await life.scene()
    _, attempt = await life.begun()
    await life.lose(attempt)
    waiting = await life.again(scene.run)
    await life.fail(attempt, failure)
    found, run = await life.attempt(attempt), await life.again(scene.run)
    await life.fail(attempt, failure)

    assert "outcome_unknown" == waiting.last_skip_reason
    assert (AttemptStatus.FAILED, False, TOLD_LATE) == (found.status, found.holds_slot, found.settled_by)
    assert (status, skip) == (run.status, run.last_skip_reason)
    assert 0 == await life.used(scene.box)
    assert found == await life.attempt(attempt)
    assert run == await life.again(scene.run)


async def test_what_is_known_to_have_left_is_not_failed_by_a_refusal_that_is_heard_late(life):
    """A copy in Sent has settled it; whatever a server says, then, it had taken it."""
    scene = await life.scene()
    raw, attempt = await life.lost()
    await life.receive(scene.box, raw, folder="Sent")
    await life.fail(attempt, TryLater(reason="greylisted", response="451 later"))

    assert AttemptStatus.SENT is (await life.attempt(attempt)).status


@pytest.mark.parametrize("end", ["pause", "stop"])
async def test_acceptance_is_recorded_in_every_status_and_moves_only_who_still_walks(life, end):
    """A message that left after all is on record, whatever an operator did meanwhile."""
    scene = await life.scene()
    reserved, attempt = await life.begun()
    which = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(getattr(enrollments, end), **which, cause="by hand", now=life.now)
    await life.confirm(reserved)
    run = await life.again(scene.run)

    assert AttemptStatus.SENT is (await life.attempt(attempt)).status
    assert (life.now, "intro", 1) == (run.last_sent_at, run.step, run.step_counter)
    assert {"pause": EnrollmentStatus.PAUSED, "stop": EnrollmentStatus.STOPPED}[end] is run.status
    assert 1 == await life.used(scene.box)


@pytest.mark.parametrize("what", ["reply", "pause", "opt_out", "sequence", "mailbox"])
async def test_the_last_look_loses_against_what_committed_a_moment_ago(life, what):
    """A reply, a pause, an opt-out, a paused sequence or mailbox: nothing leaves, the slot goes back."""
    scene = await life.scene()
    raw = await life.send()
    life.later(days=1)
    reserved = await life.reserved()
    await _interfere(life, scene, raw, what)
    outcome = await life.begin(reserved)
    attempt = await life.attempt(reserved.attempt)

    assert isinstance(outcome, sending.Withheld)
    assert attempt.status in {AttemptStatus.RESERVED, AttemptStatus.VOIDED}
    assert not attempt.holds_slot
    assert 0 == await life.used(scene.box)
    assert (await life.again(scene.run)).lock_holder is None


async def test_a_held_or_quiet_lead_is_not_written_to_at_the_last_moment(life):
    """An absence notice that holds the person came between."""
    scene = await life.scene(on_auto_reply="hold_until_return")
    raw = await life.send()
    life.later(days=1)
    reserved = await life.reserved()
    notice = letters.auto_reply(raw, at=life.now, text="I am out of the office until December 10, 2026.")
    await life.receive(scene.box, notice)
    outcome = await life.begin(reserved)
    run = await life.again(scene.run)

    assert isinstance(outcome, sending.Withheld)
    assert "lead_hold" == run.last_skip_reason
    assert run.skip_until == (await life.lead(scene.lead)).hold_until


async def test_freshness_that_ran_out_while_composing_is_asked_for_again(life):
    """The row is put back, ready at once."""
    scene = await life.scene()
    await life.send()
    life.later(days=1)
    reserved = await life.reserved()
    life.later(seconds=61)
    outcome = await life.begin(reserved)

    assert isinstance(outcome, sending.Withheld)
    assert (await life.again(scene.run)).ready_at <= life.now


async def test_a_retry_is_kept_back_by_success_or_by_not_knowing_only(life):
    """A definite failure reopens the attempt; there is never a second row for the step."""
    scene = await life.scene()
    _, attempt = await life.begun()
    await life.fail(attempt, Withdrawn(reason="not_released"))
    life.later(minutes=5)
    _, again = await life.begun()
    await life.lose(again)
    life.later(hours=3)
    outcome = await life.claim()
    deferred = [await life.reserve(one) for one in outcome]

    assert attempt.id == again.id
    assert [] == [one for one in deferred if isinstance(one, sending.Reserved)]
    assert 1 == len(await life.attempts(scene.run))


async def test_a_lost_outcome_waits_with_its_reason(life):
    """The run stays active, and says what it waits for."""
    scene = await life.scene()
    await life.lost()
    run = await life.again(scene.run)

    assert (EnrollmentStatus.ACTIVE, "outcome_unknown", "intro") == (run.status, run.last_skip_reason, run.step)
    assert [] == await life.claim()


async def test_an_answer_settles_a_lost_outcome_as_sent(life):
    """Whoever answers a message has received it."""
    scene = await life.scene()
    raw, attempt = await life.lost()
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    attempt, run = await life.attempt(attempt), await life.again(scene.run)

    assert (AttemptStatus.SENT, "In-Reply-To") == (attempt.status, attempt.settled_by.split(" of ")[0])
    assert attempt.began_at == attempt.sent_at == run.last_sent_at
    assert (EnrollmentStatus.STOPPED, StopReason.REPLIED) == (run.status, run.stop_reason)


async def test_an_absence_notice_settles_a_lost_outcome_and_the_walk_goes_on(life):
    """Machine mail proves as well that the message left."""
    scene = await life.scene()
    raw, attempt = await life.lost()
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I am out of the office."))
    run = await life.again(scene.run)

    assert AttemptStatus.SENT is (await life.attempt(attempt)).status
    assert (EnrollmentStatus.ACTIVE, "bump", None) == (run.status, run.step, run.skip_until)


async def test_a_delivery_report_settles_a_lost_outcome_as_sent(life):
    """It left, and it bounced."""
    scene = await life.scene()
    raw, attempt = await life.lost()
    await life.receive(scene.box, letters.bounce(raw, at=life.now))

    assert AttemptStatus.SENT is (await life.attempt(attempt)).status
    assert StopReason.BOUNCED is (await life.again(scene.run)).stop_reason


async def test_a_sent_copy_settles_a_lost_outcome_and_teaches_about_the_mailbox(life):
    """Our own message in Sent is proof, and nobody's answer."""
    scene = await life.scene()
    raw, attempt = await life.lost()
    became = await life.receive(scene.box, raw, folder="Sent")
    attempt, run = await life.attempt(attempt), await life.again(scene.run)

    assert Ingested.OWN_COPY is became
    assert (AttemptStatus.SENT, "its copy in Sent", life.now) == (
        attempt.status,
        attempt.settled_by,
        attempt.sent_copy_at,
    )
    assert ("bump", 2) == (run.step, run.step_counter)


async def test_a_person_settles_a_lost_outcome_either_way(life):
    """`sent` goes on; `failed` gives the slot back and sends the step once more."""
    scene = await life.scene()
    _, attempt = await life.lost()
    settle = {"workspace_id": scene.workspace.id, "attempt_id": attempt.id, "by": "a person", "now": life.now}
    news = await life.store.write(sending.settle_failed, **settle)
    again = await life.store.write(sending.settle_failed, **settle)
    used = await life.used(scene.box)
    await life.send()

    assert (True, False) == (news, again)
    assert 0 == used
    assert [(attempt.id, AttemptStatus.SENT)] == [(a.id, a.status) for a in await life.attempts(scene.run)]


async def test_a_copy_that_turns_up_after_failed_was_said_is_never_followed_by_another(life):
    """Also while the retry is already reserved: what is seen in Sent has left."""
    scene = await life.scene()
    raw, attempt = await life.lost()
    settle = {"workspace_id": scene.workspace.id, "attempt_id": attempt.id, "by": "a person", "now": life.now}
    await life.store.write(sending.settle_failed, **settle)
    reserved = await life.reserved()
    await life.receive(scene.box, raw, folder="Sent")
    outcome = await life.begin(reserved)
    run = await life.again(scene.run)

    assert isinstance(outcome, sending.Withheld)
    assert AttemptStatus.SENT is (await life.attempt(attempt)).status
    assert ("bump", 2, None) == (run.step, run.step_counter, run.lock_holder)


async def test_settling_a_message_that_its_sender_still_speaks_about_is_left_to_the_sender(life):
    """In flight before its deadline: it will say so itself."""
    scene = await life.scene()
    _, attempt = await life.begun()
    settle = {"workspace_id": scene.workspace.id, "attempt_id": attempt.id, "by": "a person"}
    early = await life.store.write(sending.settle_sent, **settle, now=life.now)
    life.later(seconds=21)
    late = await life.store.write(sending.settle_sent, **settle, now=life.now)

    assert (False, True) == (early, late)


async def test_a_settled_outcome_of_a_paused_run_moves_on_when_it_is_resumed(life):
    """Not before: an operator holds it."""
    scene = await life.scene()
    _, attempt = await life.lost()
    which = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.pause, **which, cause="by hand", now=life.now)
    await life.store.write(
        sending.settle_sent, workspace_id=scene.workspace.id, attempt_id=attempt.id, by="a person", now=life.now
    )
    paused = await life.again(scene.run)
    await life.store.write(enrollments.resume, **which, cause="by hand", now=life.now)

    assert (EnrollmentStatus.PAUSED, "intro") == (paused.status, paused.step)
    assert "bump" == (await life.again(scene.run)).step


async def test_what_a_dead_process_left_behind_is_taken_over(life):
    """Reserved: the slot goes back and the step is tried again, by any mailbox."""
    scene = await life.scene()
    reserved = await life.reserved()
    left = await life.store.read(rescuing.left_behind, worker="w2", now=life.now, limit=10)
    taken = await life.store.write(
        rescuing.take_over, workspace_id=scene.workspace.id, enrollment_id=scene.run.id, holder="w1"
    )
    run = await life.again(scene.run)

    assert [scene.run.id] == [row.id for row in left.locked]
    assert taken
    assert (None, None) == (run.lock_holder, run.mailbox_id)
    assert 0 == await life.used(scene.box)
    assert AttemptStatus.RESERVED is (await life.attempt(reserved.attempt)).status


async def test_what_a_dead_process_had_in_flight_becomes_unknown_after_its_last_moment(life):
    """Not before, and its row stays locked until then."""
    scene = await life.scene()
    _, attempt = await life.begun()
    which = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id, "holder": "w1"}
    early = await life.store.write(rescuing.take_over, **which)
    before = await life.store.read(rescuing.left_behind, worker="w2", now=life.now + timedelta(seconds=20), limit=10)
    life.later(seconds=31)
    after = await life.store.read(rescuing.left_behind, worker="w2", now=life.now, limit=10)
    await life.store.write(rescuing.give_up_on, after.abandoned[0], now=life.now)
    run = await life.again(scene.run)

    assert not early
    assert [] == before.abandoned
    assert AttemptStatus.UNKNOWN is (await life.attempt(attempt)).status
    assert (None, "outcome_unknown") == (run.lock_holder, run.last_skip_reason)
    assert 1 == await life.used(scene.box)


async def test_a_mailbox_that_is_removed_forgets_its_login_and_keeps_its_history(life):
    """Connecting it again finds everything where it was."""
    scene = await life.scene(email("only", subject="Hello"))
    await life.send()
    await life.store.write(mailboxes.remove, scene.box, now=life.now)
    again = await life.store.write(builders.mailbox, scene.workspace, scene.box.address, now=life.now)

    assert scene.box.id == again.id
    assert [scene.box.id] == [attempt.mailbox_id for attempt in await life.attempts(scene.run)]


async def _interfere(life, scene, raw, what: str) -> None:
    ids = {"workspace_id": scene.workspace.id}
    match what:
        case "reply":
            await life.receive(scene.box, letters.reply(raw, at=life.now))
        case "opt_out":
            await life.receive(scene.box, letters.unsubscribe(raw, at=life.now))
        case "pause":
            await life.store.write(enrollments.pause, **ids, enrollment_id=scene.run.id, cause="by hand", now=life.now)
        case "sequence":
            await life.store.write(sequences.pause, **ids, name="q4", now=life.now)
        case "mailbox":
            await life.store.write(mailboxes.pause, scene.box, reason="holiday", now=life.now)
        case _:
            raise ValueError(f"nobody can do {what}")


async def test_settling_leaves_the_row_to_who_has_claimed_it_meanwhile(life):
    """The grace and the row's rest end together: a worker may have claimed it before "not sent" is written."""
    scene = await life.scene()
    _, attempt = await life.lost()
    life.later(minutes=20)
    claims = await life.claim()
    settle = {"workspace_id": attempt.workspace_id, "attempt_id": attempt.id, "by": "not in Sent"}
    await life.store.write(sending.settle_failed, **settle, now=life.now)

    assert [scene.run.id] == [claimed.enrollment_id for claimed in claims]
    assert WORKER == (await life.again(scene.run)).lock_holder
