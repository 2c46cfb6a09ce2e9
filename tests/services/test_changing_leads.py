"""Changing by hand what is known about a person."""

from typing import Any

import pytest

from relance.services import lead_changes
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.testing import builders


async def change(life, scene, read_revision: int | None = None, **values: str) -> bool:
    """Change the scene's lead."""
    lead = await life.lead(scene.lead)
    changed: bool = await life.store.write(
        lead_changes.change,
        workspace_id=scene.workspace.id,
        lead_id=lead.id,
        read_revision=lead.revision if read_revision is None else read_revision,
        values=values,
        author="mia",
        now=life.now,
    )
    return changed


async def test_what_is_written_stands_there_and_a_blank_takes_away(life):
    """Fields that are not named stay as they are."""
    scene = await life.scene()

    assert await change(life, scene, Job_Title=" Owner ", first_name="", timezone="Europe/Paris")
    lead = await life.lead(scene.lead)

    assert ({"job_title": "Owner"}, "Europe/Paris") == (dict(lead.fields), lead.timezone)
    assert not await change(life, scene, job_title="Owner")


async def test_an_identity_is_kept_where_it_identifies(life):
    """In its one spelling; a number without its country names nobody."""
    scene = await life.scene()

    await change(life, scene, phone="+49 30 1234567", linkedin_url="https://www.linkedin.com/in/ann/")
    lead = await life.lead(scene.lead)
    assert ("+49301234567", "https://linkedin.com/in/ann") == (lead.phone, lead.linkedin_url)

    await change(life, scene, phone="030 1234567", linkedin_url="")
    lead = await life.lead(scene.lead)
    assert (None, None, "030 1234567") == (lead.phone, lead.linkedin_url, lead.fields["phone"])


async def test_two_people_editing_one_lead_do_not_overwrite_each_other(life):
    """Who comes second is told, and reads again."""
    scene = await life.scene()
    before = (await life.lead(scene.lead)).revision
    await change(life, scene, company="A")

    with pytest.raises(RefusedError, match="changed since you looked"):
        await change(life, scene, before, company="B")


async def test_nobody_gets_anothers_identity(life):
    """A person is one person."""
    scene = await life.scene()
    await life.store.write(builders.lead, scene.workspace, "bea@lead.example", external_id="17")

    with pytest.raises(RefusedError, match="bea@lead"):
        await change(life, scene, external_id="17")


@pytest.mark.parametrize("values", [{"email": "x@y.example"}, {"…": "x"}, {"timezone": "Mars"}, {"a": "x" * 10_001}])
async def test_what_is_no_field_is_refused(life, values: dict[str, Any]):
    """And nothing is changed."""
    scene = await life.scene()

    with pytest.raises(WrongInputError):
        await change(life, scene, **values)
    assert scene.lead == await life.lead(scene.lead)


async def test_another_workspaces_lead_is_not_there(life):
    """By its number neither."""
    scene = await life.scene()
    other = await life.scene(email="eve@lead.example", workspace="rival")

    with pytest.raises(NotFoundError):
        await life.store.write(
            lead_changes.change,
            workspace_id=other.workspace.id,
            lead_id=scene.lead.id,
            read_revision=0,
            values={"a": "b"},
            author="mia",
            now=life.now,
        )
