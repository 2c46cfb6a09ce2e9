"""One conversation as people read it: its messages with their classes and why, and the answers that wait to leave."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from relance.core.answer import Answer
from relance.mail.parse import parse
from relance.ports.store import Reader
from relance.services.refusals import NotFoundError
from relance.services.threads.listing import ThreadLine, shown

#: Messages of one conversation that are shown at once, the newest.
SHOWN_AT_ONCE = 50
_TEXT = 50_000  #: Characters of one message.
_READ = 128 * 1024  #: Bytes of a message that is read for the page; a larger one is read when it is asked for.
#: What we write below an answer: they see above what they had written.
_QUOTATION = re.compile(r"\n+On \d{4}-\d\d-\d\d \d\d:\d\d UTC, [^\n]{1,400} wrote:\n>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMessage:
    """One message of a conversation."""

    id: int
    direction: str
    kind: str
    confidence: str
    at: datetime
    from_address: str | None
    to_address: str | None
    subject: str | None
    text: str  #: What its writer wrote, without what they quote; of a step, all of it.
    matched_by: str | None
    evidence: tuple[str, ...]
    step: str | None
    variant: str | None
    has_html: bool  #: Perhaps, where it is large.
    attachments: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What somebody noted about the person."""

    at: datetime
    author: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation with everything in it; messages and answers oldest first."""

    thread: ThreadLine
    messages: tuple[ThreadMessage, ...]
    answers: tuple[Answer, ...]
    notes: tuple[Note, ...]
    more: bool  #: There are older messages.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    id: int
    direction: str
    kind: str
    confidence: str
    received_at: datetime
    from_address: str | None
    to_address: str | None
    subject: str | None
    new_text: str | None
    matched_by: str | None
    evidence: tuple[str, ...]
    step: str | None
    variant: str | None
    raw: bytes | None
    size: int  #: Bytes that are kept.


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFacts:
    """One message as it is kept, with what it was taken for."""

    id: int
    mailbox_id: int
    direction: str
    kind: str
    received_at: datetime
    message_id: str | None
    from_address: str | None
    to_address: str | None
    subject: str | None
    new_text: str | None
    lead_id: int | None
    enrollment_id: int | None
    attempt_id: int | None
    matched_by: str | None
    classification: Mapping[str, object]


def conversation(reader: Reader, *, workspace_id: int, thread_id: int) -> Conversation:
    """Return one conversation. Raises NotFoundError."""
    thread = shown(reader, workspace_id=workspace_id, thread_id=thread_id)
    ids = {"workspace_id": workspace_id, "lead_id": thread.lead_id}
    most = {"limit": SHOWN_AT_ONCE + 1, "most": _READ}
    kept = reader.all(_Kept, "threads.messages", **ids, mailbox_id=thread.mailbox_id, **most)
    answers = reader.all(Answer, "answers.of_thread", workspace_id=workspace_id, thread_id=thread_id)
    return Conversation(
        thread=thread,
        messages=tuple(_read(one) for one in reversed(kept[:SHOWN_AT_ONCE])),
        answers=tuple(answers),
        notes=tuple(reader.all(Note, "threads.notes", **ids)),
        more=len(kept) > SHOWN_AT_ONCE,
    )


def message(reader: Reader, *, workspace_id: int, message_id: int) -> MessageFacts:
    """Return one message as it is kept. Raises NotFoundError."""
    found = reader.one(MessageFacts, "messages.facts", workspace_id=workspace_id, id=message_id)
    if found is None:
        raise NotFoundError(f"there is no message {message_id}")
    return found


def html_of(reader: Reader, *, workspace_id: int, message_id: int) -> str:
    """Return the HTML that its sender wrote, as it came, not to be trusted. Raises NotFoundError if there is none."""
    raw = reader.one(bytes, "messages.raw", workspace_id=workspace_id, id=message_id)
    html = parse(raw).html if raw is not None else ""
    if not html:
        raise NotFoundError(f"message {message_id} has no HTML")
    return html


def _read(kept: _Kept) -> ThreadMessage:
    """Read a message's parts from its bytes; one that is emptied, or could not be read, has what its row says."""
    whole = parse(kept.raw) if kept.raw else None
    text = kept.new_text if kept.direction == "in" else None
    if text is None:
        text = whole.text if whole is not None else kept.new_text or ""
    if kept.kind == "answer":
        text = _QUOTATION.split(text, maxsplit=1)[0]
    return ThreadMessage(
        id=kept.id,
        direction=kept.direction,
        kind=kept.kind,
        confidence=kept.confidence,
        at=kept.received_at,
        from_address=kept.from_address,
        to_address=kept.to_address,
        subject=kept.subject,
        text=text.strip()[:_TEXT],
        matched_by=kept.matched_by,
        evidence=kept.evidence,
        step=kept.step,
        variant=kept.variant,
        has_html=bool(whole.html) if whole is not None else kept.size > _READ,
        attachments=tuple(one.filename or one.content_type for one in whole.attachments) if whole is not None else (),
    )
