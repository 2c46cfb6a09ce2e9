"""Opting out by the link of a message: as by mail, once."""

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.suppression import SuppressionKind, SuppressionReason, tombstone_of
from relance.core.unsubscribe_link import Link
from relance.services import suppressions, unsubscribing
from relance.testing import builders
from relance.testing.builders import KEYS
from services.life import Life


async def sent(life: Life):
    """Send the first of two steps, and return the scene with its link."""
    scene = await life.scene(builders.email("intro", subject="Hi"), builders.email("bump"))
    reserved, _ = await life.begun()
    await life.confirm(reserved)
    return scene, link_of(scene, reserved.attempt.id)


def link_of(scene, attempt_id: int, email: str | None = None) -> Link:
    """Return the link in a message."""
    digest = tombstone_of(email or scene.lead.email, KEYS.tombstone)
    return Link(workspace_id=scene.workspace.id, attempt_id=attempt_id, digest=digest)


async def opt_out(life: Life, link: Link) -> bool:
    """Use a link."""
    return await life.store.write(unsubscribing.opt_out, link, tombstone_key=KEYS.tombstone, now=life.now)


async def bound(life: Life, scene, email: str):
    """Return what binds an address."""
    return await life.store.read(
        suppressions.binding,
        workspace_id=scene.workspace.id,
        email=email,
        phone=None,
        tombstone_key=KEYS.tombstone,
    )


async def test_the_link_stops_everything_and_suppresses_the_address(life: Life):
    """The run it belongs to, every other run of the person, and every message ever after."""
    scene, link = await sent(life)
    await life.store.write(
        builders.published, scene.workspace, builders.plan(builders.email("a", subject="A"), name="q5")
    )
    other = await life.person(scene, scene.lead.email, "q5")

    assert await opt_out(life, link)
    for run in (scene.run, other):
        ended = await life.again(run)
        assert (EnrollmentStatus.STOPPED, StopReason.UNSUBSCRIBED) == (ended.status, ended.stop_reason)
    (binding,) = await bound(life, scene, scene.lead.email)
    assert (SuppressionKind.ADDRESS, SuppressionReason.UNSUBSCRIBED) == (binding.kind, binding.reason)


async def test_using_it_again_changes_nothing(life: Life):
    """Mail programs, scanners and impatient people press more than once."""
    scene, link = await sent(life)
    await opt_out(life, link)
    before = await life.history(scene.run)

    assert not await opt_out(life, link)
    assert before == await life.history(scene.run)


async def test_who_has_finished_can_still_opt_out(life: Life):
    """A link has no end."""
    scene = await life.scene(builders.email("intro", subject="Hi"))
    reserved, _ = await life.begun()
    await life.confirm(reserved)

    assert await opt_out(life, link_of(scene, reserved.attempt.id))
    assert EnrollmentStatus.COMPLETED is (await life.again(scene.run)).status
    assert await bound(life, scene, scene.lead.email)


async def test_a_link_whose_message_a_restore_lost_still_keeps_mail_away(life: Life):
    """The number of the attempt is another person's by then, or nobody's; the hash is this person's."""
    scene, link = await sent(life)
    lost = link_of(scene, link.attempt_id, "lost@lead.example")
    nobodys = link_of(scene, link.attempt_id + 1_000, "gone@lead.example")

    assert (True, True, False) == (await opt_out(life, lost), await opt_out(life, nobodys), await opt_out(life, lost))
    assert [] == list(await bound(life, scene, scene.lead.email))
    assert SuppressionKind.TOMBSTONE is (await bound(life, scene, "lost@lead.example"))[0].kind
    assert EnrollmentStatus.ACTIVE is (await life.again(scene.run)).status


async def test_a_workspace_that_is_not_there_is_left_alone(life: Life):
    """Only three bytes keep made-up links out: what they name may be nothing."""
    _, link = await sent(life)

    assert not await opt_out(life, Link(workspace_id=999, attempt_id=link.attempt_id, digest=link.digest))


async def test_a_link_that_is_used_proves_that_its_message_left(life: Life):
    """An outcome that was lost is settled by it."""
    scene = await life.scene(builders.email("intro", subject="Hi"))
    _, attempt = await life.lost()

    assert await opt_out(life, link_of(scene, attempt.id))
    assert AttemptStatus.SENT is (await life.attempt(attempt)).status
