"""What goes wrong, as `application/problem+json` (RFC 9457): a code for programs, a sentence and a remedy for people.

Rule 1: the code is what programs go by; it never changes its meaning.
Rule 2: the remedy says what to do next. Most of our sentences end in it, after a semicolon.
Rule 3: of what broke inside, only that it broke is told; the rest stands in the log.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from relance.core.transitions import IllegalTransitionError
from relance.ports.connector import ConnectorError
from relance.ports.store import CommitUnknownError, ConflictError, StoreBusyError, StoreError
from relance.ports.vault import VaultError
from relance.services.drafts import StaleDraftError
from relance.services.refusals import LostRaceError, NotFoundError, RefusedError, WrongInputError
from relance.web.surroundings import surroundings_of

MEDIA_TYPE: Final = "application/problem+json"
TYPE: Final = "https://relance.invalid/problems/"  #: Only a name: nothing is to be fetched from there.
UNEXPECTED = 500
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class Fault(BaseModel):
    """One part of a request that is not as it must be."""

    where: str = Field(description="Such as `body.email`, `query.limit` or `path.lead`.")
    what: str


class Problem(BaseModel):
    """Why something was not done. Nothing was changed, except where the code is `outcome_unknown`."""

    type: str
    title: str
    status: int
    code: str = Field(description="What programs go by, such as `not_found`.")
    detail: str = Field(description="A sentence for a person.")
    remedy: str = Field(description="What to do next.")
    faults: list[Fault] = Field(default_factory=list, description="Of `invalid_request`: every part that is wrong.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of problem."""

    status: int
    code: str
    title: str
    remedy: str  #: Where the sentence holds none.
    retry_after: int | None = None  #: Seconds.


INVALID = Kind(
    status=422, code="invalid_request", title="The request is not as it must be", remedy="Correct what `faults` names."
)
WRONG_INPUT = Kind(status=422, code="wrong_input", title="This can never be right", remedy="Correct it and send again.")
KEY_REUSED = Kind(
    status=422,
    code="idempotency_key_reused",
    title="This Idempotency-Key stood for another request",
    remedy="Take a new key for a new request.",
)
NOT_FOUND = Kind(status=404, code="not_found", title="There is no such thing here", remedy="Look at the list.")
REFUSED = Kind(status=409, code="refused", title="That is not possible now", remedy="Look at its state first.")
CHANGED = Kind(
    status=412, code="changed_meanwhile", title="Somebody changed it meanwhile", remedy="Read it again and decide anew."
)
LOST_RACE = Kind(
    status=409, code="lost_race", title="Somebody was faster", remedy="Read it again and decide anew.", retry_after=1
)
IN_PROGRESS = Kind(
    status=409,
    code="in_progress",
    title="The first request under this key is not done",
    remedy="Wait, then send it again under the same key.",
    retry_after=2,
)
BUSY = Kind(status=503, code="busy", title="The database is busy", remedy="Send it again in a moment.", retry_after=2)
UNAVAILABLE = Kind(
    status=503, code="unavailable", title="The database cannot be used", remedy="See `GET /doctor`.", retry_after=30
)
UNKNOWN_OUTCOME = Kind(
    status=503,
    code="outcome_unknown",
    title="Nobody knows whether it was done",
    remedy="Look whether it was done before sending it again.",
    retry_after=5,
)
OUTSIDE = Kind(
    status=502, code="outside_failed", title="A mail server did not do it", remedy="Check the mailbox, then try again."
)
BROKEN = Kind(
    status=UNEXPECTED, code="internal", title="Something broke inside", remedy="Please report it with the log's lines."
)
_BY_STATUS: Final[Mapping[int, Kind]] = {
    400: Kind(status=400, code="bad_request", title="The request cannot be read", remedy="Correct it."),
    401: Kind(status=401, code="no_key", title="A key is missing or wrong", remedy="Send `Authorization: Bearer KEY`."),
    403: Kind(status=403, code="role_too_low", title="The key's role is too low", remedy="Ask for a key with more."),
    404: NOT_FOUND,
    405: Kind(status=405, code="method_not_allowed", title="Not by this method", remedy="See the API's reference."),
    409: REFUSED,
    412: CHANGED,
    413: Kind(status=413, code="too_large", title="The request is too large", remedy="Send it in smaller parts."),
    415: Kind(status=415, code="not_json", title="The body is no JSON", remedy="Send it as `application/json`."),
    422: WRONG_INPUT,
    429: Kind(status=429, code="too_many_requests", title="Too many requests", remedy="Wait as Retry-After says."),
}
#: The most special first.
_BY_ERROR: Final[tuple[tuple[type[Exception], Kind], ...]] = (
    (NotFoundError, NOT_FOUND),
    (StaleDraftError, CHANGED),
    (WrongInputError, WRONG_INPUT),
    (RefusedError, REFUSED),
    (IllegalTransitionError, REFUSED),
    (LostRaceError, LOST_RACE),
    (ConflictError, LOST_RACE),
    (StoreBusyError, BUSY),
    (CommitUnknownError, UNKNOWN_OUTCOME),
    (StoreError, UNAVAILABLE),
    (VaultError, UNAVAILABLE),
    (ConnectorError, OUTSIDE),
)
#: Of errors whose words are about our insides.
_UNTOLD = frozenset({LOST_RACE.code, BROKEN.code})
#: Every kind there is.
KINDS: Final = frozenset(
    {*_BY_STATUS.values(), *(kind for _, kind in _BY_ERROR), INVALID, KEY_REUSED, IN_PROGRESS, BROKEN}
)
STATUSES: Final = tuple(sorted({kind.status for kind in KINDS}))


