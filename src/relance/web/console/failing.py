"""What a visitor sees where something is refused or fails: one sentence that says what to do, and never a secret."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ExceptionHandler

from relance.ports.store import StoreError
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.web.rendering import render
from relance.web.surroundings import surroundings_of

_BROKEN = "Something went wrong that should not; the log says what. Nothing more was changed"


async def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    sentence = error.detail if isinstance(error, HTTPException) else _BROKEN
    page = render(request, "error.html", sentence=sentence, number=status, status=status)
    if isinstance(error, HTTPException) and error.headers:
        page.headers.update(error.headers)
    return page


async def _refused(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, NotFoundError) else 422 if isinstance(error, WrongInputError) else 409
    return render(request, "error.html", sentence=_sentence(error), number=status, status=status)


async def _unstored(request: Request, error: Exception) -> Response:
    surroundings_of(request).log.error("page.not_stored", page=_page(request), error=str(error))
    return render(request, "error.html", sentence=_sentence(error), number=503, status=503)


async def _broken(request: Request, error: Exception) -> Response:
    surroundings_of(request).log.error("page.broke", page=_page(request), exc_info=error)
    return render(request, "error.html", sentence=_BROKEN, number=500, status=500)


def _page(request: Request) -> str:
    """Name a page for the log: by its function, since paths hold tokens and addresses."""
    endpoint = request.scope.get("endpoint")
    return f"{endpoint.__module__}.{endpoint.__qualname__}" if endpoint else "none"


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]


HANDLERS: dict[object, ExceptionHandler] = {
    HTTPException: _http,
    RefusedError: _refused,
    StoreError: _unstored,
    Exception: _broken,
}
