"""Two workers and one person, exhaustively: every interleaving of a script, and the promises in every state."""

import sys
from collections.abc import Iterator
from datetime import timedelta

import pytest

from exhaustive.explorer import Explorer, PromiseBroken, wander
from exhaustive.ground import Ground, postgres_ground
from exhaustive.guards import GUARDS, Guard, taken_out
from exhaustive.stage import Script
from postgres_server import Databases
from store_places import postgres_place

sys.setrecursionlimit(10_000)

WAYS = 5  #: Drawn of each script over PostgreSQL.

#: Past the release deadline, then past the lock and the ambiguity grace.
SHORT = (timedelta(seconds=31), timedelta(minutes=17))
#: What may happen, and how many states there are at least: fewer mean that something is not played any more.
SCRIPTS = {
    "nothing goes wrong": (Script(), 200),
    "a worker dies": (Script(crashes=1), 1_900),
    "a worker dies and a reply is lost": (Script(crashes=1, losses=1, ticks=SHORT), 2_000),
    "replies are lost, Sent lags": (Script(losses=1), 750),
    "a worker loses its lease": (Script(stalls=1, ticks=SHORT), 1_000),
    "a COMMIT is unheard": (Script(unheard=1), 1_200),
    "servers refuse": (Script(refusals=2), 400),
    "an operator pauses and resumes": (Script(events=("pause", "resume"), refusals=1, ticks=SHORT), 1_000),
    "a sequence is paused and resumed": (Script(events=("pause the sequence", "resume the sequence")), 1_500),
    "an operator stops": (Script(events=("stop",), losses=1, ticks=SHORT), 700),
    "a sequence is archived": (Script(events=("archive",), losses=1, ticks=SHORT), 700),
    "somebody opts out": (Script(events=("opt out",), losses=1, ticks=SHORT), 600),
    "somebody answers between two steps": (Script(steps=2, events=("ann answers",)), 700),
    "somebody answers, and a worker dies": (Script(steps=2, events=("ann answers",), crashes=1, ticks=SHORT), 2_000),
    "a mailbox is removed": (Script(events=("remove a mailbox",)), 1_200),
}


@pytest.fixture(scope="module")
def empty_postgres(postgres_databases: Databases) -> Iterator[str]:
    """Return a database that every way leaves as it was."""
    url = postgres_place(postgres_databases)
    yield url
    postgres_databases.drop(url)


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_promises_hold_in_every_state(name, record_property):
    """Nobody gets a step twice, nothing follows a stop or an answer, nobody is lost; and the script was played out."""
    script, at_least = SCRIPTS[name]
    found = Explorer(script, Ground()).explore()
    record_property("explored", str(found))

    assert at_least <= found.states


@pytest.mark.postgres
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_promises_hold_along_drawn_ways_over_postgres(name, empty_postgres):
    """The same stage over the other store: some ways of each script, drawn and walked to their end."""
    script, _ = SCRIPTS[name]
    for number in range(WAYS):
        with postgres_ground(empty_postgres) as ground:
            assert 0 < wander(script, ground, seed=f"{name}/{number}")


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_without_a_guard_a_promise_breaks(guard: Guard):
    """The exploration finds a way to break a promise as soon as one guard is taken out."""
    with taken_out(guard), pytest.raises(PromiseBroken):
        Explorer(guard.script, Ground()).explore()
