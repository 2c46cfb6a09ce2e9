"""Reserving: every limit is taken before anything is rendered, and given back when nothing left."""

from datetime import timedelta

import pytest

from relance.core import defaults
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.failure import AddressRejected, MailboxTrouble, TryLater
from relance.core.mailbox import MailboxStatus
from relance.core.sequence import FrequencyCap
from relance.services import enrollments, mailboxes, sending, sequences, suppressions
from relance.testing import builders, letters
from relance.testing.builders import KEYS, delay, email

GREYLISTED = TryLater(reason="greylisted", response="451 4.7.1 try again later")


async def test_reserving_takes_slot_and_gap_and_says_so_on_attempt_and_run(life):
    """The attempt stands there with mailbox, slot, time and Message-ID before anything is rendered."""
    scene = await life.scene()
    reserved = await life.reserved()
    box, run = await life.box(scene.box), await life.again(scene.run)

    assert (AttemptStatus.RESERVED, True, life.now) == (
        reserved.attempt.status,
        reserved.attempt.holds_slot,
        reserved.attempt.planned_at,
    )
    assert 1 == await life.used(scene.box)
    assert box.next_allowed_at is not None
    assert timedelta(seconds=90) <= box.next_allowed_at - life.now <= timedelta(seconds=180)
    assert (scene.box.id, {"intro": "a"}, "w1") == (run.mailbox_id, run.variants, run.lock_holder)
    assert (scene.run.step, scene.run.next_due_at, None) == (run.step, run.next_due_at, run.last_sent_at)


async def test_a_row_that_is_claimed_is_claimed_once(life):
    """Whoever comes second finds nothing."""
    await life.scene()
    first = await life.claim(worker="w1")
    second = await life.claim(worker="w2")

    assert (1, 0) == (len(first), len(second))


async def test_a_claim_that_was_overtaken_touches_nothing(life):
    """The step it was woken for is compared with the step that it is on."""
    scene = await life.scene()
    claims = await life.claim()
    await life.reserve(claims[0])
    reserved = await life.store.read(lambda reader: reader.one(int, "attempts.count_unknown"))
    stale = await life.store.write(
        sending.reserve,
        workspace_id=scene.workspace.id,
        enrollment_id=scene.run.id,
        woken_counter=7,
        mailbox_id=scene.box.id,
        worker="w1",
        keys=KEYS,
        now=life.now,
    )

    assert sending.Left(reason="moved_on") == stale
    assert 0 == reserved
    assert 1 == await life.used(scene.box)


@pytest.mark.parametrize(
    "limits, reason",
    [
        ({"daily_cap": 1}, "daily_cap"),
        ({"hourly_cap": 1}, "hourly_cap"),
        ({"ramp": True, "ramp_start": 1}, "daily_cap"),
    ],
)
async def test_a_mailbox_sends_no_more_than_its_caps(life, limits, reason):
    """Its reason stands once on the mailbox; the lead's row is not touched."""
    scene = await life.scene(mailboxes=("small@acme.example",), pool=None)
    box = await life.mailbox(scene, "small@acme.example", **limits)
    second = await life.person(scene, "second@lead.example")
    await life.send()
    claims = await life.claim()
    outcome = await life.reserve(claims[0])
    put_off = await life.box(box)

    assert isinstance(outcome, sending.Deferred)
    assert (reason, outcome.until) == (put_off.last_skip_reason, put_off.skip_until)
    assert second.next_due_at == (await life.again(second)).next_due_at
    assert (await life.again(second)).skip_until is None
    assert [] == await life.claim()


