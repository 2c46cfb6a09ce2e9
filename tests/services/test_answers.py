"""What comes in, and what it does: to the run it answers, to the person, to the company, to the mailbox."""

from datetime import UTC, datetime, timedelta

import pytest

from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.mailbox import MailboxStatus
from relance.core.sequence import OnReply, StopScope
from relance.core.suppression import tombstone_of
from relance.ports.connector import FolderRole
from relance.services import answers, enrollments, health, ingestion, sequences
from relance.services.ingestion import Ingested
from relance.testing import builders, letters
from relance.testing.builders import KEYS, email

ACTIVE, STOPPED = EnrollmentStatus.ACTIVE, EnrollmentStatus.STOPPED


async def test_a_reply_stops_the_run_it_answers(life):
    """With its evidence in the history, and when it came in on the row."""
    scene = await life.scene()
    raw = await life.send()
    answer = letters.reply(raw, at=life.now)
    became = await life.receive(scene.box, answer)
    run, entry = await life.again(scene.run), (await life.history(scene.run))[-1]

    assert Ingested.APPLIED is became
    assert (STOPPED, StopReason.REPLIED, life.now, life.now) == (
        run.status,
        run.stop_reason,
        run.replied_at,
        run.last_inbound_at,
    )
    assert f"message {letters.message_id_of(answer)} matched by In-Reply-To" == entry.cause


async def test_a_reply_to_a_paused_enrollment_ends_it(life):
    """Whoever answers is left alone, although an operator had paused them."""
    scene = await life.scene()
    raw = await life.send()
    await pause(life, scene)
    await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason


async def test_a_reply_after_completion_is_recorded(life):
    """It still counts, and moves nothing."""
    scene = await life.scene(email("only", subject="Hello"))
    raw = await life.send()
    life.later(days=30)
    became = await life.receive(scene.box, letters.reply(raw, at=life.now))
    run, entry = await life.again(scene.run), (await life.history(scene.run))[-1]

    assert Ingested.APPLIED is became
    assert (EnrollmentStatus.COMPLETED, life.now) == (run.status, run.replied_at)
    assert ("completed", "completed", "reply.received") == (entry.from_status, entry.to_status, entry.event)


async def test_a_second_reply_is_recorded_too(life):
    """The first one decided; when it came stays."""
    scene = await life.scene()
    raw = await life.send()
    first_at = life.now
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    life.later(hours=1)
    await life.receive(scene.box, letters.reply(raw, at=life.now, text="One more thing."))
    run = await life.again(scene.run)

    assert (first_at, life.now) == (run.replied_at, run.last_inbound_at)
    assert ["reply.received"] * 2 == [e.event for e in await life.history(scene.run)][-2:]


async def test_a_reply_to_an_older_step_stops_the_run(life):
    """Every message of the thread is one of ours."""
    scene = await life.scene()
    first = await life.send()
    life.later(days=1)
    await life.send()
    await life.receive(scene.box, letters.reply(first, at=life.now))

    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason


async def test_an_answer_from_another_address_in_the_same_thread_counts(life):
    """An assistant answers for the person; References alone name the message."""
    scene = await life.scene()
    raw = await life.send()
    other = letters.reply(raw, at=life.now, sender="assistant@elsewhere.example", references_only=True)
    became = await life.receive(scene.box, other)
    entry = (await life.history(scene.run))[-1]

    assert Ingested.APPLIED is became
    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason
    assert "matched by References" in entry.cause


async def test_who_answers_in_anothers_thread_has_answered_for_both(life):
    """Two people that we wrote to in one thread: the other one's run ends too, and the message is kept once."""
    scene = await life.scene()
    raw = await life.send()
    colleague = await life.person(scene, "bob@other.example")
    life.later(hours=1)
    await life.send()
    answer = letters.reply(raw, at=life.now, sender="bob@other.example")
    became = await life.receive(scene.box, answer)
    kept = await life.store.read(answers.incoming, workspace_id=scene.workspace.id, limit=10)

    assert Ingested.APPLIED is became
    assert [StopReason.REPLIED] * 2 == [(await life.again(run)).stop_reason for run in (scene.run, colleague)]
    assert "matched by the sender's address" in (await life.history(colleague))[-1].cause
    assert 1 == len(kept)


