"""One conversation: everything that was written, an answer from its mailbox, and what else people do with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_urlsafe
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from relance.core.answer import UNDO
from relance.core.inbound import InboundKind
from relance.core.mailbox import Mailbox
from relance.core.people import Member, Role
from relance.core.thread import CORRECTABLE, Interest
from relance.mail.sanitising import harmless
from relance.ports.store import Reader, Transaction
from relance.services import correcting, ingestion, users
from relance.services.answering import writing
from relance.services.refusals import RefusedError
from relance.services.threads import handling, reading
from relance.services.threads.reading import Conversation
from relance.web.flashes import Tone, done
from relance.web.rendering import render, static_url
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

#: The policy of a stranger's HTML: nothing runs, nothing loads but our own stylesheet, nobody else shows it.
FRAME_POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-popups allow-popups-to-escape-sandbox"
)
_SNOOZES = (("1", "Tomorrow"), ("3", "In three days"), ("7", "In a week"), ("30", "In a month"))
_DAYS = re.compile(r"[0-9]{1,3}")
_CONFLICT = 409


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    conversation: Conversation
    mailbox: Mailbox | None
    members: list[Member]


@needs(Role.VIEWER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show a conversation."""
    return await _page(request, visitor)


async def _page(request: Request, visitor: Visitor, *, text: str = "", error: str | None = None) -> Response:
    around = surroundings_of(request)
    shown = await around.store.read(_gather, visitor, request.path_params["thread"])
    return render(
        request,
        "inbox/conversation.html",
        visitor,
        status=_CONFLICT if error else 200,
        thread=shown.conversation.thread,
        conversation=shown.conversation,
        mailbox=shown.mailbox,
        member_options=[(one.user_id, one.email) for one in shown.members],
        names={member.user_id: member.name or member.email for member in shown.members},
        classes=[(str(kind), kind.replace("_", " ")) for kind in CORRECTABLE],
        interests=tuple(Interest),
        snoozes=_SNOOZES,
        undo=int(UNDO.total_seconds()),
        uid=token_urlsafe(12),
        text=text,
        error=error,
        here=f"/w/{visitor.workspace.name}/inbox/{shown.conversation.thread.id}",
    )


def _gather(reader: Reader, visitor: Visitor, thread_id: int) -> _Shown:
    ids = {"workspace_id": visitor.workspace.id}
    conversation = reading.conversation(reader, **ids, thread_id=thread_id)
    mailbox = reader.one(Mailbox, "mailboxes.get", **ids, id=conversation.thread.mailbox_id)
    return _Shown(conversation=conversation, mailbox=mailbox, members=users.members(reader, visitor.workspace))


@needs(Role.VIEWER)
async def html(request: Request, visitor: Visitor) -> Response:
    """Show a message's HTML, made harmless, for a frame that has no rights."""
    ids = {"workspace_id": visitor.workspace.id, "message_id": request.path_params["message"]}
    found = await surroundings_of(request).store.read(reading.html_of, **ids)
    sheet = static_url("pages/mail.css")
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A message</title>'
        f'<link rel="stylesheet" href="{sheet}"></head><body>{harmless(found)}</body></html>'
    )
    return HTMLResponse(page, headers={"content-security-policy": FRAME_POLICY, "x-frame-options": "SAMEORIGIN"})


@needs(Role.MEMBER)
async def answer(request: Request, visitor: Visitor) -> Response:
    """Write an answer; it leaves in a few seconds, and until then it can be taken back."""
    around, form = surroundings_of(request), await request.form(max_files=0)
    text = str(form.get("text", ""))
    try:
        await around.store.write(
            writing.write,
            workspace_id=visitor.workspace.id,
            thread_id=request.path_params["thread"],
            text=text,
            by=visitor.actor,
            uid=str(form.get("uid", ""))[:64],
            keys=around.keys,
            now=around.clock.now(),
            quote=form.get("quote") == "yes",
        )
    except RefusedError as error:
        return await _page(request, visitor, text=text, error=str(error))
    return done(request, _here(request, visitor), f"The answer leaves in {int(UNDO.total_seconds())} seconds")


@needs(Role.MEMBER)
async def about_answer(request: Request, visitor: Visitor) -> Response:
    """Take an answer back, send it again, or say what became of it."""
    around, form = surroundings_of(request), await request.form(max_files=0)
    wish, now = str(form.get("do", "")), around.clock.now()
    ids: dict[str, Any] = {"workspace_id": visitor.workspace.id, "answer_id": request.path_params["answer"]}
    by: dict[str, Any] = {"by": visitor.actor, "now": now}
    try:
        match wish:
            case "withdraw":
                await around.store.write(writing.withdraw, **ids, **by)
                said = "The answer was taken back"
            case "again":
                await around.store.write(writing.send_again, **ids, **by)
                said = f"The answer leaves in {int(UNDO.total_seconds())} seconds"
            case "sent" | "failed":
                sent = wish == "sent"
                await around.store.write(ingestion.settle_answer, **ids, **by, sent=sent, keys=around.keys)
                said = "It counts as sent" if sent else "It goes out again"
            case _:
                raise HTTPException(422, "Say what to do with the answer: withdraw, again, sent or failed")
    except RefusedError as error:
        return done(request, _here(request, visitor), str(error), Tone.BAD)
    return done(request, _here(request, visitor), said)


