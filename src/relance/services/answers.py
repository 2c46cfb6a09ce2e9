"""What came in, for people to read: newest first, with its class and the lead it was matched to."""

from dataclasses import dataclass
from datetime import datetime

from relance.ports.store import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One message that came in."""

    id: int
    at: datetime
    received_at: datetime
    kind: str
    confidence: str
    from_address: str | None
    subject: str | None
    new_text: str | None
    matched_by: str | None
    folder: str
    mailbox: str
    lead: str | None


def incoming(reader: Reader, *, workspace_id: int, limit: int) -> list[Incoming]:
    """Return the newest `limit` messages that came in."""
    return reader.all(Incoming, "messages.incoming", workspace_id=workspace_id, limit=limit)