async def test_a_copy_through_a_mailing_list_is_an_answer_once_more_and_changes_nothing(life):
    """The person answered to us and to a list that we read: other bytes, the same person, a run that has ended."""
    scene = await life.scene()
    raw = await life.send()
    answer = letters.reply(raw, at=life.now)
    copy = answer.replace(b"Subject: ", b"List-Id: <team.example.net>\r\nPrecedence: list\r\nSubject: ", 1)
    became = [await life.receive(scene.box, mail) for mail in (answer, copy)]
    run = await life.again(scene.run)

    assert [Ingested.APPLIED] * 2 == became
    assert (STOPPED, StopReason.REPLIED) == (run.status, run.stop_reason)


async def test_a_report_about_a_domain_s_signatures_stops_nobody(life):
    """An authentication failure report (RFC 6591) comes in the form of a complaint, and nobody complains."""
    scene = await life.scene()
    raw = await life.send()
    told = letters.complaint(raw, at=life.now).replace(b"Feedback-Type: abuse", b"Feedback-Type: auth-failure")
    await life.receive(scene.box, told)

    assert STOPPED is not (await life.again(scene.run)).status
    assert [] == await life.suppressed(scene.workspace)


async def test_a_reply_ends_the_persons_runs_in_every_sequence(life):
    """By default a human answer is for all of us."""
    scene = await life.scene()
    other = await life.scene(name="other")
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert [StopReason.REPLIED] * 2 == [(await life.again(run)).stop_reason for run in (scene.run, other.run)]


@pytest.mark.parametrize(
    "scope, ended",
    [
        (StopScope.ENROLLMENT, {"answered"}),
        (StopScope.LEAD, {"answered", "same person"}),
        (StopScope.COMPANY, {"answered", "same person", "colleague"}),
    ],
)
async def test_the_stop_scope_says_whose_runs_end(life, scope, ended):
    """This run, the person, or everyone at the company."""
    scene = await life.scene(stop_scope=scope)
    raw = await life.send()
    runs = {
        "answered": scene.run,
        "same person": (await life.scene(name="other")).run,
        "colleague": await life.person(scene, "colleague@lead.example"),
        "stranger": await life.person(scene, "stranger@else.example"),
    }
    await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert ended == {name for name, run in runs.items() if (await life.again(run)).status is STOPPED}


async def test_a_company_is_not_everybody_at_a_public_provider(life):
    """Ten thousand strangers share gmail.com."""
    scene = await life.scene(email="ann@gmail.com", stop_scope=StopScope.COMPANY)
    raw = await life.send()
    same = await life.scene(email="ann@gmail.com", name="other")
    stranger = await life.person(scene, "stranger@gmail.com")
    await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert STOPPED is (await life.again(scene.run)).status
    assert STOPPED is (await life.again(same.run)).status
    assert ACTIVE is (await life.again(stranger)).status


async def test_a_colleague_answers_for_the_company_where_the_sequence_says_so(life):
    """Without naming our message; where it does not say so, it is an ordinary message of a stranger."""
    scene = await life.scene(stop_scope=StopScope.COMPANY)
    await life.send()
    mail = letters.write(
        sender="boss@lead.example", to=scene.box.address, subject="Your mail to Ann", text="Call me.", at=life.now
    )
    became = await life.receive(scene.box, mail)
    other = await life.scene(email="zoe@third.example", name="narrow")
    await life.send()
    narrow = letters.write(
        sender="boss@third.example", to=scene.box.address, subject="Hello", text="Call me.", at=life.now
    )

    assert Ingested.APPLIED is became
    assert STOPPED is (await life.again(scene.run)).status
    assert Ingested.IGNORED is await life.receive(scene.box, narrow)
    assert STOPPED is not (await life.again(other.run)).status


