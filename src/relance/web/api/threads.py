"""`/threads`: what a mailbox and a person wrote to each other; answered in the thread, handled, corrected."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query
from pydantic import AwareDatetime, Field, StringConstraints

from relance.core.answer import LONGEST, Answer, AnswerStatus
from relance.core.inbound import InboundKind
from relance.core.thread import CORRECTABLE, Interest
from relance.ports.store import Reader, Transaction
from relance.services import correcting, mailboxes, sequences, users
from relance.services.answering import leaving, writing
from relance.services.ingestion import answer_left
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.services.threads import handling, listing, reading
from relance.services.threads.listing import Filter, Place, State, ThreadLine
from relance.web.api.call import Call, Looks, Works
from relance.web.api.pages import USUAL, Cursor, Page, after, cursor_of
from relance.web.api.repeating import HEADER, Repeatable
from relance.web.api.shapes import CREATED, Given, Id, Shape, Word, WrittenOut
from relance.web.security.tokens import new_token

routes = APIRouter(tags=["threads"], route_class=Repeatable)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class ThreadShape(Shape):
    """A conversation; there is one once something came in."""

    id: int
    lead_id: int
    lead: str
    mailbox: str
    sequence: str | None
    kind: str = Field(description="The class of the newest message of a person, else of the newest.")
    from_address: str | None
    subject: str | None
    preview: str | None
    last_in_at: datetime
    last_out_at: datetime | None
    open: bool = Field(description="Somebody ought to look at it.")
    snoozed_until: datetime | None
    assignee_id: int | None
    interest: Interest
    revision: int


class MessageInThread(Shape):
    """One message of a conversation."""

    id: int
    direction: str
    kind: str
    confidence: str
    at: datetime
    from_address: str | None
    to_address: str | None
    subject: str | None
    text: str = Field(description="What its writer wrote, without what they quote.")
    matched_by: str | None
    evidence: list[str]
    step: str | None
    variant: str | None
    has_html: bool
    attachments: list[str]


class AnswerShape(Shape):
    """A message by hand to one person, sent once."""

    id: int
    thread_id: int
    status: AnswerStatus
    author: str
    recipient: str
    subject: str
    text: str
    due_at: datetime = Field(description="When it leaves; until then it can be withdrawn.")
    sent_at: datetime | None
    settled_by: str | None
    error: str | None
    created_at: datetime


class NoteShape(Shape):
    """What somebody noted about the person."""

    at: datetime
    author: str
    text: str


class ConversationShape(Shape):
    """A conversation with everything in it, oldest first."""

    thread: ThreadShape
    messages: list[MessageInThread]
    answers: list[AnswerShape]
    notes: list[NoteShape]
    more: bool = Field(description="There are older messages.")


class HitShape(Shape):
    """One message that has the words."""

    id: int
    thread_id: int
    received_at: datetime
    direction: str
    kind: str
    from_address: str | None
    subject: str | None
    new_text: str | None
    lead: str
    mailbox: str


class NewAnswer(Given):
    """What is to be answered."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
    quote: bool = Field(default=True, description="Quote below it what is answered.")


class Deed(StrEnum):
    """What can be done about a conversation."""

    ASSIGN = "assign"  #: To the person of `assignee`, or to nobody.
    SNOOZE = "snooze"  #: Until `until`, or until its person writes.
    FINISH = "finish"
    REOPEN = "reopen"
    MARK = "mark"  #: With `interest`.


class Handling(Given):
    """What is to be done about a conversation."""

    do: Deed
    assignee: Word | None = Field(default=None, description="The address of somebody in this workspace; null: nobody.")
    until: Annotated[AwareDatetime, WrittenOut] | None = None
    interest: Interest | None = None


class SettledAs(Given):
    """A person's word about an answer whose outcome nobody could look up."""

    sent: bool


class Correction(Given):
    """What a message is, after all."""

    kind: Annotated[InboundKind, Field(json_schema_extra={"enum": sorted(CORRECTABLE)})]


class CorrectedShape(Shape):
    """What a correction changed."""

    before: str
    after: InboundKind
    undone: int = Field(description="Things that the message had done and that were taken back.")


