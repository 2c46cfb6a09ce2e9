"""Doctor: the checks of the installation and of this workspace, each with its remedy."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PATH = "/w/{workspace}/doctor"


@needs(Role.ADMIN)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show what a quick look finds."""
    return await _shown(request, visitor, records=False)


@needs(Role.ADMIN, audited=False)
async def whole(request: Request, visitor: Visitor) -> Response:
    """Look through the newest records as well, which takes some seconds and changes nothing."""
    return await _shown(request, visitor, records=True)


async def _shown(request: Request, visitor: Visitor, *, records: bool) -> Response:
    findings = await surroundings_of(request).hands.examine(visitor.workspace, records)
    wrong = sum(not one.ok for one in findings)
    ordered = sorted(findings, key=lambda one: one.ok)
    return render(request, "doctor/doctor.html", visitor, findings=ordered, wrong=wrong, records=records)


routes = [Route(PATH, page), Route(PATH, whole, methods=["POST"])]
