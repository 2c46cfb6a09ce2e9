"""A mailbox that is removed, or breaks, with messages under way: nobody is lost with it and nothing leaves twice."""

import pytest

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.core.mailbox import MailboxStatus
from relance.services import enrollments, explaining, housekeeping, mailboxes, reconciling, rescuing, sending
from relance.services.refusals import RefusedError
from relance.testing import letters
from relance.testing.builders import KEYS
from services.life import WORKER


async def remove(life, scene):
    """Remove the mailbox."""
    await life.store.write(mailboxes.remove, await life.box(scene.box), now=life.now)


async def refuse_login(life, scene):
    """Let the mailbox's login be refused."""
    await life.store.write(
        mailboxes.reading_failed,
        workspace_id=scene.workspace.id,
        mailbox_id=scene.box.id,
        status=MailboxStatus.AUTH_ERROR,
        error="535 no",
        now=life.now,
    )


async def lose_server(life, scene):
    """Let the mailbox's server be out of reach."""
    await life.store.write(
        mailboxes.reading_failed,
        workspace_id=scene.workspace.id,
        mailbox_id=scene.box.id,
        status=MailboxStatus.UNREACHABLE,
        error="timed out",
        now=life.now,
    )


gone = pytest.mark.parametrize("breaks", [remove, refuse_login, lose_server])


async def opens(life, box):
    """Whether a mailbox's credentials are still there."""
    try:
        return bool(await life.store.read(mailboxes.sealed_credentials, box))
    except RefusedError:
        return False


@gone
async def test_what_was_reserved_gives_its_slot_back_and_another_mailbox_sends_it(life, breaks):
    """No lead is burnt: a person who was never written to is free to go elsewhere."""
    scene = await life.scene()
    reserved = await life.reserved()
    await breaks(life, scene)
    outcome = await life.begin(reserved)
    (returned,) = await life.attempts(scene.run)
    run = await life.again(scene.run)
    other = await life.mailbox(scene, "al@acme.example")
    sent = await life.reserved()

    assert isinstance(outcome, sending.Withheld)
    assert (AttemptStatus.RESERVED, False, 0) == (returned.status, returned.holds_slot, await life.used(scene.box))
    assert (EnrollmentStatus.ACTIVE, None, None) == (run.status, run.mailbox_id, run.lock_holder)
    assert other.id == sent.mailbox.id
    assert 1 == await life.used(other)


async def test_what_a_dead_sender_had_reserved_on_a_removed_mailbox_goes_to_another(life):
    """The rescuer frees row and slot."""
    scene = await life.scene()
    reserved = await life.reserved()
    await remove(life, scene)
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(rescuing.take_over, **ids, holder=reserved.enrollment.lock_holder)
    other = await life.mailbox(scene, "al@acme.example")

    assert 0 == await life.used(scene.box)
    assert other.id == (await life.reserved()).mailbox.id


async def test_who_was_thought_dead_and_comes_back_leaves_the_row_to_any_mailbox(life):
    """Its slot was given back by another hand meanwhile: nothing leaves, and the row is not kept for its mailbox."""
    scene = await life.scene()
    reserved = await life.reserved()
    await life.store.write(rescuing.return_slot, reserved.attempt)
    outcome = await life.begin(reserved)
    row = await life.again(scene.run)

    assert isinstance(outcome, sending.Withheld)
    assert (None, None, 0) == (row.mailbox_id, row.lock_holder, await life.used(scene.box))


@gone
async def test_what_is_in_flight_is_recorded(life, breaks):
    """The server said yes: the step is done, whatever became of the mailbox meanwhile."""
    scene = await life.scene()
    reserved, _ = await life.begun()
    await breaks(life, scene)
    await life.confirm(reserved)
    run = await life.again(scene.run)

    assert [AttemptStatus.SENT] == [one.status for one in await life.attempts(scene.run)]
    assert ("bump", EnrollmentStatus.ACTIVE) == (run.step, run.status)


async def test_an_unknown_outcome_is_looked_for_though_the_mailbox_was_removed(life):
    """Its credentials are forgotten only when nothing is looked for any more."""
    scene = await life.scene()
    _, lost = await life.lost()
    await remove(life, scene)
    kept = await opens(life, scene.box)
    (due,) = await life.store.read(reconciling.due, now=life.now, limit=10)
    ids = {"workspace_id": scene.workspace.id, "attempt_id": lost.id}
    await life.store.write(sending.settle_sent, **ids, by="found in Sent", now=life.now)
    await life.store.write(housekeeping.prune, now=life.now)

    assert (True, False) == (kept, await opens(life, scene.box))
    assert (lost.id, MailboxStatus.REMOVED) == (due.attempt.id, due.mailbox.status)
    assert "bump" == (await life.again(scene.run)).step


async def flying(life):
    """Let the first message be on the wire."""
    _, attempt = await life.begun()
    return attempt


async def lost(life):
    """Let nobody know whether the first message left."""
    _, attempt = await life.lost()
    return attempt


