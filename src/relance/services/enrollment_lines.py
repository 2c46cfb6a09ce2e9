"""Enrollments as lists show them: with the names of lead, sequence and mailbox, page by page."""

from dataclasses import dataclass
from datetime import datetime

from relance.core.enrollment import EnrollmentStatus
from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.services.refusals import NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrollmentLine:
    """One enrollment, as a person names what it is about."""

    id: int
    lead_id: int
    sequence_id: int
    lead: str
    sequence: str
    mailbox: str | None
    version: int
    status: EnrollmentStatus
    stop_reason: str | None
    hold_reason: str | None
    step: str
    step_counter: int
    next_due_at: datetime | None
    skip_until: datetime | None
    last_skip_reason: str | None
    last_sent_at: datetime | None
    last_inbound_at: datetime | None
    replied_at: datetime | None
    source_list: str | None
    created_at: datetime
    ended_at: datetime | None


def get(reader: Reader, *, workspace_id: int, enrollment_id: int) -> EnrollmentLine:
    """Return one. Raises NotFoundError."""
    found = reader.one(EnrollmentLine, "enrollments.line", workspace_id=workspace_id, id=enrollment_id)
    if found is None:
        raise NotFoundError(f"there is no enrollment {enrollment_id} in this workspace")
    return found


def page(reader: Reader, *, workspace_id: int, after: int, limit: int) -> list[EnrollmentLine]:
    """Return some of all, from after an id on, oldest first."""
    return reader.all(EnrollmentLine, "enrollments.lines", workspace_id=workspace_id, after=after, limit=limit)


def page_of_lead(reader: Reader, *, workspace_id: int, lead_id: int) -> list[EnrollmentLine]:
    """Return all of one lead, oldest first."""
    return reader.all(EnrollmentLine, "enrollments.lines_of_lead", workspace_id=workspace_id, lead_id=lead_id)


def page_of_sequence(
    reader: Reader, *, workspace_id: int, sequence_id: int, status: EnrollmentStatus | None, after: int, limit: int
) -> list[EnrollmentLine]:
    """Return some of a sequence: by their leads' ids, or, of one status, by their own, from after that id on."""
    ids = {"workspace_id": workspace_id, "sequence_id": sequence_id, "after": after, "limit": limit}
    if status is None:
        return reader.all(EnrollmentLine, "enrollments.lines_of_sequence", **ids)
    return reader.all(EnrollmentLine, "enrollments.lines_with_status", **ids, status=status)


def page_held(reader: Reader, *, workspace_id: int, sequence_id: int, after: int, limit: int) -> list[EnrollmentLine]:
    """Return some that wait for a person, sequence by sequence, from after this enrollment of this sequence on."""
    found: list[EnrollmentLine] = []
    sequences = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    for sequence in sorted((one for one in sequences if one.id >= sequence_id), key=lambda one: one.id):
        found += page_of_sequence(
            reader,
            workspace_id=workspace_id,
            sequence_id=sequence.id,
            status=EnrollmentStatus.HELD,
            after=after if sequence.id == sequence_id else 0,
            limit=limit - len(found),
        )
        if len(found) >= limit:
            break
    return found
