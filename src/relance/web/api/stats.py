"""`/stats`: what sequences come to, by sequence, step, wording, mailbox and day."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from relance.core.counts import Counts, rate
from relance.core.enrollment import EnrollmentStatus
from relance.core.mailbox import Mailbox
from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.services import mailboxes, numbers, sequences
from relance.web.api.call import Call, Looks
from relance.web.api.pages import Page
from relance.web.api.sequences import Name
from relance.web.api.shapes import Shape, WrittenOut

routes = APIRouter(tags=["stats"])
Since = Annotated[date | None, WrittenOut, Query(description="The first day (UTC) that counts; left out: ever.")]


class CountsShape(Shape):
    """Messages that left, and people: those written to, and those of whom something came."""

    contacted: int = Field(description="People, counted where their first message left.")
    sent: int = Field(description="Messages.")
    replied: int = Field(description="People who answered; programs that answered count as `auto`.")
    positive: int
    auto: int
    bounced: int
    opted_out: int


class SequenceStats(CountsShape):
    """What one sequence came to."""

    sequence: str


class RateShape(Shape):
    """A share, and the interval in which it lies in 19 of 20 cases."""

    share: float
    low: float
    high: float


class StepStats(CountsShape):
    """What one wording of one step came to."""

    step: str
    variant: str
    reply_rate: RateShape | None = Field(description="Who answered, of the messages sent; null: nothing was sent.")


class StandingStats(Shape):
    """How many people stand on one step of one version, in one status; of those who ended, where they ended."""

    version: int
    step: str
    status: EnrollmentStatus
    people: int


class MailboxStats(CountsShape):
    """What one mailbox's messages came to."""

    mailbox: str


class DayStats(CountsShape):
    """What was sent on one day (UTC), and what came in on it."""

    day: date


class OneSequence(Shape):
    """What one sequence came to, and who stands where in it."""

    sequence: str
    total: CountsShape
    steps: list[StepStats]
    standing: list[StandingStats]
    mailboxes: list[MailboxStats]
    days: list[DayStats]


@routes.get("/stats/sequences", response_model=Page[SequenceStats])
async def list_sequence_stats(call: Looks, since: Since = None) -> dict[str, Any]:
    """List what each sequence came to that anything was sent for."""

    def look(reader: Reader) -> list[dict[str, Any]]:
        names = {
            one.id: one.name for one in reader.all(Sequence, "sequences.of_workspace", workspace_id=call.workspace_id)
        }
        rows = numbers.by_sequence(reader, workspace_id=call.workspace_id, since=since)
        return [{**_counts(row), "sequence": names[row.sequence_id]} for row in rows if row.sequence_id in names]

    return {"items": await call.read(look), "next": None}


@routes.get("/stats/mailboxes", response_model=Page[MailboxStats])
async def list_mailbox_stats(call: Looks, since: Since = None) -> dict[str, Any]:
    """List what each mailbox's messages came to."""
    return {"items": await call.read(_by_mailbox, call, None, since), "next": None}


@routes.get("/stats/days", response_model=Page[DayStats])
async def list_day_stats(call: Looks, since: Since = None) -> dict[str, Any]:
    """List what was sent and came in on each day, oldest first."""
    return {"items": await call.read(numbers.by_day, workspace_id=call.workspace_id, since=since), "next": None}


@routes.get("/sequences/{name}/stats", response_model=OneSequence)
async def get_sequence_stats(call: Looks, name: Name, since: Since = None) -> dict[str, Any]:
    """Return what one sequence came to, by step, wording, mailbox and day, and who stands where."""

    def look(reader: Reader) -> dict[str, Any]:
        found = sequences.by_name(reader, call.workspace_id, name)
        ids = {"workspace_id": call.workspace_id, "sequence_id": found.id}
        steps = numbers.by_step(reader, **ids, since=since)
        return {
            "sequence": name,
            "total": numbers.total(steps),
            "steps": [
                {**_counts(row), "step": row.step, "variant": row.variant, "reply_rate": rate(row.replied, row.sent)}
                for row in steps
            ],
            "standing": numbers.standing(reader, **ids),
            "mailboxes": _by_mailbox(reader, call, found.id, since),
            "days": numbers.by_day(reader, **ids, since=since),
        }

    return await call.read(look)


def _by_mailbox(reader: Reader, call: Call, sequence_id: int | None, since: date | None) -> list[dict[str, Any]]:
    rows = numbers.by_mailbox(reader, workspace_id=call.workspace_id, sequence_id=sequence_id, since=since)
    names = {box.id: box.address for box in mailboxes.of_workspace(reader, call.workspace_id)}
    for removed in {row.mailbox_id for row in rows} - names.keys():
        box = reader.one(Mailbox, "mailboxes.get", workspace_id=call.workspace_id, id=removed)
        names |= {removed: box.address} if box is not None else {}
    return [{**_counts(row), "mailbox": names[row.mailbox_id]} for row in rows if row.mailbox_id in names]


def _counts(row: Counts) -> dict[str, Any]:
    return {name: getattr(row, name) for name in CountsShape.model_fields}
