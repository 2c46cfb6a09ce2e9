"""An answer by hand has left, whoever says so: its server, its copy in Sent, a reply that names it, or a person.

It does what a message that somebody wrote by hand in their mail program does: the policy `on_manual_reply` applies.
"""

from collections.abc import Iterable
from datetime import datetime
from hashlib import blake2b

from relance.core.answer import Answer, AnswerStatus, change_answer
from relance.core.attempt import Attempt
from relance.core.effects import Standing, effects_of
from relance.core.enrollment import Enrollment
from relance.core.events import EventName
from relance.core.inbound import InboundKind, Received
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.matching import Match, MatchedBy
from relance.core.thread import Thread
from relance.core.values import replace
from relance.ports.store import Transaction
from relance.services import summaries
from relance.services.answering import leaving, writing
from relance.services.answering.writing import save_answer
from relance.services.ingestion.apply import Arrival, apply
from relance.services.limits import buckets_for
from relance.services.refusals import RefusedError
from relance.services.situations import Keys, plan_of, workspace_of, zone_for
from relance.services.threads.handling import told

_NO_CAP = 1_000_000_000


def answer_left(  # noqa: PLR0913  # what is known of how it left
    tx: Transaction,
    *,
    workspace_id: int,
    answer_id: int,
    at: datetime,
    by: str,
    raw: bytes | None,
    keys: Keys,
    now: datetime,
    wire_message_id: str | None = None,
    copied: bool = False,
) -> bool:
    """Record that an answer left at `at`, and what that does; return whether it was news. Safe to apply again.

    `raw` is the message as it left, None where only somebody's word is known. `copied`: its copy was seen in Sent.
    """
    ids = {"workspace_id": workspace_id}
    answer = _held(tx, workspace_id, answer_id)
    if answer is None:
        return False
    seen = replace(answer, sent_copy_at=answer.sent_copy_at or (now if copied else None))
    if answer.status is AnswerStatus.SENT:
        if seen != answer:
            save_answer(tx, answer, seen)
        return False
    wire = wire_message_id if wire_message_id != answer.message_id else None
    sent = change_answer(
        seen, AnswerStatus.SENT, sent_at=at, settled_by=by, error=None, wire_message_id=wire or answer.wire_message_id
    )
    saved = save_answer(tx, answer, sent)
    mailbox = tx.one(Mailbox, "mailboxes.get", **ids, id=answer.mailbox_id)
    if mailbox is not None:
        _count_slot(tx, mailbox, at)
        kept = _keep(tx, saved, mailbox, raw, at)
        _act(tx, saved, mailbox, kept, keys=keys, at=at, now=now)
    place = summaries.Between(**ids, mailbox_id=answer.mailbox_id, lead_id=answer.lead_id)
    summaries.written_by_hand(tx, place, at=at)
    thread = tx.one(Thread, "threads.get", **ids, id=answer.thread_id)
    if thread is not None:
        told(tx, thread, EventName.ANSWER_SENT, f"the answer of {answer.author} left: {by}"[:500], now)
    return True


def settle_answer(
    tx: Transaction, *, workspace_id: int, answer_id: int, sent: bool, by: str, keys: Keys, now: datetime
) -> None:
    """Say, as a person who knows, what became of an answer that was lost; one that was not sent goes out again.

    Raises NotFoundError, and RefusedError for one of which nothing is unknown.
    """
    answer = writing.get(tx, workspace_id=workspace_id, answer_id=answer_id)
    if answer.status is not AnswerStatus.UNKNOWN:
        raise RefusedError(f"the answer is {answer.status.replace('_', ' ')}: nothing is unknown about it")
    if not sent:
        leaving.settle_not_sent(tx, workspace_id=workspace_id, answer_id=answer_id, by=by, now=now)
        return
    answer_left(
        tx,
        workspace_id=workspace_id,
        answer_id=answer_id,
        at=answer.began_at or now,
        by=by,
        raw=None,
        keys=keys,
        now=now,
    )


def _held(tx: Transaction, workspace_id: int, answer_id: int) -> Answer | None:
    """Lock the person, and return the answer as it is then: everything about one person is decided one by one."""
    ids = {"workspace_id": workspace_id, "id": answer_id}
    found = tx.one(Answer, "answers.get", **ids)
    if found is not None:
        tx.one(int, "leads.lock", workspace_id=workspace_id, id=found.lead_id)
    return tx.one(Answer, "answers.get", **ids)


