"""One, two and four workers over one PostgreSQL: undisturbed, killed, stopped past their lease and woken, cut off.

The others go on and take over; the servers' log is judged as for one worker.
"""

from typing import Any

import pytest

from crash.guards import Guard
from crash.plan import Plan, everybody, first_stopped
from crash.random_schedules import CREWS, draw_crew
from crash.single_faults import Judged
from crash.theatre import Theatre

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.timeout(600)]

SEEDS = 2  #: For each number of workers.
RESENT = (
    20  #: Turns of time after which what was not found in Sent was sent again: some nine, or more where it is slow.
)

over_postgres = pytest.mark.parametrize("theatre", ["postgres"], indirect=True)  #: Over a file there is one engine.


#: What a worker was about when it was stopped; how many there are, the place, and for how many turns of time.
STOPS = {
    "before it is reserved": (2, "commit claim_as_owner: after", 0),
    "reserved and not begun": (2, "smtp RCPT: answered", 1),
    "begun and nothing written": (4, "commit begin: after", 1),
    "between body and dot, no time passes": (2, "smtp body: written", 0),
    "between body and dot, and its message was sent again": (4, "smtp body: written", RESENT),
    "after the last look, before the dot, and the server has hung up": (4, "smtp dot: before", RESENT),
    "the dot is written": (2, "smtp dot: written", 2),
    "inside the transaction that confirms": (2, "commit confirm: before", 0),
}
KILLS = ((2, "smtp dot: written"), (2, "commit reserve: after"), (4, "commit confirm: before"))


def ending(judged: Judged) -> dict[str, Any]:
    """Return how everybody ended, without who sent what."""
    assert judged.run is not None, judged.violations
    people = judged.run.ended["people"]
    return {person: (row["status"], row["reason"], row["step"]) for person, row in people.items()}


@over_postgres
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_workers_who_share_the_work_end_as_one_does(theatre: Theatre, workers: int):
    """Whoever sends, reads or looks up: nobody outside can tell."""
    alone, shared = theatre.judge(Plan()), theatre.judge(Plan(workers=workers))

    assert () == shared.violations
    assert ending(alone) == ending(shared)


@over_postgres
@pytest.mark.parametrize("name", STOPS)
def test_a_worker_that_slept_past_its_lease_does_no_harm_when_it_wakes(theatre: Theatre, name: str):
    """Its work is another's by then, wherever it was stopped."""
    workers, place, turns = STOPS[name]
    judged = theatre.judge(Plan(workers=workers, stops=first_stopped(place, turns=turns), copies="all"))

    assert () == judged.violations, theatre.complaint(judged)
    assert judged.run is not None
    assert judged.run.stopped_at


@over_postgres
def test_without_lease_and_deadline_the_harness_sees_what_a_worker_that_slept_does(theatre: Theatre):
    """Each alone would do here, as would a server that hangs up: the sleeper's clock has gone on as well."""
    plan = Plan(
        workers=2,
        copies="all",
        stops=first_stopped("smtp body: written", turns=RESENT),
        patient=True,
        without=(Guard.FENCE, Guard.RELEASE_DEADLINE),
    )
    judged = theatre.judge(plan)

    assert [] != [each for each in judged.violations if each.startswith("twice")]


@over_postgres
def test_a_server_that_never_hangs_up_lets_a_sleeper_write_its_dot_hours_later(theatre: Theatre):
    """Known, and nothing that a client can prevent: docs/explanation/exactly-once.md says which servers."""
    stops = first_stopped("smtp dot: before", turns=RESENT)
    judged = theatre.judge(Plan(workers=2, copies="all", stops=stops, patient=True))

    assert [] != [each for each in judged.violations if each.startswith("twice")]


@over_postgres
@pytest.mark.parametrize("workers, place", KILLS)
def test_the_others_go_on_for_a_worker_that_is_killed(theatre: Theatre, place: str, workers: int):
    """All who come by die there, one after the other, and come back later; each time the others take over."""
    judged = theatre.judge(Plan(workers=workers, kills=everybody(place, workers), copies="all"))

    assert () == judged.violations, theatre.complaint(judged)
    assert judged.run is not None
    assert judged.run.killed_at


@over_postgres
@pytest.mark.parametrize("workers", CREWS)
def test_workers_outlive_a_database_that_is_killed_under_them(theatre: Theatre, workers: int):
    """They find it again, and record what had left meanwhile."""
    restarts = everybody("commit confirm: before", workers)[:2]
    judged = theatre.judge(Plan(workers=workers, restart_database=restarts, copies="all"))

    assert () == judged.violations, theatre.complaint(judged)


@over_postgres
@pytest.mark.parametrize("workers", CREWS)
def test_no_schedule_of_faults_breaks_a_promise_among_several_workers(theatre: Theatre, workers: int):
    """Kills, stops, servers that drop and stall, clocks that jump, databases that go away."""
    places = theatre.enumeration.places
    judged = [(seed, theatre.judge(draw_crew(seed, places, workers=workers))) for seed in range(SEEDS)]
    broken = [f"seed {seed}: {theatre.complaint(each)}" for seed, each in judged if each.violations]

    assert [] == broken, "\n".join(broken)
