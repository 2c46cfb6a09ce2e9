"""`/enrollments` and `/tasks`: who walks which sequence, what an operator decides about it, and who waits for that."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Protocol

from fastapi import APIRouter, Query
from pydantic import Field, model_validator

from relance.core.enrollment import EnrollmentStatus
from relance.ports.store import Reader, Transaction
from relance.services import enrollment_lines, enrollments, leads, sequences
from relance.services.enrollment_lines import EnrollmentLine
from relance.services.refusals import WrongInputError
from relance.services.stuck_people import what_to_decide
from relance.web.api.call import Call, Looks, Works
from relance.web.api.leads import find
from relance.web.api.pages import USUAL, Cursor, Limit, Page, after, page
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import CREATED, Given, Id, Shape, Word

routes = APIRouter(tags=["enrollments"], route_class=Repeatable)
MOST: Final = 500
BATCH: Final = 500


class EnrollmentShape(Shape):
    """A lead inside a sequence."""

    id: int
    lead: str = Field(description="The lead's address.")
    lead_id: int
    sequence: str
    mailbox: str | None = Field(description="Who writes to them; null: not decided yet.")
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


class Task(Shape):
    """Somebody who waits for a person's decision."""

    enrollment: EnrollmentShape
    since: datetime | None
    remedy: str = Field(description="Why, and what to decide, in the words of the command line.")


class NewEnrollments(Given):
    """Whom to start on which live sequence: everybody on a list, or these leads."""

    sequence: Word
    leads: list[Word] | None = Field(default=None, min_length=1, max_length=MOST, description="Ids or addresses.")
    list: Word | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "NewEnrollments":
        if (self.list is None) == (self.leads is None):
            raise ValueError("say whom: `list`, or `leads`")
        return self


class Enrolled(Shape):
    """What became of them."""

    enrolled: int
    already: int = Field(description="Had an enrollment in this sequence: nobody starts twice.")
    holdout: int = Field(description="Of the enrolled: in the control group.")


class Decided(Shape):
    """Whether a decision changed anything, and how the enrollment is now."""

    changed: bool
    enrollment: EnrollmentShape


class Decision(Protocol):
    """What an operator may do with one enrollment; says whether it changed anything."""

    def __call__(self, tx: Transaction, /, *, workspace_id: int, enrollment_id: int, cause: str, now: datetime) -> bool:
        """Do it."""
        ...


