"""An older state was put back: it is noticed, nothing is sent before it was read back, and nothing is guessed."""

from dataclasses import replace
from datetime import timedelta

import pytest

from relance.core import identifiers
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.suppression import tombstone_of
from relance.ports.generation import Generation
from relance.ports.journal import OptOut
from relance.services import (
    enrollments,
    generations,
    leasing,
    limits,
    mailboxes,
    recovering,
    reports,
    sending,
    walking,
    workspaces,
)
from relance.services.generations import Counted
from relance.services.refusals import RefusedError
from relance.testing import letters
from relance.testing.builders import KEYS, email, wait

FILE = Generation(installation="here", number=5, server="")


def _copy(life, scene, counter: int, *, to: str | None = None, uid: str | None = None) -> bytes:
    """Return a message of ours as it lies in Sent."""
    run_uid = uid or scene.run.uid
    return letters.write(
        sender=scene.box.address,
        to=to or scene.lead.email,
        subject="Question",
        text="Hello Ann",
        at=life.now,
        message_id=identifiers.message_id(KEYS.message_id, run_uid, counter, scene.box.domain),
        more=(identifiers.trace_header(KEYS.trace, run_uid, counter),),
    )


async def _recover(life, *, alive_at=None) -> None:
    """Let every mailbox recover."""
    await life.store.write(recovering.enter, alive_at=alive_at, why="an older state was put back", now=life.now)


async def _read_back(life, box, *, sent_folder: bool = True, shows_known: bool = True):
    """Read a mailbox back for the last time."""
    life.later(minutes=15)
    found = {"sent_folder": sent_folder, "shows_known": shows_known}
    of_now = {**found, "began_at": life.now, "now": life.now}
    return await life.store.write(recovering.sent_read_back, await life.box(box), **of_now)


async def _finish(life, box) -> bool:
    """Let a mailbox go that was read back."""
    await _read_back(life, box)
    after = await life.box(box)
    finished: bool = await life.store.write(recovering.finish, after, started_at=life.now, now=life.now)
    return finished


async def _count(life, kept: Generation | None) -> Counted:
    """Count once, as an engine does."""
    outcome = await life.store.write(generations.count, kept=kept, worker="w1", now=life.now)
    assert isinstance(outcome, Counted), outcome
    return outcome


async def _installed(life) -> None:
    """Name the installation."""
    await life.store.write(workspaces.ensure_installation, uid="here", now=life.now)


# --- noticing ---


async def test_a_state_that_only_grows_is_not_taken_for_an_older_one(life):
    """Counted at the start and every few seconds, each time a little further, in the database and outside it."""
    await _installed(life)
    scene = await life.scene()
    first = await _count(life, None)
    second = await _count(life, first.generation)

    assert (1, None) == (first.generation.number, first.noticed)
    assert (2, None) == (second.generation.number, second.noticed)
    assert MailboxStatus.ACTIVE is (await life.box(scene.box)).status


async def test_a_state_behind_the_file_is_an_older_one(life):
    """A backup of whatever age was put back, by whatever hand; it is noticed once."""
    await _installed(life)
    scene = await life.scene()
    noticed = await _count(life, FILE)
    again = await _count(life, noticed.generation)

    assert (6, 7) == (noticed.generation.number, again.generation.number)
    assert "older state" in (noticed.noticed or "")
    assert again.noticed is None
    assert MailboxStatus.RECOVERING is (await life.box(scene.box)).status


async def test_another_timeline_is_noticed_whatever_the_number_says(life):
    """A standby that took over may lack the last sends."""
    await _installed(life)
    await life.scene()
    now_known = await _count(life, None)
    same = await _count(life, now_known.generation)
    moved = await _count(life, replace(same.generation, server="another/00000001"))

    assert same.noticed is None
    assert (moved.noticed is not None) == bool(life.url)


