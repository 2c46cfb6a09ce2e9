"""The promises are made to a person, not to an address: what is known by several addresses is one person."""

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.suppression import SuppressionReason
from relance.services import leads, sending, suppressions
from relance.testing import builders, letters
from relance.testing.builders import KEYS

OLD, NEW = "ann@old.example", "ann@lead.example"


async def _known_by_two(life, **policy):
    """Ann is enrolled by her new address; her old one came in with the same id of the customer's own system."""
    scene = await life.scene(**policy)
    await life.rename(scene, external_id="7")
    await life.store.write(builders.lead, scene.workspace, OLD, now=life.now, external_id="7")
    return scene


async def test_an_answer_from_another_address_of_the_person_ends_the_run(life):
    """It names no message of ours; that it is her is known."""
    scene = await _known_by_two(life)
    await life.send()
    answer = letters.write(sender=OLD, to=scene.box.address, subject="Hello", text="Let us talk.", at=life.now)
    await life.receive(scene.box, answer)
    run = await life.again(scene.run)

    assert (EnrollmentStatus.STOPPED, StopReason.REPLIED) == (run.status, run.stop_reason)


async def test_an_opt_out_of_another_address_is_the_persons(life):
    """Whoever opted out by her old address is not written to at her new one."""
    scene = await _known_by_two(life)
    await _suppress(life, scene, OLD, SuppressionReason.UNSUBSCRIBED)
    outcome = await life.attempt_to_reserve()

    assert isinstance(outcome, sending.Ended)
    assert EnrollmentStatus.SUPPRESSED is (await life.again(scene.run)).status


async def test_an_address_that_does_not_exist_any_more_says_nothing_about_the_person(life):
    """Her old address bounced: that is why there is a new one."""
    scene = await _known_by_two(life)
    await _suppress(life, scene, OLD, SuppressionReason.HARD_BOUNCE)
    outcome = await life.attempt_to_reserve()

    assert isinstance(outcome, sending.Reserved)
    assert AttemptStatus.RESERVED is outcome.attempt.status


async def test_a_person_who_comes_in_by_another_address_alone_is_not_started_twice(life):
    """The next list has her old address, and nothing else."""
    scene = await _known_by_two(life)
    again = await life.store.write(builders.lead, scene.workspace, OLD, now=life.now)
    run = await life.store.write(builders.enrollment, scene.workspace, again, "q4", now=life.now)

    assert (scene.lead.id, scene.run.id) == (again.id, run.id)


async def test_every_address_of_a_person_who_is_erased_stays_out(life):
    """A later list must not bring her back by another address."""
    scene = await _known_by_two(life)
    ids = {"workspace_id": scene.workspace.id}
    await life.store.write(leads.erase, **ids, email=NEW, keys=KEYS, now=life.now)
    back = await life.store.write(builders.lead, scene.workspace, OLD, now=life.now)
    bound = await life.store.read(suppressions.binding, **ids, email=OLD, phone=None, tombstone_key=KEYS.tombstone)

    assert scene.lead.id != back.id
    assert [SuppressionReason.ERASED] == [one.reason for one in bound]


async def _suppress(life, scene, address: str, reason: SuppressionReason) -> None:
    await life.store.write(
        suppressions.suppress_address,
        workspace_id=scene.workspace.id,
        address=address,
        reason=reason,
        source="test",
        now=life.now,
        tombstone_key=KEYS.tombstone,
    )