@needs(Role.MEMBER)
async def handle(request: Request, visitor: Visitor) -> Response:
    """Do one of the small things: assign, snooze, finish, reopen, mark, note."""
    around, form = surroundings_of(request), await request.form(max_files=0)
    given = {name: str(value) for name, value in form.items()}
    try:
        said = await around.store.write(_handle, visitor, request.path_params["thread"], given, around.clock.now())
    except RefusedError as error:
        return done(request, _here(request, visitor), str(error), Tone.BAD)
    return done(request, _here(request, visitor), said)


def _handle(tx: Transaction, visitor: Visitor, thread_id: int, given: Mapping[str, str], now: datetime) -> str:
    ids: dict[str, Any] = {"workspace_id": visitor.workspace.id, "thread_id": thread_id}
    by: dict[str, Any] = {"by": visitor.actor, "now": now}
    match given.get("do"):
        case "assign":
            return _assign(tx, visitor, thread_id, given.get("assignee", ""), now)
        case "snooze":
            days = given.get("days", "")
            ahead = timedelta(days=int(days) if _DAYS.fullmatch(days) else 0)
            until = (now + ahead).astimezone(UTC)
            handling.snooze(tx, **ids, **by, until=until)
            return f"It sleeps until {until:%d %b %Y %H:%M} UTC, or until they write"
        case "finish":
            handling.finish(tx, **ids, **by)
            return "Done; it opens again when they write"
        case "reopen":
            handling.reopen(tx, **ids, **by)
            return "It is open again"
        case "mark" if given.get("interest") in set(Interest):
            marked = handling.mark(tx, **ids, **by, interest=Interest(given["interest"]))
            return f"Marked as {marked.interest}"
        case "note":
            paused = handling.note(tx, **ids, **by, text=given.get("text", ""))
            return f"Noted; {paused} enrollments were paused" if paused else "Noted"
        case _:
            raise RefusedError("say what to do: assign, snooze, finish, reopen, mark or note")


def _assign(tx: Transaction, visitor: Visitor, thread_id: int, wanted: str, now: datetime) -> str:
    found = next((one for one in users.members(tx, visitor.workspace) if str(one.user_id) == wanted), None)
    if wanted and found is None:
        raise RefusedError("that person is not in this workspace")
    name = found.email if found is not None else None
    handling.assign(
        tx,
        workspace_id=visitor.workspace.id,
        thread_id=thread_id,
        assignee_id=found.user_id if found is not None else None,
        name=name,
        by=visitor.actor,
        now=now,
    )
    return f"{name} is in charge" if name else "Nobody is in charge"


@needs(Role.MEMBER)
async def reclassify(request: Request, visitor: Visitor) -> Response:
    """Say what a message is; what it had done is undone, and what it is does its own."""
    around, form = surroundings_of(request), await request.form(max_files=0)
    kind = str(form.get("kind", ""))
    if kind not in set(InboundKind):
        return done(request, _here(request, visitor), "Choose a class", Tone.BAD)
    try:
        changed = await around.store.write(
            correcting.correct,
            workspace_id=visitor.workspace.id,
            message_id=request.path_params["message"],
            kind=InboundKind(kind),
            by=visitor.actor,
            keys=around.keys,
            now=around.clock.now(),
        )
    except RefusedError as error:
        return done(request, _here(request, visitor), str(error), Tone.BAD)
    undone = f"; {changed.undone} of what it had done was undone" if changed.undone else ""
    return done(request, _here(request, visitor), f"It is {kind.replace('_', ' ')} now{undone}")


def _here(request: Request, visitor: Visitor) -> str:
    return f"/w/{visitor.workspace.name}/inbox/{request.path_params['thread']}"


_THREAD = "/w/{workspace}/inbox/{thread:int}"
routes = [
    Route(_THREAD, show, methods=["GET"]),
    Route(_THREAD, handle, methods=["POST"]),
    Route(f"{_THREAD}/answers", answer, methods=["POST"]),
    Route(f"{_THREAD}/answers/{{answer:int}}", about_answer, methods=["POST"]),
    Route(f"{_THREAD}/messages/{{message:int}}", html, methods=["GET"]),
    Route(f"{_THREAD}/messages/{{message:int}}", reclassify, methods=["POST"]),
]
