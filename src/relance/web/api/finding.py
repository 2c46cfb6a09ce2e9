"""`GET /leads`, actions on many, and saved filters: the same filters as on the page and the command line."""

from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field

from relance.core.enrollment import EnrollmentStatus
from relance.ports.store import Reader, Transaction
from relance.services import lead_bulk, lead_lines, lead_search, saved_filters
from relance.services.lead_bulk import AT_ONCE, BulkAction
from relance.services.lead_filters import Filter, from_words
from relance.services.lead_search import Match
from relance.services.refusals import NotFoundError
from relance.web.api.call import Call, Looks, Works
from relance.web.api.pages import USUAL, Cursor, Limit, Page, after, cursor_of
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import MOST_ID, Given, Id, Shape, Word

routes = APIRouter(tags=["leads"], route_class=Repeatable)
_START: Final = -1  #: No place in a list is as low.


class PersonShape(Shape):
    """Who somebody is."""

    id: int
    email: str
    fields: dict[str, str]
    hold_until: datetime | None
    created_at: datetime


class StandingShape(Shape):
    """Where one enrollment stands, and what it waits for."""

    id: int
    sequence: str
    status: EnrollmentStatus
    step: str
    stop_reason: str | None
    hold_reason: str | None
    next_due_at: datetime | None
    replied_at: datetime | None
    last_sent_at: datetime | None
    mailbox: str | None
    waits_until: datetime | None
    waits_for: str | None


class LineShape(Shape):
    """A lead that matches, and the enrollment that does."""

    person: PersonShape
    run: StandingShape | None = Field(description="Null: in no sequence.")


class FilterGiven(Given):
    """What must hold. Without any of it: everybody."""

    status: Word | None = Field(default=None, description="Of an enrollment; `none`: in no sequence.")
    sequence: Word | None = None
    step: Word | None = None
    reason: Word | None = Field(default=None, description="Of stopping, being held or waiting.")
    list: Word | None = None
    mailbox: Word | None = None
    replied: bool | None = None
    text: Word | None = Field(default=None, description="How an address begins; `@company.com`: everybody there.")

    def asked(self) -> Filter:
        """Return it as the services take it. Raises WrongInputError."""
        words = {name: value for name, value in self.model_dump().items() if value is not None}
        return from_words({name: {True: "yes", False: "no"}.get(value, value) for name, value in words.items()})


class ActionOnMany(Given):
    """What is to be done, and to whom: these leads, or whoever matches a filter."""

    action: BulkAction
    name: Word | None = Field(default=None, description="The sequence to `enroll` into, or the list.")
    leads: Annotated[list[Annotated[int, Field(ge=1, le=MOST_ID)]], Field(min_length=1, max_length=AT_ONCE)] | None = (
        Field(default=None, description="Ids of leads.")
    )
    filter: FilterGiven | None = Field(
        default=None, description="Whoever matches, from the `cursor` on, as many as fit into one transaction."
    )
    cursor: Annotated[str, Field(max_length=400)] | None = None


class ActionDone(Shape):
    """What became of it."""

    changed: int
    unchanged: int = Field(description="As was asked already, or impossible.")
    next: str | None = Field(description="Send the same again with this cursor for whoever else matches; null: done.")


class SavedFilterShape(Shape):
    """A filter and who gave it its name."""

    id: int
    name: str
    words: dict[str, str]
    author: str
    saved_at: datetime


class NewSavedFilter(Given):
    """A filter that is to be kept."""

    filter: FilterGiven


async def _filter(
    *,
    status: Annotated[str | None, Query(max_length=320)] = None,
    sequence: Annotated[str | None, Query(max_length=320)] = None,
    step: Annotated[str | None, Query(max_length=320)] = None,
    reason: Annotated[str | None, Query(max_length=320)] = None,
    on_list: Annotated[str | None, Query(alias="list", max_length=320)] = None,
    mailbox: Annotated[str | None, Query(max_length=320)] = None,
    replied: Annotated[bool | None, Query()] = None,
    text: Annotated[str | None, Query(max_length=320, description="How an address begins, or @company.com.")] = None,
) -> Filter:
    words = {
        "status": status,
        "sequence": sequence,
        "step": step,
        "reason": reason,
        "list": on_list,
        "mailbox": mailbox,
        "text": text,
    }
    given = {name: word for name, word in words.items() if word is not None}
    if replied is not None:
        given["replied"] = "yes" if replied else "no"
    return from_words(given)


