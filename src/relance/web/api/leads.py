"""`/leads`: the people you write to; added one by one or many at once, looked up, corrected, noted, erased."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Response
from pydantic import Field, StringConstraints

from relance.core.lead import Lead
from relance.ports.store import Reader, Transaction
from relance.services import enrollments, lead_changes, leads
from relance.services.addresses import clean_address
from relance.services.lead_files.headers import EMAIL, snake_case
from relance.services.mailboxes import own_addresses
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.services.workspace_settings import check_timezone
from relance.web.api.call import Call, Governs, Looks, Works
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import CREATED, MOST_ID, Given, IfMatch, Shape, Word, Words, check_match, tagged

routes = APIRouter(tags=["leads"], route_class=Repeatable)
MOST: Final = 500
_OK: Final = 200
#: Of a path: a lead's id, or its address.
Which = Annotated[str, Path(max_length=320, description="The lead's id or address.", examples=["carol@example.org"])]
Fields = Annotated[
    dict[Annotated[str, StringConstraints(min_length=1, max_length=100)], Words],
    Field(max_length=200, examples=[{"first_name": "Carol", "company": "Acme"}]),
]
ListName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class LeadShape(Shape):
    """A person."""

    id: int
    email: str
    fields: dict[str, str]
    external_id: str | None
    phone: str | None = Field(description="E.164.")
    linkedin_url: str | None
    timezone: str | None
    hold_until: datetime | None
    hold_reason: str | None
    created_at: datetime


class NewLead(Given):
    """A person, as they come in."""

    email: Word
    fields: Fields = Field(default_factory=dict)
    list: ListName | None = Field(default=None, description="Put the lead on this list, a new one too.")
    key: Word | None = Field(default=None, description="Your own name for this entry: the same again changes nothing.")


class AddedLead(Shape):
    """What became of one lead that came in."""

    id: int
    email: str
    outcome: leads.Addition


class NewLeads(Given):
    """Many people at once."""

    rows: list[NewLead] = Field(min_length=1, max_length=MOST)
    list: ListName | None = Field(default=None, description="For every row that names none.")
    sequence: Word | None = Field(default=None, description="Enroll everybody who was added or merged into it.")


class RowOutcome(StrEnum):
    """What became of a row."""

    ADDED = "added"
    MERGED = "merged"  #: Known before: the new data was written.
    REPEATED = "repeated"  #: This very entry came in before.
    SKIPPED = "skipped"  #: One of our own mailboxes is never a lead.
    INVALID = "invalid"


class LeadRow(Shape):
    """What became of one of many, in the order in which they were sent."""

    email: str
    outcome: RowOutcome
    id: int | None = None
    error: str | None = None


class AddedLeads(Shape):
    """What became of all of them: one row never takes another along."""

    rows: list[LeadRow]
    enrolled: int = Field(description="Into the sequence that was named.")
    already_enrolled: int


class LeadChange(Given):
    """What is to be known about a lead from now on."""

    fields: Fields


class NewNote(Given):
    """A note by hand."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]


class Noted(Shape):
    """What a note did."""

    paused: int = Field(description="Enrollments that it paused (policy `on_note`).")


@routes.post("/leads", status_code=CREATED, response_model=AddedLead)
async def add_lead(call: Works, wanted: NewLead, response: Response) -> dict[str, Any]:
    """Add a lead, or new data to one that is known. 201 where it is new, else 200."""
    email = clean_address(wanted.email)
    values = _values(wanted.fields)
    if email in await call.read(own_addresses, call.workspace_id):
        raise RefusedError(f"{email} is a mailbox of this workspace; nobody is enrolled into their own sequences")
    added = await call.write(_add, call, email, values, wanted.list, wanted.key)
    response.status_code = CREATED if added.outcome is leads.Addition.ADDED else _OK
    return {"id": added.lead_id, "email": email, "outcome": added.outcome}


@routes.post("/leads/bulk", response_model=AddedLeads)
async def add_leads(call: Works, wanted: NewLeads) -> dict[str, Any]:
    """Add many leads in one transaction; each row has its own outcome, and a bad one takes no other along."""
    return await call.write(_add_all, call, wanted)


@routes.get("/leads/{lead}", response_model=LeadShape)
async def get_lead(call: Looks, lead: Which, response: Response) -> Lead:
    """Return one lead."""
    found: Lead = tagged(response, await call.read(find, call.workspace_id, lead))
    return found


