"""What the reconciler needs to know and to write about outcomes that were lost, and about copies in Sent."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.core import backoff, defaults
from relance.core.attempt import Attempt
from relance.core.identifiers import COPY_HEADER
from relance.core.mailbox import Mailbox
from relance.core.sequence import OnUnknown
from relance.ports.store import Reader, Transaction
from relance.services.leasing import ALL_SHARDS, these
from relance.services.situations import plan_of

#: A server that saves what it relays has done so by then.
COPY_AFTER = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """An attempt whose outcome is unknown, with what decides how it may be settled."""

    attempt: Attempt
    mailbox: Mailbox
    on_unknown: OnUnknown

    @property
    def grace_ends_at(self) -> datetime:
        """Nobody says "not sent" before this."""
        return (self.attempt.release_by or self.attempt.planned_at) + defaults.AMBIGUITY_GRACE


def due(reader: Reader, *, now: datetime, limit: int, shards: Collection[int] = ALL_SHARDS) -> list[Lost]:
    """Return the lost outcomes of these shards' mailboxes that are due to be looked for."""
    found = []
    for attempt in reader.all(Attempt, "attempts.to_look_for", shard_list=these(shards), now=now, limit=limit):
        mailbox = reader.one(Mailbox, "mailboxes.get", workspace_id=attempt.workspace_id, id=attempt.mailbox_id)
        if mailbox is not None:
            plan = plan_of(reader, attempt.workspace_id, attempt.sequence_id, attempt.version)
            found.append(Lost(attempt=attempt, mailbox=mailbox, on_unknown=plan.on_unknown))
    return found


def look_again(tx: Transaction, lost: Lost, *, why: str, now: datetime) -> None:
    """Look for it again later: at the end of the grace at the latest, then ever more patiently."""
    later = now + backoff.look_again(lost.attempt.looks + 1)
    if now < lost.grace_ends_at:
        later = min(later, lost.grace_ends_at)
    _put_off(tx, lost.attempt, later, why)


def leave_to_others(tx: Transaction, lost: Lost, *, why: str) -> None:
    """Stop looking: only an answer, a notice, a Sent copy or a person can settle it."""
    _put_off(tx, lost.attempt, None, why)


def _put_off(tx: Transaction, attempt: Attempt, at: datetime | None, why: str) -> None:
    tx.run(
        "attempts.look_again",
        workspace_id=attempt.workspace_id,
        id=attempt.id,
        tries=attempt.tries,
        next_look_at=at,
        error=why[:500],
    )


def uncopied(
    reader: Reader, *, now: datetime, limit: int, shards: Collection[int] = ALL_SHARDS
) -> list[tuple[Mailbox, list[Attempt]]]:
    """Return, by mailbox of these shards, what was sent whose copy was not seen in Sent.

    At once where the server is known to save none; after `COPY_AFTER` where that is still to be learned.
    """
    found = []
    for mailbox in reader.all(Mailbox, "mailboxes.copying", shard_list=these(shards)):
        before = now if mailbox.saves_sent is False else now - COPY_AFTER
        attempts = reader.all(
            Attempt,
            "attempts.uncopied",
            workspace_id=mailbox.workspace_id,
            mailbox_id=mailbox.id,
            before=before,
            limit=limit,
        )
        if attempts:
            found.append((mailbox, attempts))
    return found


def outgoing_raw(reader: Reader, attempt: Attempt) -> bytes | None:
    """Return a message as it left."""
    return reader.one(bytes, "messages.outgoing_raw", workspace_id=attempt.workspace_id, attempt_id=attempt.id)


def marked_copy(raw: bytes) -> bytes:
    """Return a message as it is put into Sent: marked, so that it never passes for the server's own copy of it.

    Else our own copies would witness that the server saves what it relays, and the absence of another would then be
    taken as proof that it had not left.
    """
    return f"{COPY_HEADER}: by-client\r\n".encode("ascii") + raw


def mark_copied(tx: Transaction, attempt: Attempt, *, wire_message_id: str | None, now: datetime) -> None:
    """Record that its copy lies in the Sent folder."""
    tx.run(
        "attempts.mark_copied",
        workspace_id=attempt.workspace_id,
        id=attempt.id,
        at=now,
        wire_message_id=wire_message_id,
    )
