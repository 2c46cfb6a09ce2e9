"""A mailbox's health: what came back of what it sent in the last seven days."""

from dataclasses import dataclass
from datetime import datetime

from relance.core import defaults
from relance.core.health import Health, Record, Score, health, score
from relance.core.mailbox import Mailbox
from relance.ports.store import Reader


def health_of(reader: Reader, mailbox: Mailbox, *, now: datetime) -> Health:
    """Judge one mailbox by its recent sends, bounces, blocks and complaints (B17)."""
    return health(_record(reader, mailbox, now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A mailbox with its record, its score and what follows from it."""

    mailbox: Mailbox
    record: Record
    score: Score
    verdict: Health


def examine(reader: Reader, mailbox: Mailbox, *, now: datetime) -> Examined:
    """Return everything about one mailbox's health, for a person."""
    record = _record(reader, mailbox, now)
    return Examined(mailbox=mailbox, record=record, score=score(record), verdict=health(record))


def _record(reader: Reader, mailbox: Mailbox, now: datetime) -> Record:
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id}
    found = reader.one(Record, "mailboxes.record", **ids, since=now - defaults.HEALTH_PERIOD)
    assert found is not None  # noqa: S101  # counts are always one row
    return found