async def test_a_database_without_its_file_is_taken_for_an_older_state(life):
    """It was copied to another place. Another installation's file says nothing of it either."""
    await _installed(life)
    await life.scene()
    await _count(life, None)
    alone = await _count(life, None)
    foreign = await _count(life, replace(FILE, installation="elsewhere"))

    assert alone.noticed is not None
    assert foreign.noticed is not None


async def test_a_database_without_its_file_is_current_while_an_engine_works_on_it_elsewhere(life):
    """A second worker joins from a host of its own."""
    await _installed(life)
    await life.scene()
    await _count(life, None)
    await life.store.write(leasing.take_all, owner="elsewhere", lease_seconds=30.0)

    assert (await _count(life, None)).noticed is None


# --- waiting ---


async def test_a_mailbox_is_read_back_to_a_margin_before_the_state(life):
    """And to its own last read, if that is longer ago: what lay unread then is no less an answer."""
    scene = await life.scene()
    other = await life.mailbox(scene, "cleo@acme.example")
    life.later(days=20)
    alive_at = life.now
    ids = {"workspace_id": scene.box.workspace_id, "mailbox_id": scene.box.id}
    await life.store.write(mailboxes.mark_read, **ids, started_at=life.now, now=life.now)
    life.later(days=3)
    await _recover(life, alive_at=alive_at)

    assert alive_at - timedelta(hours=1) == (await life.box(scene.box)).recover_since
    assert other.created_at - timedelta(days=1, hours=1) == (await life.box(other)).recover_since


async def test_nothing_is_claimed_in_a_workspace_while_one_of_its_mailboxes_recovers(life):
    """Who was written to by that one is not known yet, and any other might write to them again."""
    scene = await life.scene()
    other = await life.mailbox(scene, "cleo@acme.example")
    elsewhere = await life.scene(workspace="other", email="zoe@lead.example")
    await _recover(life)
    claimed = [await life.claim()]
    for box in (elsewhere.box, scene.box, other):
        await _finish(life, box)
        claimed.append(await life.claim())

    assert [0, 1, 0, 1] == [len(some) for some in claimed]


async def test_what_was_claimed_before_the_state_changed_is_withheld(life):
    """A standby took over while a message was being written: the last look stops it."""
    await life.scene()
    reserved = await life.reserved()
    await _recover(life)
    outcome = await life.begin(reserved)

    assert isinstance(outcome, sending.Withheld)
    assert "recovery" == outcome.reason


async def test_no_wait_ends_and_no_branch_is_decided_meanwhile(life):
    """A branch asks whether there was an answer, and that is not known yet."""
    scene = await life.scene(wait("rest", "1d"), email("intro", subject="Question"))
    life.later(days=2)
    await _recover(life)
    ids = {"workspace_id": scene.run.workspace_id, "enrollment_id": scene.run.id}
    walked = await life.store.write(walking.walk, **ids, worker="w1", keys=KEYS, now=life.now)

    assert ([], False) == (await life.store.read(walking.due, now=life.now, limit=10), walked)


@pytest.mark.parametrize(
    "before, meanwhile, after",
    [("pause", None, MailboxStatus.PAUSED), (None, "pause", MailboxStatus.PAUSED), ("pause", "resume", "active")],
)
async def test_a_paused_mailbox_is_paused_again_once_it_is_read_back(life, before, meanwhile, after):
    """An operator's word counts before, during and after; it never ends a recovery."""
    scene = await life.scene()

    def say(tx, word):
        box = tx.one(Mailbox, "mailboxes.get", workspace_id=scene.box.workspace_id, id=scene.box.id)
        if word == "pause":
            mailboxes.pause(tx, box, reason="by hand", now=life.now)
        elif word == "resume":
            mailboxes.resume(tx, box, now=life.now)

    await life.store.write(say, before)
    await _recover(life)
    await life.store.write(say, meanwhile)
    during = (await life.box(scene.box)).status
    await _finish(life, scene.box)

    assert (MailboxStatus.RECOVERING, after) == (during, (await life.box(scene.box)).status)


