"""Writing an answer in a conversation, taking it back while that is possible, and saying what became of it.

Rule 1: it goes out from the mailbox of the conversation, to the address that its person wrote from, in their thread.
Rule 2: nobody who is suppressed is written to, by hand neither.
Rule 3: one at a time: while an answer waits or is on its way, no second one is taken: no double click sends two.
"""

from dataclasses import dataclass
from datetime import datetime

from relance.core import identifiers
from relance.core.answer import LONGEST, QUOTED_AT_MOST, UNDO, Answer, AnswerStatus, change_answer
from relance.core.attempt import Attempt
from relance.core.events import EventName
from relance.core.inbound import HUMAN
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.thread import Thread
from relance.core.values import replace
from relance.mail.message import Message
from relance.mail.parse import parse
from relance.mail.threading import references_for, reply_subject
from relance.ports.store import Reader, Transaction
from relance.services import suppressions
from relance.services.mailboxes import own_addresses
from relance.services.records import columns
from relance.services.refusals import LostRaceError, NotFoundError, RefusedError
from relance.services.situations import Keys, workspace_of
from relance.services.threads.handling import locked, told

_ON_ITS_WAY = frozenset({AnswerStatus.WAITING, AnswerStatus.IN_FLIGHT, AnswerStatus.UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """The message that an answer answers."""

    message_id: str | None
    subject: str | None
    from_address: str | None
    received_at: datetime
    new_text: str | None
    raw: bytes | None
    attempt_id: int | None


def write(  # noqa: PLR0913  # what an answer is made of
    tx: Transaction,
    *,
    workspace_id: int,
    thread_id: int,
    text: str,
    by: str,
    uid: str,
    keys: Keys,
    now: datetime,
    quote: bool = True,
) -> Answer:
    """Write an answer that leaves after `UNDO`; the same `uid` again is the same answer. Raises RefusedError."""
    thread = locked(tx, workspace_id, thread_id)
    mailbox, lead = _mailbox_of(tx, thread), _lead_of(tx, thread)
    message_id, trace = _marks(tx, thread, mailbox, uid, keys)
    known = tx.all(Answer, "answers.by_message_ids", workspace_id=workspace_id, id_list=[message_id])
    if known:
        return known[0]
    _refuse_what_cannot_be(tx, thread, text)
    answered = tx.one(
        _Answered,
        "threads.answered_message",
        workspace_id=workspace_id,
        mailbox_id=thread.mailbox_id,
        lead_id=thread.lead_id,
        human_list=tuple(sorted(HUMAN)),
    )
    if answered is None:
        raise RefusedError("nothing came in that could be answered; write to the person from your mail program")
    message = parse(answered.raw) if answered.raw else Message()
    recipient = _recipient(tx, workspace_id, lead, answered, message)
    refuse_suppressed(tx, workspace_id, (recipient, lead.email), lead.phone, keys)
    quoted = _quotation(answered, message) if quote else ""
    answer = Answer(
        workspace_id=workspace_id,
        id=0,
        thread_id=thread.id,
        mailbox_id=mailbox.id,
        lead_id=lead.id,
        attempt_id=answered.attempt_id,
        status=AnswerStatus.WAITING,
        author=by,
        recipient=recipient,
        subject=reply_subject(answered.subject or _subject_of(tx, workspace_id, answered.attempt_id) or ""),
        text=text.strip() + "\n" + quoted,
        in_reply_to=answered.message_id,
        reference_ids=references_for((*message.references, *message.in_reply_to), answered.message_id or ""),
        message_id=message_id,
        trace=trace,
        due_at=now + UNDO,
        created_at=now,
    )
    values = columns(answer)
    del values["id"]
    new_id = tx.one(int, "answers.insert", **values)
    if new_id is None:
        raise LostRaceError(f"answer {message_id}")
    told(tx, thread, EventName.ANSWER_WRITTEN, f"{by} wrote an answer from {mailbox.address}", now)
    return replace(answer, id=new_id)


def withdraw(tx: Transaction, *, workspace_id: int, answer_id: int, by: str, now: datetime) -> Answer:
    """Take an answer back. Raises RefusedError once it has begun to leave."""
    answer = get(tx, workspace_id=workspace_id, answer_id=answer_id)
    if answer.status is AnswerStatus.WITHDRAWN:
        return answer
    if answer.status not in {AnswerStatus.WAITING, AnswerStatus.FAILED}:
        raise RefusedError(f"the answer is {answer.status.replace('_', ' ')}: what has begun cannot be taken back")
    if answer.status is AnswerStatus.FAILED:
        return answer
    saved = save_answer(tx, answer, change_answer(answer, AnswerStatus.WITHDRAWN))
    _tell(tx, saved, EventName.ANSWER_WITHDRAWN, f"{by} took the answer back", now)
    return saved


def send_again(tx: Transaction, *, workspace_id: int, answer_id: int, by: str, now: datetime) -> Answer:
    """Let an answer that was given up go out once more. Raises RefusedError for any other."""
    answer = get(tx, workspace_id=workspace_id, answer_id=answer_id)
    if answer.status is not AnswerStatus.FAILED:
        raise RefusedError(f"the answer is {answer.status.replace('_', ' ')}; only one that was given up is sent again")
    saved = save_answer(tx, answer, change_answer(answer, AnswerStatus.WAITING, due_at=now + UNDO, tries=0, error=None))
    _tell(tx, saved, EventName.ANSWER_WRITTEN, f"{by} sends the answer once more", now)
    return saved


def get(reader: Reader, *, workspace_id: int, answer_id: int) -> Answer:
    """Return an answer. Raises NotFoundError."""
    found = reader.one(Answer, "answers.get", workspace_id=workspace_id, id=answer_id)
    if found is None:
        raise NotFoundError(f"there is no answer {answer_id}")
    return found


def save_answer(tx: Transaction, before: Answer, after: Answer) -> Answer:
    """Write `after` if the row is still as `before` was read."""
    values = columns(after)
    for born in (
        "thread_id", "mailbox_id", "lead_id", "attempt_id", "author", "recipient", "subject", "text", "in_reply_to",
        "reference_ids", "message_id", "trace", "created_at",
    ):  # fmt: skip
        del values[born]
    if tx.run("answers.save", **{**values, "revision": before.revision + 1, "read_revision": before.revision}) != 1:
        raise LostRaceError(f"answer {before.id}")
    return replace(after, revision=before.revision + 1)


def refuse_suppressed(
    reader: Reader, workspace_id: int, addresses: tuple[str, ...], phone: str | None, keys: Keys
) -> None:
    """Raise RefusedError if one of the addresses is suppressed."""
    for address in dict.fromkeys(addresses):
        ids = {"workspace_id": workspace_id, "email": address, "phone": phone}
        found = suppressions.binding(reader, **ids, tombstone_key=keys.tombstone)  # type: ignore[arg-type]  # as named
        if found:
            raise RefusedError(f"{address} is suppressed ({found[0].reason}): nobody writes to them, by hand neither")


def _marks(reader: Reader, thread: Thread, mailbox: Mailbox, uid: str, keys: Keys) -> tuple[str, str]:
    name = f"answer/{workspace_of(reader, thread.workspace_id).uid}/{thread.id}/{uid}"
    trace = identifiers.trace_header(keys.trace, name, 0)[1]
    return identifiers.message_id(keys.message_id, name, 0, mailbox.domain), trace


def _refuse_what_cannot_be(reader: Reader, thread: Thread, text: str) -> None:
    if not text.strip():
        raise RefusedError("the answer is empty; write something")
    if len(text) > LONGEST:
        raise RefusedError(f"the answer is longer than {LONGEST:,} characters")
    ids = {"workspace_id": thread.workspace_id, "thread_id": thread.id}
    if any(one.status in _ON_ITS_WAY for one in reader.all(Answer, "answers.of_thread", **ids)):
        raise RefusedError("an answer is on its way in this conversation; take it back, or wait until it has left")


def _mailbox_of(reader: Reader, thread: Thread) -> Mailbox:
    found = reader.one(Mailbox, "mailboxes.get", workspace_id=thread.workspace_id, id=thread.mailbox_id)
    if found is None or found.status is MailboxStatus.REMOVED:
        raise RefusedError("the mailbox of this conversation was removed; connect it again to answer from it")
    return found


def _lead_of(reader: Reader, thread: Thread) -> Lead:
    found = reader.one(Lead, "leads.get", workspace_id=thread.workspace_id, id=thread.lead_id)
    if found is None or found.erased:
        raise RefusedError("the person was erased; nobody writes to them")
    return found


def _recipient(reader: Reader, workspace_id: int, lead: Lead, answered: _Answered, message: Message) -> str:
    """Return where the person wants answers: as they say, or from where they wrote, and never ourselves."""
    own = own_addresses(reader, workspace_id)
    wanted = [one.address.casefold() for one in message.reply_to[:1]]
    candidates = (*wanted, answered.from_address or "", lead.email)
    return next(one for one in candidates if one and one not in own)


def _subject_of(reader: Reader, workspace_id: int, attempt_id: int | None) -> str | None:
    attempt = reader.one(Attempt, "attempts.get", workspace_id=workspace_id, id=attempt_id) if attempt_id else None
    return attempt.subject if attempt is not None else None


def _quotation(answered: _Answered, message: Message) -> str:
    text = (message.text or answered.new_text or "").strip()[:QUOTED_AT_MOST]
    if not text:
        return ""
    name = message.from_.name if message.from_ is not None and message.from_.name else answered.from_address or "you"
    at = message.date or answered.received_at
    lines = "\n".join(f"> {line}" if line else ">" for line in text.splitlines())
    return f"\nOn {at:%Y-%m-%d %H:%M} UTC, {name} wrote:\n{lines}\n"


def _tell(tx: Transaction, answer: Answer, name: EventName, said: str, now: datetime) -> None:
    thread = tx.one(Thread, "threads.get", workspace_id=answer.workspace_id, id=answer.thread_id)
    if thread is not None:
        told(tx, thread, name, said, now)
