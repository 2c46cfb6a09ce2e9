"""Who did what: one line for each change that somebody made through the console or the API, kept for ever."""

from datetime import datetime

from relance.core.people import AuditEntry
from relance.ports.store import Reader, Transaction

COMMAND_LINE = "the command line"  #: Whoever may read the installation's directory.
NEWEST = 2**62
_LONGEST = 500


def note(
    tx: Transaction, *, workspace_id: int | None, actor: str, action: str, subject: str = "", now: datetime
) -> None:
    """Write one line, in the transaction that does what it says. `subject` never holds a secret."""
    tx.run("audit_log.add", workspace_id=workspace_id, at=now, actor=actor, action=action, subject=subject[:_LONGEST])


def page(reader: Reader, *, workspace_id: int, before: int = NEWEST, limit: int = 100) -> list[AuditEntry]:
    """Return the newest lines that are older than line `before`, newest first."""
    return reader.all(AuditEntry, "audit_log.page", workspace_id=workspace_id, before=before, limit=limit)
