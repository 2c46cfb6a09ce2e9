"""Writing whole values conditionally: a write names the revision that was read, or loses the race.

Rule 1: a changed status is written together with its history entry, or not at all.
Rule 2: no service updates one of these rows in any other way. Mailboxes and the shared holds on sequences are written
by several loops at once and have their own conditional statements instead.
"""

from dataclasses import fields, replace

from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment, HistoryEntry
from relance.core.events import Event
from relance.core.lead import Lead
from relance.core.sequence import Sequence
from relance.ports.store import Transaction
from relance.services.refusals import LostRaceError


def columns(value: object) -> dict[str, object]:
    """Return a dataclass's fields by name, as statement parameters."""
    return {f.name: getattr(value, f.name) for f in fields(value)}  # type: ignore[arg-type]  # any dataclass


def save_enrollment(
    tx: Transaction, before: Enrollment, after: Enrollment, entry: HistoryEntry | None = None
) -> Enrollment:
    """Write `after` if the row is still as `before` was read; with its history entry when the status moved."""
    if entry is None and before.status is not after.status:
        message = f"enrollment {before.id} moved from {before.status} to {after.status} without a history entry"
        raise AssertionError(message)
    saved = replace(after, revision=before.revision + 1)
    if tx.run("enrollments.save", **columns(saved), read_revision=before.revision) != 1:
        raise LostRaceError(f"enrollment {before.id}")
    if entry is not None:
        tx.run("enrollments.append_history", **columns(entry))
    return saved


def save_attempt(tx: Transaction, before: Attempt, after: Attempt) -> Attempt:
    """Write `after` if the row is still as `before` was read."""
    saved = replace(after, revision=before.revision + 1)
    if tx.run("attempts.save", **columns(saved), read_revision=before.revision) != 1:
        raise LostRaceError(f"attempt {before.id}")
    return saved


def insert_attempt(tx: Transaction, attempt: Attempt) -> int:
    """Insert the row that is the right to send. A second one for the same step is a ConflictError."""
    values = columns(attempt)
    del values["id"]
    new_id = tx.one(int, "attempts.insert", **values)
    assert new_id is not None  # noqa: S101  # INSERT … RETURNING without ON CONFLICT returns a row or raises
    return new_id


def save_sequence(tx: Transaction, before: Sequence, after: Sequence) -> Sequence:
    """Write `after` if the row is still as `before` was read."""
    saved = replace(after, revision=before.revision + 1)
    changed = tx.run(
        "sequences.save",
        workspace_id=saved.workspace_id,
        id=saved.id,
        status=saved.status,
        version=saved.version,
        revision=saved.revision,
        read_revision=before.revision,
    )
    if changed != 1:
        raise LostRaceError(f"sequence {before.name}")
    return saved


def save_lead(tx: Transaction, before: Lead, after: Lead) -> Lead:
    """Write `after` if the row is still as `before` was read."""
    saved = replace(after, revision=before.revision + 1)
    if tx.run("leads.save", **columns(saved), read_revision=before.revision) != 1:
        raise LostRaceError(f"lead {before.email}")
    return saved


def record(tx: Transaction, event: Event) -> None:
    """Append one line to what happened."""
    tx.run("events.append", **columns(event))