async def test_a_new_mailbox_ramps_up_by_the_day(life):
    """Ten on its first day and five more each day, up to the cap: here one, and one more."""
    scene = await life.scene(mailboxes=("new@acme.example",), pool=None)
    await life.mailbox(scene, "new@acme.example", ramp=True, ramp_start=1, ramp_step=1)
    for number in range(4):
        await life.person(scene, f"p{number}@lead.example")
    sent = []
    for _ in range(3):
        today = 0
        while await could_send(life):
            today += 1
        sent.append(today)
        life.clock.jump(life.now.replace(hour=0, minute=0) + timedelta(days=1, hours=9))

    assert [1, 2] == sent[:2]


async def test_the_gap_keeps_a_mailbox_from_the_next_send(life):
    """It is drawn between its least and its most, the same for a retry."""
    scene = await life.scene()
    await life.person(scene, "second@lead.example")
    reserved, _ = await life.begun()
    await life.confirm(reserved)
    at_once = await life.claim()
    life.later(seconds=181)

    assert [] == at_once
    assert 1 == len(await life.claim())


async def test_a_sequence_sends_no_more_a_day_than_it_says(life):
    """Its reason stands on the sequence, whatever mailbox is free."""
    scene = await life.scene(daily_cap=1)
    await life.person(scene, "second@lead.example")
    await life.mailbox(scene, "other@acme.example")
    await life.send()
    outcome = await life.reserve((await life.claim())[0])
    sequence = await life.store.read(sequences.by_name, scene.workspace.id, "q4")

    assert isinstance(outcome, sending.Deferred)
    assert ("sequence_cap", life.now.replace(hour=0, minute=0) + timedelta(days=1)) == (
        sequence.last_skip_reason,
        sequence.skip_until,
    )
    assert [] == await life.claim()


async def test_max_new_per_day_holds_back_first_messages_only(life):
    """Follow-ups go on."""
    scene = await life.scene(email("intro", subject="Hi"), email("bump", "1h"), max_new_per_day=1)
    second = await life.person(scene, "second@lead.example")
    await life.send()
    outcome = await life.reserve((await life.claim())[0])
    life.later(hours=2)
    raw = await life.send()

    assert isinstance(outcome, sending.Deferred)
    assert "new_leads_cap" == outcome.reason
    assert b"To: ann@lead.example" in raw or b"ann@lead.example" in raw
    assert [] == await life.attempts(second)


async def test_a_first_message_that_was_withheld_does_not_hold_its_mailbox_for_new_leads(life):
    """Once `max_new_per_day` is used up it waits like every new lead: the mailbox's follow-ups go on, nothing spins."""
    scene = await life.scene(email("intro", subject="Hi"), email("bump", "1h"), max_new_per_day=1)
    held_back = await life.reserved()
    await life.store.write(sequences.pause, workspace_id=scene.workspace.id, name="q4", now=life.now)
    await life.begin(held_back)
    await life.store.write(sequences.resume, workspace_id=scene.workspace.id, name="q4", now=life.now)
    other = await life.mailbox(scene, "other@acme.example")
    await life.person(scene, "second@lead.example")
    life.later(minutes=5)
    claims = await life.claim()
    outcomes = [await life.reserve(one) for one in claims]
    life.later(minutes=5)

    assert [sending.Reserved, sending.Deferred] == sorted((type(o) for o in outcomes), key=lambda t: t.__name__)[::-1]
    assert [] == await life.claim(), "a lead that may not be written to today is claimed again and again"
    assert other.id


async def test_a_person_gets_no_more_than_the_frequency_cap_over_all_sequences(life):
    """One message in two days, whatever list they are on."""
    cap = FrequencyCap(messages=1, per=delay("2d"))
    scene = await life.scene(frequency_cap=cap)
    other = await life.scene(name="other", frequency_cap=cap)
    await life.send()
    outcome = await life.attempt_to_reserve()
    runs = [await life.again(scene.run), await life.again(other.run)]
    waiting = next(run for run in runs if run.step_counter == 1)

    assert isinstance(outcome, sending.Deferred)
    assert "frequency_cap" == waiting.last_skip_reason
    assert [] == await life.claim()


