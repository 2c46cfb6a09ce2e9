"""A server that closes the connection once a recipient is named: its own trouble, or that of one message only."""

from datetime import timedelta

from relance.core import defaults
from relance.core.enrollment import EnrollmentStatus
from relance.core.failure import MailboxTrouble
from relance.core.mailbox import MailboxStatus
from relance.services import enrollments
from relance.testing import builders
from relance.testing.builders import email

REST = timedelta(minutes=1)


async def _scene(life):
    """Return a person, and publish a short sequence for others."""
    made = await life.scene(email("intro", subject="Hello"))
    plan = builders.plan(email("hi", subject="Hi"), name="short")
    await life.store.write(builders.published, made.workspace, plan, now=life.now)
    return made


async def _hang_up(life, scene) -> None:
    """Hang up on the scene's person, and wait until the mailbox may send again."""
    await life.read_all_freshly()
    _, attempt = await life.begun()
    assert scene.run.id == attempt.enrollment_id
    trouble = MailboxTrouble(
        reason="smtp_unreachable",
        response="421 4.3.2 closing",
        status=MailboxStatus.UNREACHABLE,
        until=life.now + REST,
        person_named=True,
    )
    await life.fail(attempt, trouble)
    life.clock.jump(life.now + REST)


async def _let_another_through(life, scene, number: int) -> None:
    """Send to somebody else while the person rests."""
    await life.person(scene, f"other{number}@else.example", "short")
    await life.send()


async def test_who_is_hung_up_on_time_and_again_while_others_get_through_waits_for_a_person(life):
    """Else one message would rest its mailbox every few hours for ever. Resuming counts anew."""
    scene = await _scene(life)
    await _hang_up(life, scene)
    await _hang_up(life, scene)
    statuses = []
    for number in range(defaults.FAILURES_CAP):
        await _let_another_through(life, scene, number)
        life.clock.jump(life.now + defaults.COOLDOWN_MOST)
        await _hang_up(life, scene)
        statuses.append((await life.again(scene.run)).status)
    held = await life.again(scene.run)
    which = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.resume, **which, cause="address corrected", now=life.now)
    await life.send()

    assert [EnrollmentStatus.ACTIVE] * (defaults.FAILURES_CAP - 1) + [EnrollmentStatus.HELD] == statuses
    assert ("server_hangs_up", 0) == (held.hold_reason, held.consecutive_failures)
    assert EnrollmentStatus.COMPLETED is (await life.again(scene.run)).status


async def test_a_server_that_hangs_up_on_everybody_counts_against_nobody(life):
    """It is away, and comes back."""
    scene = await _scene(life)
    for _ in range(3 * defaults.FAILURES_CAP):
        await _hang_up(life, scene)
        life.clock.jump(life.now + defaults.COOLDOWN_MOST)
    run = await life.again(scene.run)
    await life.send()

    assert (EnrollmentStatus.ACTIVE, 0) == (run.status, run.consecutive_failures)
    assert EnrollmentStatus.COMPLETED is (await life.again(scene.run)).status
