"""Importing a file that was uploaded: chosen for, imported in batches, each batch with what became of it.

Rule 1: a batch's leads, its counts, its bad rows and how far the file is done become durable together: an import that
        was killed goes on behind its last batch.
Rule 2: two who import the same file do not import it twice: each batch names the revision that it read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from relance.ports.store import Reader, Transaction
from relance.services.lead_files import BadRow, BatchResult, EmptyRow, LeadRow, import_batch
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.situations import Keys

KEPT: Final = timedelta(days=7)  #: An import, its bad rows and a file that nobody imported.
STILL: Final = timedelta(seconds=60)  #: An import that has not moved for so long has died: it may be gone on with.
WAITING: Final = 20  #: Files of a workspace that nobody has imported yet; with one more the oldest is forgotten.
_AT_ONCE: Final = 100


class ImportStatus(StrEnum):
    """How far an import is."""

    UPLOADED = "uploaded"  #: A person has yet to say what its columns are.
    RUNNING = "running"  #: Its batches are written; or whoever did that has died.
    FINISHED = "finished"
    FAILED = "failed"  #: It cannot go on; `problem` says why. What was imported stays.


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a person chose."""

    columns: Mapping[str, str] = field(default_factory=dict)  #: Header to field; an empty one is left out.
    headers: tuple[str, ...] = ()  #: Of the file, for the file of its bad rows.
    list_name: str | None = None
    sequence_name: str | None = None
    skip_known: bool = False  #: A person who is known stays as they are, and is not enrolled.


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadImport:
    """One file on its way."""

    workspace_id: int
    id: int
    token: str  #: The name of its file.
    file_name: str  #: As the person's own machine calls it.
    bytes: int
    author: str
    uploaded_at: datetime
    status: ImportStatus
    choices: Mapping[str, object]
    counts: Mapping[str, int]
    rows_done: int
    moved_at: datetime | None
    problem: str | None
    revision: int

    @property
    def chosen(self) -> Choices:
        """What was chosen, as a value."""
        given = self.choices
        columns, headers = given.get("columns"), given.get("headers")
        return Choices(
            headers=tuple(str(one) for one in headers) if isinstance(headers, list) else (),
            columns={str(k): str(v) for k, v in columns.items()} if isinstance(columns, Mapping) else {},
            list_name=str(given["list_name"]) if given.get("list_name") else None,
            sequence_name=str(given["sequence_name"]) if given.get("sequence_name") else None,
            skip_known=given.get("skip_known") is True,
        )


def add(
    tx: Transaction, *, workspace_id: int, token: str, file_name: str, size: int, author: str, now: datetime
) -> int:
    """Keep that a file was uploaded; return the import's id."""
    row = {"workspace_id": workspace_id, "token": token, "bytes": size, "author": author, "now": now}
    added = tx.one(int, "lead_imports.add", **row, file_name=file_name[:300] or "file.csv")
    assert added is not None  # noqa: S101  # INSERT … RETURNING returns a row or raises
    return added


def by_id(reader: Reader, workspace_id: int, import_id: int) -> LeadImport:
    """Return one import of this workspace. Raises NotFoundError."""
    found = reader.one(LeadImport, "lead_imports.get", workspace_id=workspace_id, id=import_id)
    if found is None:
        raise NotFoundError(f"there is no such import, or it is older than {KEPT.days} days: upload the file again")
    return found


def newest(reader: Reader, workspace_id: int, *, limit: int) -> list[LeadImport]:
    """Return the newest imports."""
    return reader.all(LeadImport, "lead_imports.newest", workspace_id=workspace_id, limit=limit)


def choose(tx: Transaction, wanted: LeadImport, chosen: Choices) -> None:
    """Keep what a person chose. Raises RefusedError where it is imported already, or chosen by somebody else."""
    choices = {
        "columns": dict(chosen.columns),
        "headers": chosen.headers,
        "list_name": chosen.list_name,
        "sequence_name": chosen.sequence_name,
        "skip_known": chosen.skip_known,
    }
    ids = {"workspace_id": wanted.workspace_id, "id": wanted.id, "read_revision": wanted.revision}
    if tx.run("lead_imports.choose", **ids, choices=choices) != 1:
        raise RefusedError("somebody else chose for this file, or started it: look at it again")


