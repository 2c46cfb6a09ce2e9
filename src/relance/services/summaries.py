"""The summary of a conversation, and the words to find it by: what each message that is kept does to them.

Rule 1: the summary is made of the messages, in the transaction that keeps or changes one; it is never ahead of them.
Rule 2: a person's message opens a conversation, whoever had finished it; one of ours by hand finishes it.
"""

from dataclasses import dataclass
from datetime import datetime

from relance.core.inbound import HUMAN
from relance.core.search_words import words_of
from relance.core.thread import OPENING, Thread
from relance.core.values import replace
from relance.ports.store import Reader, Transaction
from relance.services.records import columns
from relance.services.refusals import LostRaceError

_PREVIEW = 200  #: Characters.
_SPEAKING = tuple(sorted(HUMAN))


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """Whose conversation it is."""

    workspace_id: int
    mailbox_id: int
    lead_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Speaking:
    """The message that says what a conversation is about."""

    id: int
    kind: str
    received_at: datetime
    from_address: str | None
    subject: str | None
    new_text: str | None
    enrollment_id: int | None
    sequence_id: int | None


def came_in(tx: Transaction, place: Between, *, kind: str, unread: bool = False) -> None:
    """Bring a conversation up to what has just come in; `unread`: nobody could understand it, so somebody must look."""
    known = conversation_of(tx, place)
    told = _told_by_messages(tx, known, place)
    if told is None:
        return
    if unread or kind in OPENING:
        told = replace(told, open=True, snoozed_until=None)
    _write(tx, known, told)


def written_by_hand(tx: Transaction, place: Between, *, at: datetime) -> None:
    """Note that somebody of us has written: the conversation is finished until its person writes again."""
    known = conversation_of(tx, place)
    if known is None:
        return
    answered = at >= known.last_in_at
    open_, until = (False, None) if answered else (known.open, known.snoozed_until)
    save(tx, known, replace(known, last_out_at=max(at, known.last_out_at or at), open=open_, snoozed_until=until))


def corrected(tx: Transaction, place: Between) -> None:
    """Bring a conversation up to the new class of one of its messages."""
    known = conversation_of(tx, place)
    told = _told_by_messages(tx, known, place)
    if known is None or told is None or told.kind == known.kind:
        return
    wants = told.kind in OPENING and (told.last_out_at is None or told.last_out_at < told.last_in_at)
    _write(tx, known, replace(told, open=wants, snoozed_until=told.snoozed_until if wants else None))


def save(tx: Transaction, before: Thread, after: Thread) -> Thread:
    """Write `after` if the row is still as `before` was read."""
    if after == before:
        return before
    saved = replace(after, revision=before.revision + 1)
    values = columns(saved)
    for born in ("mailbox_id", "lead_id"):
        del values[born]
    if tx.run("threads.save", **values, read_revision=before.revision) != 1:
        raise LostRaceError(f"thread {before.id}")
    return saved


def make_findable(tx: Transaction, *, workspace_id: int, message_id: int, texts: tuple[str | None, ...]) -> None:
    """Let a message be found by the words of these texts."""
    words = words_of(*texts)
    if words:
        tx.run("message_words.add", workspace_id=workspace_id, message_id=message_id, words=" ".join(words))


def forget(tx: Transaction, *, workspace_id: int, lead_id: int) -> None:
    """Forget the words of a person who is erased; that there was a conversation stays."""
    tx.run("message_words.forget_lead", workspace_id=workspace_id, lead_id=lead_id)
    tx.run("threads.empty", workspace_id=workspace_id, lead_id=lead_id)
    tx.run("answers.empty", workspace_id=workspace_id, lead_id=lead_id)


def conversation_of(tx: Transaction, place: Between) -> Thread | None:
    """Return a conversation, held until the transaction ends; None: nothing came in yet."""
    return tx.one(Thread, "threads.of_lead_and_mailbox", **columns(place))


def _told_by_messages(reader: Reader, known: Thread | None, place: Between) -> Thread | None:
    ids = columns(place)
    speaking = reader.one(_Speaking, "threads.speaking_message", **ids, human_list=_SPEAKING)
    newest = reader.one(datetime, "threads.newest_at", **ids)
    if speaking is None or newest is None:
        return known
    told = {
        "enrollment_id": speaking.enrollment_id,
        "sequence_id": speaking.sequence_id,
        "kind": speaking.kind,
        "from_address": speaking.from_address,
        "subject": speaking.subject,
        "preview": " ".join((speaking.new_text or "").split())[:_PREVIEW] or None,
        "last_in_at": newest,
    }
    if known is None:
        return Thread(**ids, id=0, open=False, **told)  # type: ignore[arg-type]  # each value is its field's
    return replace(known, **told)  # type: ignore[arg-type]  # as above


def _write(tx: Transaction, known: Thread | None, told: Thread) -> None:
    if known is not None:
        save(tx, known, told)
        return
    values = columns(told)
    del values["id"]
    if tx.one(int, "threads.begin", **values) is None:
        raise LostRaceError(f"the conversation of lead {told.lead_id} with mailbox {told.mailbox_id}")
