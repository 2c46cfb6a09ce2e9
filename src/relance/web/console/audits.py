"""The audit of a sequence: who got which step, and whether anyone got one twice. Reads all that it sent."""

from itertools import islice

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import auditing, sequences
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PATH = "/w/{workspace}/audit/{sequence}"
SHOWN = 200


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Count, by what was sent and not by what was planned."""
    store, name = surroundings_of(request).store, request.path_params["sequence"]
    ids = {"workspace_id": visitor.workspace.id, "name": name}
    found, of = await store.read(auditing.audit, **ids), await store.read(sequences.by_name, visitor.workspace.id, name)
    return render(request, "audit/audit.html", visitor, of=of, steps=found, receipts=None, more=0)


@needs(Role.VIEWER)
async def who(request: Request, visitor: Visitor) -> Response:
    """List who got which step."""
    store, name = surroundings_of(request).store, request.path_params["sequence"]
    ids = {"workspace_id": visitor.workspace.id, "name": name}
    found, got = await store.read(auditing.audit, **ids), await store.read(auditing.receipts, **ids)
    of = await store.read(sequences.by_name, visitor.workspace.id, name)
    shown = list(islice(got, SHOWN))
    return render(request, "audit/audit.html", visitor, of=of, steps=found, receipts=shown, more=len(got) - len(shown))


routes = [Route(PATH, page), Route(f"{PATH}/who", who)]
