"""Enrolling leads, and what an operator may do with an enrollment: pause, resume, stop."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from relance.core import identifiers, planning, splitting, transitions
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import WALKING, Enrollment, EnrollmentStatus, StopReason
from relance.core.events import EventName
from relance.core.lead import Lead
from relance.core.sequence import ACTING, Plan, Sequence, SequenceStatus
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import counting, moving
from relance.services.records import columns, save_enrollment
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.sending import forgotten
from relance.services.sending.reserve import lock
from relance.services.situations import Keys, further_addresses, plan_of, workspace_of, zone_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """What became of a list of leads."""

    enrolled: int
    already: int  #: Had an enrollment in this sequence, whatever its status: nobody starts twice.
    holdout: int  #: Of the enrolled: in the control group.


def enroll(
    tx: Transaction,
    *,
    workspace_id: int,
    sequence_name: str,
    lead_ids: Iterable[int],
    source_list: str | None,
    keys: Keys,
    now: datetime,
) -> Enrolled:
    """Insert one row per lead, unique on (sequence, lead), pinned to the sequence's present version."""
    workspace = workspace_of(tx, workspace_id)
    tx.one(int, "sequences.hold", workspace_id=workspace_id, name=sequence_name)
    sequence = live_sequence(tx, workspace_id, sequence_name)
    plan = plan_of(tx, workspace_id, sequence.id, sequence.version)
    doubts = forgotten.any_in(tx, workspace_id)
    enrolled = already = holdout = 0
    for lead_id in lead_ids:
        lead = tx.one(Lead, "leads.get", workspace_id=workspace_id, id=lead_id)
        if lead is None:
            raise NotFoundError(f"lead {lead_id} does not exist in this workspace")
        made = _insert(tx, workspace, sequence, plan, lead, source_list=source_list, keys=keys, now=now)
        if made is None:
            already += 1
            continue
        enrolled += 1
        if doubts:
            addresses = (lead.email, *further_addresses(tx, lead))
            made = forgotten.hold_if_written_to(tx, made, addresses, now=now)
        if made.status is EnrollmentStatus.HOLDOUT:
            holdout += 1
    return Enrolled(enrolled=enrolled, already=already, holdout=holdout)


def live_sequence(reader: Reader, workspace_id: int, name: str) -> Sequence:
    """Return a sequence that accepts people. Raises NotFoundError or RefusedError."""
    sequence = reader.one(Sequence, "sequences.by_name", workspace_id=workspace_id, name=name)
    if sequence is None:
        raise NotFoundError(f"there is no sequence {name!r}; publish its file first")
    if sequence.status is not SequenceStatus.LIVE:
        raise RefusedError(f"sequence {name!r} is {sequence.status}; only a live one accepts people")
    return sequence


def _insert(  # the facts of one row
    tx: Transaction,
    workspace: Workspace,
    sequence: Sequence,
    plan: Plan,
    lead: Lead,
    *,
    source_list: str | None,
    keys: Keys,
    now: datetime,
) -> Enrollment | None:
    uid = identifiers.enrollment_uid(keys.message_id, workspace.uid, sequence.name, lead.email)
    held_out = splitting.in_share(plan.holdout * 100, key=uid, purpose="holdout")
    zone = zone_for(plan, workspace, lead, None)
    first = planning.first(plan, now=now, zone=zone)
    enrollment = Enrollment(
        workspace_id=workspace.id,
        id=0,
        uid=uid,
        sequence_id=sequence.id,
        version=sequence.version,
        lead_id=lead.id,
        status=EnrollmentStatus.HOLDOUT if held_out else first.status,
        step=first.step,
        step_kind=first.kind,
        step_counter=1,
        next_due_at=None if held_out else first.due_at,
        source_list=source_list,
        created_at=now,
        ended_at=now if held_out else None,
    )
    values = columns(enrollment)
    del values["id"]
    new_id = tx.one(int, "enrollments.insert", **values)
    if new_id is None:
        return None
    enrollment = replace(enrollment, id=new_id)
    counting.moved(tx, None, enrollment)
    cause = f"enrolled into {sequence.name} version {sequence.version}" + (", control group" if held_out else "")
    tx.run("enrollments.append_history", **columns(transitions.made(enrollment, cause=cause)))
    moving.note(tx, enrollment, EventName.LEAD_ENROLLED, cause, now)
    return enrollment


