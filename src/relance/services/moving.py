"""Moving an enrollment: obeying a gate, entering the next step, ending. Inside the caller's transaction."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from relance.core import defaults, gates, planning, transitions
from relance.core.enrollment import Enrollment, EnrollmentStatus, HistoryEntry, StopReason
from relance.core.events import Event, EventName
from relance.core.sequence import Plan
from relance.core.situation import Situation
from relance.core.values import replace
from relance.core.verdict import Defer, Holds, Stop
from relance.ports.store import Reader, Transaction
from relance.services.records import record, save_enrollment
from relance.services.situations import plan_of

#: A row that lost a race for something shared looks again after this long at the earliest.
RACE_PAUSE = timedelta(seconds=1)


def unlocked(enrollment: Enrollment) -> Enrollment:
    """Return the row with its lock let go."""
    return replace(enrollment, lock_holder=None, lock_expires_at=None)


def unpinned(enrollment: Enrollment) -> Enrollment:
    """Let a person who was never written to go to another mailbox; follow-ups stay where the thread began."""
    return enrollment if enrollment.last_sent_at is not None else replace(enrollment, mailbox_id=None)


def defer(tx: Transaction, situation: Situation, verdict: Defer) -> None:
    """Write a gate's "not now" where it belongs, and let the row go. Due times do not slide."""
    enrollment, now = situation.enrollment, situation.now
    freed = unpinned(unlocked(enrollment))
    match verdict.holds:
        case Holds.LEAD if gates.holds_for_everyone(situation.plan, verdict.reason) and _versions_agree(tx, situation):
            _put_sequence_off(tx, enrollment, verdict)
        case Holds.LEAD:
            freed = replace(freed, skip_until=verdict.until, last_skip_reason=verdict.reason, last_skip_at=now)
        case Holds.MAILBOX:
            if situation.mailbox is not None:
                tx.run(
                    "mailboxes.put_off",
                    workspace_id=enrollment.workspace_id,
                    id=situation.mailbox.id,
                    until=verdict.until,
                    reason=verdict.reason,
                )
        case Holds.SEQUENCE:
            _put_sequence_off(tx, enrollment, verdict)
        case Holds.WORKSPACE:
            tx.run("workspaces.put_off", id=enrollment.workspace_id, until=verdict.until, reason=verdict.reason)
        case Holds.NEW_LEADS:
            tx.run(
                "sequences.put_off_new",
                workspace_id=enrollment.workspace_id,
                id=enrollment.sequence_id,
                until=verdict.until,
            )
    save_enrollment(tx, enrollment, freed)


def _put_sequence_off(tx: Transaction, enrollment: Enrollment, verdict: Defer) -> None:
    tx.run(
        "sequences.put_off",
        workspace_id=enrollment.workspace_id,
        id=enrollment.sequence_id,
        until=verdict.until,
        reason=verdict.reason,
    )


def _versions_agree(reader: Reader, situation: Situation) -> bool:
    """Whether the hours of this version are those of every other: else what one of them waits for, others need not."""
    row, plan = situation.enrollment, situation.plan
    others = (version for version in range(situation.sequence.version, 0, -1) if version != row.version)
    found = (plan_of(reader, row.workspace_id, row.sequence_id, version) for version in others)
    return all((one.window, one.quiet_hours) == (plan.window, plan.quiet_hours) for one in found)


def stop_for_gate(tx: Transaction, situation: Situation, verdict: Stop) -> None:
    """End an enrollment because a gate said never."""
    event = (
        EventName.SUPPRESSION_FOUND
        if verdict.status is EnrollmentStatus.SUPPRESSED
        else EventName.ENROLLMENT_BLOCKED
        if verdict.status is EnrollmentStatus.BLOCKED
        else EventName.STEP_FAILED
    )
    end(
        tx,
        situation.enrollment,
        event=event,
        to=verdict.status,
        stop_reason=verdict.reason,
        cause=verdict.cause,
        now=situation.now,
    )


