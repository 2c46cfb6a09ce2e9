"""Settings: the people of a workspace and their roles."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import inviting, users
from relance.services.refusals import RefusedError, WrongInputError
from relance.web.console.forms import Form, form_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.tokens import new_token
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PATH = "/w/{workspace}/settings/people"


@needs(Role.ADMIN)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show who is in."""
    return await _shown(request, visitor)


async def _shown(  # what a form has to say
    request: Request,
    visitor: Visitor,
    *,
    link: str | None = None,
    invited: str = "",
    problem: str | None = None,
    status: int = 200,
) -> Response:
    found = await surroundings_of(request).store.read(users.members, visitor.workspace)
    return render(
        request,
        "settings/people.html",
        visitor,
        members=found,
        roles=[role for role in Role if visitor.may(role)],
        link=link,
        invited=invited,
        problem=problem,
        status=status,
    )


@needs(Role.ADMIN, audited=False)
async def invite(request: Request, visitor: Visitor) -> Response:
    """Let somebody in. The link is shown on the answer and nowhere else."""
    form, around, token = await form_of(request), surroundings_of(request), new_token()
    email = form.text("email")
    try:
        counts = await around.store.write(
            inviting.invite,
            visitor.workspace,
            email=email,
            role=_role(form),
            digest=token.digest,
            by=visitor.actor,
            may=visitor.role,
            real_now=around.real.now(),
        )
    except RefusedError as error:
        return await _shown(request, visitor, invited=email, problem=str(error), status=422)
    if counts:
        return await _shown(request, visitor, link=f"{around.base_url}/welcome/{token.text}", invited=email)
    return done(request, request.url.path, f"{email} is in, and logs in with the password they have.")


@needs(Role.ADMIN, audited=False)
async def change_role(request: Request, visitor: Visitor) -> Response:
    """Change what somebody may do."""
    form, around = await form_of(request), surroundings_of(request)
    email, role = form.text("email"), _role(form)
    await around.store.write(
        users.set_role,
        visitor.workspace,
        email,
        role,
        by=visitor.actor,
        may=visitor.role,
        now=around.real.now(),
    )
    return done(request, request.url.path.removesuffix("/role"), f"{email} is {role} now.")


@needs(Role.ADMIN, audited=False)
async def put_out(request: Request, visitor: Visitor) -> Response:
    """Take somebody out."""
    form, around = await form_of(request), surroundings_of(request)
    email = form.text("email")
    await around.store.write(
        users.put_out, visitor.workspace, email, by=visitor.actor, may=visitor.role, now=around.real.now()
    )
    return done(request, request.url.path.removesuffix("/remove"), f"{email} is out.")


def _role(form: Form) -> Role:
    try:
        return Role(form.text("role"))
    except ValueError:
        raise WrongInputError(f"choose a role: {', '.join(Role)}") from None


routes = [
    Route(PATH, page),
    Route(PATH, invite, methods=["POST"]),
    Route(f"{PATH}/role", change_role, methods=["POST"]),
    Route(f"{PATH}/remove", put_out, methods=["POST"]),
]
