"""`/workspaces`: the key's own workspace and its settings; an owner makes further ones."""

import secrets
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import Field

from relance.core.people import Role
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import api_keys, audit_log, workspace_settings, workspaces
from relance.services.refusals import NotFoundError
from relance.web.api.call import Call, Governs, Looks, Owns
from relance.web.api.keys import MAKES_KEY, NewKey
from relance.web.api.pages import Page
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import CREATED, Given, IfMatch, Shape, check_match, tagged
from relance.web.security.tokens import KEY_PREFIX, new_token

routes = APIRouter(tags=["workspaces"], route_class=Repeatable)
Name = Annotated[str, Path(max_length=200)]


class WorkspaceShape(Shape):
    """A tenant. Nothing crosses its border."""

    name: str
    timezone: str | None = Field(description="IANA name; null: UTC.")
    daily_cap: int | None = Field(description="Messages of the whole workspace a day.")
    recipient_domain_daily_cap: int | None
    quiet_hours: str | None
    approval: bool = Field(description="Whether what is published waits until somebody approves it.")
    created_at: datetime


class NewWorkspace(Given):
    """A workspace that is to be made."""

    name: str = Field(max_length=200, description="Letters, digits, hyphens, dots and underscores.")
    timezone: str | None = Field(default=None, max_length=100)


class WorkspaceChange(Given):
    """What is to be changed; what is left out stays. An empty text or 0 takes a limit away."""

    timezone: str | None = Field(default=None, min_length=1, max_length=100)
    daily_cap: int | None = Field(default=None, ge=0, le=10_000_000)
    recipient_domain_daily_cap: int | None = Field(default=None, ge=0, le=10_000_000)
    quiet_hours: str | None = Field(default=None, max_length=40, examples=["20:00-08:00"])
    approval: bool | None = None


class MadeWorkspace(Shape):
    """A new workspace, and the key that owns it."""

    workspace: WorkspaceShape
    key: NewKey


@routes.get("/workspaces", response_model=Page[WorkspaceShape])
async def list_workspaces(call: Looks) -> dict[str, Any]:
    """List the workspaces that this key is for: one."""
    return {"items": [_shown(call.workspace)], "next": None}


@routes.post("/workspaces", status_code=CREATED, response_model=MadeWorkspace, openapi_extra=MAKES_KEY)
async def add_workspace(call: Owns, wanted: NewWorkspace) -> dict[str, Any]:
    """Make a workspace. Its owner's key is shown this once."""
    zone = None if wanted.timezone is None else workspace_settings.check_timezone(wanted.timezone)
    token = new_token(KEY_PREFIX)

    def make(tx: Transaction) -> dict[str, Any]:
        now = call.around.real.now()
        made = workspaces.add(
            tx,
            name=wanted.name,
            uid=secrets.token_hex(16),
            wrapped_key=call.around.vault.new_workspace_key(),
            timezone=zone,
            now=now,
        )
        by = call.visitor.actor
        audit_log.note(
            tx, workspace_id=call.workspace_id, actor=by, action="workspace.added", subject=made.name, now=now
        )
        key = api_keys.add(
            tx,
            made,
            name="first",
            shown=token.shown,
            digest=token.digest,
            role=Role.OWNER,
            by=by,
            may=Role.OWNER,
            now=now,
        )
        return {"workspace": _shown(made), "key": NewKey.of(key, token)}

    return await call.write(make)


@routes.get("/workspaces/{name}", response_model=WorkspaceShape)
async def get_workspace(call: Looks, name: Name, response: Response) -> dict[str, Any]:
    """Return a workspace and its settings."""
    return _shown(tagged(response, _own(call, name)))


@routes.patch("/workspaces/{name}", response_model=WorkspaceShape)
async def change_workspace(
    call: Governs, name: Name, wanted: WorkspaceChange, response: Response, if_match: IfMatch
) -> dict[str, Any]:
    """Change a workspace's settings."""
    read = _own(call, name)
    check_match(if_match, read.revision)
    given = workspace_settings.Wanted(**wanted.model_dump())
    await call.write(workspace_settings.change, read, given)
    return _shown(tagged(response, await call.read(workspaces.by_name, name)))


def _own(call: Call, name: str) -> Workspace:
    if name != call.workspace.name:
        raise NotFoundError(f"this key is for no workspace {name!r}; see `GET /workspaces`")
    return call.workspace


def _shown(found: Workspace) -> dict[str, Any]:
    settings = {name: found.settings.get(name) for name in ("daily_cap", "recipient_domain_daily_cap", "quiet_hours")}
    facts = {"name": found.name, "timezone": found.timezone, "created_at": found.created_at}
    return {**facts, **settings, "approval": found.settings.get("approval") is True}
