"""Lists page by page: where the next one begins stands in a cursor that callers hand back as they got it."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel, Field

from relance.services.refusals import WrongInputError

MOST: Final = 500
USUAL: Final = 50
T = TypeVar("T")
Row = TypeVar("Row")

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=400, description="The `next` of the page before; leave it out for the first one.")
]


class Page(BaseModel, Generic[T]):
    """Some of a list, and where it goes on."""

    items: list[T]
    next: str | None = Field(default=None, description="The cursor of the next page; null: this is the last one.")


def after(cursor: str | None, *first: int) -> tuple[int, ...]:
    """Return what a cursor holds: as many whole numbers as `first`, where a list begins. Raises WrongInputError."""
    if cursor is None:
        return first
    try:
        found = json.loads(urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, RecursionError):
        found = None
    whole = isinstance(found, list) and all(type(one) is int and 0 <= one < 2**62 for one in found)
    if not whole or len(found) != len(first):
        raise WrongInputError("the cursor is none of ours; begin without one, and hand each back as you got it")
    return tuple(found)


def page(rows: Sequence[Row], limit: int, place: Callable[[Row], tuple[int, ...]]) -> dict[str, Any]:
    """Return a page of `limit` rows; `rows` were asked for with one more, which tells whether there is a next page."""
    shown = rows[:limit]
    more = len(rows) > limit
    return {"items": shown, "next": cursor_of(place(shown[-1])) if more else None}


def cursor_of(place: tuple[int, ...]) -> str:
    """Write where a page ended."""
    return urlsafe_b64encode(json.dumps(place).encode()).decode()
