"""Enrollments that contradict their plan: on a step that it has not, or on one to which their history does not lead."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from relance.core.plan_document import PlanDocumentError
from relance.core.replaying import Arrived, Astray, replay
from relance.core.sequence import Plan
from relance.ports.store import Reader
from relance.services.derived_invariants import MOST_ROWS, Found, Move
from relance.services.refusals import NotFoundError
from relance.services.situations import Keys, plan_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    id: int
    sequence_id: int
    version: int
    step: str
    step_kind: str
    step_counter: int
    email: str


class _Plans:
    """The plans of one look, each read once. One that cannot be read is found by other rules."""

    def __init__(self, reader: Reader, workspace_id: int) -> None:
        self._reader, self._workspace_id = reader, workspace_id
        self._known: dict[tuple[int, int], Plan | None] = {}

    def of(self, row: _Standing) -> Plan | None:
        """Return what a row walks."""
        key = row.sequence_id, row.version
        if key not in self._known:
            try:
                self._known[key] = plan_of(self._reader, self._workspace_id, *key)
            except (NotFoundError, PlanDocumentError):
                self._known[key] = None
        return self._known[key]


def off_the_plan(reader: Reader, *, workspace_id: int, after: int, upto: int, keys: Keys) -> Iterator[Found]:
    """Yield enrollments on a step that is not in their version's plan, or is of another kind there."""
    del keys
    plans = _Plans(reader, workspace_id)
    rows = _standings(reader, workspace_id, after, upto)
    return islice((found for row in rows if (found := _off(row, plans.of(row))) is not None), MOST_ROWS)


def _standings(reader: Reader, workspace_id: int, after: int, upto: int) -> list[_Standing]:
    return reader.all(_Standing, "invariants.standings", workspace_id=workspace_id, after=after, upto=upto)


def _off(row: _Standing, plan: Plan | None) -> Found | None:
    if plan is None:
        return None
    step = plan.step(row.step)
    if step is None:
        return Found(id=row.id, detail=f"{row.email} at step {row.step}, which version {row.version} does not have")
    kind = plan.kind_of(step)
    if kind == row.step_kind:
        return None
    return Found(id=row.id, detail=f"{row.email} at step {row.step} as {row.step_kind!r}, which is {kind!r}")


def led_elsewhere(reader: Reader, *, workspace_id: int, after: int, upto: int, keys: Keys) -> Iterator[Found]:
    """Yield enrollments whose history, walked along the plan, does not lead to their step and counter."""
    del keys
    plans = _Plans(reader, workspace_id)
    standings = {row.id: row for row in _standings(reader, workspace_id, after, upto)}
    moves = reader.all(Move, "invariants.moves", workspace_id=workspace_id, after=after, upto=upto)
    histories = ((standings.get(key), list(entries)) for key, entries in groupby(moves, key=lambda move: move.id))
    found = (_astray(row, plans.of(row), entries) for row, entries in histories if row is not None)
    return islice((one for one in found if one is not None), MOST_ROWS)


def _astray(row: _Standing, plan: Plan | None, history: list[Move]) -> Found | None:
    if plan is None:
        return None
    match replay(plan, history):
        case Astray(cause=cause):
            return Found(id=row.id, detail=f"{row.email}: {cause}")
        case Arrived(steps=steps, counter=counter) if row.step not in steps or row.step_counter != counter:
            where = " or ".join(sorted(steps))
            detail = f"{row.email}: at step {row.step} ({row.step_counter}), and led to {where} ({counter})"
            return Found(id=row.id, detail=detail)
        case _:
            return None
