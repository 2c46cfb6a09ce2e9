"""Schedules of several faults, drawn from a seed: the same seed and store draw the same schedule.

Rule 1: a schedule never contains what cannot be promised: a server that loses its own copy of the very message whose
        answer it swallowed, and files a later one, has said that it did not take it.
Rule 2: places are drawn from the scenario's enumeration, so a new place is drawn as soon as it exists.
"""

import random  # noqa: TID251 - the schedules of a test; their seed is printed
from collections.abc import Callable, Sequence
from dataclasses import replace

from crash.plan import ANYBODY, At, Plan, PutBack, Stop
from relance.sandbox.faults import DataFate, PushFate

CREWS = (2, 4)  #: Workers that share a database.
_MOST_KILLS = 6
_DOTS = ("keeps 1", "keeps 2", "keeps 3", "forgets 1", "forgets 2", "forgets 3")
_LATE = 9  #: Minutes that a copy in Sent is late at most: the ambiguity grace allows for fifteen.
_COPIES = 12
_JUMPS = 12  #: Of time; an undisturbed run has about ten.
_AHEAD = 10  #: Minutes that the host's clock is off at most.
_TIGHT = ("smtp", "commit claim", "commit reserve", "commit begin", "commit confirm", "commit take_over")
_HALF = 0.5
_TURNS = (0, 0, 1, 3, 6, 10, 14)  #: Of time, that a worker is stopped; after some nine its last message was sent again.


def draw(seed: int, places: tuple[str, ...], *, postgres: bool) -> Plan:
    """Return the schedule of a seed: kills, and some of everything else."""
    chance = random.Random(f"{seed} {postgres}")  # noqa: S311 - replayable on purpose
    kills = tuple(_somewhere(chance, places) for _ in range(chance.randint(1, _MOST_KILLS)))
    plan = Plan(kills=kills)
    faults = [*_ANYWHERE, _put_back, *((_cut_database, _restart_database) if postgres else (_full_disk,))]
    for fault in chance.sample(faults, chance.randint(0, 4)):
        plan = fault(chance, plan, places)
    return _promisable(plan, postgres=postgres)


def _promisable(plan: Plan, *, postgres: bool) -> Plan:
    """Leave out what takes away the only thing that can tell what left before an older state was put back.

    And clocks that jump: what is read back is known by the servers' time, and the steps after it are due by that.
    """
    if plan.put_back is None:
        return plan
    tells = plan.put_back.aside and not postgres
    return replace(plan, sent_stops_at=None, copies=plan.copies if tells else "all", clock_jumps={})


def draw_any(seed: int, places: tuple[str, ...], *, postgres: bool, crew_every: int) -> Plan:
    """Return the schedule of a seed: for two or four workers in turn if it is one of every so many over PostgreSQL."""
    turn, other = divmod(seed, crew_every)
    if postgres and not other:
        return draw_crew(seed, places, workers=CREWS[turn % len(CREWS)])
    return draw(seed, places, postgres=postgres)


def draw_crew(seed: int, places: tuple[str, ...], *, workers: int) -> Plan:
    """Return the schedule of a seed for so many workers over PostgreSQL: as `draw`, and some are stopped and woken."""
    chance = random.Random(f"{seed} of {workers}")  # noqa: S311 - replayable on purpose
    numbers = range(1, 1 + workers)
    kills = tuple(_of_somebody(chance, places, numbers) for _ in range(chance.randint(0, _MOST_KILLS // 2)))
    stops = tuple(
        Stop(at=_of_somebody(chance, places, (ANYBODY, *numbers)), turns=chance.choice(_TURNS))
        for _ in range(chance.randint(1, 3))
    )
    plan = Plan(workers=workers, kills=kills, stops=stops, away=chance.randint(0, 4))
    for fault in chance.sample([*_ANYWHERE, _cut_database, _restart_database], chance.randint(0, 3)):
        plan = fault(chance, plan, places)
    return plan


def _of_somebody(chance: random.Random, places: tuple[str, ...], numbers: Sequence[int]) -> At:
    """Draw a place, half the time one where something leaves or is decided: there it matters who owns the shard."""
    tight = tuple(place for place in places if place.startswith(_TIGHT))
    at = _somewhere(chance, tight if chance.random() < _HALF else places)
    return replace(at, worker=chance.choice(numbers))


def _somewhere(chance: random.Random, places: tuple[str, ...]) -> At:
    return At(place=chance.choice(places), passing=1 + int(chance.expovariate(1.0)))


def _dropped_dots(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    fates = [DataFate.ACCEPT_AND_DROP.value, DataFate.LOSE_AND_DROP.value, "kill"]
    return replace(plan, dots={dot: chance.choice(fates) for dot in chance.sample(_DOTS, chance.randint(1, 3))})


def _bad_pushes(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    fates = [PushFate.SILENCE.value, PushFate.CLOSE.value]
    return replace(plan, pushes={number: chance.choice(fates) for number in range(1, 1 + chance.randint(1, 6))})


def _late_copies(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    return replace(plan, sent_copies={n: chance.randint(1, _LATE) for n in chance.sample(range(1, _COPIES), 3)})


def _sent_stops_saving(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    return replace(plan, sent_stops_at=chance.randint(1, 4))


def _rewritten_ids(_: random.Random, plan: Plan, __: tuple[str, ...]) -> Plan:
    return replace(plan, rewrites_ids=True)


def _clock_jumps(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    jumps = chance.sample(range(1, _JUMPS), chance.randint(1, 4))
    return replace(plan, clock_jumps={jump: chance.randint(-_AHEAD, _AHEAD) for jump in sorted(jumps)})


def _spurious_wakes(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    return replace(plan, spurious_wakes=tuple(sorted(chance.sample(range(1, _JUMPS), 4))))


def _refused_reading(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    return replace(plan, refused_imap=(chance.randint(0, 300), chance.randint(5, 120)))


def _poison(_: random.Random, plan: Plan, __: tuple[str, ...]) -> Plan:
    return replace(plan, poison=True)


def _put_back(chance: random.Random, plan: Plan, places: tuple[str, ...]) -> Plan:
    kills = (*plan.kills, *(_somewhere(chance, places) for _ in range(3)))
    kept = chance.randint(1, len(kills) - 1)
    back = chance.randint(kept + 1, len(kills))
    again = chance.randint(back + 1, len(kills)) if back < len(kills) and chance.random() < _HALF else 0
    return replace(
        plan, kills=kills, put_back=PutBack(kept=kept, back=back, again=again, aside=chance.random() < _HALF)
    )


def _full_disk(chance: random.Random, plan: Plan, _: tuple[str, ...]) -> Plan:
    return replace(plan, full_disk=(chance.randint(5, 120), chance.randint(1, 6)))


def _cut_database(chance: random.Random, plan: Plan, places: tuple[str, ...]) -> Plan:
    commits = tuple(place for place in places if place.startswith("commit"))
    return replace(plan, cut_database=tuple(_somewhere(chance, commits) for _ in range(chance.randint(1, 3))))


def _restart_database(chance: random.Random, plan: Plan, places: tuple[str, ...]) -> Plan:
    return replace(plan, restart_database=(_somewhere(chance, places),))


_ANYWHERE: tuple[Callable[[random.Random, Plan, tuple[str, ...]], Plan], ...] = (
    _dropped_dots,
    _bad_pushes,
    _late_copies,
    _sent_stops_saving,
    _rewritten_ids,
    _clock_jumps,
    _spurious_wakes,
    _refused_reading,
    _poison,
)