@routes.get("/enrollments", response_model=Page[EnrollmentShape])
async def list_enrollments(
    call: Looks,
    sequence: Annotated[str | None, Query(max_length=320, description="Only of this sequence.")] = None,
    status: Annotated[EnrollmentStatus | None, Query(description="Only these; needs `sequence`.")] = None,
    lead: Annotated[str | None, Query(max_length=320, description="Only of this lead.")] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """List enrollments, oldest first; of a sequence, by their leads."""
    (since,) = after(cursor, 0)
    if lead is not None:
        if sequence is not None or status is not None or cursor is not None:
            raise WrongInputError("a lead has few enrollments; ask for them without sequence, status and cursor")
        found = await call.read(find, call.workspace_id, lead)
        rows = await call.read(enrollment_lines.page_of_lead, workspace_id=call.workspace_id, lead_id=found.id)
        return {"items": rows, "next": None}
    if sequence is not None:
        rows = await call.read(_of_sequence, call, sequence, status, since, limit + 1)
        return page(rows, limit, lambda row: (row.lead_id if status is None else row.id,))
    if status is not None:
        raise WrongInputError("name the sequence too whose enrollments with this status you want")
    rows = await call.read(enrollment_lines.page, workspace_id=call.workspace_id, after=since, limit=limit + 1)
    return page(rows, limit, lambda row: (row.id,))


@routes.post("/enrollments", status_code=CREATED, response_model=Enrolled)
async def enroll(call: Works, wanted: NewEnrollments) -> enrollments.Enrolled:
    """Start leads on a live sequence; nobody starts twice. A list goes in parts of 500, each whole or not at all."""
    ids = await call.read(_whom, call, wanted)
    total = enrollments.Enrolled(enrolled=0, already=0, holdout=0)
    for start in range(0, len(ids), BATCH):
        done = await call.write(
            enrollments.enroll,
            workspace_id=call.workspace_id,
            sequence_name=wanted.sequence,
            lead_ids=ids[start : start + BATCH],
            source_list=wanted.list,
            keys=call.keys,
            now=call.now,
        )
        total = enrollments.Enrolled(
            enrolled=total.enrolled + done.enrolled,
            already=total.already + done.already,
            holdout=total.holdout + done.holdout,
        )
    return total


@routes.get("/enrollments/{enrollment}", response_model=EnrollmentShape)
async def get_enrollment(call: Looks, enrollment: Id) -> EnrollmentLine:
    """Return one enrollment."""
    return await call.read(enrollment_lines.get, workspace_id=call.workspace_id, enrollment_id=enrollment)


@routes.post("/enrollments/{enrollment}/pause", response_model=Decided)
async def pause_enrollment(call: Works, enrollment: Id) -> dict[str, Any]:
    """Freeze one enrollment in place."""
    return await _decide(call, enrollments.pause, enrollment, "paused")


@routes.post("/enrollments/{enrollment}/resume", response_model=Decided)
async def resume_enrollment(call: Works, enrollment: Id) -> dict[str, Any]:
    """Let a paused or held enrollment go on from the identical step."""
    return await _decide(call, enrollments.resume, enrollment, "resumed")


@routes.post("/enrollments/{enrollment}/stop", response_model=Decided)
async def stop_enrollment(call: Works, enrollment: Id) -> dict[str, Any]:
    """End one enrollment for good."""
    return await _decide(call, enrollments.stop, enrollment, "stopped")


@routes.get("/tasks", response_model=Page[Task], tags=["tasks"])
async def list_tasks(call: Looks, limit: Limit = USUAL, cursor: Cursor = None) -> dict[str, Any]:
    """List whoever is held until a person decides; resume or stop their enrollment to do so."""
    sequence_id, since = after(cursor, 0, 0)
    rows = await call.read(
        enrollment_lines.page_held,
        workspace_id=call.workspace_id,
        sequence_id=sequence_id,
        after=since,
        limit=limit + 1,
    )
    shown = page(rows, limit, lambda row: (row.sequence_id, row.id))
    return {**shown, "items": [_task(row) for row in shown["items"]]}


def _task(row: EnrollmentLine) -> dict[str, Any]:
    return {"enrollment": row, "since": row.next_due_at, "remedy": what_to_decide(row.hold_reason, row.lead)}


def _of_sequence(
    reader: Reader, call: Call, name: str, status: EnrollmentStatus | None, since: int, limit: int
) -> list[EnrollmentLine]:
    sequence = sequences.by_name(reader, call.workspace_id, name)
    return enrollment_lines.page_of_sequence(
        reader, workspace_id=call.workspace_id, sequence_id=sequence.id, status=status, after=since, limit=limit
    )


def _whom(reader: Reader, call: Call, wanted: NewEnrollments) -> Sequence[int]:
    enrollments.live_sequence(reader, call.workspace_id, wanted.sequence)
    if wanted.list is not None:
        return leads.on_list(reader, call.workspace_id, wanted.list)
    found = (find(reader, call.workspace_id, which) for which in wanted.leads or ())
    return list(dict.fromkeys(lead.id for lead in found))


async def _decide(call: Call, decision: Decision, enrollment: int, word: str) -> dict[str, Any]:
    def decide(tx: Transaction) -> tuple[bool, EnrollmentLine]:
        enrollment_lines.get(tx, workspace_id=call.workspace_id, enrollment_id=enrollment)
        changed = decision(
            tx,
            workspace_id=call.workspace_id,
            enrollment_id=enrollment,
            cause=f"{word} by {call.visitor.actor}",
            now=call.now,
        )
        return changed, enrollment_lines.get(tx, workspace_id=call.workspace_id, enrollment_id=enrollment)

    changed, row = await call.write(decide)
    return {"changed": changed, "enrollment": row}
