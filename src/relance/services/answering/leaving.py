"""An answer on its way: what is due, the last look, and every definite way back. Nothing here says that it left.

Rule 1: what is definite goes back to waiting, with growing patience, and is given up after `TRIES_AT_MOST`.
Rule 2: a lost outcome waits until proof or a person settles it: not found where everything later is, after the grace.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from relance.core import backoff, defaults
from relance.core.answer import TRIES_AT_MOST, Answer, AnswerStatus, change_answer
from relance.core.events import EventName
from relance.core.identifiers import TRACE_HEADER
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.thread import Thread
from relance.core.values import replace
from relance.mail.compose import Draft, compose
from relance.ports.store import Reader, Transaction
from relance.services.answering.writing import refuse_suppressed, save_answer
from relance.services.leasing import these
from relance.services.reconciling import COPY_AFTER
from relance.services.refusals import RefusedError
from relance.services.situations import Keys
from relance.services.threads.handling import told

_AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Todo:
    """An answer that something is to be done for."""

    workspace_id: int
    id: int
    mailbox_id: int
    shard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """An answer as it is now, with the mailbox that it leaves from."""

    answer: Answer
    mailbox: Mailbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What there is to do: to send, to look for, to copy into Sent."""

    due: tuple[Todo, ...]
    unsettled: tuple[Todo, ...]
    uncopied: tuple[Todo, ...]


def work(reader: Reader, *, now: datetime, shards: Collection[int]) -> Work:
    """Return what there is to do for these shards' mailboxes."""
    asked = {"shard_list": these(shards), "size": _AT_ONCE}
    return Work(
        due=tuple(reader.all(Todo, "answers.due", **asked, now=now)),
        unsettled=tuple(reader.all(Todo, "answers.unsettled", **asked, now=now)),
        uncopied=tuple(reader.all(Todo, "answers.uncopied", **asked, before=now - COPY_AFTER)),
    )


def outgoing(reader: Reader, todo: Todo) -> Outgoing | None:
    """Return an answer with its mailbox, as they are now."""
    answer = reader.one(Answer, "answers.get", workspace_id=todo.workspace_id, id=todo.id)
    mailbox = reader.one(Mailbox, "mailboxes.get", workspace_id=todo.workspace_id, id=todo.mailbox_id)
    return Outgoing(answer=answer, mailbox=mailbox) if answer is not None and mailbox is not None else None


def composed(out: Outgoing, *, now: datetime) -> bytes:
    """Write the message. Raises ValueError for what cannot be one."""
    answer, mailbox = out.answer, out.mailbox
    return compose(
        Draft(
            from_address=mailbox.address,
            from_name=mailbox.display_name,
            to_address=answer.recipient,
            subject=answer.subject,
            text=answer.text,
            message_id=answer.message_id,
            date=now,
            in_reply_to=answer.in_reply_to,
            references=answer.reference_ids,
            headers=((TRACE_HEADER, answer.trace),),
        )
    )


def begin(tx: Transaction, out: Outgoing, *, keys: Keys, now: datetime, release_by: datetime) -> Answer | None:
    """Mark it in flight if, read again, nothing speaks against it; None: something does, and it stays or is over."""
    ids = {"workspace_id": out.answer.workspace_id}
    answer = tx.one(Answer, "answers.get", **ids, id=out.answer.id)
    mailbox = tx.one(Mailbox, "mailboxes.get", **ids, id=out.answer.mailbox_id)
    lead = tx.one(Lead, "leads.get", **ids, id=out.answer.lead_id)
    if answer is None or answer.status is not AnswerStatus.WAITING or answer.revision != out.answer.revision:
        return None
    if mailbox is None or mailbox.status is not MailboxStatus.ACTIVE:
        return None
    if lead is None or lead.erased:
        _give_up(tx, answer, "the person was erased", now)
        return None
    try:
        refuse_suppressed(tx, answer.workspace_id, (answer.recipient, lead.email), lead.phone, keys)
    except RefusedError as error:
        _give_up(tx, answer, str(error), now)
        return None
    flying = change_answer(
        answer, AnswerStatus.IN_FLIGHT, began_at=now, release_by=release_by, tries=answer.tries + 1, error=None
    )
    return save_answer(tx, answer, flying)


