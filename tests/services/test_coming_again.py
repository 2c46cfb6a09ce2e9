"""Who comes in again – under the same key, or by any identity – leaves one touch and starts no second run."""

import pytest

from relance.core.lead import Lead, Touch
from relance.core.suppression import SuppressionKind, SuppressionReason
from relance.ports.store import ConflictError
from relance.services import enrollments, leads, situations, suppressions
from relance.services.leads import Addition
from relance.services.refusals import RefusedError
from relance.testing.builders import KEYS

PROFILE = "https://www.linkedin.com/in/Ann-Lee/?trk=x"
NAMED = {"first_name": "Ann", "last_name": "Lee"}


async def come_in(life, scene, email, *, key=None, **values):
    """Let somebody come in and be enrolled, as a form or an import does."""

    def enter(tx):
        added = leads.add(
            tx,
            workspace_id=scene.workspace.id,
            email=email,
            values=values,
            source="form",
            list_name=None,
            now=life.now,
            key=key,
        )
        done = enrollments.enroll(
            tx,
            workspace_id=scene.workspace.id,
            sequence_name="q4",
            lead_ids=[added.lead_id],
            source_list=None,
            keys=KEYS,
            now=life.now,
        )
        return added, done

    return await life.store.write(enter)


async def touches(life, scene, lead_id):
    """Return how often a lead came in."""
    ids = {"workspace_id": scene.workspace.id, "lead_id": lead_id}
    return len(await life.store.read(lambda reader: reader.all(Touch, "leads.touches", **ids)))


async def people(life, scene):
    """Return how many leads there are."""
    return len(await life.store.read(lambda r: r.all(Lead, "leads.of_workspace", workspace_id=scene.workspace.id)))


@pytest.mark.parametrize(
    "first, again_as, again",
    [
        ({}, "Zoe@Lead.example ", {}),
        ({"external_id": "crm-7"}, "zoe@private.example", {"external_id": "crm-7"}),
        ({"linkedin_url": PROFILE}, "zoe@private.example", {"linkedin_url": "de.linkedin.com/in/ann-lee"}),
        ({"phone": "+49 30 123456", **NAMED}, "zoe@private.example", {"phone": "0049 (30) 123-456", **NAMED}),
    ],
    ids=["e-mail", "external id", "LinkedIn URL", "phone and name"],
)
async def test_the_same_identity_is_one_touch_more_and_no_second_run(life, first, again_as, again):
    """Whatever else is new about them is written to the one record."""
    scene = await life.scene()
    added, enrolled = await come_in(life, scene, "zoe@lead.example", **first)
    merged, already = await come_in(life, scene, again_as, **again, company="Acme")

    assert (Addition.ADDED, Addition.MERGED) == (added.outcome, merged.outcome)
    assert (added.lead_id, 1, 1) == (merged.lead_id, enrolled.enrolled, already.already)
    assert (2, 2) == (await touches(life, scene, added.lead_id), await people(life, scene))


async def test_a_further_address_names_the_person_too(life):
    """The address they once came in by, beside the one that is written to."""
    scene = await life.scene()
    added, _ = await come_in(life, scene, "zoe@lead.example", external_id="crm-7")
    await come_in(life, scene, "zoe@private.example", external_id="crm-7")
    merged, already = await come_in(life, scene, "ZOE@private.example")

    assert (added.lead_id, 1) == (merged.lead_id, already.already)
    assert 3 == await touches(life, scene, added.lead_id)


async def test_a_number_alone_names_nobody(life):
    """Colleagues share a switchboard: they are two people, each with their own run."""
    scene = await life.scene()
    one, _ = await come_in(life, scene, "zoe@lead.example", phone="+4930123456", first_name="Zoe", last_name="Lee")
    other, enrolled = await come_in(
        life, scene, "max@lead.example", phone="+4930123456", first_name="Max", last_name="Lee"
    )

    assert one.lead_id != other.lead_id
    assert 1 == enrolled.enrolled


