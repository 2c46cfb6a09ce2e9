"""A mailbox's health: what came back of what it sent in the last seven days."""

from dataclasses import dataclass
from datetime import datetime

from relance.core import defaults
from relance.core.health import Health, Healthy, Record, Reduced, Score, health, score
from relance.core.mailbox import Mailbox
from relance.ports.store import Reader


def health_of(reader: Reader, mailbox: Mailbox, *, now: datetime) -> Health:
    """Judge one mailbox by its recent sends, bounces, blocks and complaints (B17)."""
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id, "since": now - defaults.HEALTH_PERIOD}
    sends = reader.one(int, "attempts.count_sent", **ids) or 0
    if sends < defaults.HEALTH_MIN_SENDS:
        return Healthy()
    return health(_record(reader, mailbox, sends, now))


def factor(judged: Health) -> float:
    """Return what health leaves of the daily cap."""
    return judged.factor if isinstance(judged, Reduced) else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A mailbox with its record, its score and what follows from it."""

    mailbox: Mailbox
    record: Record
    score: Score
    verdict: Health


def examine(reader: Reader, mailbox: Mailbox, *, now: datetime) -> Examined:
    """Return everything about one mailbox's health, for a person."""
    since = now - defaults.HEALTH_PERIOD
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id, "since": since}
    record = _record(reader, mailbox, reader.one(int, "attempts.count_sent", **ids) or 0, now)
    return Examined(mailbox=mailbox, record=record, score=score(record), verdict=health(record))


def _record(reader: Reader, mailbox: Mailbox, sends: int, now: datetime) -> Record:
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id, "since": now - defaults.HEALTH_PERIOD}

    def count(name: str) -> int:
        return reader.one(int, "events.count_of_mailbox", **ids, name=name) or 0

    return Record(
        sends=sends,
        bounces=count("bounce.received"),
        blocks=count("block.received"),
        complaints=count("complaint.received"),
    )
