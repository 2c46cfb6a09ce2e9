"""`/suppressions`: who is never written to."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field
from starlette.exceptions import HTTPException

from relance.core.people import Role
from relance.core.suppression import SuppressionKind, SuppressionReason, SuppressionScope
from relance.ports.store import Transaction
from relance.services import suppressions
from relance.services.refusals import NotFoundError, WrongInputError
from relance.services.suppression_files import read_target
from relance.web.api.call import SELF_NOTED, Call, Governs, Looks, Works
from relance.web.api.pages import USUAL, Cursor, Limit, Page, after, page
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import CREATED, Given, Shape, Word

routes = APIRouter(tags=["suppressions"], route_class=Repeatable)
MOST = 1_000
_OK = 200


class SuppressionShape(Shape):
    """Somebody, a domain or a number that is never written to."""

    value: str
    kind: SuppressionKind
    scope: SuppressionScope
    reason: SuppressionReason
    source: str
    created_at: datetime


class WantedSuppression(Given):
    """What is never to be written to."""

    target: Word = Field(description="An address, an @domain or a +phone number.", examples=["@example.com"])
    scope: SuppressionScope = SuppressionScope.WORKSPACE


class WantedSuppressions(Given):
    """Many at once."""

    targets: list[Word] = Field(min_length=1, max_length=MOST)
    scope: SuppressionScope = SuppressionScope.WORKSPACE


class AddedSuppression(Shape):
    """What became of one."""

    value: str
    kind: SuppressionKind
    scope: SuppressionScope
    new: bool = Field(description="Whether it was not suppressed before.")


class SuppressionRow(Shape):
    """What became of one of many."""

    target: str
    outcome: str = Field(description="`added`, `known`, or `invalid` with an error.")
    error: str | None = None


class Verdict(Shape):
    """Whether something is suppressed, and by what."""

    value: str
    suppressed: bool
    suppressions: list[SuppressionShape]


@routes.get("/suppressions", response_model=Page[SuppressionShape])
async def list_suppressions(call: Looks, limit: Limit = USUAL, cursor: Cursor = None) -> dict[str, Any]:
    """List everything that is suppressed in this workspace or globally, oldest first."""
    (since,) = after(cursor, 0)
    rows = await call.read(suppressions.page, workspace_id=call.workspace_id, after=since, limit=limit + 1)
    return page(rows, limit, lambda row: (row.id,))


@routes.post("/suppressions", status_code=CREATED, response_model=AddedSuppression)
async def add_suppression(call: Works, wanted: WantedSuppression, response: Response) -> dict[str, Any]:
    """Never write to it again. 201 where it is new, 200 where it was suppressed before. Globally takes an owner."""
    _may(call, wanted.scope)
    kind, value = read_target(wanted.target)
    new = await call.write(
        suppressions.suppress,
        workspace_id=call.workspace_id,
        kind=kind,
        value=value,
        scope=wanted.scope,
        reason=SuppressionReason.MANUAL,
        source=call.visitor.actor,
        now=call.now,
        tombstone_key=call.keys.tombstone,
    )
    response.status_code = CREATED if new else _OK
    return {"kind": kind, "value": value, "scope": wanted.scope, "new": new}


@routes.post("/suppressions/bulk", response_model=list[SuppressionRow])
async def add_suppressions(call: Works, wanted: WantedSuppressions) -> list[dict[str, Any]]:
    """Suppress many at once; each has its own outcome, in the order in which they were sent."""
    _may(call, wanted.scope)

    def suppress_all(tx: Transaction) -> list[dict[str, Any]]:
        rows = []
        for target in wanted.targets:
            try:
                kind, value = read_target(target)
            except WrongInputError as error:
                rows.append({"target": target, "outcome": "invalid", "error": str(error)})
                continue
            new = suppressions.suppress(
                tx,
                workspace_id=call.workspace_id,
                kind=kind,
                value=value,
                scope=wanted.scope,
                reason=SuppressionReason.IMPORTED,
                source=call.visitor.actor,
                now=call.now,
            )
            rows.append({"target": target, "outcome": "added" if new else "known"})
        return rows

    return await call.write(suppress_all)


@routes.post("/suppressions/check", response_model=Verdict, openapi_extra={SELF_NOTED: True})
async def check_suppression(call: Looks, wanted: WantedSuppression) -> dict[str, Any]:
    """Say whether something is suppressed, and by what. Only looks."""
    kind, value = read_target(wanted.target)
    found = await call.read(
        suppressions.of_target,
        workspace_id=call.workspace_id,
        kind=kind,
        value=value,
        tombstone_key=call.keys.tombstone,
    )
    return {"value": value, "suppressed": bool(found), "suppressions": found}


@routes.delete("/suppressions", status_code=204)
async def remove_suppression(
    call: Governs,
    target: Annotated[str, Query(min_length=1, max_length=320)],
    scope: SuppressionScope = SuppressionScope.WORKSPACE,
) -> None:
    """Take a suppression back. A global one takes an owner."""
    _may(call, scope)
    kind, value = read_target(target)
    removed = await call.write(
        suppressions.unsuppress,
        workspace_id=call.workspace_id,
        kind=kind,
        value=value,
        scope=scope,
        tombstone_key=call.keys.tombstone,
        now=call.now,
    )
    if not removed:
        raise NotFoundError(f"{value} is not suppressed ({scope}); see `POST /suppressions/check`")


def _may(call: Call, scope: SuppressionScope) -> None:
    """Refuse what binds every workspace of the installation to whoever is not an owner. Raises HTTPException."""
    if scope is SuppressionScope.GLOBAL and not call.visitor.may(Role.OWNER):
        raise HTTPException(403, "A global suppression binds every workspace, which takes the role owner")
