"""A message that nobody could understand is put aside for a person, and whoever may have written it is left in peace.

Rule 1: what names a message of ours, or comes from somebody we wrote to, may be an answer: that person's runs are held.
Rule 2: only the headers are looked at, as bytes: what broke the reading of the message must not break this.
"""

import re
from collections.abc import Iterable
from datetime import datetime

from relance.core.attempt import Attempt
from relance.core.effects import HoldRuns
from relance.core.events import EventName
from relance.core.inbound import InboundKind, Received
from relance.core.matching import Match, MatchedBy
from relance.core.sequence import StopScope
from relance.ports.connector import FolderRole
from relance.ports.store import Reader, Transaction
from relance.services import summaries
from relance.services.ingestion.apply import Arrival, apply
from relance.services.ingestion.stage import StagedMessage
from relance.services.situations import Keys

_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_LOOKED_AT = 64 * 1024  #: Bytes.
_MOST = 200  #: Ids or addresses of one message.
_MESSAGE_ID = re.compile(rb"<[^<>@\s]{1,200}@[^<>@\s]{1,200}>")
_SENDERS = re.compile(rb"^(?:from|reply-to|sender)[ \t]*:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(rb"[^\s<>\"',;:@()]{1,64}@[A-Za-z0-9.-]{1,253}")


def shelve(
    tx: Transaction, *, staged: StagedMessage, error: str, keys: Keys, now: datetime, hold: bool = True
) -> list[int]:
    """Put a message aside; those behind it go on. Return the leads whose runs were held for it."""
    ids = {"workspace_id": staged.workspace_id}
    if tx.run("raw_messages.remove", **ids, id=staged.id) != 1:
        return []
    maybe = _maybe_answered(tx, staged) if hold else {}
    first = next(iter(maybe.values()), None)
    kept = tx.one(
        int,
        "messages.insert_incoming",
        **ids,
        mailbox_id=staged.mailbox_id,
        direction="in",
        kind=InboundKind.OTHER,
        at=staged.internal_date,
        received_at=staged.internal_date,
        folder=staged.folder,
        message_id=None,
        in_reply_to=(),
        from_address=None,
        to_address=None,
        subject=None,
        new_text=None,
        content_key=staged.content_key,
        raw=staged.raw,
        lead_id=first.lead_id if first else None,
        enrollment_id=first.enrollment_id if first else None,
        attempt_id=first.id if first else None,
        matched_by=None,
        evidence=(f"could not be understood: {error}"[:500],),
        classification={},
        rules_version=0,
        confidence="guess",
    )
    for attempt in maybe.values():
        _hold(tx, staged, attempt, keys, now, kept)
    if first is not None and kept is not None:
        place = summaries.Between(**ids, mailbox_id=staged.mailbox_id, lead_id=first.lead_id)
        summaries.came_in(tx, place, kind=InboundKind.OTHER, unread=True)
    return list(maybe)


def _maybe_answered(reader: Reader, staged: StagedMessage) -> dict[int, Attempt]:
    """Return, by lead, the last attempt that the message may be about."""
    if staged.role is FolderRole.SENT:
        return {}  # Written by the mailbox's owner or by us; nobody's answer.
    head = _HEADERS_END.split(staged.raw[:_LOOKED_AT], maxsplit=1)[0]
    senders = b"\n".join(_SENDERS.findall(head))
    ids = {"workspace_id": staged.workspace_id}
    named = reader.all(Attempt, "attempts.by_message_ids", **ids, id_list=_texts(_MESSAGE_ID.findall(head)))
    known = reader.all(Attempt, "attempts.by_recipients", **ids, address_list=_texts(_ADDRESS.findall(senders)))
    found = sorted((*named, *known), key=lambda attempt: attempt.planned_at)
    return {attempt.lead_id: attempt for attempt in found}


def _texts(found: Iterable[bytes]) -> list[str]:
    texts = {one.decode("utf-8", "replace") for one in found}
    return sorted({*texts, *(text.casefold() for text in texts)})[:_MOST]


def _hold(
    tx: Transaction, staged: StagedMessage, attempt: Attempt, keys: Keys, now: datetime, kept: int | None
) -> None:
    where = f"message {staged.uid} of {staged.folder} could not be understood, and may be an answer"
    match = Match(
        enrollment_id=attempt.enrollment_id,
        attempt_id=attempt.id,
        lead_id=attempt.lead_id,
        recipient=attempt.recipient,
        matched_by=MatchedBy.REFERENCES,
        evidence=attempt.message_id,
    )
    arrival = Arrival(
        workspace_id=staged.workspace_id,
        mailbox_id=staged.mailbox_id,
        received=Received(kind=InboundKind.OTHER, at=staged.internal_date, sender=""),
        match=match,
        keys=keys,
        now=now,
        kept=kept,
    )
    held = HoldRuns(scope=StopScope.LEAD, hold_reason="unreadable_answer", event=EventName.REPLY_RECEIVED, cause=where)
    apply(tx, arrival, [held])