async def test_answers_wait_for_every_sent_folder_of_their_workspace_and_for_no_other(life):
    """What they answer may have left from any of its mailboxes."""
    scene, elsewhere = await life.scene(), await life.scene(email="eve@lead.example", workspace="elsewhere")
    other = await life.mailbox(scene, "zoe@acme.example")
    read = [replace(box, sent_read_back_at=life.now) for box in (scene.box, other, elsewhere.box)]

    assert [read[2]] == recovering.ready_for_answers([read[0], other, read[2]])
    assert read == recovering.ready_for_answers(read)


async def test_a_mailbox_connected_while_others_recover_is_read_back_too(life):
    """It was connected after the backup, and sent since: connected again, it must not be taken for a new one."""
    scene = await life.scene()
    life.later(days=9)
    await _recover(life, alive_at=life.now)
    added = await life.mailbox(scene, "cleo@acme.example")

    assert (MailboxStatus.RECOVERING, (await life.box(scene.box)).recover_since) == (added.status, added.recover_since)


async def test_a_mailbox_that_recovers_is_removed_only_after_a_person_has_decided(life):
    """It may have written to people unknown to this state, whom another mailbox would take over; then it can go."""
    scene = await life.scene()
    other = await life.mailbox(scene, "cleo@acme.example")
    await _recover(life)
    await _finish(life, other)
    before = await life.claim()
    with pytest.raises(RefusedError, match="mailbox recovered"):
        await life.store.write(mailboxes.remove, await life.box(scene.box), now=life.now)
    held = await life.store.write(recovering.decide, await life.box(scene.box), hold=True, now=life.now)
    await life.store.write(mailboxes.remove, await life.box(scene.box), now=life.now)

    assert ([], 1, []) == (before, held, await life.claim())


# --- what was forgotten ---


async def test_opt_outs_come_back_from_their_log(life):
    """By their hash alone, for people who are known and for those who are imported later."""
    scene = await life.scene()
    log = [
        OptOut(
            at=life.now,
            workspace_uid=scene.workspace.uid,
            digest=tombstone_of(who, KEYS.tombstone),
            reason="unsubscribed",
        )
        for who in ("ann@lead.example", "ben@lead.example")
    ]
    replayed = [await life.store.write(recovering.replay_opt_outs, log, now=life.now) for _ in range(2)]
    ben = await life.person(scene, "ben@lead.example")
    cleo = await life.person(scene, "cleo@lead.example")
    for claimed in await life.claim() + await life.claim() + await life.claim():
        await life.reserve(claimed)
        life.later(minutes=5)
    stati = [(await life.again(run)).status for run in (scene.run, ben, cleo)]

    assert [2, 0] == replayed
    assert EnrollmentStatus.SUPPRESSED is stati[0]
    assert EnrollmentStatus.SUPPRESSED is stati[1]
    assert EnrollmentStatus.ACTIVE is stati[2]


async def test_a_step_whose_copy_was_seen_is_never_sent_whatever_the_run_did_meanwhile(life):
    """It was paused in the backup, resumed afterwards and sent twice; a person resumes it again."""
    scene = await life.scene()
    pause = {"workspace_id": scene.run.workspace_id, "enrollment_id": scene.run.id, "cause": "by hand"}
    await life.store.write(enrollments.pause, **pause, now=life.now)
    await _recover(life)
    for counter in (1, 2):
        await life.receive(scene.box, _copy(life, scene, counter), folder="Sent")
    await _finish(life, scene.box)
    await life.store.write(enrollments.resume, **pause, now=life.now)
    life.later(days=2)
    outcome = await life.attempt_to_reserve()
    run = await life.again(scene.run)

    assert isinstance(outcome, sending.Ended)
    assert ("last", 3) == (run.step, run.step_counter)
    assert [(1, AttemptStatus.SENT), (2, AttemptStatus.SENT)] == [
        (attempt.step_counter, attempt.status) for attempt in await life.attempts(scene.run)
    ]


