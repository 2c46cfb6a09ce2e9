"""What can be done about one person: their fields, a note, their runs, their lists, never writing again, erasing."""

from collections.abc import Callable
from datetime import datetime
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.lead import Lead
from relance.core.people import Role
from relance.ports.store import Transaction
from relance.services import addresses, lead_bulk, lead_changes, leads
from relance.services.lead_bulk import BulkAction
from relance.services.lead_search import Match
from relance.services.refusals import RefusedError, WrongInputError
from relance.web.console.leads.person import lead_of
from relance.web.flashes import Tone, done
from relance.web.forms import numbered, words_of
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

#: What was done, in words.
_SAID: Final = MappingProxyType(
    {
        BulkAction.PAUSE: "Paused; it goes on from the same step when it is resumed.",
        BulkAction.RESUME: "Resumed.",
        BulkAction.STOP: "Stopped.",
        BulkAction.ENROLL: "Enrolled.",
        BulkAction.PUT: "Put on the list.",
        BulkAction.TAKE_OFF: "Taken off the list.",
        BulkAction.SUPPRESS: "Suppressed: nothing is written to this address any more.",
    }
)
_NOTE_MOST = 10_000


@needs(Role.MEMBER)
async def add(request: Request, visitor: Visitor) -> Response:
    """Add one lead by hand, or show the form for it."""
    if request.method == "GET":
        return render(request, "leads/new.html", visitor, words={}, problem=None)
    around, words = surroundings_of(request), await words_of(request)
    try:
        added = await around.store.write(
            leads.add,
            workspace_id=visitor.workspace.id,
            email=addresses.clean_address(words.get("email", "")),
            values={name: value for name, value in numbered(words, "field.").items() if value.strip()},
            source=f"by {visitor.actor}",
            list_name=" ".join(words.get("list", "").split()) or None,
            now=around.clock.now(),
        )
    except RefusedError as error:
        return render(request, "leads/new.html", visitor, status=422, words=words, problem=str(error))
    sentence = "Added." if added.outcome is leads.Addition.ADDED else "This person was known; the new data is written."
    return done(request, f"/w/{visitor.workspace.name}/leads/{added.lead_id}", sentence)


@needs(Role.MEMBER)
async def fields(request: Request, visitor: Visitor) -> Response:
    """Write what is known about the person."""
    words = await words_of(request)
    values = numbered(words, "field.")
    if words.get("new_name", "").strip():
        values[words["new_name"]] = words.get("new_value", "")
    revision = words.get("revision", "")
    if not revision.isdigit():
        raise WrongInputError("this form is not whole: load the page again")

    def write(tx: Transaction, lead: Lead, now: datetime) -> str:
        changed = lead_changes.change(
            tx,
            workspace_id=lead.workspace_id,
            lead_id=lead.id,
            read_revision=int(revision),
            values=values,
            author=visitor.actor,
            now=now,
        )
        return "Saved." if changed else "Nothing was different."

    return await _act(request, visitor, write)


@needs(Role.MEMBER)
async def note(request: Request, visitor: Visitor) -> Response:
    """Write a note; by default it pauses the person's runs."""
    text = (await words_of(request)).get("text", "").strip()

    def write(tx: Transaction, lead: Lead, now: datetime) -> str:
        if not text or len(text) > _NOTE_MOST:
            raise WrongInputError(f"a note has 1 to {_NOTE_MOST} characters")
        paused = leads.note(
            tx, workspace_id=lead.workspace_id, email=lead.email, text=text, author=visitor.actor, now=now
        )
        return f"Noted; {paused} paused by it." if paused else "Noted."

    return await _act(request, visitor, write)


@needs(Role.MEMBER)
async def move(request: Request, visitor: Visitor) -> Response:
    """Pause, resume or stop a run, enroll, put on a list or take off, suppress."""
    around, words = surroundings_of(request), await words_of(request)
    run = words.get("run", "")
    chosen = Match(
        lead_id=request.path_params["lead"],
        enrollment_id=int(run) if run.isdigit() and len(run) < len(str(2**62)) else None,
    )

    def write(tx: Transaction, lead: Lead, now: datetime) -> str:
        action = lead_bulk.action_named(words.get("action", ""))
        became = lead_bulk.apply(
            tx,
            workspace_id=lead.workspace_id,
            action=action,
            matches=[chosen],
            name=words.get("name") or None,
            author=visitor.actor,
            keys=around.keys,
            now=now,
        )
        return _SAID[action] if became.changed else "It was so already."

    return await _act(request, visitor, write)


@needs(Role.ADMIN)
async def erase(request: Request, visitor: Visitor) -> Response:
    """Erase the person's data; a keyed hash stays, so that no import writes to them again."""
    around = surroundings_of(request)
    words, now = await words_of(request), around.clock.now()
    lead = await around.store.read(lead_of, visitor.workspace.id, request.path_params["lead"])
    if words.get("email", "").strip().casefold() != lead.email:
        sentence = "Not erased: type the address that you mean, since this cannot be taken back."
        return done(request, _page(visitor, lead.id), sentence, Tone.BAD)
    await around.store.write(
        leads.erase, workspace_id=visitor.workspace.id, email=lead.email, keys=around.keys, now=now
    )
    around.hands.journal_erasure(visitor.workspace, lead.email, now)
    return done(request, f"/w/{visitor.workspace.name}/leads", "Erased; the address is never written to again.")


async def _act(request: Request, visitor: Visitor, write: Callable[[Transaction, Lead, datetime], str]) -> Response:
    """Write, go back to the person, and say what was done or why not."""
    around, now = surroundings_of(request), surroundings_of(request).clock.now()

    def decide(tx: Transaction) -> str:
        return write(tx, lead_of(tx, visitor.workspace.id, request.path_params["lead"]), now)

    await around.store.read(lead_of, visitor.workspace.id, request.path_params["lead"])
    back = _page(visitor, request.path_params["lead"])
    try:
        return done(request, back, await around.store.write(decide))
    except RefusedError as error:
        text = str(error)
        return done(request, back, f"{text[:1].upper()}{text[1:]}.", Tone.BAD)


def _page(visitor: Visitor, lead_id: int) -> str:
    return f"/w/{visitor.workspace.name}/leads/{lead_id}"


routes = [
    Route("/w/{workspace}/leads/new", add, methods=["GET", "POST"]),
    Route("/w/{workspace}/leads/{lead:int}/fields", fields, methods=["POST"]),
    Route("/w/{workspace}/leads/{lead:int}/note", note, methods=["POST"]),
    Route("/w/{workspace}/leads/{lead:int}/move", move, methods=["POST"]),
    Route("/w/{workspace}/leads/{lead:int}/erase", erase, methods=["POST"]),
]
