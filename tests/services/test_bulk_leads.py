"""One action on many: each does what it does to one, and says how many it changed."""

from typing import Any

import pytest

from relance.core.enrollment import EnrollmentStatus
from relance.services import lead_bulk, leads
from relance.services.lead_bulk import BulkAction, Done
from relance.services.lead_search import Match
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.testing import builders
from relance.testing.builders import KEYS
from services.life import Life, Scene


async def act(life: Life, scene: Scene, action: BulkAction, *matches: Match, name: str | None = None) -> Done:
    """Do it to these."""
    return await life.store.write(
        lead_bulk.apply,
        workspace_id=scene.workspace.id,
        action=action,
        matches=matches,
        name=name,
        author="mia",
        keys=KEYS,
        now=life.now,
    )


async def two_runs(life: Life) -> tuple[Scene, Match, Match]:
    """Return a scene whose lead is in two sequences, as a line about one run and as one about the person."""
    scene = await life.scene()

    def write(tx: Any) -> None:
        builders.published(tx, scene.workspace, builders.plan(name="q5"), now=life.now)
        builders.enrollment(tx, scene.workspace, scene.lead, "q5", now=life.now)

    await life.store.write(write)
    ids = {"lead_id": scene.lead.id}
    return scene, Match(**ids, enrollment_id=scene.run.id), Match(**ids, enrollment_id=None)


async def statuses(life: Life, scene: Scene) -> list[EnrollmentStatus]:
    """Return how the lead's runs stand."""
    return [run.status for run in await life.store.read(leads.enrollments_of, scene.lead)]


async def test_a_line_about_a_run_is_that_run_and_one_about_a_person_all_of_theirs(life):
    """Whoever ticks a run in a list means no other one."""
    scene, run, person = await two_runs(life)

    paused = await act(life, scene, BulkAction.PAUSE, run)
    one = await statuses(life, scene)
    both = await act(life, scene, BulkAction.PAUSE, person)
    resumed = await act(life, scene, BulkAction.RESUME, person, run)
    stopped = await act(life, scene, BulkAction.STOP, person)

    assert [EnrollmentStatus.PAUSED, EnrollmentStatus.ACTIVE] == one
    assert [(1, 0), (1, 1), (2, 0), (2, 0)] == [(d.changed, d.unchanged) for d in (paused, both, resumed, stopped)]
    assert {EnrollmentStatus.STOPPED} == set(await statuses(life, scene))


async def test_many_are_enrolled_listed_and_suppressed_each_once(life):
    """Again changes nothing."""
    scene, run, person = await two_runs(life)
    other = await life.store.write(builders.lead, scene.workspace, "bea@lead.example")
    both = (person, run, Match(lead_id=other.id, enrollment_id=None))

    def twice(first: Done, second: Done) -> list[tuple[int, int]]:
        return [(first.changed, first.unchanged), (second.changed, second.unchanged)]

    for action, name, expected in (
        (BulkAction.ENROLL, "q4", [(1, 1), (0, 2)]),
        (BulkAction.PUT, "fair", [(2, 0), (0, 2)]),
        (BulkAction.TAKE_OFF, "fair", [(2, 0), (0, 2)]),
        (BulkAction.SUPPRESS, None, [(2, 0), (0, 2)]),
    ):
        done = [await act(life, scene, action, *both, name=name) for _ in range(2)]
        assert expected == twice(*done), action


async def test_what_cannot_be_done_changes_nothing(life):
    """Without a name, into a sequence that is not live, with people of another workspace."""
    scene, _, person = await two_runs(life)
    rival = await life.scene(email="eve@lead.example", workspace="rival")
    theirs = Match(lead_id=rival.lead.id, enrollment_id=rival.run.id)

    with pytest.raises(WrongInputError):
        await act(life, scene, BulkAction.PUT, person)
    with pytest.raises(NotFoundError):
        await act(life, scene, BulkAction.ENROLL, person, name="q9")
    with pytest.raises(RefusedError):
        await act(life, scene, BulkAction.ENROLL, theirs, name="q4")
    for action in (BulkAction.STOP, BulkAction.SUPPRESS, BulkAction.TAKE_OFF, BulkAction.PUT):
        assert 0 == (await act(life, scene, action, theirs, name="x")).changed
    assert EnrollmentStatus.ACTIVE == (await life.again(rival.run)).status
