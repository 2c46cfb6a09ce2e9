"""Every place that the scenario passes, killed at its first and at its last passing: the enumeration.

One undisturbed run is recorded; what it passed is the list. Places that depend on real time (the lease's renewal) are
killed where they are passed, and told apart from those that were never reached.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from crash.crew import Crew
from crash.judging import Undisturbed, undisturbed, violations, waiting
from crash.plan import At, Plan
from crash.running import Run, Running
from crash.stage import Stage
from crash.turning import RunError

#: Passed only by a run that lasts until the lease is renewed, which is a matter of real time.
BY_REAL_TIME = frozenset({"commit take_part: before", "commit take_part: after"})
#: Server-side moments: the message is in the server's hands, and its answer is not on the wire.
_SERVER_FATES = ("kill", "accept_and_drop", "lose_and_drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration:
    """What can go wrong once, in the order in which it can."""

    expected: Undisturbed
    counts: Mapping[str, int]  #: Place to how often it is passed, in order of the first passing.
    dots: tuple[str, ...]  #: Final dots to people, by domain and number.
    plans: tuple[Plan, ...]

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
    def reached(self) -> bool:
        """Whether every planned kill happened that does not depend on real time."""
        planned = [kill for kill in self.plan.kills if kill.place not in BY_REAL_TIME]
        return self.run is not None and len(self.run.killed_at) >= len(planned)


async def enumerate_faults(stage: Stage) -> Enumeration:
    """Record an undisturbed run and derive every single fault from it."""
    run = await Running(stage=stage, plan=Plan(), record=True).run()
    expected = undisturbed(run)
    counts = Counter(run.places)
    plans = [Plan(kills=(At(place=place, passing=n),)) for place in counts for n in sorted({1, counts[place]})]
    plans += [Plan(dots={dot: fate}) for fate in _SERVER_FATES for dot in run.dots]
    return Enumeration(expected=expected, counts=counts, dots=tuple(run.dots), plans=tuple(plans))


async def judge(stage: Stage, plan: Plan, expected: Undisturbed) -> Judged:
    """Run a plan and judge it; a run that itself goes wrong is a violation too."""
    try:
        run = await (Crew if plan.needs_crew else Running)(stage=stage, plan=plan).run()
    except RunError as error:
        return Judged(plan=plan, violations=(f"the run failed: {error}",), run=None)
    return Judged(plan=plan, violations=tuple(violations(run, expected)), run=run, waiting=tuple(waiting(run)))


async def judge_kill(stage: Stage, plan: Plan, expected: Undisturbed) -> Judged:
    """Judge a single kill; where real time let its place be passed less often, at the last passing that there is."""
    judged = await judge(stage, plan, expected)
    for at in _earlier(plan):
        if judged.reached or judged.violations:
            break
        judged = await judge(stage, replace(plan, kills=(at,)), expected)
    return judged


def _earlier(plan: Plan) -> Iterator[At]:
    for kill in plan.kills:
        for passing in range(kill.passing - 1, max(0, kill.passing - 4), -1):
            yield At(place=kill.place, passing=passing)
