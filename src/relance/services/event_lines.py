"""What happened, for programs that follow it: from an id on, oldest first."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from relance.ports.store import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One event as it is kept."""

    id: int
    at: datetime
    name: str
    detail: str
    data: Mapping[str, object]
    lead_id: int | None
    enrollment_id: int | None
    attempt_id: int | None
    mailbox_id: int | None
    sequence_id: int | None
    message_id: int | None


def page(reader: Reader, *, workspace_id: int, after: int, limit: int) -> list[EventLine]:
    """Return what happened from after an id on."""
    return reader.all(EventLine, "events.page", workspace_id=workspace_id, after=after, limit=limit)


def of_lead(reader: Reader, *, workspace_id: int, lead_id: int, after: int, limit: int) -> list[EventLine]:
    """Return what happened to one lead, from after an id on."""
    ids = {"workspace_id": workspace_id, "lead_id": lead_id, "after": after, "limit": limit}
    return reader.all(EventLine, "events.page_of_lead", **ids)
