"""Where a walk begins, where it goes next, and when that is due.

Rule 1: `next_due_at` is set once, on entering a step, from the moment the step before ended; it never slides.
Rule 2: the step counter grows with every step entered, also when a branch loops back: it is what makes a genuine
        second visit of a step another attempt.
Rule 3: what is counted or remembered about the step before (failures, deferral) ends with it.
Rule 4: more than `STEP_CEILING` steps in one pass block the enrollment.
"""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from relance.core.calendar import after, clamped
from relance.core.defaults import STEP_CEILING
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.lead import Lead
from relance.core.sequence import (
    STOP,
    BranchStep,
    Condition,
    EmailStep,
    FieldEquals,
    Plan,
    RepliedWithin,
    Step,
    WaitStep,
)
from relance.core.values import replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A step that is entered: its columns on the enrollment."""

    step: str
    kind: str
    counter: int
    status: EnrollmentStatus  #: `active` for what acts, `waiting` for what only lets time pass.
    due_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """It stands on its next step."""

    enrollment: Enrollment


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Every step was walked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchedToStop:
    """A branch leads to `stop`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """It has entered as many steps as one pass may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """There is no such step."""

    cause: str


Advance = Entered | Finished | BranchedToStop | Ceiling | Broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A branch is decided. `target` None: the next step as written."""

    target: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYet:
    """A branch cannot be decided before `until`."""

    until: datetime


def first(plan: Plan, *, now: datetime, zone: ZoneInfo) -> Place:
    """Return the first step of a plan, entered now; `zone` is the one its window is read in.

    Raises ValueError if the plan has no steps, which publishing refuses.
    """
    if not plan.steps:
        raise ValueError(f"sequence {plan.name} has no steps")
    return _enter(plan, plan.steps[0], counter=1, since=now, zone=zone, replied_at=None)


def advance(
    plan: Plan,
    enrollment: Enrollment,
    *,
    ended_at: datetime,
    zone: ZoneInfo,
    target: str | None = None,
) -> Advance:
    """Return what follows the step that the enrollment stands on.

    `ended_at` is when that step ended: the acceptance of an e-mail, the due time of a wait, the decision of a branch.
    `target` is where a branch leads; None means the next step as written.
    """
    if target == STOP:
        return BranchedToStop()
    if plan.step(enrollment.step) is None:
        return Broken(cause=f"step {enrollment.step} is not in this version of {plan.name}")
    step = plan.following(enrollment.step) if target is None else plan.step(target)
    if step is None and target is not None:
        return Broken(cause=f"step {enrollment.step} leads to {target}, which is not in this version of {plan.name}")
    if step is None:
        return Finished()
    if enrollment.step_counter >= STEP_CEILING:
        return Ceiling()
    place = _enter(
        plan,
        step,
        counter=enrollment.step_counter + 1,
        since=ended_at,
        zone=zone,
        replied_at=enrollment.replied_at,
    )
    return Entered(
        enrollment=replace(
            enrollment,
            status=place.status,
            step=place.step,
            step_kind=place.kind,
            step_counter=place.counter,
            next_due_at=place.due_at,
            skip_until=None,
            last_skip_reason=None,
            consecutive_failures=0,
            verification_attempts=0,
        ),
    )


def decide(step: BranchStep, enrollment: Enrollment, lead: Lead, now: datetime) -> Decided | NotYet:
    """Decide the branch that the enrollment stands on, or say when that will be possible.

    The decision does not depend on how late it is taken: a reply counts if it came before the due time, which is when
    the period of `replied: within` ends.
    """
    due = enrollment.next_due_at or now
    replied = enrollment.replied_at is not None and enrollment.replied_at <= due
    match step.condition:
        case RepliedWithin() if replied:
            return Decided(target=step.then)
        case _ if now < due:
            return NotYet(until=due)
        case FieldEquals(field=name, value=value) if _field(lead, name) == value.strip().casefold():
            return Decided(target=step.then)
        case _:
            return Decided(target=step.otherwise)


def _field(lead: Lead, name: str) -> str:
    return (lead.email if name == "email" else lead.fields.get(name, "")).strip().casefold()


def _enter(
    plan: Plan,
    step: Step,
    *,
    counter: int,
    since: datetime,
    zone: ZoneInfo,
    replied_at: datetime | None,
) -> Place:
    begins = after(since, step.after, plan.window, zone)
    status, due = _begun(plan, step, begins, zone, replied_at)
    return Place(step=step.id, kind=plan.kind_of(step), counter=counter, status=status, due_at=due)


def _begun(
    plan: Plan,
    step: Step,
    begins: datetime,
    zone: ZoneInfo,
    replied_at: datetime | None,
) -> tuple[EnrollmentStatus, datetime]:
    match step:
        case EmailStep():
            return EnrollmentStatus.ACTIVE, clamped(begins, plan.window, zone)
        case WaitStep():
            ends = after(begins, step.duration, plan.window, zone)
            return EnrollmentStatus.WAITING, clamped(ends, plan.window, zone)
        case BranchStep():
            return EnrollmentStatus.WAITING, _decidable(step.condition, plan, begins, zone, replied_at)


def _decidable(
    condition: Condition,
    plan: Plan,
    begins: datetime,
    zone: ZoneInfo,
    replied_at: datetime | None,
) -> datetime:
    match condition:
        case RepliedWithin(within=within) if replied_at is None:
            return after(begins, within, plan.window, zone)
        case RepliedWithin() | FieldEquals():
            return begins