@routes.get("/threads", response_model=Page[ThreadShape])
async def list_threads(
    call: Looks,
    *,
    state: State = State.OPEN,
    kind: Annotated[InboundKind | None, Query()] = None,
    mailbox: Annotated[str | None, Query(max_length=320)] = None,
    sequence: Annotated[str | None, Query(max_length=320)] = None,
    assignee: Annotated[str | None, Query(max_length=320, description="Somebody's address.")] = None,
    limit: Annotated[int, Query(ge=1, le=listing.MOST)] = USUAL,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """List conversations, the newest first. A page may be short and yet not the last: see `next`."""
    before = Place()
    if cursor is not None:
        passed, last = after(cursor, 0, 0)
        before = Place(at=_EPOCH + min(passed, 10**17) * _MICROSECOND, id=last)

    def look(reader: Reader) -> listing.Page:
        wanted = Filter(
            state=state,
            kind=kind,
            mailbox_id=mailboxes.by_address(reader, call.workspace_id, mailbox).id if mailbox else None,
            sequence_id=sequences.by_name(reader, call.workspace_id, sequence).id if sequence else None,
            assignee_id=_member(reader, call, assignee) if assignee else None,
        )
        return listing.page(
            reader, workspace_id=call.workspace_id, wanted=wanted, now=call.now, before=before, size=limit
        )

    found = await call.read(look)
    place = found.next and ((found.next.at - _EPOCH) // _MICROSECOND, found.next.id)
    return {"items": found.lines, "next": cursor_of(place) if place else None}


@routes.get("/messages/search", response_model=Page[HitShape], tags=["messages"])
async def search_messages(
    call: Looks,
    words: Annotated[str, Query(min_length=1, max_length=500, description="All of them; the last may be a beginning.")],
    limit: Annotated[int, Query(ge=1, le=listing.MOST)] = USUAL,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Find messages by their words, the newest first."""
    before = None if cursor is None else after(cursor, 0)[0]
    hits = await call.read(listing.find, workspace_id=call.workspace_id, question=words, before=before, size=limit)
    return {"items": hits, "next": cursor_of((hits[-1].id,)) if len(hits) == limit else None}


@routes.post("/messages/{message}/kind", response_model=CorrectedShape, tags=["messages"])
async def correct_message(call: Works, message: Id, wanted: Correction) -> correcting.Corrected:
    """Say what a message is; what it had done is undone, and what it is does its own."""
    return await call.write(
        correcting.correct,
        workspace_id=call.workspace_id,
        message_id=message,
        kind=wanted.kind,
        by=call.visitor.actor,
        keys=call.keys,
        now=call.now,
    )


@routes.get("/threads/{thread}", response_model=ConversationShape)
async def read_thread(call: Looks, thread: Id) -> reading.Conversation:
    """Return a conversation with its messages, answers and notes."""
    return await call.read(reading.conversation, workspace_id=call.workspace_id, thread_id=thread)


@routes.post("/threads/{thread}/answers", status_code=CREATED, response_model=AnswerShape)
async def answer_thread(
    call: Works,
    thread: Id,
    wanted: NewAnswer,
    idempotency_key: Annotated[str | None, Header(alias=HEADER, include_in_schema=False)] = None,
) -> Answer:
    """Answer in the thread, from its own mailbox; it leaves in 10 seconds, once, and can be withdrawn until then."""
    return await call.write(
        writing.write,
        workspace_id=call.workspace_id,
        thread_id=thread,
        text=wanted.text,
        by=call.visitor.actor,
        uid=(idempotency_key or new_token().text)[:64],
        keys=call.keys,
        now=call.now,
        quote=wanted.quote,
    )


@routes.post("/threads/{thread}/handle", response_model=ThreadShape)
async def handle_thread(call: Works, thread: Id, wanted: Handling) -> ThreadLine:
    """Assign a conversation, let it sleep, finish it, open it again, or mark what somebody reads in it."""

    def handle(tx: Transaction) -> ThreadLine:
        _handle(tx, call, thread, wanted)
        return listing.shown(tx, workspace_id=call.workspace_id, thread_id=thread)

    return await call.write(handle)


@routes.post("/answers/{answer}/withdraw", response_model=AnswerShape)
async def withdraw_answer(call: Works, answer: Id) -> Answer:
    """Take an answer back; refused once it has begun to leave."""
    ids = {"answer_id": answer, "by": call.visitor.actor, "now": call.now}
    return await call.write(writing.withdraw, workspace_id=call.workspace_id, **ids)  # type: ignore[arg-type]  # as named


@routes.post("/answers/{answer}/send-again", response_model=AnswerShape)
async def send_answer_again(call: Works, answer: Id) -> Answer:
    """Let an answer that was given up go out once more."""
    ids = {"answer_id": answer, "by": call.visitor.actor, "now": call.now}
    return await call.write(writing.send_again, workspace_id=call.workspace_id, **ids)  # type: ignore[arg-type]  # as named


@routes.post("/answers/{answer}/settle", response_model=AnswerShape)
async def settle_answer(call: Works, answer: Id, wanted: SettledAs) -> Answer:
    """Say whether an answer left whose outcome nobody could look up."""

    def settle(tx: Transaction) -> Answer:
        ids: dict[str, Any] = {"workspace_id": call.workspace_id, "answer_id": answer}
        if writing.get(tx, **ids).status is not AnswerStatus.UNKNOWN:
            raise RefusedError("nobody doubts what became of this answer; there is nothing to settle")
        by = call.visitor.actor
        if wanted.sent:
            answer_left(tx, **ids, at=call.now, by=by, raw=None, keys=call.keys, now=call.now)
        else:
            leaving.settle_not_sent(tx, **ids, by=by, now=call.now)
        return writing.get(tx, **ids)

    return await call.write(settle)


def _handle(tx: Transaction, call: Call, thread_id: int, wanted: Handling) -> None:
    ids: dict[str, Any] = {"workspace_id": call.workspace_id, "thread_id": thread_id}
    by: dict[str, Any] = {"by": call.visitor.actor, "now": call.now}
    match wanted.do:
        case Deed.ASSIGN:
            assignee = None if wanted.assignee is None else _member(tx, call, wanted.assignee)
            handling.assign(tx, **ids, **by, assignee_id=assignee, name=wanted.assignee)
        case Deed.SNOOZE:
            if wanted.until is None:
                raise WrongInputError("say until when it may sleep; give `until`")
            handling.snooze(tx, **ids, **by, until=wanted.until.astimezone(UTC))
        case Deed.FINISH:
            handling.finish(tx, **ids, **by)
        case Deed.REOPEN:
            handling.reopen(tx, **ids, **by)
        case Deed.MARK:
            if wanted.interest is None:
                raise WrongInputError("say what you read in it; give `interest`")
            handling.mark(tx, **ids, **by, interest=wanted.interest)


def _member(reader: Reader, call: Call, email: str) -> int:
    wanted = email.strip().casefold()
    found = next((one for one in users.members(reader, call.workspace) if one.email == wanted), None)
    if found is None:
        raise NotFoundError(f"{email} is not in this workspace; see `GET /users`")
    return found.user_id
