"""Every place that the scenario passes, killed at its first and at its last passing: the enumeration.

One undisturbed run is recorded; what it passed is the list. How often the lease is renewed depends on real time: such a
place is killed at the last passing that comes, and a kill that did not happen is no case. So is a life that takes up
what was left, and one that reads back after an older state was put back: what such a life passes is killed there.
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from crash.crew import Crew
from crash.judging import Undisturbed, undisturbed, violations, waiting
from crash.plan import At, Plan, PutBack
from crash.running import LEASE, Run, Running
from crash.stage import Stage
from crash.turning import RunError

#: Passed only by a run that lasts until the lease is renewed, which is a matter of real time.
BY_REAL_TIME = frozenset({"commit take_part: before", "commit take_part: after"})
#: Real seconds of a lease that is renewed in the shortest run; it cannot be lost where one engine has all shards.
SHORT_LEASE = 0.15
_TRIES = 5  #: To kill at the last passing of a place.
#: Server-side moments: the message is in the server's hands, and its answer is not on the wire.
_SERVER_FATES = ("kill", "accept_and_drop", "lose_and_drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration:
    """What can go wrong once, in the order in which it can."""

    expected: Undisturbed
    counts: Mapping[str, int]  #: Place to how often it is passed, in order of the first passing.
    dots: tuple[str, ...]  #: Final dots to people, by domain and number.
    plans: tuple[Plan, ...]
    restored: tuple[Plan, ...]  #: One kill in a life that takes up what was left, or reads back.

    @property
    def places(self) -> tuple[str, ...]:
        """Every place, in order."""
        return tuple(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One plan and what came of it."""

    plan: Plan
    violations: tuple[str, ...]
    run: Run | None
    waiting: tuple[str, ...] = ()

    @property
    def starved(self) -> bool:
        """Whether it found no rest in the time that it had, which a busy machine may be the cause of."""
        return self.run is None and any("no rest within" in each for each in self.violations)

    @property
    def reached(self) -> bool:
        """Whether every planned fault happened: each kill, and what servers do at a dot."""
        run, plan = self.run, self.plan
        return (
            run is not None
            and {str(kill) for kill in plan.kills} <= set(run.killed_at)
            and plan.dots.keys() <= set(run.dots)
        )


async def enumerate_faults(stage: Stage) -> Enumeration:
    """Record an undisturbed run and derive every single fault from it."""
    run = await Running(stage=stage, plan=Plan(), record=True).run()
    expected = undisturbed(run)
    counts = Counter(run.places)
    plans = [Plan(kills=(At(place=place, passing=n),)) for place in counts for n in sorted({1, counts[place]})]
    plans += [Plan(dots={dot: fate}) for fate in _SERVER_FATES for dot in run.dots]
    return Enumeration(
        expected=expected,
        counts=counts,
        dots=tuple(run.dots),
        plans=tuple(plans),
        restored=tuple([plan async for plan in _once_more(stage, counts)]),
    )


async def _once_more(stage: Stage, counts: Mapping[str, int]) -> AsyncIterator[Plan]:
    """Yield a kill at each place of the life after a death, and of the life after an older state was put back.

    The first life dies before the last message begins, the second when it is written: the state that is put back does
    not know of that.
    """
    last = At(place="commit begin: before", passing=counts["commit begin: before"])
    died = Plan(kills=(last,), in_order=True, copies="all")
    restored = replace(died, kills=(last, At(place="smtp dot: written")), put_back=PutBack(kept=1, back=2))
    for plan in (died, restored):
        passed = Counter((await Running(stage=stage, plan=plan, record=True).run()).places)
        for place in passed:
            if place in BY_REAL_TIME:
                continue
            if plan is restored or place not in counts:
                for n in sorted({1, passed[place] if place not in counts else 1}):
                    yield replace(plan, kills=(*plan.kills, At(place=place, passing=n)))


async def judge(stage: Stage, plan: Plan, expected: Undisturbed) -> Judged:
    """Run a plan and judge it; a run that itself goes wrong is a violation too."""
    renewed = stage.cluster is None and any(kill.place in BY_REAL_TIME for kill in plan.kills)
    crew = Crew(stage=stage, plan=plan)
    alone = Running(stage=stage, plan=plan, lease=SHORT_LEASE if renewed else LEASE, record=True)
    try:
        run = await (crew if plan.needs_crew else alone).run()
    except RunError as error:
        return Judged(plan=plan, violations=(f"the run failed: {error}",), run=None)
    return Judged(plan=plan, violations=tuple(violations(run, expected)), run=run, waiting=tuple(waiting(run)))


async def judge_kill(stage: Stage, plan: Plan, expected: Undisturbed) -> Judged:
    """Judge a single kill; where real time let its place be passed less often, at the last passing that there is."""
    judged = await judge(stage, plan, expected)
    for _ in range(_TRIES):
        if judged.reached or judged.violations or judged.run is None:
            break
        *before, kill = judged.plan.kills
        last = min(judged.run.places.count(kill.place), kill.passing - 1)
        if last == 0:
            break
        judged = await judge(stage, replace(plan, kills=(*before, replace(kill, passing=last))), expected)
    return judged
