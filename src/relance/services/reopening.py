"""Letting an enrollment go on that ended by mistake: what ended it was taken for something that it is not.

It goes on where it stood, due when it would have been. What left meanwhile counts; what was withdrawn because it ended
is entered anew, with a higher counter, so that no step is ever sent twice.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from relance.core import planning, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment, EnrollmentStatus, StopReason
from relance.core.events import EventName
from relance.core.lead import Lead
from relance.core.sequence import ACTING, Plan
from relance.core.values import replace
from relance.ports.store import Transaction
from relance.services import moving
from relance.services.records import save_enrollment
from relance.services.situations import plan_of, workspace_of, zone_for

#: Ends that a message brings about, and which therefore end with what it was taken for.
BY_MESSAGE = frozenset(
    {
        StopReason.REPLIED,
        StopReason.BOUNCED,
        StopReason.UNSUBSCRIBED,
        StopReason.COMPLAINED,
        StopReason.NO_LONGER_THERE,
        StopReason.MEETING_BOOKED,
    }
)


def reopen(tx: Transaction, run: Enrollment, *, cause: str, now: datetime) -> Enrollment:
    """Let a locked enrollment go on that a message had stopped; any other is returned as it is."""
    if run.status is not EnrollmentStatus.STOPPED or run.stop_reason not in BY_MESSAGE:
        return run
    ids = {"workspace_id": run.workspace_id}
    plan = plan_of(tx, run.workspace_id, run.sequence_id, run.version)
    lead = tx.one(Lead, "leads.get", **ids, id=run.lead_id)
    if lead is None or lead.erased or plan.step(run.step) is None:
        return run
    zone = zone_for(plan, workspace_of(tx, run.workspace_id), lead, None)
    began = run.last_sent_at or run.created_at
    to = EnrollmentStatus.ACTIVE if run.step_kind in ACTING else EnrollmentStatus.WAITING
    due = _due_again(run, plan, began, zone) or now
    event = EventName.CLASS_CORRECTED
    after, entry = transitions.change(replace(run, next_due_at=due), event=event, to=to, now=now, cause=cause)
    saved = save_enrollment(tx, run, after, entry)
    moving.note(tx, saved, event, cause, now)
    of_step = {"enrollment_id": run.id, "step_counter": run.step_counter}
    attempt = tx.one(Attempt, "attempts.of_step", **ids, **of_step)
    match attempt.status if attempt is not None else None:
        case AttemptStatus.SENT | AttemptStatus.NOT_DELIVERED:
            why = f"step {run.step} had already been accepted"
            return moving.advance(
                tx, saved, plan, zone=zone, event=EventName.STEP_ACCEPTED, cause=why, now=now, ended_at=began
            )
        case AttemptStatus.VOIDED:
            why = f"step {run.step} had been withdrawn, and is entered anew"
            return moving.advance(
                tx,
                saved,
                plan,
                zone=zone,
                event=EventName.STEP_ENTERED,
                cause=why,
                now=now,
                ended_at=began,
                target=run.step,
            )
        case _:
            return saved


def _due_again(run: Enrollment, plan: Plan, began: datetime, zone: ZoneInfo) -> datetime | None:
    """Return when the step was due before the end took that away."""
    match planning.advance(plan, run, ended_at=began, zone=zone, target=run.step):
        case planning.Entered(enrollment=entered):
            return entered.next_due_at
        case _:
            return None