@pytest.mark.parametrize(
    "policy, status, hold_reason",
    [(OnReply.PAUSE, EnrollmentStatus.PAUSED, None), (OnReply.HOLD, EnrollmentStatus.HELD, "replied")],
)
async def test_the_reply_policy_sets_aside_instead_of_stopping(life, policy, status, hold_reason):
    """All runs of the person, and both keep their due time; a second answer leaves them so."""
    scene = await life.scene(on_reply=policy)
    other = await life.scene(name="other")
    raw = await life.send()
    for _ in range(2):
        await life.receive(scene.box, letters.reply(raw, at=life.now))
        life.later(minutes=1)
    runs = [await life.again(scene.run), await life.again(other.run)]

    assert [(status, hold_reason)] * 2 == [(run.status, run.hold_reason) for run in runs]
    assert all(run.next_due_at is not None for run in runs)


async def test_a_reply_enrolls_elsewhere_where_the_policy_says_so(life):
    """Stopped here, started there."""
    first = await life.scene(email="other@lead.example", name="nurture")
    scene = await life.scene(on_reply=OnReply.ENROLL, reply_sequence="nurture")
    await enrollments_done(life, first)
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    nurture = await life.store.read(builders.enrollment_of, scene.workspace, scene.lead, "nurture")

    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason
    assert (ACTIVE, "intro") == (nurture.status, nurture.step)


async def test_a_reply_sequence_that_was_archived_since_stops_all_the_same(life):
    """The answer is not lost because its follow-up is."""
    first = await life.scene(email="other@lead.example", name="nurture")
    scene = await life.scene(on_reply=OnReply.ENROLL, reply_sequence="nurture")
    await enrollments_done(life, first)
    await life.store.write(
        sequences.archive, workspace_id=scene.workspace.id, name="nurture", stop_active=True, now=life.now
    )
    raw = await life.send()
    became = await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert Ingested.APPLIED is became
    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason


async def test_an_absence_notice_changes_nothing_by_default(life):
    """Machine mail never answers for a person."""
    scene = await life.scene()
    raw = await life.send()
    before = await life.again(scene.run)
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I am back on December 10, 2026."))
    after = await life.again(scene.run)

    assert (before.status, before.next_due_at, None) == (after.status, after.next_due_at, after.replied_at)
    assert life.now == after.last_inbound_at
    assert (await life.lead(scene.lead)).hold_until is None


async def test_a_return_date_holds_the_person_where_the_policy_says_so(life):
    """The hold is the person's, in all sequences; the step's own due time stays."""
    scene = await life.scene(on_auto_reply="hold_until_return")
    other = await life.scene(name="other")
    raw = await life.send()
    before = await life.again(scene.run)
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I will be back on December 10, 2026."))
    lead = await life.lead(scene.lead)
    life.later(days=2)
    await life.read_all_freshly()
    outcomes = [await life.reserve(claimed) for claimed in await life.claim()]
    waiting = [await life.again(run) for run in (scene.run, other.run)]

    assert datetime(2026, 12, 10, tzinfo=UTC) == lead.hold_until
    assert before.next_due_at == (await life.again(scene.run)).next_due_at
    assert outcomes
    assert {None, "lead_hold"} >= {run.last_skip_reason for run in waiting}


async def test_who_is_gone_for_good_is_not_waited_for(life):
    """Retired is not on holiday: stopped, not held."""
    scene = await life.scene(on_auto_reply="hold_until_return")
    raw = await life.send()
    text = "I have left the company and this address is no longer in use."
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text=text))

    assert StopReason.NO_LONGER_THERE is (await life.again(scene.run)).stop_reason


async def test_a_hard_bounce_stops_the_person_and_suppresses_the_address(life):
    """In every sequence of the workspace."""
    scene = await life.scene()
    other = await life.scene(name="other")
    raw = await life.send()
    await life.receive(scene.box, letters.bounce(raw, at=life.now))
    runs = [await life.again(scene.run), await life.again(other.run)]

    assert [StopReason.BOUNCED] * 2 == [run.stop_reason for run in runs]
    assert [("ann@lead.example", "hard_bounce")] == await life.suppressed(scene.workspace)
    assert life.now == runs[0].bounced_at


