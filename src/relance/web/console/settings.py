"""Settings of a workspace, and the engine's defaults with their reasons."""

import secrets
from itertools import groupby

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import owning, workspace_settings
from relance.services.default_values import all_defaults
from relance.services.refusals import WrongInputError
from relance.services.sequences import APPROVAL
from relance.web.console.forms import form_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PATH = "/w/{workspace}/settings"
_SECTIONS = [(name, list(found)) for name, found in groupby(all_defaults(), key=lambda one: one.section)]


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show what holds for the whole workspace."""
    settings = visitor.workspace.settings
    given = {name: str(settings.get(name, "")) for name in ("daily_cap", "recipient_domain_daily_cap", "quiet_hours")}
    given |= {"timezone": visitor.workspace.timezone or "", "revision": str(visitor.workspace.revision)}
    return _shown(request, visitor, given, settings.get(APPROVAL))


def _shown(  # what a form has to say
    request: Request,
    visitor: Visitor,
    given: dict[str, str],
    approval: object,
    *,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    return render(
        request,
        "settings/workspace.html",
        visitor,
        given=given,
        approval=bool(approval),
        problem=problem,
        status=status,
    )


@needs(Role.ADMIN)
async def change(request: Request, visitor: Visitor) -> Response:
    """Change them, if nobody did since the page was read."""
    form = await form_of(request)
    names = ("timezone", "daily_cap", "recipient_domain_daily_cap", "quiet_hours", "revision")
    given = {name: form.text(name) for name in names}
    approval = form.text("approval") == "yes"
    if given["revision"] != str(visitor.workspace.revision):
        problem = "Somebody changed the settings since you opened them: look at what holds now, and change that"
        given["revision"] = str(visitor.workspace.revision)
        return _shown(request, visitor, given, approval, problem=problem, status=409)
    try:
        wanted = workspace_settings.Wanted(
            timezone=given["timezone"] or "UTC",
            daily_cap=form.number("daily_cap", "the cap"),
            recipient_domain_daily_cap=form.number("recipient_domain_daily_cap", "the cap for a company"),
            quiet_hours=given["quiet_hours"],
            approval=approval,
        )
        await surroundings_of(request).store.write(workspace_settings.change, visitor.workspace, wanted)
    except WrongInputError as error:
        return _shown(request, visitor, given, approval, problem=str(error), status=422)
    return done(request, request.url.path, "The settings are changed; what they hold back is looked at anew.")


@needs(Role.OWNER, audited=False)
async def add_workspace(request: Request, visitor: Visitor) -> Response:
    """Make a further workspace, owned by who makes it."""
    form, around, user = await form_of(request), surroundings_of(request), visitor.user
    name, now = form.text("name"), around.real.now()
    if user is None:
        raise TypeError("a page is seen by people only")
    await around.store.write(
        owning.add_workspace,
        visitor.workspace,
        user,
        name=name,
        uid=secrets.token_hex(16),
        wrapped_key=around.vault.new_workspace_key(),
        now=now,
    )
    return done(request, f"/w/{name}/settings", f"The workspace {name} is yours. Connect a mailbox first.")


@needs(Role.VIEWER)
async def show_defaults(request: Request, visitor: Visitor) -> Response:
    """Show every default of the engine with its reason."""
    return render(request, "settings/defaults.html", visitor, sections=_SECTIONS)


routes = [
    Route(PATH, page),
    Route(PATH, change, methods=["POST"]),
    Route(f"{PATH}/workspaces", add_workspace, methods=["POST"]),
    Route(f"{PATH}/defaults", show_defaults),
]