def begin(tx: Transaction, wanted: LeadImport, *, now: datetime) -> LeadImport:
    """Start importing, or go on with what stands still. Raises RefusedError where somebody does it, or it is done."""
    ids = {"workspace_id": wanted.workspace_id, "id": wanted.id}
    if tx.run("lead_imports.begin", **ids, now=now, still_since=now - STILL) != 1:
        raise RefusedError("it is being imported already, or it is done")
    return by_id(tx, wanted.workspace_id, wanted.id)


def advance(
    tx: Transaction,
    running: LeadImport,
    rows: Sequence[LeadRow | BadRow | EmptyRow],
    *,
    keys: Keys,
    now: datetime,
) -> LeadImport:
    """Import the next rows of the file, and count them. Raises RefusedError where the sequence is not live any more."""
    chosen = running.chosen
    done = import_batch(
        tx,
        [row for row in rows if isinstance(row, LeadRow)],
        workspace_id=running.workspace_id,
        source=f"import of {running.file_name}",
        list_name=chosen.list_name,
        sequence_name=chosen.sequence_name,
        keys=keys,
        now=now,
        skip_known_before=running.uploaded_at if chosen.skip_known else None,
    )
    bad = [*(row for row in rows if isinstance(row, BadRow)), *done.refused]
    ids = {"workspace_id": running.workspace_id}
    for row in bad:
        tx.run("lead_imports.add_error", **ids, import_id=running.id, line=row.line, reason=row.reason, raw=row.raw)
    counts = counted(running.counts, rows, done, invalid=len(bad))
    rows_done = running.rows_done + len(rows)
    moved = {"id": running.id, "read_revision": running.revision, "rows_done": rows_done, "counts": counts, "now": now}
    if tx.run("lead_imports.advance", **ids, **moved) != 1:
        raise RefusedError("somebody else imports this file")
    return replace(running, counts=counts, rows_done=rows_done, moved_at=now, revision=running.revision + 1)


def counted(
    before: Mapping[str, int], rows: Sequence[LeadRow | BadRow | EmptyRow], done: BatchResult, *, invalid: int
) -> dict[str, int]:
    """Return the counts with one batch more: imported + merged + skipped + invalid are its rows."""
    more = {
        "rows": len(rows),
        "imported": done.imported,
        "merged": done.merged,
        "skipped": done.skipped + sum(isinstance(row, EmptyRow) for row in rows),
        "invalid": invalid,
        "enrolled": done.enrolled,
        "already_enrolled": done.already_enrolled,
    }
    return {name: before.get(name, 0) + number for name, number in more.items()}


def finish(tx: Transaction, running: LeadImport, *, now: datetime) -> None:
    """Say that the whole file is imported."""
    ids = {"workspace_id": running.workspace_id, "id": running.id, "read_revision": running.revision}
    if tx.run("lead_imports.finish", **ids, now=now) != 1:
        raise RefusedError("somebody else imports this file")


def fail(tx: Transaction, running: LeadImport, *, problem: str, now: datetime) -> None:
    """Say why it cannot go on."""
    ids = {"workspace_id": running.workspace_id, "id": running.id}
    tx.run("lead_imports.fail", **ids, problem=problem[:1000], now=now)


def errors(reader: Reader, wanted: LeadImport, *, after: int, limit: int) -> list[BadRow]:
    """Return the next rows that could not be imported, by line."""
    return reader.all(
        BadRow,
        "lead_imports.errors",
        workspace_id=wanted.workspace_id,
        import_id=wanted.id,
        after=after,
        limit=limit,
    )


def forget_old(tx: Transaction, *, workspace_id: int, now: datetime) -> list[str]:
    """Forget imports of long ago and files that nobody imports; return the names of the files, to be deleted."""
    bounds = {"before": now - KEPT, "waiting": WAITING, "limit": _AT_ONCE}
    old = tx.all(LeadImport, "lead_imports.old", workspace_id=workspace_id, **bounds)
    for one in old:
        for statement in ("lead_imports.forget_errors", "lead_imports.forget"):
            tx.run(statement, workspace_id=workspace_id, id=one.id)
    return [one.token for one in old]
