"""Puts the API together: one file a resource, and an OpenAPI that says of every route how it may fail.

Rule: what a request holds is bounded before anybody reads it, and no text holds a NUL, which PostgreSQL cannot keep.
"""

import json
from datetime import timedelta
from functools import cache
from typing import Any, Final

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from relance.web.api import (
    connecting,
    crowding,
    diagnosis,
    domains,
    drafts,
    enrollments,
    explaining,
    finding,
    keys,
    leads,
    lists,
    mailboxes,
    problems,
    sequence_texts,
    sequences,
    stats,
    suppressions,
    threads,
    trying,
    users,
    workspaces,
)
from relance.web.api.call import needed_by
from relance.web.api.problems import INVALID, Problem, answer
from relance.web.api.repeating import HEADER, SHOWN_ONCE
from relance.web.security.headers import Headers
from relance.web.security.throttling import Throttle
from relance.web.surroundings import Surroundings

PREFIX: Final = "/api/v1"
VERSION: Final = "1"
BODY_MOST: Final = 8 * 1024 * 1024  #: Bytes of a request.
CALLS_AT_ONCE: Final = 200  #: Of one key; after that as many as the next says.
ONE_CALL_EACH: Final = timedelta(milliseconds=20)
RESOURCES: Final[tuple[APIRouter, ...]] = (
    workspaces.routes,
    users.routes,
    keys.routes,
    mailboxes.routes,
    connecting.routes,
    domains.routes,
    finding.routes,
    leads.routes,
    lists.routes,
    explaining.routes,
    sequence_texts.routes,
    sequences.routes,
    drafts.routes,
    trying.routes,
    enrollments.routes,
    threads.routes,
    suppressions.routes,
    stats.routes,
    diagnosis.routes,
    crowding.routes,
)
_DESCRIPTION: Final = """
Everything that Relance can do, for programs. Send a key as `Authorization: Bearer …`; it belongs to one workspace and
has one role. Times are UTC. Lists come in pages: hand `next` back as `cursor`. A POST with an `Idempotency-Key` is done
once, however often it is sent. What goes wrong is answered as `application/problem+json` with a `code` for programs and
a `remedy` for people.
"""


def api_application(around: Surroundings, *, calls_at_once: int = CALLS_AT_ONCE) -> ASGIApp:
    """Return the API. `calls_at_once`: of one key, before it has to wait."""
    app = _routed()
    app.openapi = openapi_document  # type: ignore[method-assign]  # FastAPI's way of having one's own
    app.state.surroundings = around
    app.state.throttle = Throttle(tries=calls_at_once, one_each=ONE_CALL_EACH)
    return Headers(_WithoutNul(app), secure=around.secure)


@cache
def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document, where every route also says how it may fail."""
    app = _routed()
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= {**problem.pop("$defs"), "Problem": problem}
    document["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"key": []}]
    for path in document["paths"].values():
        for method, operation in path.items():
            _complete(method, operation)
    return _named_well(document)


def _routed() -> FastAPI:
    app = FastAPI(
        title="Relance",
        version=VERSION,
        description=_DESCRIPTION.strip(),
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        max_body_size=BODY_MOST,
    )
    for routes in RESOURCES:
        nobodys = [route for route in routes.routes if not isinstance(route, APIRoute) or needed_by(route) is None]
        if nobodys:
            raise AssertionError(f"{nobodys} ask for no role: begin their arguments with Looks, Works, Governs or Owns")
        app.include_router(routes, prefix=PREFIX)
    problems.install(app)
    return app


class _WithoutNul:
    """Refuses a NUL in path, query or body before anything reads it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what has none."""
        if scope["type"] == "http" and ("\0" in scope["path"] or b"%00" in scope["query_string"]):
            refused = answer(INVALID, "a NUL stands in the path or the query; take it out")
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _complete(method: str, operation: dict[str, Any]) -> None:
    failing = {
        "description": "It was not done; the problem says why, and what to do.",
        "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    named = method == "post" and SHOWN_ONCE not in operation
    for name in [name for name in operation if name.startswith("x-")]:
        del operation[name]
    operation["tags"] = operation["tags"][-1:]  # a route's own before its file's
    operation["responses"].pop("422", None)
    operation["responses"] |= {str(status): failing for status in problems.STATUSES}
    if named:
        operation.setdefault("parameters", []).append(
            {
                "name": HEADER,
                "in": "header",
                "required": False,
                "description": "Names this request: sent again under the same key, it gets the answer of the first.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255},
            }
        )


def _named_well(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with its shapes called as a client's author would call them: `Lead`, `LeadPage`."""
    called = {name: _name(name) for name in document["components"]["schemas"]}
    if len(set(called.values())) != len(called):
        raise AssertionError("two shapes of the API would have the same name: call one otherwise")
    text = json.dumps(document)
    for name, better in called.items():
        text = text.replace(f'"#/components/schemas/{name}"', f'"#/components/schemas/{better}"')
    renamed: dict[str, Any] = json.loads(text)
    schemas = renamed["components"]["schemas"]
    renamed["components"]["schemas"] = {
        better: {**schemas[name], "title": better} for name, better in sorted(called.items(), key=lambda pair: pair[1])
    }
    return renamed


def _name(name: str) -> str:
    inner = name.removeprefix("Page_").rstrip("_")
    bare = inner.removesuffix("Shape")
    return f"{bare}Page" if name.startswith("Page_") else bare
