"""Who is in two sequences at once, and which sequences were forgotten."""

from datetime import timedelta

import pytest

from relance.services import enrollments, sequences
from relance.services.overlaps import overlaps
from relance.services.stale_sequences import stale_sequences
from relance.testing import builders
from relance.testing.builders import email

FORTNIGHT = timedelta(days=14)


async def overlapping(life, scene):
    """Return who is in which sequences at once."""
    found = await life.store.read(overlaps, workspace_id=scene.workspace.id)
    return {one.email: [run.sequence for run in one.runs] for one in found}


async def stale(life, scene):
    """Return the forgotten sequences with the first words of what to do."""
    found = await life.store.read(stale_sequences, workspace_id=scene.workspace.id, quiet_for=FORTNIGHT, now=life.now)
    return {one.sequence: one.remedy.split(";")[0] for one in found}


async def test_whoever_is_in_two_sequences_is_listed_with_both(life):
    """Not who is in one, not who has ended in the other, and nobody of another workspace."""
    scene = await life.scene(name="one", email="both@lead.example")
    await life.scene(name="two", email="both@lead.example")
    await life.scene(name="two", email="single@lead.example")
    await life.scene(name="one", email="elsewhere@lead.example", workspace="beta")
    ended = await life.scene(name="one", email="ended@lead.example")
    await life.scene(name="two", email="ended@lead.example")
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": ended.run.id}
    await life.store.write(enrollments.stop, **ids, cause="test", now=life.now)

    assert {"both@lead.example": ["one", "two"]} == await overlapping(life, scene)


async def test_a_sequence_that_nobody_was_enrolled_in_is_forgotten_after_a_fortnight(life):
    """Not the day it was published."""
    scene = await life.scene()
    await life.store.write(builders.published, scene.workspace, builders.plan(name="empty"), now=life.now)
    young = await stale(life, scene)
    life.later(days=14)

    assert {} == young
    assert "nobody was ever enrolled" == (await stale(life, scene))["empty"]


async def test_a_sequence_is_not_forgotten_while_a_later_step_is_still_to_come(life):
    """A wait of a month is a wait."""
    scene = await life.scene(email("intro", subject="Hi"), email("bump", "30d"))
    await life.send()
    life.later(days=15)
    waiting = await stale(life, scene)
    life.later(days=30)

    assert {} == waiting
    assert {"q4": "somebody is due and nothing leaves"} == await stale(life, scene)


@pytest.mark.parametrize(
    "decide,said",
    [
        ("stop", "everyone in it has ended"),
        ("pause", "everyone left in it is paused or held"),
        ("pause_sequence", "it is paused and people are frozen in it"),
    ],
)
async def test_a_forgotten_sequence_says_what_became_of_its_people(life, decide, said):
    """Ended, paused one by one, or frozen with it: each has another remedy."""
    scene = await life.scene()
    ids = {"workspace_id": scene.workspace.id}
    if decide == "pause_sequence":
        await life.store.write(sequences.pause, **ids, name="q4", now=life.now)
    else:
        act = getattr(enrollments, decide)
        await life.store.write(act, **ids, enrollment_id=scene.run.id, cause="test", now=life.now)
    life.later(days=14)

    assert {"q4": said} == await stale(life, scene)