async def test_reserved_proves_nothing_after_a_restore(life):
    """The backup was made between the reservation and the send; the copy in Sent says that it left."""
    scene = await life.scene()
    reserved = await life.reserved()
    await _recover(life)
    await life.receive(scene.box, life.compose(reserved), folder="Sent")

    assert [AttemptStatus.SENT] == [attempt.status for attempt in await life.attempts(scene.run)]
    assert "bump" == (await life.again(scene.run)).step


async def test_what_left_is_counted_for_the_mailbox_that_it_left_from(life):
    """The backup was made between a reservation and its withdrawal; then another mailbox wrote."""
    scene = await life.scene()
    reserved = await life.reserved()
    other = await life.mailbox(scene, "zoe@acme.example")
    await _recover(life)
    life.later(minutes=1)
    await life.receive(other, life.compose(replace(reserved, mailbox=other)), folder="Sent")
    used = await life.store.read(
        lambda reader: [
            limits.used(reader, scene.workspace.id, "mailbox_day", box.id, reserved.attempt.slot_day)
            for box in (scene.box, other)
        ]
    )

    assert [(other.id, True)] == [(a.mailbox_id, a.holds_slot) for a in await life.attempts(scene.run)]
    assert ([0, 1], other.id) == (used, (await life.again(scene.run)).mailbox_id)


async def test_a_follow_up_bears_the_subject_of_a_message_that_only_its_copy_tells_of(life):
    """The restored attempt was reserved, before it was rendered: its subject stands on the copy alone."""
    scene = await life.scene()
    reserved = await life.reserved()
    await _recover(life)
    await life.receive(scene.box, life.compose(reserved), folder="Sent")
    await _finish(life, scene.box)
    life.later(days=9)
    follow_up = await life.reserved()

    assert "Question" == follow_up.thread.subject
    assert b"Subject: Re: Question" in life.compose(follow_up)


async def test_who_was_written_to_and_is_unknown_now_waits_for_a_person(life):
    """Imported and enrolled again later, they are held; and the step that left is not sent to them again."""
    scene = await life.scene()
    uid = identifiers.enrollment_uid(KEYS.message_id, scene.workspace.uid, "q4", "eve@lead.example")
    await _recover(life)
    await life.receive(scene.box, _copy(life, scene, 1, to="eve@lead.example", uid=uid), folder="Sent")
    await _finish(life, scene.box)
    held = await life.person(scene, "eve@lead.example")
    ids = {"workspace_id": held.workspace_id, "enrollment_id": held.id, "cause": "by hand"}
    cause = (await life.history(held))[-1].cause
    await life.store.write(enrollments.resume, **ids, now=life.now)
    for claimed in await life.claim() + await life.claim():
        await life.reserve(claimed)
        life.later(minutes=5)

    assert (EnrollmentStatus.HELD, "written_before_restore") == (held.status, held.hold_reason)
    assert "eve@lead.example" in cause
    assert [(1, AttemptStatus.SENT)] == [(a.step_counter, a.status) for a in await life.attempts(held)]
    assert "bump" == (await life.again(held)).step


async def test_a_message_of_a_mailbox_to_itself_is_nobodys_send(life):
    """A probe bears a mark too."""
    scene = await life.scene()
    await _recover(life)
    await life.receive(scene.box, _copy(life, scene, 1, to=scene.box.address, uid="probe"), folder="Sent")

    assert [] == await life.store.read(lambda reader: reader.all(str, "forgotten_sends.any", workspace_id=1))


async def test_an_answer_to_what_is_unknown_holds_its_sender(life):
    """The message that it answers left a server that keeps no copies: the run must not go on as if nothing had been."""
    scene = await life.scene()
    await _recover(life)
    answer = letters.reply(_copy(life, scene, 1), at=life.now)
    await life.receive(scene.box, answer)
    run = await life.again(scene.run)

    assert (EnrollmentStatus.HELD, "answered_before_restore") == (run.status, run.hold_reason)


