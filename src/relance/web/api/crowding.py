"""What nobody notices by itself: each mailbox's day, people in two sequences at once, sequences that were forgotten."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from relance.core.enrollment import EnrollmentStatus
from relance.core.sequence import SequenceStatus
from relance.services import mailbox_days
from relance.services.mailbox_days import MailboxDay
from relance.services.overlaps import overlaps
from relance.services.stale_sequences import stale_sequences
from relance.web.api.call import Looks
from relance.web.api.pages import USUAL, Limit, Page
from relance.web.api.shapes import Shape

routes = APIRouter(tags=["diagnosis"])


class MailboxDayShape(Shape):
    """A mailbox's day: what it has sent, what it may, and what holds it."""

    mailbox: str
    sent: int = Field(description="Today, in its own zone; what may have left counts.")
    cap: int
    this_hour: int
    ahead: list[int] = Field(description="What it may send today and on the next days, if it sends on each.")
    waits_until: datetime | None
    waits_for: str = Field(description="In words; empty: nothing holds it.")
    score: int | None = Field(description="Null: it sent too little to be judged.")


class RunShape(Shape):
    """One unfinished enrollment of somebody who has others."""

    sequence: str
    status: EnrollmentStatus
    last_sent_at: datetime | None
    next_due_at: datetime | None


class OverlapShape(Shape):
    """Somebody who is in two or more sequences at once."""

    email: str
    runs: list[RunShape]


class StaleShape(Shape):
    """A live or paused sequence that was forgotten, and what to do."""

    sequence: str
    status: SequenceStatus
    last_sent_at: datetime | None
    newest_at: datetime | None
    unfinished: int
    remedy: str


@routes.get("/mailbox-days", response_model=Page[MailboxDayShape], tags=["mailboxes"])
async def list_mailbox_days(
    call: Looks,
    limit: Limit = USUAL,
    cursor: Annotated[str | None, Query(max_length=400, description="The `next` of the page before.")] = None,
) -> dict[str, Any]:
    """List each mailbox's day, by address."""
    rows = await call.read(mailbox_days.page, call.workspace, after=cursor or "", limit=limit + 1, now=call.now)
    more = len(rows) > limit
    return {
        "items": [_day(row) for row in rows[:limit]],
        "next": rows[limit - 1].mailbox.address if more else None,
    }


@routes.get("/overlaps", response_model=Page[OverlapShape])
async def list_overlaps(call: Looks) -> dict[str, Any]:
    """List everyone who is in two or more sequences at once."""
    return {"items": await call.read(overlaps, workspace_id=call.workspace_id), "next": None}


@routes.get("/stale-sequences", response_model=Page[StaleShape])
async def list_stale_sequences(
    call: Looks, days: Annotated[int, Query(ge=1, le=3_650, description="Nothing left it for so long.")] = 14
) -> dict[str, Any]:
    """List live and paused sequences that were forgotten, each with what to do."""
    found = await call.read(
        stale_sequences, workspace_id=call.workspace_id, quiet_for=timedelta(days=days), now=call.now
    )
    return {"items": found, "next": None}


def _day(row: MailboxDay) -> dict[str, Any]:
    names = ("sent", "cap", "this_hour", "ahead", "waits_until", "waits_for")
    facts = {name: getattr(row, name) for name in names}
    return {**facts, "mailbox": row.mailbox.address, "score": row.health.score.points}
