"""Filters that are kept under a name, for everybody in the workspace."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import saved_filters
from relance.services.lead_filters import from_words
from relance.services.refusals import RefusedError
from relance.web.console.leads.listing import address_of
from relance.web.flashes import Tone, done
from relance.web.forms import words_of
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of


@needs(Role.MEMBER)
async def save(request: Request, visitor: Visitor) -> Response:
    """Keep the filter that the page shows."""
    around, words = surroundings_of(request), await words_of(request)
    asked = from_words(words)
    name = words.get("name", "")
    back = address_of(visitor, asked)
    try:
        await around.store.write(
            saved_filters.save,
            workspace_id=visitor.workspace.id,
            name=name,
            asked=asked,
            author=visitor.actor,
            now=around.clock.now(),
        )
    except RefusedError as error:
        return done(request, back, f"Not saved: {error}.", Tone.BAD)
    return done(request, back, f"The filter is saved as {' '.join(name.split())}.")


@needs(Role.MEMBER)
async def forget(request: Request, visitor: Visitor) -> Response:
    """Delete a saved filter; nobody's leads change."""
    around = surroundings_of(request)
    await around.store.write(
        saved_filters.forget, workspace_id=visitor.workspace.id, filter_id=request.path_params["filter"]
    )
    return done(request, f"/w/{visitor.workspace.name}/leads", "The filter is deleted.")


routes = [
    Route("/w/{workspace}/leads/filters", save, methods=["POST"]),
    Route("/w/{workspace}/leads/filters/{filter:int}/forget", forget, methods=["POST"]),
]
