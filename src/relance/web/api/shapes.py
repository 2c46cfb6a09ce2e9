"""What every shape of the API has in common."""

import re
from typing import Annotated, Any, Final

from fastapi import Depends, Header, Path, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, model_validator

from relance.web.api.problems import CHANGED, ProblemError

MOST_ID: Final = 2**62
CREATED: Final = 201
#: Of a path: the number of a row.
Id = Annotated[int, Path(ge=1, le=MOST_ID)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=320)]
Words = Annotated[str, StringConstraints(max_length=4_000)]
Document = Annotated[str, StringConstraints(min_length=1, max_length=1_048_576)]


def _written_out(sent: object) -> object:
    """Refuse a day or a moment that is written as a number: nobody knows whether it means seconds."""
    if sent is not None and not (isinstance(sent, str) and _DAY.match(sent)):
        raise ValueError("write it as 2026-11-30, and a moment as 2026-11-30T09:14:00Z")
    return sent


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
WrittenOut: Final = BeforeValidator(_written_out)


class Shape(BaseModel):
    """What is answered; it takes the attributes of our own values of the same names."""

    model_config = ConfigDict(from_attributes=True)


class Given(BaseModel):
    """What is sent; a key that is not known is refused, not ignored."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nul(cls, sent: Any) -> Any:  # noqa: ANN401  # whatever JSON holds
        if _holds_nul(sent):
            raise ValueError("a text holds a NUL, which cannot be kept; take it out")
        return sent


async def _if_match(
    if_match: Annotated[
        str | None,
        Header(max_length=200, description="The ETag that was read; if it is another by now, nothing is changed."),
    ] = None,
) -> str | None:
    return if_match


IfMatch = Annotated[str | None, Depends(_if_match)]


def etag_of(revision: object) -> str:
    """Return a row's ETag."""
    return f'"{revision}"'


def tagged(response: Response, row: Any) -> Any:  # noqa: ANN401  # any value that has a revision
    """Return a row, with its ETag in the answer."""
    response.headers["ETag"] = etag_of(row.revision)
    return row


def check_match(if_match: str | None, revision: object) -> None:
    """Refuse what was decided over an older row. Raises ProblemError."""
    if if_match is not None and if_match.strip() not in {"*", etag_of(revision)}:
        raise ProblemError(CHANGED, "")


def _holds_nul(sent: object) -> bool:
    match sent:
        case str():
            return "\0" in sent
        case dict():
            return any(_holds_nul(name) or _holds_nul(value) for name, value in sent.items())
        case list():
            return any(map(_holds_nul, sent))
        case _:
            return False
