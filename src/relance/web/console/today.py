"""Today: what is going out now and next, answers that want one, who waits for a person, and each mailbox's day."""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import today
from relance.services.threads import listing
from relance.services.threads.listing import Filter, ThreadLine
from relance.services.today import Today
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

_ANSWERS = 6


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show what is going on."""
    around = surroundings_of(request)
    found, answers = await around.store.read(_look, visitor.workspace, around.clock.now())
    return render(request, "today/today.html", visitor, today=found, answers=answers)


def _look(reader: Reader, workspace: Workspace, now: datetime) -> tuple[Today, list[ThreadLine]]:
    threads = listing.page(reader, workspace_id=workspace.id, wanted=Filter(), now=now, size=_ANSWERS)
    return today.look(reader, workspace, now=now), list(threads.lines)


routes = [Route("/w/{workspace}/today", page, methods=["GET"])]