@pytest.mark.parametrize("written", [flying, lost])
async def test_who_may_have_been_written_to_stays_with_the_mailbox_until_that_is_known(life, written):
    """Its message did leave, as it turns out: a follow-up from another one would be a stranger's."""
    scene = await life.scene()
    attempt = await written(life)
    await remove(life, scene)
    await life.mailbox(scene, "al@acme.example")
    meanwhile = (await life.again(scene.run)).mailbox_id
    if attempt.status is AttemptStatus.IN_FLIGHT:
        await life.lose(attempt)
    ids = {"workspace_id": scene.workspace.id, "attempt_id": attempt.id}
    await life.store.write(sending.settle_sent, **ids, by="found in Sent", now=life.now)
    life.later(days=5)
    await life.read_all_freshly()

    assert (scene.box.id, []) == (meanwhile, await life.claim())
    assert ("bump", scene.box.id) == ((await life.again(scene.run)).step, (await life.again(scene.run)).mailbox_id)


async def test_credentials_outlive_a_message_in_flight(life):
    """What becomes of it may have to be looked up."""
    scene = await life.scene()
    reserved, _ = await life.begun()
    await remove(life, scene)
    kept = await opens(life, scene.box)
    await life.confirm(reserved)
    await life.store.write(housekeeping.prune, now=life.now)

    assert (True, False) == (kept, await opens(life, scene.box))


async def test_a_removal_forgets_the_credentials_where_nothing_is_looked_for(life):
    """At once. So does one whose lost outcome only a person can settle."""
    scene = await life.scene()
    await life.lost()
    (due,) = await life.store.read(reconciling.due, now=life.now, limit=10)
    await life.store.write(reconciling.leave_to_others, due, why="no Sent folder")
    await remove(life, scene)

    assert not await opens(life, scene.box)


async def test_a_connected_mailbox_keeps_its_credentials(life):
    """The housekeeper takes those of removed ones only."""
    scene = await life.scene()
    await life.store.write(housekeeping.prune, now=life.now)

    assert await opens(life, scene.box)


@pytest.mark.parametrize("removed_first", [True, False])
async def test_what_turns_out_not_to_have_left_a_removed_mailbox_goes_to_another(life, removed_first):
    """Whichever came first, the removal or the knowledge: nobody is left behind with a mailbox that is gone."""
    scene = await life.scene()
    _, lost = await life.lost()
    ids = {"workspace_id": scene.workspace.id, "attempt_id": lost.id}
    if removed_first:
        await remove(life, scene)
    life.later(hours=1)
    await life.store.write(sending.settle_failed, **ids, by="not in Sent", now=life.now)
    if not removed_first:
        await remove(life, scene)
    other = await life.mailbox(scene, "al@acme.example")
    sent = await life.reserved()

    assert other.id == sent.mailbox.id
    assert (AttemptStatus.RESERVED, 0) == (sent.attempt.status, await life.used(scene.box))


@gone
async def test_a_follow_up_waits_for_its_mailbox_and_says_so(life, breaks):
    """It stays where the thread began. Connected again, the mailbox sends it."""
    scene = await life.scene()
    await life.send()
    await breaks(life, scene)
    await life.mailbox(scene, "al@acme.example")
    life.later(days=2)
    await try_to_send(life)
    ids = {"workspace_id": scene.workspace.id, "email": scene.lead.email, "sequence_name": None}
    facts = await life.store.read(explaining.explain, **ids, keys=KEYS, now=life.now)
    (run,) = facts["enrollments"]
    sent_meanwhile = [one.step for one in await life.attempts(scene.run) if one.status is AttemptStatus.SENT]
    await reconnect(life, scene)
    life.later(hours=2)
    await life.send()

    assert ["intro"] == sent_meanwhile
    assert ("active", "bump") == (run["status"], run["step"])
    assert any(gate["verdict"] == "defer" and gate["gate"] in {"mailbox", "reply_freshness"} for gate in run["gates"])
    assert ["intro", "bump"] == [one.step for one in await life.attempts(scene.run)]


async def try_to_send(life):
    """Do a pass whose reads fail."""
    for claimed in await life.claim():
        if isinstance(await life.reserve(claimed), sending.Unread):
            ids = {"workspace_id": claimed.workspace_id, "enrollment_id": claimed.enrollment_id}
            await life.store.write(sending.put_off_unread, **ids, worker=WORKER, now=life.now)


async def reconnect(life, scene):
    """Connect a mailbox again, or repair it."""
    box = await life.box(scene.box)
    if box.status is MailboxStatus.REMOVED:
        await life.store.write(mailboxes.add, box, sealed=b"new", now=life.now)
    else:
        await life.store.write(mailboxes.change, box, sealed=b"new")


async def test_an_answer_that_is_understood_after_the_removal_still_ends_the_run(life):
    """It was fetched a moment before."""
    scene = await life.scene()
    raw = await life.send()
    await remove(life, scene)
    await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert EnrollmentStatus.STOPPED is (await life.again(scene.run)).status


async def test_a_removal_frees_who_is_paused_too(life):
    """Resumed later, they go to another mailbox."""
    scene = await life.scene()
    reserved = await life.reserved()
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.pause, **ids, cause="by hand", now=life.now)
    await life.begin(reserved)
    await remove(life, scene)
    await life.store.write(enrollments.resume, **ids, cause="by hand", now=life.now)
    other = await life.mailbox(scene, "al@acme.example")

    assert other.id == (await life.reserved()).mailbox.id
