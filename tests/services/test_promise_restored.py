"""A backup was put back: what left after it was made lies in Sent, and is not sent again."""

from datetime import timedelta

from relance.core import identifiers
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.core.mailbox import MailboxStatus
from relance.services import leads, recovering
from relance.services.ingestion import Ingested
from relance.testing import letters
from relance.testing.builders import KEYS, email, wait


def _copy(life, scene, counter: int) -> bytes:
    """Return a message of ours as it lies in Sent; the database knows nothing of it."""
    uid = scene.run.uid
    return letters.write(
        sender=scene.box.address,
        to=scene.lead.email,
        subject="Question",
        text="Hello Ann",
        at=life.now,
        message_id=identifiers.message_id(KEYS.message_id, uid, counter, scene.box.domain),
        more=(identifiers.trace_header(KEYS.trace, uid, counter),),
    )


async def test_what_left_before_the_backup_was_put_back_is_not_sent_again(life):
    """Its copy says of which step it is; the walk goes on from there, from the mailbox that wrote."""
    scene = await life.scene()
    became = await life.receive(scene.box, _copy(life, scene, 1), folder="Sent")
    run, attempts = await life.again(scene.run), await life.attempts(scene.run)

    assert Ingested.PROOF is became
    assert [(AttemptStatus.SENT, 1, True)] == [(a.status, a.step_counter, a.holds_slot) for a in attempts]
    assert ("bump", 2, scene.box.id, life.now) == (run.step, run.step_counter, run.mailbox_id, run.last_sent_at)
    assert [] == await life.claim()


async def test_a_copy_of_ours_that_is_not_known_puts_everything_into_recovery_once(life):
    """Attempts are written before their messages leave: the database is older, though no number says so."""
    scene = await life.scene()
    other = await life.scene(workspace="other", email="zoe@lead.example")
    life.later(days=3)
    copy = _copy(life, scene, 2)  # of a later step, so that no attempt can be written for it
    left_at = life.now
    first = await life.receive(scene.box, copy, folder="Sent")
    boxes = [await life.box(box) for box in (scene.box, other.box)]
    claimed = await life.claim()
    for box in boxes:
        await life.store.write(recovering.decide, box, hold=False, now=life.now)
    again = await life.receive(scene.box, copy, folder="Sent")

    assert (Ingested.PROOF, Ingested.OWN_COPY) == (first, again)
    assert [MailboxStatus.RECOVERING] * 2 == [box.status for box in boxes]
    assert all(box.recover_since <= left_at - timedelta(hours=1) for box in boxes)
    assert [] == claimed
    assert MailboxStatus.ACTIVE is (await life.box(scene.box)).status


async def test_a_copy_to_somebody_who_was_erased_proves_nothing(life):
    """Their address is nobody's here, so whose the mark is cannot be told; they are suppressed by their hash."""
    scene = await life.scene()
    raw = await life.send()
    ids = {"workspace_id": scene.workspace.id, "email": scene.lead.email}
    await life.store.write(leads.erase, **ids, keys=KEYS, now=life.now)
    await life.receive(scene.box, raw, folder="Sent")
    await life.receive(scene.box, _copy(life, scene, 2), folder="Sent")

    assert MailboxStatus.ACTIVE is (await life.box(scene.box)).status


async def test_waits_between_two_messages_that_left_are_over(life):
    """Both copies are there, so the wait between them has passed."""
    scene = await life.scene(email("intro", subject="Question"), wait("rest", "3d"), email("bump"), email("last", "1d"))
    for counter in (1, 3):
        await life.receive(scene.box, _copy(life, scene, counter), folder="Sent")
    run = await life.again(scene.run)

    assert ("last", 4, EnrollmentStatus.ACTIVE) == (run.step, run.step_counter, run.status)
    assert [1, 3] == [attempt.step_counter for attempt in await life.attempts(scene.run)]


async def test_a_way_that_can_only_be_guessed_is_left_to_a_person(life):
    """The second message left, and nothing is known of the first."""
    scene = await life.scene()
    await life.receive(scene.box, _copy(life, scene, 2), folder="Sent")

    run = await life.again(scene.run)

    assert (EnrollmentStatus.HELD, "written_before_restore") == (run.status, run.hold_reason)
    assert [] == await life.claim()


async def test_a_mark_of_nobody_here_changes_nothing(life):
    """A message of a mailbox to itself, or a test mail, bears a mark that belongs to no step."""
    scene = await life.scene()
    mail = _copy(life, scene, 1).replace(identifiers.trace_header(KEYS.trace, scene.run.uid, 1)[1].encode(), b"0" * 32)
    stranger = mail.replace(
        identifiers.message_id(KEYS.message_id, scene.run.uid, 1, "acme.example").encode(), b"<x@y>"
    )
    became = await life.receive(scene.box, stranger, folder="Sent")

    assert Ingested.IGNORED is became
    assert (scene.run.step, scene.run.status) == ((await life.again(scene.run)).step, EnrollmentStatus.ACTIVE)