async def test_an_unknown_outcome_counts_for_the_frequency_cap(life):
    """They may have got it."""
    cap = FrequencyCap(messages=1, per=delay("2d"))
    await life.scene(frequency_cap=cap)
    await life.lost()
    await life.scene(name="other", frequency_cap=cap)
    outcome = await life.attempt_to_reserve()

    assert isinstance(outcome, sending.Deferred)
    assert "frequency_cap" == outcome.reason


async def test_a_definite_failure_gives_slot_and_gap_back(life):
    """A deferral is not a send: only what was accepted, or may have been, consumes caps."""
    scene = await life.scene(daily_cap=9, max_new_per_day=9)
    before = await life.box(scene.box)
    _, attempt = await life.begun()
    await life.fail(attempt, GREYLISTED)
    after = await life.box(scene.box)
    attempt = await life.attempt(attempt)

    assert 0 == await life.used(scene.box)
    assert (AttemptStatus.RESERVED, False, 1) == (attempt.status, attempt.holds_slot, attempt.tries)
    assert after.next_allowed_at is None or after.next_allowed_at <= life.now
    assert before.skip_until == after.skip_until


async def test_an_unknown_outcome_keeps_slot_and_gap(life):
    """It may have been accepted."""
    scene = await life.scene()
    _, attempt = await life.lost()

    assert 1 == await life.used(scene.box)
    assert (AttemptStatus.UNKNOWN, True) == (attempt.status, attempt.holds_slot)


async def test_a_failed_person_cools_down_and_is_tried_again(life):
    """Ten minutes first, doubling; the step is the same attempt, the wording too."""
    scene = await life.scene()
    _, attempt = await life.begun()
    await life.fail(attempt, GREYLISTED)
    waiting = await life.again(scene.run)
    life.later(minutes=9)
    too_early = await life.claim()
    life.later(minutes=1)
    await life.send()
    sent = await life.attempts(scene.run)

    assert (life.now - timedelta(minutes=15) + timedelta(minutes=10), "cooldown") == (
        waiting.skip_until,
        waiting.last_skip_reason,
    )
    assert [] == too_early
    assert [(attempt.id, AttemptStatus.SENT, 2)] == [(one.id, one.status, one.tries) for one in sent]


async def test_five_failures_in_a_row_on_one_step_stop_the_run(life):
    """And none of them blocks it before."""
    scene = await life.scene()
    statuses = []
    for _ in range(defaults.FAILURES_CAP):
        _, attempt = await life.begun()
        await life.fail(attempt, GREYLISTED)
        life.later(hours=5)
        statuses.append((await life.attempt(attempt)).status)
    run = await life.again(scene.run)

    assert (EnrollmentStatus.STOPPED, StopReason.DISPATCH_FAILURES) == (run.status, run.stop_reason)
    assert [AttemptStatus.RESERVED] * 4 + [AttemptStatus.FAILED] == statuses
    assert 0 == await life.used(scene.box)


async def test_a_mailboxs_trouble_puts_the_mailbox_off_and_lets_the_lead_go_elsewhere(life):
    """A wrong password is not the person's fault."""
    scene = await life.scene()
    _, attempt = await life.begun()
    until = life.now + timedelta(hours=1)
    trouble = MailboxTrouble(reason="smtp_login_refused", response="535", status=MailboxStatus.AUTH_ERROR, until=until)
    await life.fail(attempt, trouble)
    box, run = await life.box(scene.box), await life.again(scene.run)
    other = await life.mailbox(scene, "other@acme.example")
    claims = await life.claim()

    assert (MailboxStatus.AUTH_ERROR, until) == (box.status, box.skip_until)
    assert (None, None, 0) == (run.skip_until, run.mailbox_id, run.consecutive_failures)
    assert [other.id] == [claimed.mailbox_id for claimed in claims]