Asked = Annotated[Filter, Depends(_filter)]


@routes.get("/leads", response_model=Page[LineShape])
async def list_leads(call: Looks, asked: Asked, limit: Limit = USUAL, cursor: Cursor = None) -> dict[str, Any]:
    """List leads that match, the newest first. A page may be short or empty and yet not the last: see `next`."""
    place = _place(cursor)

    def find(reader: Reader) -> dict[str, Any]:
        found = lead_search.find(
            reader, workspace_id=call.workspace_id, asked=asked, now=call.now, limit=limit, after=place
        )
        lines = lead_lines.lines_of(reader, workspace_id=call.workspace_id, matches=found.matches, now=call.now)
        return {"items": lines, "next": None if found.after is None else cursor_of((found.after,))}

    return await call.read(find)


@routes.post("/leads/actions", response_model=ActionDone)
async def act_on_leads(call: Works, wanted: ActionOnMany) -> dict[str, Any]:
    """Do one thing to many leads, each call in one transaction."""
    place = _place(wanted.cursor)

    def act(tx: Transaction) -> dict[str, Any]:
        further = None
        if wanted.leads is not None:
            matches = tuple(Match(lead_id=lead_id, enrollment_id=None) for lead_id in wanted.leads)
            _all_there(tx, call, wanted.leads)
        else:
            asked = (wanted.filter or FilterGiven()).asked()
            found = lead_search.find(
                tx, workspace_id=call.workspace_id, asked=asked, now=call.now, limit=AT_ONCE, after=place
            )
            matches, further = found.matches, found.after
        done = lead_bulk.apply(
            tx,
            workspace_id=call.workspace_id,
            action=wanted.action,
            matches=matches,
            name=wanted.name,
            author=call.visitor.actor,
            keys=call.keys,
            now=call.now,
        )
        shown = {"changed": done.changed, "unchanged": done.unchanged}
        return {**shown, "next": None if further is None else cursor_of((further,))}

    return await call.write(act)


@routes.get("/lead-filters", response_model=Page[SavedFilterShape])
async def list_saved_filters(call: Looks) -> dict[str, Any]:
    """List the workspace's saved filters, by name."""
    return {"items": await call.read(saved_filters.of_workspace, call.workspace_id), "next": None}


@routes.put("/lead-filters/{name}", status_code=204)
async def save_filter(call: Works, name: Annotated[str, Path(max_length=100)], wanted: NewSavedFilter) -> None:
    """Keep a filter under a name; one of that name now asks this."""
    await call.write(
        saved_filters.save,
        workspace_id=call.workspace_id,
        name=name,
        asked=wanted.filter.asked(),
        author=call.visitor.actor,
        now=call.now,
    )


@routes.delete("/lead-filters/{filter_id}", status_code=204)
async def forget_filter(call: Works, filter_id: Id) -> None:
    """Delete a saved filter, by its id."""
    await call.write(saved_filters.forget, workspace_id=call.workspace_id, filter_id=filter_id)


def _place(cursor: str | None) -> int | None:
    return None if cursor is None else after(cursor, _START)[0]


def _all_there(tx: Transaction, call: Call, ids: list[int]) -> None:
    """Refuse an id that is no lead of this workspace. Raises NotFoundError."""
    found = tx.all(lead_lines.Person, "lead_search.people", workspace_id=call.workspace_id, id_list=ids)
    there = {one.id for one in found}
    missing = [one for one in ids if one not in there]
    if missing:
        raise NotFoundError(f"there is no lead {missing[0]} in this workspace; nothing was done")
