"""Each guard of the product, in a scenario in which only it helps: with it nothing breaks, without it the judge sees.

The first half judges the product. The second judges the harness: were it blind, it would say so here.
"""

import pytest

from crash.directed import SCENES, Scene
from crash.guards import Guard
from crash.theatre import Theatre

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def named(scene: Scene) -> str:
    """Call a scene by its guard."""
    return scene.guard.value


def playable(theatre: Theatre, scene: Scene) -> bool:
    """Whether the store knows the fault: over SQLite there is no second host."""
    return theatre.store == "postgres" or not scene.needs_postgres


@pytest.mark.parametrize("scene", SCENES, ids=named)
def test_the_guard_keeps_the_promise(theatre: Theatre, scene: Scene):
    """Nothing else stands in the way here."""
    assert not playable(theatre, scene) or [] == theatre.play(scene, guarded=True)


@pytest.mark.parametrize("scene", SCENES, ids=named)
def test_without_the_guard_the_harness_sees_the_promise_broken(theatre: Theatre, scene: Scene):
    """A harness that cannot fail proves nothing."""
    broken = theatre.play(scene, guarded=False) if playable(theatre, scene) else [scene.breaks]

    assert [] != [each for each in broken if each.startswith(scene.breaks)], broken


def test_every_guard_has_its_scenario():
    """A guard that nobody takes out is a guard that nobody tests."""
    assert list(Guard) == sorted((scene.guard for scene in SCENES), key=list(Guard).index)