async def test_a_bounce_counts_once_and_for_the_mailbox_that_sent(life):
    """The person's run in another sequence ends too, but its mailbox has sent nothing that bounced."""
    scene = await life.scene()
    await life.scene(name="other")
    raw = await life.send()
    await life.receive(scene.box, letters.bounce(raw, at=life.now))
    examined = await life.store.read(lambda reader: health.examine(reader, scene.box, now=life.now))

    assert 1 == examined.record.bounces


async def test_soft_bounces_are_counted_to_their_threshold(life):
    """The third one stops; full mailboxes are not suppressed."""
    scene = await life.scene(email("a", subject="A"), email("b", "1h"), email("c", "1h"), email("d", "1h"))
    seen = []
    for _ in range(3):
        raw = await life.send()
        full = letters.bounce(raw, at=life.now, status="4.2.2", diagnostic="452 4.2.2 mailbox full")
        await life.receive(scene.box, full)
        run = await life.again(scene.run)
        seen.append((run.soft_bounces, run.status))
        life.later(hours=1)

    assert [(1, ACTIVE), (2, ACTIVE), (3, STOPPED)] == seen
    assert StopReason.BOUNCED is (await life.again(scene.run)).stop_reason
    assert [] == await life.suppressed(scene.workspace)


async def test_a_block_rests_the_mailbox_and_leaves_the_person(life):
    """`blocked, S3150` is the sender's problem, never the person's."""
    scene = await life.scene()
    raw = await life.send()
    diagnostic = "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. blocked (S3150)"
    await life.receive(scene.box, letters.bounce(raw, at=life.now, status="5.7.1", diagnostic=diagnostic))
    box, run = await life.box(scene.box), await life.again(scene.run)

    assert (ACTIVE, None) == (run.status, run.stop_reason)
    assert [] == await life.suppressed(scene.workspace)
    assert MailboxStatus.ACTIVE is box.status
    assert box.skip_until >= life.now + timedelta(minutes=59)


async def test_a_fault_of_the_domain_rests_all_its_mailboxes(life):
    """What SPF, DKIM or DMARC refuse for one, they refuse for all; another domain's mailbox goes on."""
    scene = await life.scene()
    domain = scene.box.address.partition("@")[2]
    sister = await life.mailbox(scene, f"second@{domain}")
    stranger = await life.mailbox(scene, "box@elsewhere.example")
    raw = await life.send()
    refused = letters.bounce(raw, at=life.now, status="5.7.26", diagnostic="550 5.7.26 the sender is unauthenticated")
    await life.receive(scene.box, refused)
    rests = [(await life.box(box)).skip_until is not None for box in (scene.box, sister, stranger)]

    assert [True, True, False] == rests
    assert ACTIVE is (await life.again(scene.run)).status


async def test_who_left_for_good_is_stopped_with_where_they_are_now(life):
    """Nobody is written to because of it: a person reads it in the history."""
    scene = await life.scene()
    raw = await life.send()
    text = "I no longer work here. My new e-mail address is ann@new.example. Please contact cy@lead.example instead."
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text=text))
    cause = (await life.history(scene.run))[-1].cause

    assert StopReason.NO_LONGER_THERE is (await life.again(scene.run)).stop_reason
    assert cause.endswith("; now at ann@new.example; names cy@lead.example")


async def test_a_delay_notice_changes_nothing(life):
    """The server is still trying."""
    scene = await life.scene()
    raw = await life.send()
    notice = letters.bounce(raw, at=life.now, action="delayed", status="4.4.1", diagnostic="connection timed out")
    await life.receive(scene.box, notice)
    run = await life.again(scene.run)

    assert (ACTIVE, 0) == (run.status, run.soft_bounces)


async def test_an_opt_out_by_mail_stops_everywhere_and_is_kept_for_good(life):
    """Every run, a suppression, and a line in the opt-out log, for both addresses."""
    scene = await life.scene()
    other = await life.scene(name="other")
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now, text="STOP", sender="private@else.example"))
    ids = {"workspace_id": scene.workspace.id}
    digests = [tombstone_of(a, KEYS.tombstone) for a in ("ann@lead.example", "private@else.example")]
    logged = await life.store.read(lambda r: r.all(str, "opt_outs.known", **ids, digests_list=digests))

    assert [StopReason.UNSUBSCRIBED] * 2 == [(await life.again(run)).stop_reason for run in (scene.run, other.run)]
    assert {("ann@lead.example", "unsubscribed"), ("private@else.example", "unsubscribed")} == set(
        await life.suppressed(scene.workspace)
    )
    assert set(digests) == set(logged)


