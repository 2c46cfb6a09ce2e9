"""One call of the API: whose it is, and what it reads and writes with.

A route declares what it needs by the type of its first argument: `Looks` (viewer), `Works` (member), `Governs` (admin)
or `Owns` (owner). In this order: a key, its role, not too many calls, then the idempotency key.

Rule: what a call that may change something writes stands in the audit log under the route's name, in one transaction.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Annotated, Concatenate, Final, ParamSpec, TypeVar

from fastapi import Depends, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query as QueryParameter
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from relance.core.people import Role
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services.situations import Keys
from relance.web.api import repeating
from relance.web.api.problems import INVALID, ProblemError
from relance.web.security.who import SAFE_METHODS, Visitor, audit, program_of
from relance.web.surroundings import Hands, Surroundings, surroundings_of

T = TypeVar("T")
P = ParamSpec("P")
TOO_MANY: Final = 429
#: Of a route's `openapi_extra`: its service writes the audit log itself, or it only looks although it is not GET.
SELF_NOTED: Final = "x-notes-itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Who calls, and what with."""

    visitor: Visitor
    around: Surroundings

    @property
    def workspace(self) -> Workspace:
        """The key's workspace."""
        return self.visitor.workspace

    @property
    def workspace_id(self) -> int:
        """The id of the key's workspace, by which every statement is scoped."""
        return self.visitor.workspace.id

    @property
    def keys(self) -> Keys:
        """The installation's keys for ids and tombstones."""
        return self.around.keys

    @property
    def hands(self) -> Hands:
        """What takes connectors or the engine."""
        return self.around.hands

    @property
    def now(self) -> datetime:
        """The domain's time."""
        return self.around.clock.now()

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Read one snapshot."""
        return await self.around.store.read(fn, *args, **kwargs)

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write, and say in the audit log who did it."""
        return await self.around.store.write(fn, *args, **kwargs)


Arrival = Callable[[Request], Awaitable[Call]]
_roles: dict[Arrival, Role] = {}


def needed_by(route: APIRoute) -> Role | None:
    """Return the role that a route asks for; None: it asks for none."""
    return next((_roles[one.call] for one in route.dependant.dependencies if one.call in _roles), None)


def _needs(role: Role) -> Arrival:
    async def arrive(request: Request) -> Call:
        visitor = await program_of(request, needed=role)
        _not_too_many(request, visitor)
        _nothing_unknown(request)
        if request.method not in SAFE_METHODS:
            route = request.scope["route"]
            marks = route.openapi_extra or {}
            if repeating.SHOWN_ONCE not in marks:
                await repeating.begin(request, visitor)
            if SELF_NOTED not in marks:
                audit(request, visitor, f"api.{route.name}")
        return Call(visitor=visitor, around=surroundings_of(request))

    _roles[arrive] = role
    return arrive


Looks = Annotated[Call, Depends(_needs(Role.VIEWER))]
Works = Annotated[Call, Depends(_needs(Role.MEMBER))]
Governs = Annotated[Call, Depends(_needs(Role.ADMIN))]
Owns = Annotated[Call, Depends(_needs(Role.OWNER))]


def _not_too_many(request: Request, visitor: Visitor) -> None:
    """Count one call of a key. Raises HTTPException with Retry-After."""
    throttle = request.app.state.throttle
    name, now = f"{visitor.workspace.id}/{visitor.actor}", surroundings_of(request).real.now()
    wait = throttle.wait(name, now)
    if wait > timedelta(0):
        seconds = max(1, ceil(wait.total_seconds()))
        said = f"This key calls more often than {throttle.tries} times at once; wait {seconds} s"
        raise HTTPException(TOO_MANY, said, {"Retry-After": str(seconds)})
    throttle.took(name, now)


def _nothing_unknown(request: Request) -> None:
    """Refuse a parameter that the route does not have: a filter that is misspelt must not mean everybody."""
    route: APIRoute = request.scope["route"]
    known = {one.alias for one in get_flat_params(route.dependant) if isinstance(one.field_info, QueryParameter)}
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        named = ", ".join(sorted(known)) or "none"
        raise ProblemError(INVALID, f"there is no parameter {unknown[0][:100]!r} here; known are: {named}")