async def test_a_suppressed_number_binds_everybody_who_has_it(life):
    """Whoever asked at the switchboard not to be written to asked for all who are reached by it."""
    scene = await life.scene()
    came = [await come_in(life, scene, f"{who}@lead.example", phone="0049 30 123456") for who in ("zoe", "max")]
    suppressed = {"kind": SuppressionKind.PHONE, "value": "+4930123456", "reason": SuppressionReason.MANUAL}
    await life.store.write(
        suppressions.suppress,
        workspace_id=scene.workspace.id,
        **suppressed,
        source="asked",
        now=life.now,
        tombstone_key=KEYS.tombstone,
    )

    def binding(reader, lead_id):
        lead = reader.one(Lead, "leads.get", workspace_id=scene.workspace.id, id=lead_id)
        return situations.suppressions_of(reader, lead, KEYS)

    assert [1, 1] == [len(await life.store.read(binding, added.lead_id)) for added, _ in came]


async def test_the_same_key_is_one_touch_and_no_second_run(life):
    """A request that was sent twice because its answer was lost is one request: it changes nothing the second time."""
    scene = await life.scene()
    first, _ = await come_in(life, scene, "zoe@lead.example", key="form-1", company="Acme")
    again, already = await come_in(life, scene, "zoe@lead.example", key="form-1", company="Other")
    lead = await life.store.read(leads.by_email, scene.workspace.id, "zoe@lead.example")

    assert (first.lead_id, Addition.REPEATED, 1) == (again.lead_id, again.outcome, already.already)
    assert (1, "Acme") == (await touches(life, scene, first.lead_id), lead.fields["company"])


async def test_a_key_that_came_in_with_somebody_else_goes_to_a_person(life):
    """Taking it for a repetition would lose one of the two."""
    scene = await life.scene()
    await come_in(life, scene, "zoe@lead.example", key="form-1")

    with pytest.raises(RefusedError, match=r"'form-1' came in before with zoe@lead\.example"):
        await come_in(life, scene, "max@lead.example", key="form-1")


async def test_a_key_counts_in_its_own_workspace_only(life):
    """Two tenants may number their forms alike."""
    scene = await life.scene()
    other = await life.scene(workspace="other")
    await come_in(life, scene, "zoe@lead.example", key="form-1")
    added, _ = await come_in(life, other, "zoe@lead.example", key="form-1")

    assert Addition.ADDED is added.outcome


async def test_the_database_itself_refuses_a_key_twice(life):
    """Two requests at the same time: the second one loses, and reads again."""
    scene = await life.scene()
    await come_in(life, scene, "zoe@lead.example", key="form-1")
    touch = {"workspace_id": scene.workspace.id, "at": life.now, "source": "form", "detail": "added", "key": "form-1"}

    with pytest.raises(ConflictError):
        await life.store.write(lambda tx: tx.run("leads.touch", lead_id=scene.lead.id, **touch))


async def test_a_repeated_entry_brings_nobody_back_who_was_erased(life):
    """The key is remembered, the person is not."""
    scene = await life.scene()
    first, _ = await come_in(life, scene, "zoe@lead.example", key="form-1")
    ids = {"workspace_id": scene.workspace.id}
    await life.store.write(leads.erase, **ids, email="zoe@lead.example", keys=KEYS, now=life.now)
    again, already = await come_in(life, scene, "zoe@lead.example", key="form-1", company="Acme")

    assert (first.lead_id, Addition.REPEATED, 1) == (again.lead_id, again.outcome, already.already)


async def test_who_opted_out_comes_in_again_and_is_not_written_to(life):
    """A second touch starts no second run, and a suppression outlives it."""
    scene = await life.scene()
    await life.send()
    await life.store.write(
        suppressions.suppress_address,
        workspace_id=scene.workspace.id,
        address=scene.lead.email,
        reason=SuppressionReason.UNSUBSCRIBED,
        source="asked",
        now=life.now,
        tombstone_key=KEYS.tombstone,
    )
    _, already = await come_in(life, scene, scene.lead.email)
    life.later(days=3)
    await life.read_all_freshly()
    for claimed in await life.claim():
        await life.reserve(claimed)

    assert 1 == already.already
    assert ["sent"] == [str(one.status) for one in await life.attempts(scene.run)]