async def test_in_ordinary_times_a_letter_from_somebody_not_yet_written_to_holds_nobody(life):
    """It is kept, and that is all."""
    scene = await life.scene()
    await life.receive(scene.box, letters.reply(_copy(life, scene, 1), at=life.now))

    assert EnrollmentStatus.ACTIVE is (await life.again(scene.run)).status


async def test_nothing_is_learned_of_a_server_from_what_is_read_back(life):
    """A copy of which the older state knows nothing may have been filed by Relance itself."""
    scene = await life.scene()
    await life.store.write(lambda tx: mailboxes.change(tx, replace(scene.box, settings={"host": "new"}), sealed=None))
    raw = await life.send()
    await _recover(life)
    await life.receive(scene.box, raw, folder="Sent")

    assert (await life.box(scene.box)).saves_sent is None


# --- a person decides ---


@pytest.mark.parametrize("missing", ["folder", "copies", "knowledge"])
async def test_a_sent_folder_that_proves_nothing_is_left_to_a_person(life, missing):
    """There is none, nothing lies in it that is known to have left, or nobody knows what lies in it by itself."""
    scene = await life.scene()
    raw = await life.send()
    if missing == "knowledge":
        await life.receive(scene.box, raw, folder="Sent")
        await life.store.write(
            lambda tx: mailboxes.change(tx, replace(scene.box, settings={"host": "new"}), sealed=None)
        )
    await _recover(life)
    await _read_back(life, scene.box, sent_folder=missing != "folder", shows_known=missing != "copies")
    box = await life.box(scene.box)
    let_go = await life.store.write(recovering.finish, box, started_at=life.now, now=life.now)
    listed = await life.store.read(reports.stuck, workspace_id=scene.workspace.id, now=life.now)

    assert (False, MailboxStatus.RECOVERING) == (let_go, (await life.box(scene.box)).status)
    assert "relance mailbox recovered bo@acme.example" in (box.status_reason or "")
    assert [("mailbox", "bo@acme.example")] == [(one.kind, one.subject) for one in listed]
    assert "relance mailbox recovered bo@acme.example" in listed[0].remedy


@pytest.mark.parametrize("hold, left", [(True, [EnrollmentStatus.HELD] * 2), (False, [EnrollmentStatus.ACTIVE] * 2)])
async def test_a_person_lets_a_mailbox_go_on(life, hold, left):
    """Whoever was due from it since the backup is held, unless the person has looked; who was not due goes on."""
    scene = await life.scene()
    later = await life.scene(email("much_later", "30d", subject="Hello"), name="slow", email="ben@lead.example")
    other = await life.person(scene, "cleo@lead.example")
    await _recover(life)
    box = await life.box(scene.box)
    held = await life.store.write(recovering.decide, box, hold=hold, now=life.now)
    stati = [(await life.again(run)).status for run in (scene.run, other, later.run)]

    assert [*left, EnrollmentStatus.ACTIVE] == stati
    assert (2 if hold else 0, MailboxStatus.ACTIVE) == (held, (await life.box(scene.box)).status)


async def test_there_is_nothing_to_decide_about_a_mailbox_that_does_not_recover(life):
    """One sentence, and nothing is changed."""
    scene = await life.scene()

    with pytest.raises(RefusedError, match="does not recover"):
        await life.store.write(recovering.decide, scene.box, hold=True, now=life.now)


async def test_leads_who_wait_for_the_reading_back_are_not_stuck(life):
    """`stuck` lists the mailbox that they wait for, and not each of them."""
    scene = await life.scene()
    life.later(hours=1)
    await _recover(life)
    listed = await life.store.read(reports.stuck, workspace_id=scene.workspace.id, now=life.now)

    assert ["mailbox"] == [one.kind for one in listed]
    assert "relance run" in listed[0].remedy