async def test_a_person_whose_server_blocks_us_does_not_hold_up_those_behind(life):
    """The block rests the mailbox; when it is rested others go first, and no other mailbox runs into it at once."""
    scene = await life.scene()
    second = await life.person(scene, "second@lead.example")
    await life.mailbox(scene, "other@acme.example", pool="elsewhere")
    _, attempt = await life.begun()
    until = life.now + timedelta(hours=1)
    await life.fail(attempt, MailboxTrouble(reason="blocked", response="550 5.7.1", status=None, until=until))
    life.clock.jump(until)
    await life.read_all_freshly()
    claims = await life.claim()
    run = await life.again(scene.run)

    assert [second.id] == [claimed.enrollment_id for claimed in claims]
    assert (EnrollmentStatus.ACTIVE, "blocked") == (run.status, run.last_skip_reason)
    assert until + defaults.BLOCK_LEAD_REST == run.skip_until


async def test_a_message_that_is_always_refused_as_unwanted_ends_with_a_person(life):
    """Five times in a row: held and not stopped, for the lead has done nothing; resuming counts anew."""
    scene = await life.scene()
    statuses = []
    for _ in range(defaults.FAILURES_CAP):
        await refuse_as_unwanted(life)
        statuses.append((await life.again(scene.run)).status)
    held = await life.again(scene.run)
    nobody = await life.claim()
    which = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.resume, **which, cause="text changed", now=life.now)
    await refuse_as_unwanted(life)
    again = await life.again(scene.run)
    await life.send()

    assert [EnrollmentStatus.ACTIVE] * 4 + [EnrollmentStatus.HELD] == statuses
    assert ("refused_as_unwanted", []) == (held.hold_reason, nobody)
    assert (EnrollmentStatus.ACTIVE, 1) == (again.status, again.consecutive_failures)
    assert [AttemptStatus.SENT] == [one.status for one in await life.attempts(scene.run)]


async def test_a_run_that_was_paused_while_its_message_was_refused_as_unwanted_stays_paused(life):
    """A person has set it aside already."""
    scene = await life.scene()
    for _ in range(defaults.FAILURES_CAP - 1):
        await refuse_as_unwanted(life)
    await life.read_all_freshly()
    _, attempt = await life.begun()
    which = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.pause, **which, cause="by hand", now=life.now)
    await life.fail(attempt, unwanted(life))

    assert EnrollmentStatus.PAUSED is (await life.again(scene.run)).status


async def test_a_try_withdrawn_after_its_run_had_ended_is_voided(life):
    """It came back from the server too late to be tried again."""
    scene = await life.scene()
    _, attempt = await life.begun()
    which = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.stop, **which, cause="by hand", now=life.now)
    await life.fail(attempt, GREYLISTED)

    assert AttemptStatus.VOIDED is (await life.attempt(attempt)).status
    assert 0 == await life.used(scene.box)


async def test_a_mailbox_that_an_operator_paused_meanwhile_stays_paused(life):
    """Trouble that came later must not let it send again once it is over."""
    scene = await life.scene()
    _, attempt = await life.begun()
    await life.store.write(mailboxes.pause, scene.box, reason="holiday", now=life.now)
    trouble = MailboxTrouble(
        reason="smtp_unreachable", response="no route", status=MailboxStatus.UNREACHABLE, until=life.now
    )
    await life.fail(attempt, trouble)
    life.later(hours=1)
    await life.read_all_freshly()

    assert MailboxStatus.PAUSED is (await life.box(scene.box)).status


async def test_a_rest_is_never_shortened_by_another_trouble(life):
    """A quota is used up until its reset, also if the mailbox could not be reached for a minute meanwhile."""
    scene = await life.scene()
    _, attempt = await life.begun()
    reset = life.now + timedelta(hours=6)
    await life.fail(attempt, MailboxTrouble(reason="quota", response="550 5.4.5", status=None, until=reset))
    await life.store.write(
        mailboxes.reading_failed,
        workspace_id=scene.workspace.id,
        mailbox_id=scene.box.id,
        status=MailboxStatus.UNREACHABLE,
        error="no route",
        now=life.now,
    )
    troubled = await life.box(scene.box)
    life.later(minutes=10)
    await life.read_all_freshly()
    recovered = await life.box(scene.box)

    assert reset == troubled.skip_until
    assert (MailboxStatus.ACTIVE, reset, "quota") == (
        recovered.status,
        recovered.skip_until,
        recovered.last_skip_reason,
    )