class ProblemError(Exception):
    """Leaves a handler with a problem of its own."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


def answer(
    kind: Kind, sentence: str, *, faults: Sequence[Fault] = (), headers: Mapping[str, str] = NO_HEADERS
) -> Response:
    """Return a problem's answer; the sentence's own remedy is taken before the kind's."""
    detail, remedy = split(sentence)
    problem = Problem(
        type=TYPE + kind.code,
        title=kind.title,
        status=kind.status,
        code=kind.code,
        detail=detail or kind.title,
        remedy=remedy or kind.remedy,
        faults=list(faults),
    )
    waiting = {} if kind.retry_after is None else {"Retry-After": str(kind.retry_after)}
    return JSONResponse(problem.model_dump(), kind.status, {**waiting, **headers}, MEDIA_TYPE)


def split(sentence: str) -> tuple[str, str]:
    """Return what is the matter and what to do, of a sentence that says both."""
    detail, found, remedy = sentence.rpartition("; ")
    return (detail, remedy[:1].upper() + remedy[1:]) if found else (sentence, "")


def install(app: FastAPI) -> None:
    """Let every error of an application be answered as a problem."""
    for error, kind in _BY_ERROR:
        app.add_exception_handler(error, _handler(kind))
    app.add_exception_handler(ProblemError, _own)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _broken)


def _handler(kind: Kind) -> Any:  # noqa: ANN401  # Starlette's handlers take the error's own type
    async def handle(request: Request, error: Exception) -> Response:  # noqa: ARG001  # Starlette's signature
        return answer(kind, "" if kind.code in _UNTOLD else str(error))

    return handle


async def _own(request: Request, error: Exception) -> Response:  # noqa: ARG001  # Starlette's signature
    assert isinstance(error, ProblemError)  # noqa: S101  # registered for it
    return answer(error.kind, str(error))


async def _http(request: Request, error: Exception) -> Response:  # noqa: ARG001  # Starlette's signature
    assert isinstance(error, HTTPException)  # noqa: S101  # registered for it
    kind = _BY_STATUS.get(error.status_code, BROKEN if error.status_code >= UNEXPECTED else _BY_STATUS[400])
    said = error.detail if error.status_code in _TOLD else ""
    return answer(kind, said, headers=error.headers or {})


#: Statuses whose sentences are ours; the others are the framework's, and say less than the kind's title.
_TOLD = frozenset({401, 403, 409, 412, 422, 429})


async def _invalid(request: Request, error: Exception) -> Response:  # noqa: ARG001  # Starlette's signature
    assert isinstance(error, RequestValidationError)  # noqa: S101  # registered for it
    faults = [Fault(where=".".join(str(part) for part in one["loc"]), what=str(one["msg"])) for one in error.errors()]
    return answer(INVALID, ", ".join(f"{one.where}: {one.what}" for one in faults[:3]), faults=faults)


async def _broken(request: Request, error: Exception) -> Response:
    surroundings_of(request).log.error("api broke", path=request.url.path, error=type(error).__name__)
    return answer(BROKEN, "")
