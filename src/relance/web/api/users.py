"""`/users` and `/audit-log`: who is let in with which role, and who did what."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from relance.core.people import Role
from relance.services import audit_log, inviting, users
from relance.services.addresses import clean_address
from relance.web.api.call import SELF_NOTED, Governs
from relance.web.api.pages import USUAL, Cursor, Limit, Page, after, page
from relance.web.api.repeating import SHOWN_ONCE, Repeatable
from relance.web.api.shapes import CREATED, Given, Shape, Word
from relance.web.security.tokens import new_token

routes = APIRouter(tags=["users"], route_class=Repeatable)
Email = Annotated[str, Path(max_length=320)]


class UserShape(Shape):
    """A person in this workspace."""

    email: str
    name: str
    role: Role
    invited: bool = Field(description="Has not come yet.")
    created_at: datetime = Field(description="When they were let in.")


class WantedUser(Given):
    """A person who is to be let in."""

    email: Word
    role: Role = Role.MEMBER


class InvitedUser(Shape):
    """A person who was let in."""

    email: str
    role: Role
    link: str | None = Field(
        description="Where they choose a password; it is shown this once. Null: they have one already."
    )


class RoleChange(Given):
    """Another role for somebody."""

    role: Role


class AuditShape(Shape):
    """One line of who did what."""

    id: int
    at: datetime
    actor: str
    action: str
    subject: str


@routes.get("/users", response_model=Page[UserShape])
async def list_users(call: Governs) -> dict[str, Any]:
    """List everybody in the workspace, by address."""
    return {"items": await call.read(users.members, call.workspace), "next": None}


@routes.post(
    "/users",
    status_code=CREATED,
    response_model=InvitedUser,
    openapi_extra={SELF_NOTED: True, SHOWN_ONCE: True},
)
async def invite_user(call: Governs, wanted: WantedUser) -> dict[str, Any]:
    """Let a person in, with at most the role of the key that asks."""
    token = new_token()
    email = clean_address(wanted.email)
    counts = await call.write(
        inviting.invite,
        call.workspace,
        email=email,
        role=wanted.role,
        digest=token.digest,
        by=call.visitor.actor,
        may=call.visitor.role,
        real_now=call.around.real.now(),
    )
    link = f"{call.around.base_url}/welcome/{token.text}" if counts else None
    return {"email": email, "role": wanted.role, "link": link}


@routes.put("/users/{email}/role", status_code=204, openapi_extra={SELF_NOTED: True})
async def set_user_role(call: Governs, email: Email, wanted: RoleChange) -> None:
    """Change what a person may do."""
    await call.write(
        users.set_role,
        call.workspace,
        email,
        wanted.role,
        by=call.visitor.actor,
        may=call.visitor.role,
        now=call.around.real.now(),
    )


@routes.delete("/users/{email}", status_code=204, openapi_extra={SELF_NOTED: True})
async def remove_user(call: Governs, email: Email) -> None:
    """Take a person out of the workspace."""
    await call.write(
        users.put_out,
        call.workspace,
        email,
        by=call.visitor.actor,
        may=call.visitor.role,
        now=call.around.real.now(),
    )


@routes.get("/audit-log", response_model=Page[AuditShape], tags=["audit log"])
async def list_audit_log(call: Governs, limit: Limit = USUAL, cursor: Cursor = None) -> dict[str, Any]:
    """List who did what through console and API, the newest first."""
    (before,) = after(cursor, audit_log.NEWEST - 1)
    rows = await call.read(audit_log.page, workspace_id=call.workspace_id, before=before, limit=limit + 1)
    return page(rows, limit, lambda row: (row.id,))
