"""One mailbox: whether it works, why or why not, what it sent and may send, and its settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.ceilings import CEILINGS, NO_CEILING, ceiling_of
from relance.core.pacing import PRESETS
from relance.core.people import Role
from relance.core.workspace import Workspace
from relance.ports.connector import CheckReport
from relance.ports.store import Reader
from relance.services import mailbox_days, numbers
from relance.services.limits import mailbox_zone
from relance.services.mailbox_days import MailboxDay
from relance.services.mailbox_options import AUTO
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

BEFORE: Final = 14  #: Days behind that the picture shows.
HEIGHT, WIDTH, STEP = 120, 720, 20  #: Of the picture, in its own units; a day is a step wide.


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One day of the picture, in its own units."""

    x: float
    sent: float  #: Height.
    cap: float
    told: str  #: In words, for who does not see it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Everything that the page shows."""

    day: MailboxDay
    columns: tuple[Column, ...]
    most: int  #: What the picture's height stands for.


@needs(Role.VIEWER)
async def mailbox(request: Request, visitor: Visitor) -> Response:
    """Show one mailbox."""
    return await page(request, visitor)


async def page(
    request: Request, visitor: Visitor, *, report: CheckReport | None = None, problem: str | None = None
) -> Response:
    """Return the page, with what a check found, or what was wrong with a form."""
    around = surroundings_of(request)
    shown = await around.store.read(shown_of, visitor.workspace, request.path_params["mailbox"], now=around.clock.now())
    box = shown.day.mailbox
    return render(
        request,
        "mailboxes/one.html",
        visitor,
        status=422 if problem else 200,
        shown=shown,
        box=box,
        servers={server: _server(box.settings, server) for server in ("smtp", "imap")},
        ceiling=ceiling_of(box),
        ceilings=(AUTO, *sorted(CEILINGS), NO_CEILING),
        pacings=tuple(PRESETS),
        report=report,
        problem=problem,
        picture=(WIDTH, HEIGHT, STEP),
    )


def shown_of(reader: Reader, workspace: Workspace, mailbox_id: int, *, now: datetime) -> Shown:
    """Read everything about one mailbox. Raises NotFoundError."""
    box = mailbox_days.by_id(reader, workspace.id, mailbox_id)
    [day] = mailbox_days.days_of(reader, workspace, [box], now=now)
    today = now.astimezone(mailbox_zone(box, workspace)).date()
    since = today - timedelta(days=BEFORE)
    sent = {
        row.day: row.sent for row in numbers.by_day(reader, workspace_id=workspace.id, mailbox_id=box.id, since=since)
    }
    behind = [(since + timedelta(days=n), sent.get(since + timedelta(days=n), 0), None) for n in range(BEFORE)]
    ahead = [(today + timedelta(days=n), day.sent if n == 0 else None, cap) for n, cap in enumerate(day.ahead)]
    most = max(1, box.daily_cap if not day.ahead else max(day.ahead), *(count for _, count, _ in behind), day.sent)
    columns = tuple(_column(n, most, *one) for n, one in enumerate([*behind, *ahead]))
    return Shown(day=day, columns=columns, most=most)


def _column(position: int, most: int, day: date, sent: int | None, cap: int | None) -> Column:
    parts = [f"{sent} sent" if sent is not None else "", f"at most {cap}" if cap is not None else ""]
    return Column(
        x=position * STEP + 2,
        sent=HEIGHT * (sent or 0) / most,
        cap=HEIGHT * (cap or 0) / most,
        told=f"{day:%d %b}: {', '.join(part for part in parts if part)}",
    )


def _server(settings: Mapping[str, object], server: str) -> str:
    found = [settings.get(f"{server}_{part}") for part in ("host", "port", "security")]
    return ":".join(str(part) for part in found if part is not None)


routes = [Route("/w/{workspace}/mailboxes/{mailbox:int}", mailbox)]