async def test_an_unsubscribe_button_opts_out(life):
    """Mail programs write no In-Reply-To: the sender's address names the person."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.unsubscribe(raw, at=life.now))

    assert StopReason.UNSUBSCRIBED is (await life.again(scene.run)).stop_reason


async def test_an_opt_out_of_somebody_unknown_is_kept_too(life):
    """Perhaps we know them under another name."""
    scene = await life.scene()
    mail = letters.write(
        sender="who@else.example", to=scene.box.address, subject="unsubscribe", text="unsubscribe", at=life.now
    )
    await life.receive(scene.box, mail)

    assert [("who@else.example", "unsubscribed")] == await life.suppressed(scene.workspace)


async def test_a_complaint_stops_everywhere_and_suppresses(life):
    """The person pressed `spam`."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.complaint(raw, at=life.now))

    assert StopReason.COMPLAINED is (await life.again(scene.run)).stop_reason
    assert [("ann@lead.example", "complained")] == await life.suppressed(scene.workspace)


async def test_what_the_owner_writes_by_hand_stops_the_run(life):
    """Seen in Sent; nobody wants a machine's follow-up after that."""
    scene = await life.scene()
    await life.send()
    by_hand = letters.write(
        sender=scene.box.address, to="ann@lead.example", subject="Lunch?", text="Today at one?", at=life.now
    )
    became = await life.receive(scene.box, by_hand, folder="Sent")

    assert Ingested.APPLIED is became
    assert StopReason.MANUAL_REPLY is (await life.again(scene.run)).stop_reason
    assert (await life.again(scene.run)).replied_at is None


async def test_own_mailboxes_are_never_a_lead(life):
    """Also if one of them was imported, and whatever it writes into whatever thread."""
    scene = await life.scene()
    other = await life.mailbox(scene, "colleague@acme.example", aliases=("alias@acme.example",))
    raw = await life.send()
    answer = letters.reply(raw, at=life.now, sender="alias@acme.example")
    became = await life.receive(scene.box, answer)

    assert Ingested.IGNORED is became
    assert ACTIVE is (await life.again(scene.run)).status
    assert other.id != scene.box.id


async def test_the_same_bytes_in_two_folders_act_once(life):
    """Gmail shows a message in INBOX and in All Mail."""
    scene = await life.scene(email("a", subject="A"), email("b", "1h"))
    raw = await life.send()
    full = letters.bounce(raw, at=life.now, status="4.2.2", diagnostic="452 4.2.2 mailbox full")
    first = await life.receive(scene.box, full)
    second = await life.receive(scene.box, full, folder="All Mail", role=FolderRole.ALL)

    assert (Ingested.APPLIED, Ingested.KNOWN) == (first, second)
    assert 1 == (await life.again(scene.run)).soft_bounces


async def test_two_messages_that_no_server_handed_over_are_two(life):
    """They are recorded empty, and a person looks at each of them."""
    scene = await life.scene(email("a", subject="A"), email("b", "1h"))
    ids = {"workspace_id": scene.workspace.id}
    for _ in range(2):
        await life.stage(scene.box, b"", folder="INBOX", role=None)
        (staged,) = await life.store.read(ingestion.staged_of, **ids, mailbox_id=scene.box.id, limit=100)
        await life.store.write(ingestion.shelve, staged=staged, error="not handed over", keys=KEYS, now=life.now)
    kept = await life.store.read(answers.incoming, **ids, limit=10)

    assert 2 == len(kept)


