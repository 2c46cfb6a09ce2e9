"""Domains: what each says about its mail, and the record to add where one is wanting."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import domains
from relance.services.refusals import RefusedError
from relance.web.flashes import Tone, done
from relance.web.forms import words_of
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of


@needs(Role.VIEWER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show every domain as it was last looked at."""
    found = await surroundings_of(request).store.read(domains.of_workspace, visitor.workspace.id)
    return render(request, "mailboxes/domains.html", visitor, domains=found)


@needs(Role.MEMBER)
async def check(request: Request, visitor: Visitor) -> Response:
    """Ask name servers about one domain, and keep what they say."""
    around, name = surroundings_of(request), request.path_params["domain"]
    domain = await around.store.read(domains.named, visitor.workspace.id, name)
    answers = await around.hands.mailboxes.inspect_domain(domain.name, domain.asked_selectors)
    judged = domains.judge(domain, answers)
    await around.store.write(
        domains.keep, workspace_id=visitor.workspace.id, domain=domain, judged=judged, now=around.clock.now()
    )
    return done(request, f"/w/{visitor.workspace.name}/mailboxes/domains", f"{domain.name} was looked at.")


@needs(Role.MEMBER)
async def selectors(request: Request, visitor: Visitor) -> Response:
    """Say under which names a domain signs."""
    around, words = surroundings_of(request), await words_of(request)
    back = f"/w/{visitor.workspace.name}/mailboxes/domains"
    name = request.path_params["domain"]
    await around.store.read(domains.named, visitor.workspace.id, name)
    given = words.get("selectors", "").replace(",", " ").split()
    try:
        await around.store.write(domains.set_selectors, workspace_id=visitor.workspace.id, name=name, selectors=given)
    except RefusedError as error:
        return done(request, back, f"Not saved: {error}.", Tone.BAD)
    return done(request, back, "Saved; look again to see whether its key is there.")


routes = [
    Route("/w/{workspace}/mailboxes/domains", show),
    Route("/w/{workspace}/mailboxes/domains/{domain}/check", check, methods=["POST"]),
    Route("/w/{workspace}/mailboxes/domains/{domain}/selectors", selectors, methods=["POST"]),
]
