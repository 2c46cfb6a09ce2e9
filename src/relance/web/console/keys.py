"""Settings: keys of programs, and who did what."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import api_keys, audit_log
from relance.services.refusals import RefusedError, WrongInputError
from relance.web.console.forms import form_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.tokens import KEY_PREFIX, new_token
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PATH = "/w/{workspace}/settings/keys"
LOG = "/w/{workspace}/settings/audit"
SHOWN = 100


@needs(Role.ADMIN)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show the keys there are, without the keys themselves."""
    return await _shown(request, visitor)


async def _shown(  # what a form has to say
    request: Request,
    visitor: Visitor,
    *,
    key: str | None = None,
    name: str = "",
    problem: str | None = None,
    status: int = 200,
) -> Response:
    found = await surroundings_of(request).store.read(api_keys.of_workspace, visitor.workspace)
    return render(
        request,
        "settings/keys.html",
        visitor,
        keys=found,
        roles=[role for role in Role if visitor.may(role)],
        key=key,
        name=name,
        problem=problem,
        status=status,
    )


@needs(Role.ADMIN, audited=False)
async def add(request: Request, visitor: Visitor) -> Response:
    """Make a key. It is shown on the answer and nowhere else."""
    form, around, token = await form_of(request), surroundings_of(request), new_token(KEY_PREFIX)
    name, role = form.text("name"), form.text("role")
    try:
        if role not in set(Role):
            raise WrongInputError(f"choose a role: {', '.join(Role)}")
        await around.store.write(
            api_keys.add,
            visitor.workspace,
            name=name,
            shown=token.shown,
            digest=token.digest,
            role=Role(role),
            by=visitor.actor,
            may=visitor.role,
            now=around.real.now(),
        )
    except RefusedError as error:
        return await _shown(request, visitor, name=name, problem=str(error), status=422)
    return await _shown(request, visitor, key=token.text, name=name)


@needs(Role.ADMIN, audited=False)
async def remove(request: Request, visitor: Visitor) -> Response:
    """Let nobody in by a key any more."""
    form, around = await form_of(request), surroundings_of(request)
    name = form.text("name")
    await around.store.write(
        api_keys.remove, visitor.workspace, name, by=visitor.actor, may=visitor.role, now=around.real.now()
    )
    return done(request, request.url.path.removesuffix("/remove"), f"The key {name} opens nothing any more.")


@needs(Role.ADMIN)
async def show_log(request: Request, visitor: Visitor) -> Response:
    """Show who did what, newest first."""
    given = request.query_params.get("before", "")
    before = int(given) if given.isdecimal() and len(given) < len(str(audit_log.NEWEST)) else audit_log.NEWEST
    found = await surroundings_of(request).store.read(
        audit_log.page, workspace_id=visitor.workspace.id, before=before, limit=SHOWN + 1
    )
    older = found[SHOWN - 1].id if len(found) > SHOWN else None
    return render(request, "settings/audit.html", visitor, lines=found[:SHOWN], older=older)


routes = [
    Route(PATH, page),
    Route(PATH, add, methods=["POST"]),
    Route(f"{PATH}/remove", remove, methods=["POST"]),
    Route(LOG, show_log),
]
