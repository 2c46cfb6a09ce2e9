"""Stuck: what ought to move and does not, each with what to do; and the one thing that only a person knows."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import attempts, reports
from relance.services.refusals import WrongInputError
from relance.web.console.forms import form_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

SHOWN = 200
PATH = "/w/{workspace}/stuck"


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show what stands still."""
    around = surroundings_of(request)
    found = await around.store.read(reports.stuck, workspace_id=visitor.workspace.id, now=around.clock.now())
    return render(request, "stuck/stuck.html", visitor, found=found[:SHOWN], more=max(0, len(found) - SHOWN))


@needs(Role.MEMBER)
async def settle(request: Request, visitor: Visitor) -> Response:
    """Take a person's answer for a message whose outcome nobody could look up."""
    form, around = await form_of(request), surroundings_of(request)
    outcome, attempt_id = form.text("outcome"), form.number("attempt", "the attempt")
    if outcome not in {"sent", "failed"}:
        raise WrongInputError("say whether the message was sent or failed")
    settled = await around.store.write(
        attempts.settle,
        workspace_id=visitor.workspace.id,
        attempt_id=attempt_id,
        sent=outcome == "sent",
        by=visitor.actor,
        now=around.clock.now(),
    )
    return done(request, request.url.path, f"Step {settled.step} to {settled.recipient} counts as {outcome} now.")


routes = [Route(PATH, page), Route(PATH, settle, methods=["POST"])]
