"""Numbers: what was sent and what came of it, by sequence, step, variant, mailbox and day; and the same as CSV."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from io import StringIO

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core import sequence as templates
from relance.core.counts import Counts, Difference, Rate, difference, rate
from relance.core.mailbox import Mailbox
from relance.core.people import Role
from relance.ports.store import Reader
from relance.services import mailboxes, numbers
from relance.services.numbers import DayNumbers, MailboxNumbers, SequenceNumbers, StepNumbers
from relance.services.situations import plan_of
from relance.web import plots
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PERIODS = ((7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "A year"))
_DAYS = 30
_LISTED = 31  #: Days that the page lists.
_BUSIEST = 25  #: Mailboxes that the page names; the CSV names all.
_COUNTED = ("contacted", "sent", "replied", "positive", "auto", "bounced", "opted_out")
_HEADS = ("contacted", "sent", "replied", "positive", "auto-replied", "bounced", "opted out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the page is about; None: all of them."""

    days: int
    sequence_id: int | None
    mailbox_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything that the page shows, from one snapshot."""

    total: Counts
    days: list[DayNumbers]
    sequences: list[SequenceNumbers]
    steps: list[StepNumbers]
    mailboxes: list[MailboxNumbers]
    sequence_names: dict[int, str]
    mailbox_names: dict[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One wording beside the first one of its step."""

    numbers: StepNumbers
    replied: Rate | None
    positive: Rate | None
    against: Difference | None  #: In replies; None for the first wording, or where nothing was sent.
    first: str | None  #: The wording that it is compared with.


@needs(Role.VIEWER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show what a period came to."""
    around = surroundings_of(request)
    asked, today = _asked(request.query_params), around.clock.now().date()
    since = today - timedelta(days=asked.days - 1)
    found = await around.store.read(_gather, visitor.workspace.id, asked, since)
    sent = {row.day: row.sent for row in found.days}
    replied = {row.day: row.replied for row in found.days}
    return render(
        request,
        "numbers/page.html",
        visitor,
        asked=asked,
        found=found,
        busiest=sorted(found.mailboxes, key=lambda row: (-row.sent, row.mailbox_id))[:_BUSIEST],
        newest_days=found.days[: -_LISTED - 1 : -1],
        since=since,
        plot=plots.by_day(since, today, sent, [replied], word="sent"),
        size=(plots.WIDTH, plots.HEIGHT),
        compared=compared(found.steps),
        shares=[(name, rate(getattr(found.total, key), found.total.contacted)) for key, name in _rates()],
        rate=rate,
        heads=[(name.capitalize(), "num") for name in _HEADS],
        periods=PERIODS,
        sequence_options=[("", "All"), *found.sequence_names.items()],
        mailbox_options=[("", "All"), *found.mailbox_names.items()],
        query=request.url.query,
    )


@needs(Role.VIEWER)
async def as_csv(request: Request, visitor: Visitor) -> Response:
    """Return the same numbers for a spreadsheet, day by day or as the page groups them."""
    around = surroundings_of(request)
    asked = _asked(request.query_params)
    since = around.clock.now().date() - timedelta(days=asked.days - 1)
    found = await around.store.read(_gather, visitor.workspace.id, asked, since)
    written = StringIO()
    csv.writer(written).writerows(_rows(request.query_params.get("by", "day"), found))
    name = f"numbers-{visitor.workspace.id}-{since.isoformat()}.csv"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(written.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _gather(reader: Reader, workspace_id: int, asked: Asked, since: date) -> Found:
    ids = {"workspace_id": workspace_id}
    of, boxes = asked.sequence_id, asked.mailbox_id
    days = numbers.by_day(reader, **ids, sequence_id=of, mailbox_id=boxes, since=since)
    return Found(
        total=numbers.total(days),
        days=days,
        sequences=numbers.by_sequence(reader, **ids, since=since) if of is None and boxes is None else [],
        steps=_in_their_order(reader, workspace_id, of, since) if of is not None and boxes is None else [],
        mailboxes=numbers.by_mailbox(reader, **ids, sequence_id=of, since=since) if boxes is None else [],
        sequence_names={one.id: one.name for one in reader.all(templates.Sequence, "sequences.of_workspace", **ids)},
        mailbox_names=_names(mailboxes.of_workspace(reader, workspace_id)),
    )


def _in_their_order(reader: Reader, workspace_id: int, sequence_id: int, since: date) -> list[StepNumbers]:
    """Return the numbers of a sequence's steps as they follow one another now; those that are gone come last."""
    ids = {"workspace_id": workspace_id}
    found = numbers.by_step(reader, **ids, sequence_id=sequence_id, since=since)
    template = reader.one(templates.Sequence, "sequences.get", **ids, id=sequence_id)
    if template is None or not template.version:
        return found
    steps = [step.id for step in plan_of(reader, workspace_id, sequence_id, template.version).steps]
    places = {step: place for place, step in enumerate(steps)}
    return sorted(found, key=lambda row: (places.get(row.step, len(places)), row.step, row.variant))


def _names(connected: Sequence[Mailbox]) -> dict[int, str]:
    return {one.id: one.address for one in connected}


def compared(steps: Sequence[StepNumbers]) -> list[Compared]:
    """Return every wording with its rates, beside the first wording of its step."""
    firsts: dict[str, StepNumbers] = {}
    found = []
    for row in steps:
        first = firsts.setdefault(row.step, row)
        against = difference(row.replied, row.sent, first.replied, first.sent) if row is not first else None
        shares = rate(row.replied, row.sent), rate(row.positive, row.sent)
        beside = first.variant if row is not first else None
        found.append(Compared(numbers=row, replied=shares[0], positive=shares[1], against=against, first=beside))
    return found


def _rates() -> tuple[tuple[str, str], ...]:
    return (
        ("replied", "Replied"),
        ("positive", "Positive"),
        ("bounced", "Bounced"),
        ("opted_out", "Opted out"),
    )


def _rows(by: str, found: Found) -> Iterator[Sequence[object]]:
    match by:
        case "step":
            yield ("step", "variant", *_HEADS)
            yield from ((row.step, row.variant, *_counts(row)) for row in found.steps)
        case "sequence":
            yield ("sequence", *_HEADS)
            names = found.sequence_names
            yield from ((_safe(names.get(row.sequence_id, "")), *_counts(row)) for row in found.sequences)
        case "mailbox":
            yield ("mailbox", *_HEADS)
            boxes = found.mailbox_names
            yield from ((_safe(boxes.get(row.mailbox_id, "removed")), *_counts(row)) for row in found.mailboxes)
        case _:
            yield ("day", *_HEADS)
            yield from ((row.day.isoformat(), *_counts(row)) for row in found.days)


def _counts(row: Counts) -> tuple[int, ...]:
    return tuple(getattr(row, name) for name in _COUNTED)


def _safe(text: str) -> str:
    """Keep a spreadsheet from taking a name for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _asked(given: QueryParams) -> Asked:
    days = _number(given.get("days"))
    allowed = {period for period, _ in PERIODS}
    return Asked(
        days=days if days in allowed else _DAYS,
        sequence_id=_number(given.get("sequence")),
        mailbox_id=_number(given.get("mailbox")),
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 18 else None  # an id


routes = [
    Route("/w/{workspace}/numbers", show, methods=["GET"]),
    Route("/w/{workspace}/numbers.csv", as_csv, methods=["GET"]),
]
