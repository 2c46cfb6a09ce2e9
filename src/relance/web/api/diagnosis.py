"""`/events`, `/stuck`, `/attempts`, `/opens`: what happened, what does not move, and what a person settles."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Field

from relance.services import attempts, event_lines, reports
from relance.services.opens import Open, Recorded, record_opens
from relance.web.api.call import Looks, Works
from relance.web.api.pages import USUAL, Cursor, Limit, Page, after, cursor_of
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import Given, Id, Shape, Word, WrittenOut

routes = APIRouter(route_class=Repeatable)
MOST_OPENS: Final = 1_000


class EventShape(Shape):
    """One thing that happened; ids are set where they apply."""

    id: int
    at: datetime
    name: str = Field(examples=["reply.received"])
    detail: str
    data: dict[str, Any]
    lead_id: int | None
    enrollment_id: int | None
    attempt_id: int | None
    mailbox_id: int | None
    sequence_id: int | None
    message_id: int | None


class EventPage(Shape):
    """Some events, oldest first. `next` is never null: what happens later stands behind it."""

    items: list[EventShape]
    next: str


class StuckShape(Shape):
    """What ought to move and does not."""

    kind: str
    subject: str
    since: datetime | None
    remedy: str


class Outcome(StrEnum):
    """What became of a message whose outcome nobody could look up."""

    SENT = "sent"
    FAILED = "failed"


class Settling(Given):
    """A person's answer."""

    outcome: Outcome


class Settled(Shape):
    """What was settled."""

    id: int
    step: str
    recipient: str
    settled: Outcome


class OpenGiven(Given):
    """One open, as its source tells it."""

    message_id: Word
    at: Annotated[AwareDatetime, WrittenOut]
    user_agent: Annotated[str, Field(max_length=2_000)] | None = None
    machine: bool | None = Field(default=None, description="Whether its source says that a program did it.")


class OpensGiven(Given):
    """Opens that a tracking source tells of."""

    opens: list[OpenGiven] = Field(min_length=1, max_length=MOST_OPENS)


class OpensRecorded(Shape):
    """How many became what."""

    opened: int
    fetched: int
    known: int
    unmatched: int
    ahead: int


@routes.get("/events", response_model=EventPage, tags=["events"])
async def list_events(
    call: Looks,
    lead: Annotated[int | None, Query(ge=1, le=2**62, description="Only of this lead's id.")] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """List what happened, oldest first. Keep `next` and ask again with it to hear what happens later."""
    (since,) = after(cursor, 0)
    ids = {"workspace_id": call.workspace_id, "after": since, "limit": limit}
    found = await (
        call.read(event_lines.page, **ids) if lead is None else call.read(event_lines.of_lead, **ids, lead_id=lead)
    )
    return {"items": found, "next": cursor_of((found[-1].id if found else since,))}


@routes.get("/stuck", response_model=Page[StuckShape], tags=["diagnosis"])
async def list_stuck(call: Looks) -> dict[str, Any]:
    """List what ought to move and does not, each with what to do."""
    found = await call.read(reports.stuck, workspace_id=call.workspace_id, now=call.now)
    return {"items": found, "next": None}


@routes.post("/attempts/{attempt}/settle", response_model=Settled, tags=["diagnosis"])
async def settle_attempt(call: Works, attempt: Id, wanted: Settling) -> dict[str, Any]:
    """Say whether a message left: `sent` goes on after it, `failed` tries the step again."""
    found = await call.write(
        attempts.settle,
        workspace_id=call.workspace_id,
        attempt_id=attempt,
        sent=wanted.outcome is Outcome.SENT,
        by=call.visitor.actor,
        now=call.now,
    )
    return {"id": found.id, "step": found.step, "recipient": found.recipient, "settled": wanted.outcome}


@routes.post("/opens", response_model=OpensRecorded, tags=["events"])
async def add_opens(call: Works, wanted: OpensGiven) -> dict[str, int]:
    """Record when messages were opened; `send_time: opens` goes by it. The same open twice is recorded once."""
    counts = await call.write(
        record_opens,
        [Open(**one.model_dump()) for one in wanted.opens],
        workspace_id=call.workspace_id,
        source=call.visitor.actor,
        now=call.now,
    )
    return {name.value: counts[name] for name in Recorded}
