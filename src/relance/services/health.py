"""A mailbox's health: what came back of what it sent in the last seven days."""

from datetime import datetime

from relance.core import defaults, pacing
from relance.core.mailbox import Mailbox
from relance.ports.store import Reader


def health_of(reader: Reader, mailbox: Mailbox, *, now: datetime) -> pacing.Health:
    """Judge one mailbox by its recent sends, bounces and complaints (B17)."""
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id, "since": now - defaults.HEALTH_PERIOD}
    sends = reader.one(int, "attempts.count_sent", **ids) or 0
    if sends < defaults.HEALTH_MIN_SENDS:
        return pacing.Healthy()
    bounces = reader.one(int, "events.count_of_mailbox", **ids, name="bounce.received") or 0
    complaints = reader.one(int, "events.count_of_mailbox", **ids, name="complaint.received") or 0
    return pacing.health(sends=sends, bounces=bounces, complaints=complaints)


def factor(health: pacing.Health) -> float:
    """Return what health leaves of the daily cap."""
    return health.factor if isinstance(health, pacing.Reduced) else 1.0