async def test_sending_that_works_again_forgets_the_failures_before(life):
    """The next trouble, months later, rests a minute and not an hour."""
    scene = await life.scene()
    for _ in range(3):
        _, attempt = await life.begun()
        until = life.now + timedelta(minutes=1)
        await life.fail(attempt, MailboxTrouble(reason="sender_refused", response="451", status=None, until=until))
        life.later(minutes=5)
    failed = (await life.box(scene.box)).consecutive_failures
    await life.send()

    assert 3 == failed
    assert 0 == (await life.box(scene.box)).consecutive_failures


async def test_a_refused_address_is_a_hard_bounce(life):
    """550 5.1.1 at send time is what a delivery report says later: stopped everywhere, and suppressed."""
    scene = await life.scene()
    other = await life.scene(name="other")
    _, attempt = await life.begun()
    await life.fail(attempt, AddressRejected(reason="unknown_user", response="550 5.1.1 no such user"))
    runs = [await life.again(scene.run), await life.again(other.run)]

    assert [StopReason.BOUNCED] * 2 == [run.stop_reason for run in runs]
    assert [("ann@lead.example", "hard_bounce")] == await life.suppressed(scene.workspace)
    assert AttemptStatus.FAILED is (await life.attempt(attempt)).status
    assert 0 == await life.used(scene.box)


async def test_a_missing_value_holds_the_run_and_gives_the_slot_back(life):
    """Nothing goes out with a gap or a literal tag; once the value is there and a person says so, it goes out."""
    scene = await life.scene(email("intro", subject="Hi", text="Hello {{ brand }}"))
    reserved = await life.reserved()
    await life.store.write(sending.quarantine, reserved, hold_reason="missing_value:brand", now=life.now)
    held = await life.again(scene.run)
    used = await life.used(scene.box)
    await life.rename(scene, brand="Acme")
    await life.store.write(
        enrollments.resume, workspace_id=scene.workspace.id, enrollment_id=scene.run.id, cause="value set", now=life.now
    )
    life.later(minutes=5)
    raw = await life.send()

    assert (EnrollmentStatus.HELD, "missing_value:brand") == (held.status, held.hold_reason)
    assert 0 == used
    assert b"Hello Acme" in raw
    assert (await life.again(scene.run)).hold_reason is None


async def test_who_is_suppressed_when_due_ends_as_suppressed(life):
    """Checked when claimed."""
    scene = await life.scene()
    await suppress(life, scene)
    outcome = await life.attempt_to_reserve()
    run = await life.again(scene.run)

    assert isinstance(outcome, sending.Ended)
    assert (EnrollmentStatus.SUPPRESSED, None) == (run.status, run.next_due_at)
    assert 0 == await life.used(scene.box)


async def test_who_is_suppressed_between_claim_and_begin_is_not_written_to(life):
    """And checked again just before sending."""
    scene = await life.scene()
    reserved = await life.reserved()
    await suppress(life, scene)
    outcome = await life.begin(reserved)

    assert isinstance(outcome, sending.Withheld)
    assert EnrollmentStatus.SUPPRESSED is (await life.again(scene.run)).status
    assert 0 == await life.used(scene.box)


