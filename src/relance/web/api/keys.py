"""`/keys`: what lets programs in. A key is shown once, when it is made; only its digest is kept."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from relance.core.people import ApiKey, Role
from relance.services import api_keys
from relance.web.api.call import SELF_NOTED, Governs
from relance.web.api.pages import Page
from relance.web.api.repeating import SHOWN_ONCE, Repeatable
from relance.web.api.shapes import CREATED, Given, Shape
from relance.web.security.tokens import KEY_PREFIX, Token, new_token

routes = APIRouter(tags=["keys"], route_class=Repeatable)
MAKES_KEY = {SELF_NOTED: True, SHOWN_ONCE: True}


class KeyShape(Shape):
    """A key, without what lets in."""

    name: str
    shown: str = Field(description="Its first letters, by which a person knows it again.")
    role: Role
    created_by: str
    created_at: datetime
    used_at: datetime | None = Field(description="To the hour.")


class NewKey(KeyShape):
    """A key that was just made."""

    key: str = Field(description="What to send as `Authorization: Bearer …`. It is shown this once.")

    @classmethod
    def of(cls, made: ApiKey, token: Token) -> "NewKey":
        """Return a key with what lets in."""
        return cls(**KeyShape.model_validate(made).model_dump(), key=token.text)


class WantedKey(Given):
    """A key that is to be made."""

    name: str = Field(min_length=1, max_length=200, examples=["the CRM"])
    role: Role = Role.MEMBER


@routes.get("/keys", response_model=Page[KeyShape])
async def list_keys(call: Governs) -> dict[str, Any]:
    """List the keys of the workspace, by name."""
    return {"items": await call.read(api_keys.of_workspace, call.workspace), "next": None}


@routes.post("/keys", status_code=CREATED, openapi_extra=MAKES_KEY)
async def add_key(call: Governs, wanted: WantedKey) -> NewKey:
    """Make a key, with at most the role of the key that asks."""
    token = new_token(KEY_PREFIX)
    made = await call.write(
        api_keys.add,
        call.workspace,
        name=wanted.name,
        shown=token.shown,
        digest=token.digest,
        role=wanted.role,
        by=call.visitor.actor,
        may=call.visitor.role,
        now=call.around.real.now(),
    )
    return NewKey.of(made, token)


@routes.delete("/keys/{name}", status_code=204, openapi_extra={SELF_NOTED: True})
async def remove_key(call: Governs, name: Annotated[str, Path(max_length=200)]) -> None:
    """Let nobody in by this key any more."""
    await call.write(
        api_keys.remove,
        call.workspace,
        name,
        by=call.visitor.actor,
        may=call.visitor.role,
        now=call.around.real.now(),
    )