def end(
    tx: Transaction,
    enrollment: Enrollment,
    *,
    event: EventName,
    to: EnrollmentStatus,
    stop_reason: StopReason | None,
    cause: str,
    now: datetime,
    elsewhere: bool = False,
) -> Enrollment:
    """Move an enrollment to a terminal status, with its history and an event.

    `elsewhere`: what ended it happened to another run of the person, and does not count for this one's mailbox.
    """
    after, entry = transitions.change(enrollment, event=event, to=to, now=now, cause=cause, stop_reason=stop_reason)
    saved = save_enrollment(tx, enrollment, after, entry)
    tx.run("attempts.void_reserved", workspace_id=enrollment.workspace_id, enrollment_id=enrollment.id)
    note(tx, replace(saved, mailbox_id=None) if elsewhere else saved, event, cause, now)
    return saved


def advance(  # noqa: PLR0913  # the facts of the step that ended
    tx: Transaction,
    enrollment: Enrollment,
    plan: Plan,
    *,
    zone: ZoneInfo,
    event: EventName,
    cause: str,
    now: datetime,
    ended_at: datetime | None = None,
    target: str | None = None,
) -> Enrollment:
    """Leave the present step for the next one (or for `target`), or finish. `ended_at`: when it ended, by default now.

    `enrollment` is the row as read, with any other change that the caller wants written already made by `replace`
    on the same revision.
    """
    freed = unlocked(enrollment)
    outcome = planning.advance(plan, freed, ended_at=ended_at or now, zone=zone, target=target)
    after, entry = _carried_out(freed, outcome, event=event, now=now, cause=cause)
    saved = save_enrollment(tx, enrollment, after, entry)
    if saved.status is EnrollmentStatus.COMPLETED:
        note(tx, saved, EventName.SEQUENCE_FINISHED, "every step was walked", now)
    elif saved.terminal:
        note(tx, saved, event, f"{cause}; ended as {saved.stop_reason}", now)
    return saved


def _carried_out(
    enrollment: Enrollment, outcome: planning.Advance, *, event: EventName, now: datetime, cause: str
) -> tuple[Enrollment, HistoryEntry]:
    """Put what planning said through the transition table; `event` is how the step before ended."""
    to, why = EnrollmentStatus.COMPLETED, cause
    reason: StopReason | None = None
    match outcome:
        case planning.Entered(enrollment=entered):
            _, entry = transitions.change(enrollment, event=event, to=entered.status, now=now, cause=cause)
            return replace(entered, hold_reason=None), entry
        case planning.Finished():
            pass
        case planning.BranchedToStop():
            to, reason = EnrollmentStatus.STOPPED, StopReason.BRANCHED
        case planning.Ceiling():
            to, reason = EnrollmentStatus.BLOCKED, StopReason.STEP_CEILING
            why = f"{cause}; it has entered {defaults.STEP_CEILING} steps in one pass"
        case planning.Broken(cause=trouble):
            to, reason, why = EnrollmentStatus.BLOCKED, StopReason.BROKEN_SEQUENCE, f"{cause}; {trouble}"
    return transitions.change(enrollment, event=event, to=to, now=now, cause=why, stop_reason=reason)


def note(  # the facts of one event
    tx: Transaction,
    enrollment: Enrollment,
    name: EventName,
    detail: str,
    now: datetime,
    *,
    attempt_id: int | None = None,
) -> None:
    """Append an event about one enrollment, and perhaps about one of its attempts."""
    record(
        tx,
        Event(
            workspace_id=enrollment.workspace_id,
            at=now,
            name=name,
            detail=detail,
            lead_id=enrollment.lead_id,
            enrollment_id=enrollment.id,
            sequence_id=enrollment.sequence_id,
            mailbox_id=enrollment.mailbox_id,
            attempt_id=attempt_id,
        ),
    )
