"""Where a visitor arrives: the first page of a workspace."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from relance.core.people import Role
from relance.web.security.needs import SEE_OTHER, needs
from relance.web.security.who import Visitor


@needs(Role.VIEWER)
async def home(_: Request, visitor: Visitor) -> Response:
    """Lead on to what is going on today."""
    return RedirectResponse(f"/w/{quote(visitor.workspace.name, safe='')}/today", status_code=SEE_OTHER)


routes = [Route("/w/{workspace}", home)]
