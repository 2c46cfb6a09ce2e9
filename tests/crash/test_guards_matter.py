"""Each guard of the product, in a scenario in which only it helps: with it nothing breaks, without it the judge sees.

The first half judges the product. The second judges the harness: were it blind, it would say so here.
"""

import pytest
from _pytest.mark.structures import ParameterSet

from crash.directed import SCENES, Scene
from crash.guards import Guard
from crash.theatre import Theatre

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def played(store: str, *marks: pytest.MarkDecorator) -> list[ParameterSet]:
    """Pair a store with the scenes whose fault it knows: over SQLite there is no second host."""
    known = [scene for scene in SCENES if store == "postgres" or not scene.needs_postgres]
    return [pytest.param(store, scene, marks=marks, id=f"{store}-{scene.guard.value}") for scene in known]


on_stage = pytest.mark.parametrize(
    "theatre, scene", [*played("sqlite"), *played("postgres", pytest.mark.postgres)], indirect=["theatre"]
)


@on_stage
def test_the_guard_keeps_the_promise(theatre: Theatre, scene: Scene):
    """Nothing else stands in the way here."""
    assert [] == theatre.play(scene, guarded=True)


@on_stage
def test_without_the_guard_the_harness_sees_the_promise_broken(theatre: Theatre, scene: Scene):
    """A harness that cannot fail proves nothing."""
    broken = theatre.play(scene, guarded=False)

    assert [] != [each for each in broken if each.startswith(scene.breaks)], broken


def test_every_guard_has_its_scenario():
    """A guard that nobody takes out is a guard that nobody tests."""
    assert list(Guard) == sorted((scene.guard for scene in SCENES), key=list(Guard).index)
