"""Who got each step, and whether anybody got one twice; what the database would refuse is planted past it."""

import pytest

from relance.core.sequence import FieldEquals
from relance.services import auditing, walking
from relance.testing.builders import KEYS, branch, email
from services.life import WORKER
from services.test_invariants import attempt


async def audit(life, scene):
    """Return the audit of its sequence by step."""
    return {one.step: one for one in await life.store.read(auditing.audit, workspace_id=scene.workspace.id, name="q4")}


async def test_an_audit_counts_every_step_once_a_person(life):
    """Also steps that nobody has reached yet."""
    scene = await life.scene(email("a", subject="A"), email("b", "1d"))
    await life.person(scene, "ben@lead.example")
    for _ in range(2):
        await life.read_all_freshly()
        await life.send()
        life.later(minutes=10)
    steps = (await audit(life, scene)).values()

    assert [("a", 2, 0, ()), ("b", 0, 0, ())] == [(s.step, s.sent, s.unknown, s.twice) for s in steps]


async def test_receipts_say_who_got_what_when_and_from_where(life):
    """What may have left is among them."""
    scene = await life.scene()
    await life.send()
    await life.person(scene, "ben@lead.example")
    await life.lost()
    found = await life.store.read(auditing.receipts, workspace_id=scene.workspace.id, name="q4")

    assert [
        ("intro", "ann@lead.example", "sent", "bo@acme.example", "a"),
        ("intro", "ben@lead.example", "unknown", "bo@acme.example", "a"),
    ] == [(one.step, one.recipient, one.status, one.mailbox, one.variant) for one in found]
    assert all(one.at is not None for one in found)


@pytest.mark.parametrize(
    "status, message_id, perhaps",
    [
        ("sent", "'<x@y>'", ()),
        ("unknown", "'<x@y>'", ("ann@lead.example",)),
        ("in_flight", "'<x@y>'", ("ann@lead.example",)),
    ],
)
async def test_a_step_that_somebody_got_again_is_found(damaged, status, message_id, perhaps):
    """Under another counter, though nothing leads back to it. An unknown outcome counts, and is named as such."""
    life, plant = damaged
    scene = await life.scene()
    await life.send()
    plant([attempt(counter="7", status=status, message_id=message_id)])
    found = await audit(life, scene)

    assert (("ann@lead.example",), perhaps) == (found["intro"].twice, found["intro"].perhaps)
    assert () == found["bump"].twice


@pytest.mark.parametrize("status", ["voided", "failed", "reserved", "not_delivered"])
async def test_what_never_left_is_nobodys_second_message(damaged, status):
    """Tries are not messages."""
    life, plant = damaged
    scene = await life.scene()
    await life.send()
    plant([attempt(counter="7", status=status, message_id="'<x@y>'")])

    assert () == (await audit(life, scene))["intro"].twice


async def test_a_person_who_is_two_leads_is_one_person(life):
    """Their addresses say so: each run sent its step, and the person got it twice."""
    scene = await life.scene()
    await life.person(scene, "ann@private.example")
    for _ in range(2):
        await life.read_all_freshly()
        await life.send()
    before = (await audit(life, scene))["intro"].twice
    ids = {"workspace_id": scene.workspace.id, "lead_id": scene.lead.id}
    await life.store.write(lambda tx: tx.run("leads.add_address", **ids, address="ann@private.example", at=life.now))

    assert ((), ("ann@lead.example", "ann@private.example")) == (before, (await audit(life, scene))["intro"].twice)


async def test_a_lead_that_moved_to_an_address_already_written_to_is_one_person(life):
    """The address itself is the person's, whichever lead it was written to through."""
    scene = await life.scene()
    other = await life.person(scene, "ann@private.example")
    for _ in range(2):
        await life.read_all_freshly()
        await life.send()
    ids = {"workspace_id": scene.workspace.id, "lead_id": other.lead_id}
    await life.store.write(lambda tx: tx.run("leads.empty_attempts", **ids, stand_in=scene.lead.email))

    assert (scene.lead.email,) == (await audit(life, scene))["intro"].twice


async def test_a_step_that_a_branch_leads_back_to_is_got_once_a_visit(life):
    """A loop that is meant is nobody's fault; the same visit twice would be."""
    again = branch("again", FieldEquals(field="tier", value="gold"), "stop", "a")
    scene = await life.scene(email("a", subject="A"), again)
    for _ in range(3):
        await life.send()
        for one in await life.store.read(walking.due, now=life.now, limit=9):
            ids = {"workspace_id": one.workspace_id, "enrollment_id": one.id}
            await life.store.write(walking.walk, **ids, worker=WORKER, keys=KEYS, now=life.now)
    steps = await audit(life, scene)

    assert (3, ()) == (steps["a"].sent, steps["a"].twice)
