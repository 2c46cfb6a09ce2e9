"""Mailboxes: how each is, and its day against its cap."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import mailbox_days
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PAGE = 50


@needs(Role.VIEWER)
async def mailboxes(request: Request, visitor: Visitor) -> Response:
    """Show the mailboxes, by address."""
    around, after = surroundings_of(request), request.query_params.get("after", "")
    found = await around.store.read(
        mailbox_days.page, visitor.workspace, after=after, limit=PAGE + 1, now=around.clock.now()
    )
    days = found[:PAGE]
    following = f"?{urlencode({'after': days[-1].mailbox.address})}" if len(found) > PAGE else None
    return render(request, "mailboxes/list.html", visitor, days=days, next=following, begins=not after)


routes = [Route("/w/{workspace}/mailboxes", mailboxes)]
