"""Importing a batch of rows: one transaction, every row counted, none taking another along."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from relance.ports.store import Reader, Transaction
from relance.services import enrollments, leads
from relance.services.lead_files.reading import BadRow, LeadRow
from relance.services.mailboxes import own_addresses
from relance.services.refusals import RefusedError
from relance.services.situations import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What became of one batch; imported + merged + skipped + refused are its rows."""

    imported: int
    merged: int
    skipped: int  #: Addresses of our own mailboxes, which are never leads; entries whose key came in before.
    refused: tuple[BadRow, ...]
    enrolled: int = 0
    already_enrolled: int = 0


def import_batch(  # noqa: PLR0913  # what is to become of the rows
    tx: Transaction,
    rows: Sequence[LeadRow],
    *,
    workspace_id: int,
    source: str,
    list_name: str | None,
    sequence_name: str | None,
    keys: Keys,
    now: datetime,
    skip_known_before: datetime | None = None,
) -> BatchResult:
    """Add or merge every row, put it on the list and enroll it. Raises RefusedError if the sequence is not live.

    `skip_known_before`: who was a lead then is left as they are, and neither put on the list nor enrolled.
    """
    ours = own_addresses(tx, workspace_id)
    if skip_known_before is not None:
        emails = [row.email for row in rows]
        ours |= leads.known_among(tx, workspace_id=workspace_id, emails=emails, before=skip_known_before)
    imported = merged = skipped = 0
    refused: list[BadRow] = []
    lead_ids: list[int] = []
    for row in rows:
        if row.email in ours:
            skipped += 1
            continue
        try:
            added = leads.add(
                tx,
                workspace_id=workspace_id,
                email=row.email,
                values=row.values,
                source=source,
                list_name=list_name,
                now=now,
                key=row.key,
            )
        except RefusedError as error:
            refused.append(BadRow(line=row.line, reason=str(error), raw=row.raw))
            continue
        lead_ids.append(added.lead_id)
        match added.outcome:
            case leads.Addition.ADDED:
                imported += 1
            case leads.Addition.MERGED:
                merged += 1
            case leads.Addition.REPEATED:
                skipped += 1
    enrolled = already = 0
    if sequence_name is not None and lead_ids:
        done = enrollments.enroll(
            tx,
            workspace_id=workspace_id,
            sequence_name=sequence_name,
            lead_ids=dict.fromkeys(lead_ids),
            source_list=list_name,
            keys=keys,
            now=now,
        )
        enrolled, already = done.enrolled, done.already
    return BatchResult(
        imported=imported,
        merged=merged,
        skipped=skipped,
        refused=tuple(refused),
        enrolled=enrolled,
        already_enrolled=already,
    )


def preview_batch(
    reader: Reader, rows: Sequence[LeadRow], *, workspace_id: int, seen: set[str], skip_known: bool = False
) -> BatchResult:
    """Say what importing would do, and write nothing. `seen` holds the addresses of earlier batches and is added to."""
    ours = own_addresses(reader, workspace_id)
    known = leads.known_among(reader, workspace_id=workspace_id, emails=[row.email for row in rows])
    imported = merged = skipped = 0
    for row in rows:
        if row.email in ours or (skip_known and row.email in known):
            skipped += 1
        elif row.email in seen or row.email in known:
            merged += 1
        else:
            imported += 1
        seen.add(row.email)
    return BatchResult(imported=imported, merged=merged, skipped=skipped, refused=())
