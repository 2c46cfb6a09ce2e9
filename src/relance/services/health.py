"""A mailbox's health: what came back of what it sent in the last seven days."""

from collections.abc import Sequence
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


def examine_all(reader: Reader, workspace_id: int, mailboxes: Sequence[Mailbox], *, now: datetime) -> list[Examined]:
    """Return the same of several mailboxes of a workspace, at the cost of one question."""
    ids = {"workspace_id": workspace_id, "mailbox_list": [box.id for box in mailboxes]}
    rows = reader.all(_RecordOf, "mailboxes.records", **ids, since=now - defaults.HEALTH_PERIOD)
    found = {row.mailbox_id: row for row in rows}
    return [
        Examined(mailbox=box, record=found[box.id], score=score(found[box.id]), verdict=health(found[box.id]))
        for box in mailboxes
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordOf(Record):
    mailbox_id: int


def _record(reader: Reader, mailbox: Mailbox, now: datetime) -> Record:
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id}
    found = reader.one(Record, "mailboxes.record", **ids, since=now - defaults.HEALTH_PERIOD)
    assert found is not None  # noqa: S101  # counts are always one row
    return found