async def test_a_hand_written_message_in_two_folders_acts_once(life):
    """In Sent and in All Mail."""
    scene = await life.scene(on_manual_reply="continue")
    await life.send()
    by_hand = letters.write(sender=scene.box.address, to="ann@lead.example", subject="Hi", text="Hi", at=life.now)
    await life.receive(scene.box, by_hand, folder="All Mail", role=FolderRole.ALL)
    once = await life.history(scene.run)
    became = await life.receive(scene.box, by_hand, folder="Sent")

    assert Ingested.KNOWN is became
    assert once == await life.history(scene.run)


async def test_strangers_mail_is_not_kept(life):
    """Kept is what was matched, machine mail about a send, and what known leads write."""
    scene = await life.scene()
    await life.store.write(builders.lead, scene.workspace, "known@else.example")
    raw = await life.send()
    stranger = letters.write(
        sender="aunt@home.example", to=scene.box.address, subject="Sunday", text="Cake?", at=life.now
    )
    known = letters.write(sender="known@else.example", to=scene.box.address, subject="Hello", text="Hello", at=life.now)
    notice = letters.bounce(raw.replace(b"ann@lead.example", b"nobody@else.example"), at=life.now, original=False)
    became = [await life.receive(scene.box, mail) for mail in (stranger, known, notice)]
    kept = await life.store.read(answers.incoming, workspace_id=scene.workspace.id, limit=10)

    assert [Ingested.IGNORED, Ingested.KEPT, Ingested.KEPT] == became
    assert ["hard_bounce", "ordinary"] == sorted(one.kind for one in kept)


async def test_a_report_without_an_id_is_matched_by_the_address_that_failed(life):
    """Never by who sent it: that is a server."""
    scene = await life.scene()
    raw = await life.send()
    became = await life.receive(scene.box, letters.bounce(raw, at=life.now, original=False))

    assert Ingested.APPLIED is became
    assert StopReason.BOUNCED is (await life.again(scene.run)).stop_reason


async def test_nothing_crosses_the_border_of_a_workspace(life):
    """Two tenants write to the same person: an answer, an opt-out and a report touch one of them only."""
    ours = await life.scene(workspace="acme")
    raw = await life.send()
    theirs = await life.scene(workspace="rival")
    await life.send()
    await life.receive(ours.box, letters.bounce(raw, at=life.now, original=False))
    await life.receive(ours.box, letters.unsubscribe(raw, at=life.now))

    assert STOPPED is (await life.again(ours.run)).status
    assert ACTIVE is (await life.again(theirs.run)).status
    assert [] == await life.suppressed(theirs.workspace)
    assert [] != await life.suppressed(ours.workspace)


async def test_an_answer_that_reaches_the_wrong_tenants_mailbox_touches_neither(life):
    """Ids of one workspace mean nothing in another."""
    ours = await life.scene(workspace="acme")
    raw = await life.send()
    theirs = await life.scene(workspace="rival", email="other@lead.example")
    stray = letters.reply(raw, at=life.now, sender="stranger@else.example")
    became = await life.receive(theirs.box, stray)

    assert Ingested.IGNORED is became
    assert ACTIVE is (await life.again(ours.run)).status
    assert ACTIVE is (await life.again(theirs.run)).status


async def test_a_message_and_its_cursor_are_stored_together_and_once(life):
    """Fetching the same message again after a lost cursor stages it once."""
    scene = await life.scene()
    mail = letters.write(sender="a@b.example", to=scene.box.address, subject="x", text="y", at=life.now)
    await life.stage(scene.box, mail, uid=7)
    await life.stage(scene.box, mail, uid=7)
    ids = {"workspace_id": scene.workspace.id, "mailbox_id": scene.box.id}

    assert 1 == len(await life.store.read(ingestion.staged_of, **ids, limit=9))


async def pause(life, scene) -> None:
    """Pause the scene's run by hand."""
    await life.store.write(
        enrollments.pause,
        workspace_id=scene.workspace.id,
        enrollment_id=scene.run.id,
        cause="by hand",
        now=life.now,
    )


async def enrollments_done(life, scene) -> None:
    """Stop a run that is not what the test is about."""
    await life.store.write(
        enrollments.stop,
        workspace_id=scene.workspace.id,
        enrollment_id=scene.run.id,
        cause="not what this is about",
        now=life.now,
    )
