"""`/leads/{lead}/explain`: one call answers for one lead; in the shape of `relance explain --json`."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from relance.core.enrollment import EnrollmentStatus
from relance.services import explaining
from relance.web.api.call import Looks
from relance.web.api.leads import Which, find
from relance.web.api.shapes import Shape

routes = APIRouter(tags=["leads"])


class ExplainedSuppression(Shape):
    """What binds the lead."""

    kind: str
    value: str
    scope: str
    reason: str
    at: datetime


class TouchShape(Shape):
    """One time that the lead came in."""

    at: datetime
    source: str
    detail: str


class ExplainedLead(Shape):
    """Who it is."""

    id: int
    email: str
    fields: dict[str, str]
    hold_until: datetime | None
    suppressions: list[ExplainedSuppression]
    touches: list[TouchShape]


class GateShape(Shape):
    """What one gate says now."""

    gate: str
    verdict: str = Field(description="`pass`, `defer`, `stop` or `leave`.")
    until: datetime | None
    reason: str | None = None


class AttemptShape(Shape):
    """The right to send one step once, and what became of it."""

    id: int
    step: str
    counter: int
    status: str
    variant: str
    mailbox: str | None
    message_id: str
    planned_at: datetime
    sent_at: datetime | None
    settled_by: str | None
    tries: int
    error: str | None


class MessageShape(Shape):
    """One message that went out or came in."""

    at: datetime
    direction: str
    kind: str
    sender: str | None = Field(alias="from")
    matched_by: str | None
    subject: str | None
    message_id: str | None


class HistoryShape(Shape):
    """One change of status, and why."""

    at: datetime
    before: str | None = Field(alias="from")
    to: str
    event: str
    cause: str
    step: str


class ForecastSend(Shape):
    """A message that is to come, if nobody answers."""

    step: str
    planned_at: datetime
    mailbox: str


class ExplainedEnrollment(Shape):
    """Where the lead stands in one sequence, why, and what it was sent."""

    id: int
    sequence: str | None
    version: int
    status: EnrollmentStatus
    stop_reason: str | None
    step: str
    step_counter: int
    mailbox: str | None
    next_due_at: datetime | None
    last_sent_at: datetime | None
    last_inbound_at: datetime | None
    last_skip_reason: str | None
    skip_until: datetime | None
    last_skip_at: datetime | None
    hold_reason: str | None
    gates: list[GateShape]
    attempts: list[AttemptShape]
    messages: list[MessageShape]
    history: list[HistoryShape]
    forecast: list[ForecastSend]
    summary: str


class Explained(Shape):
    """Everything about one lead."""

    lead: ExplainedLead
    enrollments: list[ExplainedEnrollment]


@routes.get("/leads/{lead}/explain", response_model=Explained)
async def explain_lead(
    call: Looks,
    lead: Which,
    *,
    sequence: Annotated[str | None, Query(max_length=320)] = None,
    forecast: Annotated[
        bool, Query(description="Say what comes next, if nobody answers; the engine is played, which takes a while.")
    ] = False,
) -> dict[str, Any]:
    """Say where a lead stands, why, what it was sent, and which gate holds it now."""
    found = await call.read(find, call.workspace_id, lead)
    if forecast:
        foreseen = await call.hands.foresee.of_lead(call.workspace.name, found.email)
        wanted = [one for one in foreseen["enrollments"] if sequence in {None, one["sequence"]}]
        return {**foreseen, "enrollments": wanted}
    return await call.read(
        explaining.explain,
        workspace_id=call.workspace_id,
        email=found.email,
        sequence_name=sequence,
        keys=call.keys,
        now=call.now,
    )
