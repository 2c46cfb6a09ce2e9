"""What lies outside of the database: what the servers took, the Sent folder, Ann's answer, an operator's hand."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from exhaustive.ground import AnyGround
from relance.core import defaults
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.core.suppression import SuppressionReason
from relance.mail.classify import classify
from relance.mail.parse import parse
from relance.ports.connector import (
    Cursor,
    Envelope,
    FetchedMessage,
    FolderBatch,
    FolderRole,
    Found,
    Lookup,
    NotFound,
    Sought,
)
from relance.ports.store import Transaction
from relance.services import enrollments, ingestion, mailboxes, sequences
from relance.services.refusals import RefusedError
from relance.services.suppressions import suppress_address
from relance.testing import letters
from relance.testing.builders import KEYS

#: How long a Sent folder may lag behind: less than the ambiguity grace, which is made to cover it.
LAG = timedelta(minutes=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One message that a server took."""

    mailbox: str
    message_id: str
    raw: bytes
    at: datetime
    shown_at: datetime  #: When it appears in Sent.


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Everything the servers know."""

    taken: tuple[Taken, ...] = ()
    answered_at: datetime | None = None  #: When Ann's answer lay in the mailbox that she answered.
    read: bool = False  #: Whether that was fetched.

    @property
    def unread(self) -> bool:
        """Whether an answer waits to be read."""
        return self.answered_at is not None and not self.read

    def taking(self, envelope: Envelope, *, at: datetime, lags: bool) -> "Post":
        """Accept a message."""
        one = Taken(
            mailbox=envelope.sender,
            message_id=envelope.message_id,
            raw=envelope.raw,
            at=at,
            shown_at=at + LAG if lags else at,
        )
        return replace(self, taken=(*self.taken, one))

    def answering(self, *, at: datetime) -> "Post | None":
        """Let Ann answer the last message she has got."""
        return replace(self, answered_at=at) if self.taken and self.answered_at is None else None


class Looking:
    """Implements what a reconciler asks of `ports.connector.Connector`.

    A witness is always there, filed late enough: the grace alone has to do.
    """

    def __init__(self, post: Post, now: datetime) -> None:
        self._post = post
        self._now = now

    async def find_sent(self, sought: Sought) -> Lookup:
        """Look into Sent."""
        for one in self._post.taken:
            if one.message_id in sought.message_ids and one.shown_at <= self._now:
                return Found(wire_message_id=one.message_id, at=one.at)
        return NotFound(witness=self._now + defaults.WITNESS_AFTER)

    async def save_sent(self, raw: bytes, *, at: datetime) -> None:
        """Keep nothing."""

    async def close(self) -> None:
        """Let go."""


def read(ground: AnyGround, box: Mailbox, post: Post, *, now: datetime) -> None:
    """Read a mailbox as poller and ingester do: what has arrived is stored and understood, then freshness moves."""
    ids = {"workspace_id": box.workspace_id, "mailbox_id": box.id}
    if post.unread and post.answered_at is not None and post.taken[-1].mailbox == box.address:
        raw = letters.reply(post.taken[-1].raw, at=post.answered_at)
        fetched = FetchedMessage(
            folder="INBOX", role=FolderRole.INBOX, uid_validity=1, uid=1, internal_date=post.answered_at, raw=raw
        )
        cursor = Cursor(folder="INBOX", role=FolderRole.INBOX, uid_validity=1, last_uid=1)
        batch = FolderBatch(messages=(fetched,), cursor=cursor)
        ground.carry_out(ingestion.stage_batch, **ids, batch=batch, now=now)
        for staged in ground.carry_out(ingestion.staged_of, **ids, limit=10):
            message = parse(raw)
            ground.carry_out(
                ingestion.ingest,
                staged=staged,
                message=message,
                classification=classify(message, own_addresses=frozenset(), received_at=post.answered_at),
                keys=KEYS,
                now=now,
            )
    ground.carry_out(mailboxes.mark_read, **ids, started_at=now, now=now)


def operate(ground: AnyGround, event: str, run: Enrollment, boxes: tuple[Mailbox, ...], *, now: datetime) -> bool:
    """Do what an operator does; return whether it made a difference."""

    def act(tx: Transaction) -> bool:
        return bool(_act(tx, event, run, boxes, now))

    try:
        return ground.carry_out(act)
    except RefusedError:
        return False


def _act(tx: Transaction, event: str, run: Enrollment, boxes: tuple[Mailbox, ...], now: datetime) -> bool | int | None:
    acme, cause = run.workspace_id, "by hand"
    made: bool | int | None
    match event:
        case "pause":
            made = enrollments.pause(tx, workspace_id=acme, enrollment_id=run.id, cause=cause, now=now)
        case "resume":
            made = enrollments.resume(tx, workspace_id=acme, enrollment_id=run.id, cause=cause, now=now)
        case "stop":
            made = enrollments.stop(tx, workspace_id=acme, enrollment_id=run.id, cause=cause, now=now)
        case "pause the sequence":
            made = sequences.pause(tx, workspace_id=acme, name="q4", now=now)
        case "resume the sequence":
            made = sequences.resume(tx, workspace_id=acme, name="q4", now=now)
        case "archive":
            made = sequences.archive(tx, workspace_id=acme, name="q4", stop_active=True, now=now)
        case "remove a mailbox":
            mailboxes.remove(tx, boxes[0], now=now)
            made = True
        case "opt out":
            made = suppress_address(
                tx,
                workspace_id=acme,
                address="ann@lead.example",
                reason=SuppressionReason.UNSUBSCRIBED,
                source=cause,
                now=now,
                tombstone_key=KEYS.tombstone,
            )
        case _:
            raise ValueError(event)
    return made
