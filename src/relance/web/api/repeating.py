"""`Idempotency-Key`: the same request twice is the same request, and gets the answer of the first.

Rule 1: a key belongs to who sent it and to one request; under another request it is refused.
Rule 2: while the first is at work, and where nobody knows how it ended, the second is not done.
Rule 3: what was refused was not done: its key is free again.
Rule 4: an answer that shows a secret once is never kept; its route refuses by its own means to do a thing twice.
"""

from collections.abc import Callable, Coroutine
from hashlib import sha256
from typing import Any, Final

from fastapi import Request, Response
from fastapi.routing import APIRoute

from relance.ports.store import CommitUnknownError
from relance.services import repeated_requests
from relance.services.repeated_requests import Done, Name, New, Other, UnderWay
from relance.web.api.problems import IN_PROGRESS, INVALID, KEY_REUSED, ProblemError
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

HEADER: Final = "Idempotency-Key"
REPEATED: Final = "Idempotent-Replayed"
#: Of a route's `openapi_extra`: its answer shows a secret.
SHOWN_ONCE: Final = "x-shown-once"
_LONGEST = 255
_REFUSED = 400
#: Headers of an answer that are kept for the next time.
_KEPT = ("content-type", "etag", "location")


class _RepeatedError(Exception):
    """The request was done before; carries what it was answered."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class Repeatable(APIRoute):
    """A route whose answers are kept where the caller names the request."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler."""
        original = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                response = await original(request)
            except _RepeatedError as repeated:
                return repeated.response
            except CommitUnknownError:
                raise  # its key stays taken: nobody knows whether it was done
            except Exception:
                await _end(request, None)
                raise
            await _end(request, response)
            return response

        return handle


async def begin(request: Request, visitor: Visitor) -> None:
    """Take a request's key, if it has one, or leave with the answer of the first request under it."""
    key = request.headers.get(HEADER)
    if key is None:
        return
    if not key.strip() or len(key) > _LONGEST:
        raise ProblemError(INVALID, f"{HEADER} has 1 to {_LONGEST} characters; take a UUID")
    around = surroundings_of(request)
    name = Name(workspace_id=visitor.workspace.id, actor=visitor.actor, key=key)
    digest = sha256()
    for part in (request.method.encode(), str(request.url).encode(), await request.body()):
        digest.update(len(part).to_bytes(8) + part)
    found = await around.store.write(
        repeated_requests.begin,
        name,
        request=digest.digest(),
        now=around.real.now(),
    )
    match found:
        case New():
            request.state.begun = name
        case Done(status=status, headers=headers, body=body):
            raise _RepeatedError(Response(body, status, {**headers, REPEATED: "true"}))
        case UnderWay():
            raise ProblemError(IN_PROGRESS, "")
        case Other():
            raise ProblemError(KEY_REUSED, "")


async def _end(request: Request, response: Response | None) -> None:
    name: Name | None = getattr(request.state, "begun", None)
    if name is None:
        return
    store = surroundings_of(request).store
    if response is None or response.status_code >= _REFUSED:
        await store.write(repeated_requests.forget, name)
        return
    headers = {header: response.headers[header] for header in _KEPT if header in response.headers}
    body = bytes(response.body)
    await store.write(repeated_requests.keep, name, status=response.status_code, headers=headers, body=body)
