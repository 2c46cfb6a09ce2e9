"""Where a history leads: its entries, walked along the plan from the first step on.

Rule 1: an event that ends a step moves a walking row to what its plan says comes next, one counter up; nothing else
        moves it.
Rule 2: a step ends by an event of its own kind. An e-mail that was left by anything but an acceptance was never sent.
Rule 3: a branch leads to one of two steps; which one it was, the next entry says, or the row.
Rule 4: a step that was withdrawn because its enrollment had ended by mistake is entered anew, one counter up.
Rule 5: statuses are taken as they are written; whether each follows from the one before is `transitions`' business.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from relance.core.enrollment import WALKING
from relance.core.events import EventName
from relance.core.sequence import STOP, BranchStep, EmailStep, Plan, Step, WaitStep

#: What ends a step of which kind.
_ENDS: Final[Mapping[str, type[Step]]] = {
    EventName.STEP_ACCEPTED: EmailStep,
    EventName.OUTCOME_SETTLED: EmailStep,
    EventName.STEP_RECORDED: EmailStep,
    EventName.WAIT_ENDED: WaitStep,
    EventName.BRANCH_DECIDED: BranchStep,
}


class Entry(Protocol):
    """What of an entry of a history is replayed."""

    @property
    def to_status(self) -> str:
        """The status it led to."""

    @property
    def event(self) -> str:
        """What happened."""

    @property
    def step(self) -> str:
        """The step on which that happened."""

    @property
    def step_counter(self) -> int:
        """The counter of that step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """Every entry follows from the one before; the row stands on one of these steps."""

    steps: frozenset[str]
    counter: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Astray:
    """An entry does not follow from what came before it."""

    cause: str


def replay(plan: Plan, history: Iterable[Entry]) -> Arrived | Astray:
    """Walk a history along its plan, from the first entry to the last."""
    steps, counter = frozenset({plan.steps[0].id}), 1
    for entry in history:
        if entry.step not in steps or entry.step_counter != counter:
            expected = " or ".join(sorted(steps))
            return Astray(
                cause=f"{entry.event} at step {entry.step} ({entry.step_counter}) follows on {expected} ({counter})"
            )
        steps = frozenset({entry.step})
        if entry.event == EventName.STEP_ENTERED and entry.to_status in WALKING:
            counter += 1
        if entry.event in _ENDS and entry.to_status in WALKING:
            steps, counter = _following(plan, entry), counter + 1
            if not steps:
                return Astray(cause=f"{entry.event} leads on from step {entry.step}, where it cannot")
    return Arrived(steps=steps, counter=counter)


def _following(plan: Plan, entry: Entry) -> frozenset[str]:
    step = plan.step(entry.step)
    if step is None or not isinstance(step, _ENDS[entry.event]):
        return frozenset()
    written = plan.following(step.id)
    otherwise = written.id if written is not None else None
    targets = {step.then, step.otherwise or otherwise} if isinstance(step, BranchStep) else {otherwise}
    return frozenset(target for target in targets if target is not None and target != STOP)