def named_in(
    tx: Transaction, *, workspace_id: int, message_ids: Iterable[str], by: str, at: datetime, keys: Keys, now: datetime
) -> None:
    """Settle as sent what a message names that came in: what is answered has left."""
    ids = list(message_ids)
    found = tx.all(Answer, "answers.by_message_ids", workspace_id=workspace_id, id_list=ids) if ids else []
    for answer in found:
        if answer.status is AnswerStatus.UNKNOWN:
            left_at = min(answer.began_at or at, at)
            facts = {"at": left_at, "by": by, "raw": None, "keys": keys, "now": now}
            answer_left(tx, workspace_id=workspace_id, answer_id=answer.id, **facts)  # type: ignore[arg-type]  # as named


def own_answer(tx: Transaction, *, workspace_id: int, message_id: str | None, trace: str | None) -> Answer | None:
    """Return the answer of which a message in a Sent folder is our own copy."""
    ids = {"workspace_id": workspace_id}
    if trace is not None and (marked := tx.one(Answer, "answers.by_trace", **ids, trace=trace)) is not None:
        return marked
    named = tx.all(Answer, "answers.by_message_ids", **ids, id_list=[message_id]) if message_id else []
    return named[0] if named else None


def _count_slot(tx: Transaction, mailbox: Mailbox, at: datetime) -> None:
    """Count it for the mailbox's day and hour: no cap holds an answer back, but sequences get what it leaves."""
    buckets = buckets_for(mailbox, workspace_of(tx, mailbox.workspace_id), at)
    key = {"workspace_id": mailbox.workspace_id, "scope_id": mailbox.id, "cap": _NO_CAP}
    tx.run("usage.take", **key, scope="mailbox_day", bucket=buckets.mailbox_day)
    tx.run("usage.take", **key, scope="mailbox_hour", bucket=buckets.mailbox_hour)


def _keep(tx: Transaction, answer: Answer, mailbox: Mailbox, raw: bytes | None, at: datetime) -> int | None:
    """Keep the message as it left, and let it be found."""
    ids = {"workspace_id": answer.workspace_id}
    lead = tx.one(Lead, "leads.get", **ids, id=answer.lead_id)
    if lead is None or lead.erased:
        return None
    attempt = tx.one(Attempt, "attempts.get", **ids, id=answer.attempt_id) if answer.attempt_id is not None else None
    kept = tx.one(
        int,
        "messages.insert_answer",
        **ids,
        mailbox_id=mailbox.id,
        at=at,
        message_id=answer.message_id,
        from_address=mailbox.address,
        to_address=answer.recipient,
        subject=answer.subject,
        new_text=answer.text,
        content_key=blake2b(raw or answer.message_id.encode(), digest_size=20).hexdigest(),
        raw=raw,
        lead_id=answer.lead_id,
        enrollment_id=attempt.enrollment_id if attempt is not None else None,
        attempt_id=answer.attempt_id,
    )
    if kept is not None:
        texts = (answer.subject, answer.recipient, answer.text)
        summaries.make_findable(tx, **ids, message_id=kept, texts=texts)
    return kept


def _act(
    tx: Transaction, answer: Answer, mailbox: Mailbox, kept: int | None, *, keys: Keys, at: datetime, now: datetime
) -> None:
    """Do what the sequence says of a message by hand."""
    ids = {"workspace_id": answer.workspace_id}
    attempt = tx.one(Attempt, "attempts.get", **ids, id=answer.attempt_id) if answer.attempt_id is not None else None
    run = tx.one(Enrollment, "enrollments.get", **ids, id=attempt.enrollment_id) if attempt is not None else None
    lead = tx.one(Lead, "leads.get", **ids, id=answer.lead_id)
    if attempt is None or run is None or lead is None:
        return
    match = Match(
        enrollment_id=run.id,
        attempt_id=attempt.id,
        lead_id=lead.id,
        recipient=attempt.recipient,
        matched_by=MatchedBy.RECIPIENT,
        evidence=answer.recipient,
    )
    received = Received(
        kind=InboundKind.MANUAL_OUTGOING,
        at=at,
        sender=mailbox.address,
        message_id=answer.message_id,
        recipients=(answer.recipient,),
    )
    plan = plan_of(tx, answer.workspace_id, run.sequence_id, run.version)
    zone = zone_for(plan, workspace_of(tx, answer.workspace_id), lead, mailbox)
    standing = Standing(plan=plan, soft_bounces=run.soft_bounces, zone=zone)
    arrival = Arrival(
        workspace_id=answer.workspace_id,
        mailbox_id=mailbox.id,
        received=received,
        match=match,
        keys=keys,
        now=now,
        kept=kept,
    )
    apply(tx, arrival, effects_of(received, match, standing))
