"""What must be true of an enrollment's row, its attempts and its history, whatever has happened.

Rule 1: at most one attempt is open; one that ended early was withdrawn; who has ended is neither due nor locked.
Rule 2: the history, replayed from the first entry along the plan, arrives at the row's status, step and counter.
Rule 3: what the counters say was used is what attempts hold.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from relance.core.attempt import OPEN, Attempt, AttemptStatus
from relance.core.enrollment import TERMINAL, WALKING, Enrollment, HistoryEntry
from relance.core.replaying import Arrived, replay
from relance.core.sequence import Plan
from relance.ports.store import Reader
from relance.services import invariants
from relance.services.invariants import Broken
from relance.services.situations import plan_of
from relance.testing.builders import KEYS

Bucket = tuple[str, int | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One enrollment, and everything that was written about it."""

    run: Enrollment
    attempts: list[Attempt]
    history: list[HistoryEntry]
    plan: Plan


def stories_of(reader: Reader, workspace_id: int) -> list[Story]:
    """Read every enrollment of a workspace."""
    ids = {"workspace_id": workspace_id}
    return [
        Story(
            run=run,
            attempts=reader.all(Attempt, "attempts.of_enrollment", **ids, enrollment_id=run.id),
            history=reader.all(HistoryEntry, "enrollments.history", **ids, enrollment_id=run.id),
            plan=plan_of(reader, workspace_id, run.sequence_id, run.version),
        )
        for run in reader.all(Enrollment, "enrollments.chosen", **ids, sequence_id=None, lead_id=None)
    ]


def check_row(story: Story, *, counter_before: int = 1) -> None:
    """Apply rule 1; `counter_before` is the step counter that was seen last."""
    run, attempts = story.run, story.attempts
    ended = {AttemptStatus.RESERVED} if run.status in TERMINAL else set()

    assert 1 >= sum(attempt.status in OPEN for attempt in attempts), attempts
    assert ended.isdisjoint(attempt.status for attempt in attempts), attempts
    assert counter_before <= run.step_counter, f"the step counter went back from {counter_before}"
    assert run.status not in TERMINAL or (None, None, None) == (run.next_due_at, run.skip_until, run.lock_holder)
    assert all(attempt.step_counter <= run.step_counter for attempt in attempts), attempts
    assert not any(
        attempt.status is AttemptStatus.SENT and attempt.step_counter == run.step_counter and run.status in WALKING
        for attempt in attempts
    ), "a walking row stands on a step that was sent"
    assert all(attempt.holds_slot for attempt in attempts if attempt.status is AttemptStatus.IN_FLIGHT), attempts


def check_history(story: Story) -> None:
    """Apply rule 2: walk the plan along the entries."""
    run, history = story.run, story.history
    statuses = [None, *(entry.to_status for entry in history)]
    arrived = replay(story.plan, history)

    assert [entry.from_status for entry in history] == statuses[:-1], history
    assert run.status is statuses[-1], run
    assert isinstance(arrived, Arrived), arrived
    assert run.step in arrived.steps, (arrived, run)
    assert arrived.counter == run.step_counter, (arrived, run)


def contradictions(reader: Reader, workspace_id: int, now: datetime) -> list[Broken]:
    """Ask what `relance doctor` asks of the records."""
    return [
        one
        for part in invariants.stretches(reader, workspace_id=workspace_id)
        for one in invariants.look(reader, part, workspace_id=workspace_id, keys=KEYS, now=now)
    ]


def held(story_attempts: Iterable[Attempt], plans: Mapping[tuple[int, int], Plan]) -> Counter[Bucket]:
    """Count what attempts hold, by counter; `plans` by sequence and version."""
    expected: Counter[Bucket] = Counter()
    for one in story_attempts:
        if not one.holds_slot:
            continue
        plan = plans[one.sequence_id, one.version]
        expected["mailbox_day", one.mailbox_id, one.slot_day] += 1
        expected["mailbox_hour", one.mailbox_id, one.slot_hour] += 1
        if plan.daily_cap is not None:
            expected["sequence_day", one.sequence_id, one.slot_day] += 1
        if plan.max_new_per_day is not None and one.step_counter == 1:
            expected["sequence_new_day", one.sequence_id, one.slot_day] += 1
    return expected


def check_usage(reader: Reader, workspace_id: int, stories: Sequence[Story]) -> None:
    """Apply rule 3 to every counter that any attempt may have touched."""
    plans = {(story.run.sequence_id, story.run.version): story.plan for story in stories}
    attempts = [attempt for story in stories for attempt in story.attempts]
    expected = held(attempts, plans)
    touched = {
        bucket
        for one in attempts
        for bucket in (
            ("mailbox_day", one.mailbox_id, one.slot_day),
            ("mailbox_hour", one.mailbox_id, one.slot_hour),
            ("sequence_day", one.sequence_id, one.slot_day),
            ("sequence_new_day", one.sequence_id, one.slot_day),
        )
    }
    for scope, scope_id, bucket in touched:
        used = reader.one(int, "usage.used", workspace_id=workspace_id, scope=scope, scope_id=scope_id, bucket=bucket)

        assert expected[scope, scope_id, bucket] == (used or 0), (scope, scope_id, bucket)