async def test_own_mailboxes_are_asked_for_fresh_answers_before_a_follow_up(life):
    """A mailbox that wrote to the person and was not read within the limit is read first."""
    scene = await life.scene()
    await life.send()
    life.later(days=1)
    claims = await life.claim()
    outcome = await life.reserve(claims[0])
    await life.read_all_freshly()
    after = await life.reserve(claims[0])

    assert sending.Unread(mailbox_ids=(scene.box.id,)) == outcome
    assert isinstance(after, sending.Reserved)


async def test_a_follow_up_whose_mailbox_cannot_be_read_waits(life):
    """While a mailbox is out of reach nobody follows up for it, also no other mailbox."""
    scene = await life.scene()
    await life.send()
    life.later(days=1)
    await life.store.write(
        mailboxes.reading_failed,
        workspace_id=scene.workspace.id,
        mailbox_id=scene.box.id,
        status=MailboxStatus.AUTH_ERROR,
        error="password changed",
        now=life.now,
    )
    await life.mailbox(scene, "other@acme.example")

    assert [] == await life.claim()
    assert "auth_error" == (await life.box(scene.box)).last_skip_reason


async def test_a_thread_goes_on_from_the_mailbox_it_began_with(life):
    """Whatever else is free; and they answer the message before."""
    scene = await life.scene()
    first = await life.send()
    await life.mailbox(scene, "other@acme.example")
    life.later(days=1)
    second = await life.send()
    head = letters.headers_of(second)

    assert letters.message_id_of(first) == head["In-Reply-To"]
    assert "Re: Question" == head["Subject"]
    assert (await life.again(scene.run)).mailbox_id == scene.box.id


async def test_a_thread_stays_with_its_mailbox_even_if_its_pin_was_lost_while_it_left(life):
    """A withdrawn try lets the person go elsewhere; the message that left after all keeps them."""
    scene = await life.scene()
    _, attempt = await life.lost()
    await life.store.write(
        sending.settle_failed, workspace_id=scene.workspace.id, attempt_id=attempt.id, by="not in Sent", now=life.now
    )
    reserved = await life.reserved()
    await life.store.write(builders.mailbox, scene.workspace, "other@acme.example", now=life.now)
    _, again = reserved, (await life.begin(reserved)).attempt
    await life.fail(again, MailboxTrouble(reason="blocked", response="550", status=None, until=life.now))
    unpinned = await life.again(scene.run)
    await life.store.write(
        sending.settle_sent, workspace_id=scene.workspace.id, attempt_id=attempt.id, by="its copy in Sent", now=life.now
    )

    assert unpinned.mailbox_id is None
    assert (scene.box.id, 2) == ((await life.again(scene.run)).mailbox_id, (await life.again(scene.run)).step_counter)


def unwanted(life) -> MailboxTrouble:
    """Return the trouble of a mailbox whose message was refused as unwanted just now."""
    until = life.now + defaults.BLOCK_REST
    return MailboxTrouble(reason="blocked", response="550 5.7.1 spam", status=None, until=until)


async def refuse_as_unwanted(life) -> None:
    """Refuse the one message that is due, and wait until everybody has rested."""
    await life.read_all_freshly()
    _, attempt = await life.begun()
    await life.fail(attempt, unwanted(life))
    life.clock.jump(life.now + defaults.BLOCK_REST + defaults.BLOCK_LEAD_REST)


async def could_send(life) -> bool:
    """Send what is due, if a mailbox may."""
    for _ in range(3):
        await life.read_all_freshly()
        claims = await life.claim(limit=1)
        if not claims:
            return False
        outcome = await life.reserve(claims[0])
        if isinstance(outcome, sending.Reserved):
            await life.begin(outcome)
            await life.confirm(outcome)
            life.later(minutes=4)
            return True
    return False


async def suppress(life, scene) -> None:
    """Suppress the scene's person by hand."""
    await life.store.write(
        suppressions.suppress_address,
        workspace_id=scene.workspace.id,
        address=scene.lead.email,
        reason="manual",
        source="asked on the phone",
        now=life.now,
        tombstone_key=KEYS.tombstone,
    )