def pause(tx: Transaction, *, workspace_id: int, enrollment_id: int, cause: str, now: datetime) -> bool:
    """Freeze one enrollment in place; return whether it was moving."""
    enrollment = lock(tx, workspace_id, enrollment_id)
    if enrollment is None or enrollment.status not in WALKING:
        return False
    after, entry = transitions.change(
        enrollment, event=EventName.ENROLLMENT_PAUSED, to=EnrollmentStatus.PAUSED, now=now, cause=cause
    )
    saved = save_enrollment(tx, enrollment, after, entry)
    moving.note(tx, saved, EventName.ENROLLMENT_PAUSED, cause, now)
    return True


def resume(tx: Transaction, *, workspace_id: int, enrollment_id: int, cause: str, now: datetime) -> bool:
    """Let a paused or held enrollment go on from the identical step; return whether it was paused or held.

    A step that was accepted while it was paused counts: it goes on after the last accepted send.
    """
    enrollment = lock(tx, workspace_id, enrollment_id)
    if enrollment is None or enrollment.status not in {EnrollmentStatus.PAUSED, EnrollmentStatus.HELD}:
        return False
    to = EnrollmentStatus.ACTIVE if enrollment.step_kind in ACTING else EnrollmentStatus.WAITING
    due = replace(enrollment, next_due_at=enrollment.next_due_at or now)
    after, entry = transitions.change(due, event=EventName.ENROLLMENT_RESUMED, to=to, now=now, cause=cause)
    saved = save_enrollment(tx, enrollment, after, entry)
    moving.note(tx, saved, EventName.ENROLLMENT_RESUMED, cause, now)
    attempt = tx.one(
        Attempt,
        "attempts.of_step",
        workspace_id=workspace_id,
        enrollment_id=enrollment_id,
        step_counter=saved.step_counter,
    )
    if attempt is not None and attempt.status is AttemptStatus.SENT:
        lead = tx.one(Lead, "leads.get", workspace_id=workspace_id, id=saved.lead_id)
        plan = plan_of(tx, workspace_id, saved.sequence_id, saved.version)
        if lead is not None:
            zone = zone_for(plan, workspace_of(tx, workspace_id), lead, None)
            why = f"step {saved.step} had already been accepted"
            moving.advance(tx, saved, plan, zone=zone, event=EventName.STEP_ACCEPTED, cause=why, now=now)
    return True


def stop(
    tx: Transaction,
    *,
    workspace_id: int,
    enrollment_id: int,
    cause: str,
    now: datetime,
    stop_reason: StopReason = StopReason.MANUAL,
) -> bool:
    """End one enrollment by a person's decision; return whether it had not ended yet."""
    enrollment = lock(tx, workspace_id, enrollment_id)
    if enrollment is None or enrollment.terminal:
        return False
    moving.end(
        tx,
        enrollment,
        event=EventName.ENROLLMENT_STOPPED,
        to=EnrollmentStatus.STOPPED,
        stop_reason=stop_reason,
        cause=cause,
        now=now,
    )
    return True


def chosen(reader: Reader, *, workspace_id: int, sequence_name: str | None, email: str | None) -> list[Enrollment]:
    """Return the enrollments of a sequence, of a lead, of both, or all. Raises NotFoundError for unknown names."""
    sequence_id = lead_id = None
    if sequence_name is not None:
        sequence = reader.one(Sequence, "sequences.by_name", workspace_id=workspace_id, name=sequence_name)
        if sequence is None:
            raise NotFoundError(f"there is no sequence {sequence_name!r}; see `relance sequence list`")
        sequence_id = sequence.id
    if email is not None:
        lead = reader.one(Lead, "leads.by_email", workspace_id=workspace_id, email=email.strip().casefold())
        if lead is None:
            raise NotFoundError(f"there is no lead {email!r}; see `relance lead list`")
        lead_id = lead.id
    return reader.all(
        Enrollment, "enrollments.chosen", workspace_id=workspace_id, sequence_id=sequence_id, lead_id=lead_id
    )
