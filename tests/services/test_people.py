"""Leads: merged and never doubled, erased and never written to again."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from relance.core.address_check import Verification
from relance.core.attempt import Attempt
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.lead import Lead
from relance.core.suppression import SuppressionKind, SuppressionReason, SuppressionScope
from relance.services import enrollments, leads, suppressions, verifying
from relance.services.leads import Addition
from relance.services.refusals import NotFoundError, RefusedError
from relance.storage.opening import open_store
from relance.testing import builders, letters
from relance.testing.builders import KEYS
from services.life import Life
from store_places import sqlite_place

ANN = "ann@lead.example"


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchRow:
    """One touch."""

    at: datetime
    source: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """One message of a lead."""

    at: datetime
    direction: str
    kind: str
    from_address: str | None
    to_address: str | None
    subject: str | None
    message_id: str | None
    matched_by: str | None
    enrollment_id: int | None
    attempt_id: int | None


async def add(life, workspace, email, **values):
    """Add one lead as an import does."""
    return await life.store.write(
        leads.add,
        workspace_id=workspace.id,
        email=email,
        values=values,
        source="csv",
        list_name="list",
        now=life.now,
    )


async def test_a_lead_who_comes_in_again_is_one_lead(life):
    """New data is written, blanks change nothing, and a second touch is recorded."""
    acme = await life.store.write(builders.workspace)
    first = await add(life, acme, "Ann@Lead.example ", first_name="Ann", company="Acme")
    second = await add(life, acme, "ann@lead.example", first_name="Anna", company="", phone="+4930123456")
    lead = await life.store.read(leads.by_email, acme.id, "ANN@lead.example")
    touches = await life.store.read(lambda r: r.all(TouchRow, "leads.touches", workspace_id=acme.id, lead_id=lead.id))

    assert (Addition.ADDED, Addition.MERGED) == (first.outcome, second.outcome)
    assert first.lead_id == second.lead_id == lead.id
    assert ("Anna", "Acme", "+4930123456") == (lead.fields["first_name"], lead.fields["company"], lead.phone)
    assert ["added", "merged"] == [touch.detail for touch in touches]


@pytest.mark.parametrize("name, value", [("external_id", "crm-7"), ("linkedin_url", "https://example.com/in/ann")])
async def test_any_identity_names_the_person(life, name, value):
    """Under a new address they are still the same person, and no second run starts."""
    scene = await life.scene()
    await add(life, scene.workspace, scene.lead.email, **{name: value})
    again = await add(life, scene.workspace, "ann@new-job.example", **{name: value})

    assert (scene.lead.id, Addition.MERGED) == (again.lead_id, again.outcome)
    assert scene.lead.email == (await life.lead(scene.lead)).email


async def test_identities_of_different_people_go_to_a_person(life):
    """Nothing is changed: a human must decide."""
    acme = await life.store.write(builders.workspace)
    await add(life, acme, "ann@lead.example", external_id="crm-7")
    await add(life, acme, "ben@lead.example", external_id="crm-8")

    with pytest.raises(RefusedError, match=r"different leads .ann@lead.example and ben@lead.example"):
        await add(life, acme, "ann@lead.example", external_id="crm-8")
    assert "crm-7" == (await life.store.read(leads.by_email, acme.id, "ann@lead.example")).external_id


async def test_a_list_remembers_who_is_on_it(life):
    """And an empty one is named."""
    acme = await life.store.write(builders.workspace)
    ids = [(await add(life, acme, f"p{n}@lead.example")).lead_id for n in (1, 2, 1)]

    assert sorted(set(ids)) == await life.store.read(leads.on_list, acme.id, "list")
    with pytest.raises(NotFoundError, match=r"list 'none' has no leads"):
        await life.store.read(leads.on_list, acme.id, "none")


async def test_an_erased_person_leaves_nothing_but_a_hash(life):
    """Name, address, what was written and received: gone; that it happened stays."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    await erase(life, scene)
    lead = await life.lead(scene.lead)
    ids = {"workspace_id": scene.workspace.id, "lead_id": lead.id}
    kept = await life.store.read(lambda r: r.all(MessageRow, "messages.of_lead", **ids))
    attempts = await life.attempts(scene.run)

    assert (True, {}) == (lead.email.endswith("@erased.invalid"), lead.fields)
    assert {None} == {getattr(m, f) for m in kept for f in ("from_address", "to_address", "subject")}
    assert all("ann" not in a.recipient and a.subject is None for a in attempts)
    assert "ann@lead.example" not in str(await life.suppressed(scene.workspace))


