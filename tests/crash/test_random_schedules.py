"""Schedules of several faults at once, drawn from seeds: as many as fit here; `make crash-proof` runs more."""

import pytest

from crash.random_schedules import draw
from crash.theatre import Theatre

SEEDS = 5  #: For each part and store.
PARTS = 8

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_schedule_of_faults_breaks_a_promise(theatre: Theatre, part: int):
    """Kills upon kills, servers that drop and stall, clocks that jump, disks that fill up, databases that go away."""
    places = theatre.enumeration.places
    seeds = range(part * SEEDS, (part + 1) * SEEDS)
    judged = [theatre.judge(draw(seed, places, postgres=theatre.store == "postgres")) for seed in seeds]
    drawn = zip(seeds, judged, strict=True)
    broken = [f"seed {seed}: {theatre.complaint(each)}" for seed, each in drawn if each.violations]

    assert [] == broken, "\n".join(broken)
    assert [] != [each for each in judged if each.run is not None and each.run.killed_at]