def failed(tx: Transaction, out: Outgoing, *, why: str, forever: bool, now: datetime) -> None:
    """Record a try that definitely did not leave: it is tried again later, or given up."""
    answer = tx.one(Answer, "answers.get", workspace_id=out.answer.workspace_id, id=out.answer.id)
    if answer is None or answer.status not in {AnswerStatus.WAITING, AnswerStatus.IN_FLIGHT}:
        return
    tries = answer.tries if answer.status is AnswerStatus.IN_FLIGHT else answer.tries + 1
    if forever or tries >= TRIES_AT_MOST:
        _give_up(tx, replace(answer, tries=tries), why, now)
        return
    later = now + backoff.look_again(tries)
    if answer.status is AnswerStatus.WAITING:
        back = replace(answer, due_at=later, tries=tries, error=why[:500])
    else:
        back = change_answer(answer, AnswerStatus.WAITING, due_at=later, tries=tries, error=why[:500], began_at=None)
    save_answer(tx, answer, back)
    _tell(tx, answer, EventName.ANSWER_TRIED, f"the answer did not leave, and is tried again: {why}"[:500], now)


def lost(tx: Transaction, *, workspace_id: int, answer_id: int, why: str, now: datetime) -> None:
    """Say that nobody knows whether it left; it is looked for, and not sent again until that is known."""
    answer = tx.one(Answer, "answers.get", workspace_id=workspace_id, id=answer_id)
    if answer is None or answer.status is not AnswerStatus.IN_FLIGHT:
        return
    save_answer(tx, answer, change_answer(answer, AnswerStatus.UNKNOWN, error=why[:500], next_look_at=now))
    _tell(tx, answer, EventName.ANSWER_LOST, f"nobody knows whether the answer left: {why}"[:500], now)


def look_again(tx: Transaction, out: Outgoing, *, why: str, now: datetime) -> None:
    """Look for it again later: at the end of the grace at the latest, then ever more patiently."""
    answer = tx.one(Answer, "answers.get", workspace_id=out.answer.workspace_id, id=out.answer.id)
    if answer is None or answer.status is not AnswerStatus.UNKNOWN:
        return
    at = now + backoff.look_again(answer.looks + 1)
    if now < grace_ends_at(answer):
        at = min(at, grace_ends_at(answer))
    save_answer(tx, answer, replace(answer, next_look_at=at, looks=answer.looks + 1, error=why[:500]))


def grace_ends_at(answer: Answer) -> datetime:
    """Return when "not sent" may be said at the earliest."""
    return (answer.release_by or answer.due_at) + defaults.AMBIGUITY_GRACE


def settle_not_sent(tx: Transaction, *, workspace_id: int, answer_id: int, by: str, now: datetime) -> bool:
    """Say that it did not leave: it goes out again. Return whether that was news."""
    answer = tx.one(Answer, "answers.get", workspace_id=workspace_id, id=answer_id)
    if answer is None or answer.status is not AnswerStatus.UNKNOWN:
        return False
    again = change_answer(answer, AnswerStatus.WAITING, settled_by=by, due_at=now, began_at=None)
    save_answer(tx, answer, again)
    _tell(tx, answer, EventName.ANSWER_SETTLED, f"the answer was not sent: {by}", now)
    return True


def mark_copied(tx: Transaction, out: Outgoing, *, now: datetime) -> None:
    """Record that its copy lies in the Sent folder."""
    answer = tx.one(Answer, "answers.get", workspace_id=out.answer.workspace_id, id=out.answer.id)
    if answer is not None and answer.sent_copy_at is None:
        save_answer(tx, answer, replace(answer, sent_copy_at=now))


def as_it_left(reader: Reader, answer: Answer) -> bytes | None:
    """Return the bytes that left; None if nothing is kept of them."""
    return reader.one(bytes, "answers.raw", workspace_id=answer.workspace_id, message_id=answer.message_id)


def _give_up(tx: Transaction, answer: Answer, why: str, now: datetime) -> None:
    before = tx.one(Answer, "answers.get", workspace_id=answer.workspace_id, id=answer.id)
    if before is None:
        return
    given_up = change_answer(before, AnswerStatus.FAILED, tries=answer.tries, error=why[:500], began_at=None)
    save_answer(tx, before, given_up)
    _tell(tx, answer, EventName.ANSWER_FAILED, f"the answer was not sent: {why}"[:500], now)


def _tell(tx: Transaction, answer: Answer, name: EventName, said: str, now: datetime) -> None:
    thread = tx.one(Thread, "threads.get", workspace_id=answer.workspace_id, id=answer.thread_id)
    if thread is not None:
        told(tx, thread, name, said, now)