@routes.patch("/leads/{lead}", response_model=LeadShape)
async def change_lead(call: Works, lead: Which, wanted: LeadChange, response: Response, if_match: IfMatch) -> Lead:
    """Write these fields and leave the others; a blank value takes its field away."""

    def change(tx: Transaction) -> Lead:
        read = find(tx, call.workspace_id, lead)
        check_match(if_match, read.revision)
        lead_changes.change(
            tx,
            workspace_id=call.workspace_id,
            lead_id=read.id,
            read_revision=read.revision,
            values=wanted.fields,
            author=call.visitor.actor,
            now=call.now,
        )
        return find(tx, call.workspace_id, str(read.id))

    changed: Lead = tagged(response, await call.write(change))
    return changed


@routes.post("/leads/{lead}/notes", status_code=CREATED, response_model=Noted)
async def add_note(call: Works, lead: Which, wanted: NewNote) -> dict[str, int]:
    """Write a note by hand; by default it pauses the lead's enrollments."""
    found = await call.read(find, call.workspace_id, lead)
    paused = await call.write(
        leads.note,
        workspace_id=call.workspace_id,
        email=found.email,
        text=wanted.text,
        author=call.visitor.actor,
        now=call.now,
    )
    return {"paused": paused}


@routes.delete("/leads/{lead}", status_code=204)
async def erase_lead(call: Governs, lead: Which) -> None:
    """Erase a person's data; a keyed hash stays, so that nobody writes to them again by accident."""
    found = await call.read(find, call.workspace_id, lead)
    await call.write(leads.erase, workspace_id=call.workspace_id, email=found.email, keys=call.keys, now=call.now)
    call.hands.journal_erasure(call.workspace, found.email, call.now)


def find(reader: Reader, workspace_id: int, which: str) -> Lead:
    """Return a lead by its id or address. Raises NotFoundError."""
    if which.isascii() and which.isdigit():
        found = reader.one(Lead, "leads.get", workspace_id=workspace_id, id=min(int(which), MOST_ID))
        if found is None:
            raise NotFoundError(f"there is no lead {which} in this workspace")
        return found
    try:
        email = clean_address(which)
    except WrongInputError:
        email = which
    return leads.by_email(reader, workspace_id, email)


def _add(
    tx: Transaction, call: Call, email: str, values: Mapping[str, str], list_name: str | None, key: str | None
) -> leads.Added:
    return leads.add(
        tx,
        workspace_id=call.workspace_id,
        email=email,
        values=values,
        source=call.visitor.actor,
        list_name=" ".join((list_name or "").split()) or None,
        now=call.now,
        key=(key or "").strip() or None,
    )


def _add_all(tx: Transaction, call: Call, wanted: NewLeads) -> dict[str, Any]:
    ours = own_addresses(tx, call.workspace_id)
    rows = [_row(tx, call, row, row.list or wanted.list, ours) for row in wanted.rows]
    came = [row["id"] for row in rows if "id" in row]
    enrolled = already = 0
    if wanted.sequence is not None and came:
        done = enrollments.enroll(
            tx,
            workspace_id=call.workspace_id,
            sequence_name=wanted.sequence,
            lead_ids=dict.fromkeys(came),
            source_list=wanted.list,
            keys=call.keys,
            now=call.now,
        )
        enrolled, already = done.enrolled, done.already
    return {"rows": rows, "enrolled": enrolled, "already_enrolled": already}


def _row(tx: Transaction, call: Call, row: NewLead, list_name: str | None, ours: frozenset[str]) -> dict[str, Any]:
    try:
        email = clean_address(row.email)
        if email in ours:
            return {"email": email, "outcome": RowOutcome.SKIPPED}
        added = _add(tx, call, email, _values(row.fields), list_name, row.key)
    except RefusedError as error:
        return {"email": row.email, "outcome": RowOutcome.INVALID, "error": str(error)}
    return {"email": email, "outcome": added.outcome.value, "id": added.lead_id}


def _values(fields: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields by the names that templates know. Raises WrongInputError."""
    values: dict[str, str] = {}
    for name, value in fields.items():
        field = snake_case(name)
        if not field or field == EMAIL:
            raise WrongInputError(f"{name!r} is no field of a lead; name it such as first_name")
        if field == "timezone":
            check_timezone(value)
        values[field] = value.strip()
    return values