async def test_an_erased_address_stands_nowhere_any_more(tmp_path):
    """In no table: whatever was said of it, added to a list and taken off again, answered, or checked."""
    place = sqlite_place(tmp_path)
    life = Life(open_store(place))
    scene = await life.scene()
    raw = await life.send()
    whose: dict[str, Any] = {"workspace_id": scene.workspace.id, "tombstone_key": KEYS.tombstone}
    ann: dict[str, Any] = {"kind": SuppressionKind.ADDRESS, "value": ANN}
    said: dict[str, Any] = {"reason": SuppressionReason.UNSUBSCRIBED, "source": f"message from {ANN}"}
    await life.store.write(suppressions.suppress, **whose, **ann, **said, now=life.now)
    await life.store.write(suppressions.unsuppress, **whose, **ann, scope=SuppressionScope.WORKSPACE, now=life.now)
    await life.store.write(verifying.want, await life.lead(scene.lead), Verification.MX, now=life.now)
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    before = tables_with(ANN, place)
    await erase(life, scene)
    after = tables_with(ANN, place)
    await life.store.close()

    assert {"address_checks", "attempts", "leads", "messages"} <= before
    assert set() == after


async def test_what_comes_and_goes_after_an_erasure_is_not_kept(life):
    """A message was on its way, and is answered later: both happened, and neither is remembered in words."""
    scene = await life.scene()
    reserved, _ = await life.begun()
    await erase(life, scene)
    raw = await life.confirm(reserved)
    await life.receive(scene.box, letters.reply(raw, at=life.later(hours=1)))
    ids = {"workspace_id": scene.workspace.id, "lead_id": scene.lead.id}
    kept = await life.store.read(lambda r: r.all(MessageRow, "messages.of_lead", **ids))
    outgoing = await life.store.read(
        lambda r: r.all(bytes, "messages.outgoing_raw", workspace_id=scene.workspace.id, attempt_id=1)
    )

    assert [] == outgoing
    assert ["in"] == [m.direction for m in kept]
    assert {None} == {getattr(m, f) for m in kept for f in ("from_address", "to_address", "subject")}


async def test_erasing_stops_every_run(life):
    """Nobody is written to in the moment between."""
    scene = await life.scene()
    other = await life.scene(name="other")
    await erase(life, scene)

    assert [StopReason.ERASED] * 2 == [(await life.again(run)).stop_reason for run in (scene.run, other.run)]


async def test_an_erased_person_is_never_written_to_again_after_an_import(life):
    """Neither in the sequence they were in, nor in another one; and the rest of the list is enrolled all the same."""
    scene = await life.scene()
    await life.send()
    await erase(life, scene)
    again = await life.store.write(builders.lead, scene.workspace, "ann@lead.example", now=life.now)
    ben = await life.store.write(builders.lead, scene.workspace, "ben@lead.example", now=life.now)
    result = await life.store.write(
        enrollments.enroll,
        workspace_id=scene.workspace.id,
        sequence_name="q4",
        lead_ids=[again.id, ben.id],
        source_list=None,
        keys=KEYS,
        now=life.now,
    )
    elsewhere = await life.scene(name="other")
    life.later(minutes=5)
    for claimed in await life.claim():
        await life.reserve(claimed)
        life.later(minutes=5)
    for claimed in await life.claim():
        await life.reserve(claimed)

    assert enrollments.Enrolled(enrolled=1, already=1, holdout=0) == result
    assert elsewhere.lead.id == again.id
    assert EnrollmentStatus.SUPPRESSED is (await life.again(elsewhere.run)).status
    assert [] == await received(life, again)


async def test_a_person_can_be_erased_twice(life):
    """Imported again by mistake, and erased again."""
    scene = await life.scene()
    await erase(life, scene)
    again = await life.store.write(builders.lead, scene.workspace, "ann@lead.example", now=life.now)
    await erase(life, scene)

    assert (await life.lead(again)).email.endswith("@erased.invalid")


async def test_somebody_unknown_cannot_be_erased_or_noted(life):
    """One sentence says so."""
    acme = await life.store.write(builders.workspace)
    with pytest.raises(NotFoundError, match=r"no lead 'x@y.example'"):
        await life.store.write(leads.erase, workspace_id=acme.id, email="x@y.example", keys=KEYS, now=life.now)
    with pytest.raises(NotFoundError, match=r"no lead 'x@y.example'"):
        await life.store.write(
            leads.note, workspace_id=acme.id, email="x@y.example", text="t", author="bo", now=life.now
        )


def tables_with(text: str, place: Path) -> set[str]:
    """Return the tables of a file in which a text stands anywhere."""
    beside = apsw.Connection(str(place))
    names = [str(name) for (name,) in beside.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()]
    found = {name for name in names if text in str(beside.execute(f'SELECT * FROM "{name}"').fetchall())}
    beside.close()
    return found


async def erase(life, scene) -> None:
    """Erase the scene's person."""
    await life.store.write(
        leads.erase, workspace_id=scene.workspace.id, email="ann@lead.example", keys=KEYS, now=life.now
    )


async def received(life, lead: Lead) -> list[Attempt]:
    """Return what was attempted for one lead."""
    runs = await life.store.read(leads.enrollments_of, lead)
    return [attempt for run in runs for attempt in await life.attempts(run)]
