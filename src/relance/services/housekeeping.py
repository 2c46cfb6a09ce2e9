"""What is done now and then: opt-outs copied outside the database, old counters forgotten, months made ahead."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.ports.journal import OptOut
from relance.ports.store import Reader, Transaction
from relance.services import handing_over
from relance.services.workspaces import everyone

#: Counters of caps older than this decide nothing any more.
COUNTERS_KEPT = timedelta(days=8)
#: Months of events that are made ahead where the database keeps them in months.
MONTHS_AHEAD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OptOutRow:
    """One opt-out as the database keeps it."""

    id: int
    digest: str
    reason: str
    at: datetime


def opt_outs_after(reader: Reader, *, seen: dict[int, int], size: int) -> list[tuple[int, int, OptOut]]:
    """Return (workspace id, row id, entry) of opt-outs not seen yet; `seen` is the last row id by workspace."""
    found = []
    for workspace in everyone(reader):
        after = seen.get(workspace.id, 0)
        for row in reader.all(OptOutRow, "opt_outs.list", workspace_id=workspace.id, after=after, size=size):
            entry = OptOut(at=row.at, workspace_uid=workspace.uid, digest=row.digest, reason=row.reason)
            found.append((workspace.id, row.id, entry))
    return found


def prune(tx: Transaction, *, now: datetime) -> int:
    """Forget old counters, dead workers and removed mailboxes' credentials, free whom those held, make coming months.

    Return how many counters were forgotten.
    """
    tx.run("mailboxes.forget_credentials")
    handing_over.go_on(tx)
    tx.run("workers.forget_dead")
    tx.one(int, "partitions.make_months", now=now, ahead=MONTHS_AHEAD)
    return tx.run("usage.forget", before=(now - COUNTERS_KEPT).date().isoformat())
