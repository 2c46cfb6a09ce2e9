"""Fetched messages and the cursor that is right once they are stored, in one transaction: nothing is lost between."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from relance.ports.connector import FolderBatch, FolderRole
from relance.ports.store import Reader, Transaction
from relance.services.leasing import ALL_SHARDS, these


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedMessage:
    """One fetched message that is not understood yet."""

    workspace_id: int
    id: int
    mailbox_id: int
    folder: str
    role: FolderRole
    uid_validity: int
    uid: int
    internal_date: datetime
    raw: bytes
    truncated: bool
    stored_at: datetime
    failures: int
    last_error: str | None

    @property
    def content_key(self) -> str:
        """What tells it from others of its mailbox: its content, or its place where the server handed over none."""
        place = f"{self.folder}\0{self.uid_validity}\0{self.uid}".encode()
        return blake2b(self.raw or place, digest_size=20).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A mailbox with something that waits to be understood."""

    workspace_id: int
    mailbox_id: int


def stage_batch(tx: Transaction, *, workspace_id: int, mailbox_id: int, batch: FolderBatch, now: datetime) -> int:
    """Keep a batch and move its folder's cursor; return how many messages it had."""
    ids = {"workspace_id": workspace_id, "mailbox_id": mailbox_id}
    tx.many(
        "raw_messages.stage",
        [
            {
                **ids,
                "folder": message.folder,
                "role": message.role,
                "uid_validity": message.uid_validity,
                "uid": message.uid,
                "internal_date": message.internal_date,
                "raw": message.raw,
                "truncated": message.truncated,
                "stored_at": now,
            }
            for message in batch.messages
        ],
    )
    cursor = batch.cursor
    tx.run(
        "folders.move_cursor",
        **ids,
        folder=cursor.folder,
        role=cursor.role,
        uid_validity=cursor.uid_validity,
        last_uid=cursor.last_uid,
        highest_modseq=cursor.highest_modseq,
        now=now,
    )
    return len(batch.messages)


def staged_of(reader: Reader, *, workspace_id: int, mailbox_id: int, limit: int) -> list[StagedMessage]:
    """Return what waits in one mailbox, in the order it was fetched."""
    return reader.all(
        StagedMessage, "raw_messages.of_mailbox", workspace_id=workspace_id, mailbox_id=mailbox_id, limit=limit
    )


def staged_copies_of(reader: Reader, *, workspace_id: int, mailbox_id: int, limit: int) -> list[StagedMessage]:
    """Return what waits of a mailbox's own mail, in the order in which it came there."""
    return reader.all(
        StagedMessage, "raw_messages.copies_of_mailbox", workspace_id=workspace_id, mailbox_id=mailbox_id, limit=limit
    )


def is_anything_staged(reader: Reader, *, workspace_id: int, mailbox_id: int) -> bool:
    """Return whether something waits in one mailbox."""
    return reader.one(int, "raw_messages.any_of_mailbox", workspace_id=workspace_id, mailbox_id=mailbox_id) is not None


def waiting_mailboxes(reader: Reader, shards: Collection[int] = ALL_SHARDS) -> list[Waiting]:
    """Return the mailboxes of these shards with something that waits."""
    return reader.all(Waiting, "raw_messages.waiting_mailboxes", shard_list=these(shards))


def mark_failed(tx: Transaction, *, workspace_id: int, staged_id: int, error: str) -> None:
    """Count one failure to understand a message."""
    tx.run("raw_messages.mark_failed", workspace_id=workspace_id, id=staged_id, error=error[:500])
