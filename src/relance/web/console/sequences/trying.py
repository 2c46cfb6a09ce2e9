"""Trying a draft, or the running version, before anybody gets it: the real renderer for any lead, and a test mail."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import quote

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.people import Role
from relance.core.plan_document import plan_from_document
from relance.core.sequence import Plan, Sequence
from relance.core.workspace import Workspace
from relance.ports.connector import ConnectorError
from relance.ports.store import Reader
from relance.services import drafts, leads, previewing, sequences
from relance.services.addresses import BadAddressError, clean_address
from relance.services.dispatching import mailboxes_of
from relance.services.previewing import Preview
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.services.sequence_files import Sound
from relance.services.situations import Keys
from relance.web.console.sequences import places
from relance.web.console.sequences.forms import text_of
from relance.web.flashes import Tone, done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

#: The text is a colleague's and may bring its own styles; nothing in it may run, load, lead away or send.
_FRAME_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox"
)
_NOBODY: Final = "sender@example.com"  #: Who seems to send where no mailbox is connected yet.
_SOMEBODY: Final = "somebody@example.com"  #: Who seems to read where no lead was asked for.


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """What the page shows."""

    sequence: Sequence
    drafted: bool  #: It is the draft that is shown, not the running version.
    problem: str | None  #: Why there is nothing to show.
    previews: list[Preview]
    lead: Lead
    mailbox: Mailbox | None  #: None: none is connected that it may be sent from.
    known: list[str]  #: Addresses of some leads, to choose from.


@needs(Role.VIEWER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show every e-mail as a lead would get it."""
    around = surroundings_of(request)
    email = request.query_params.get("lead", "").strip()
    found = await around.store.read(
        _try, visitor.workspace, places.asked_for(request), email, around.keys, around.clock.now()
    )
    return render(
        request,
        "sequences/try.html",
        visitor,
        tried=found,
        base=places.base(visitor, found.sequence.id),
        email=email,
        marked=marked,
        me=visitor.user.email if visitor.user else "",
    )


@needs(Role.VIEWER)
async def part(request: Request, visitor: Visitor) -> Response:
    """Show one e-mail's HTML part as it was written, for a frame that has no rights; remote pictures stay away."""
    around = surroundings_of(request)
    email, step = request.query_params.get("lead", "").strip(), request.query_params.get("step", "")
    found = await around.store.read(
        _try, visitor.workspace, places.asked_for(request), email, around.keys, around.clock.now()
    )
    message = next((one.message for one in found.previews if one.step == step), None)
    html = (message.html if message is not None else None) or ""
    return HTMLResponse(html, headers={"content-security-policy": _FRAME_POLICY, "x-frame-options": "SAMEORIGIN"})


@needs(Role.MEMBER)
async def send(request: Request, visitor: Visitor) -> Response:
    """Send every e-mail, or one, to an address of one's own; nobody is enrolled and nothing is counted."""
    form = await request.form()
    around = surroundings_of(request)
    sequence_id = places.asked_for(request)
    try:
        recipient = clean_address(text_of(form, "to"))
    except BadAddressError as error:
        raise WrongInputError(str(error)) from error
    email = text_of(form, "lead")
    plan, contents = await around.store.read(_plan, visitor.workspace.id, sequence_id, around.clock.now())
    here = f"{places.base(visitor, sequence_id)}/try"
    here = f"{here}?lead={quote(email)}" if email else here
    try:
        sent = await around.hands.send_test(
            workspace=visitor.workspace,
            plan=plan,
            contents=contents,
            recipient=recipient,
            email=email or None,
            step=text_of(form, "step") or None,
        )
    except ConnectorError as error:
        return done(request, here, str(error), Tone.BAD)
    words = f"{len(sent.steps)} message{'' if len(sent.steps) == 1 else 's'}"
    return done(request, here, f"{words} went from {sent.mailbox} to {recipient}.")


def marked(text: str, missing: tuple[str, ...]) -> Markup:
    """Return a text in which what stands in for a missing value can be seen."""
    shown = escape(text)
    for field in missing:
        word = re.escape(str(escape(f"[{field}]")))
        shown = Markup(re.sub(word, lambda found: f"<mark>{found[0]}</mark>", str(shown)))  # noqa: S704 - escaped above
    return shown


def _try(reader: Reader, workspace: Workspace, sequence_id: int, email: str, keys: Keys, now: datetime) -> Try:
    sequence = places.sequence_of(reader, workspace.id, sequence_id)
    drafted = drafts.of_sequence(reader, workspace_id=workspace.id, sequence_id=sequence_id) is not None
    known = reader.all(str, "leads.newest_addresses", workspace_id=workspace.id, limit=20)
    lead = _lead(reader, workspace, email or (known[0] if known else ""), now)
    problem, found, mailbox = None, [], None
    try:
        plan, _ = _plan(reader, workspace.id, sequence_id, now)
        admitted = mailboxes_of(reader, workspace.id, plan)
        mailbox = admitted[0] if admitted else None
        sender = mailbox or Mailbox(
            workspace_id=workspace.id, id=0, provider="none", login=_NOBODY, address=_NOBODY, shard=0, created_at=now
        )
        found = list(
            previewing.preview(plan, workspace=workspace, lead=lead, mailbox=sender, keys=keys, now=now, fill_in=True)
        )
    except RefusedError as error:
        problem = str(error)
    return Try(
        sequence=sequence,
        drafted=drafted,
        problem=problem,
        previews=found,
        lead=lead,
        mailbox=mailbox,
        known=known,
    )


def _lead(reader: Reader, workspace: Workspace, email: str, now: datetime) -> Lead:
    if not email:
        return Lead(workspace_id=workspace.id, id=0, email=_SOMEBODY, created_at=now)
    try:
        return leads.by_email(reader, workspace.id, clean_address(email))
    except BadAddressError as error:
        raise WrongInputError(str(error)) from error


def _plan(reader: Reader, workspace_id: int, sequence_id: int, now: datetime) -> tuple[Plan, Mapping[str, bytes]]:
    """Return the plan of the draft, or of the running version where there is none. Raises RefusedError."""
    sequence = places.sequence_of(reader, workspace_id, sequence_id)
    draft = drafts.of_sequence(reader, workspace_id=workspace_id, sequence_id=sequence_id)
    if draft is None:
        running = sequences.running_version(reader, sequence)
        if running is None:
            raise NotFoundError("this sequence was never published and has no draft; open it in the builder first")
        return plan_from_document(running.document), {}
    reading = drafts.reading_of(reader, draft, now=now, with_contents=True)
    if not isinstance(reading, Sound):
        first = reading.problems[0]
        place = f"step {first.step}: " if first.step else ""
        raise RefusedError(f"the draft cannot be shown yet: {place}{first.message}; {first.remedy}")
    return reading.plan, reading.contents


routes = [
    Route(f"{places.ONE}/try", show, methods=["GET"]),
    Route(f"{places.ONE}/try/part", part, methods=["GET"]),
    Route(f"{places.ONE}/try", send, methods=["POST"]),
]
