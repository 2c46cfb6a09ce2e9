"""Writing whole values conditionally: a write names the revision that was read, or loses the race.

Rule 1: a changed status is written together with its history entry, or not at all.
Rule 2: no service updates one of these rows in any other way. Mailboxes and the shared holds on sequences are written
by several loops at once and have their own conditional statements instead.
"""

from collections.abc import Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment, HistoryEntry
from relance.core.events import Event
from relance.core.lead import Lead
from relance.core.sequence import Sequence
from relance.core.values import replace
from relance.ports.store import Transaction
from relance.services import counting
from relance.services.refusals import LostRaceError

T = TypeVar("T", Enrollment, Attempt)

#: What a row is born with. No write changes it, or touches the indexes over it.
_BORN: dict[type, tuple[str, ...]] = {
    Enrollment: ("uid", "sequence_id", "lead_id", "source_list", "created_at"),
    Attempt: ("enrollment_id", "lead_id", "sequence_id", "step_counter", "trace", "created_at"),
}
#: What a reservation decides of an attempt, and few other writes do.
_PLAN = (
    "mailbox_id", "step", "version", "variant", "message_id", "recipient", "opens_thread", "planned_at", "slot_day",
    "slot_hour",
)  # fmt: skip
_plan_of = attrgetter(*_PLAN)


_names: dict[type, tuple[str, ...]] = {}


def columns(value: object) -> dict[str, object]:
    """Return a dataclass's fields by name, as statement parameters."""
    names = _names.get(type(value))
    if names is None:
        names = _names[type(value)] = tuple(field.name for field in fields(value))  # type: ignore[arg-type]  # any dataclass
    return {name: getattr(value, name) for name in names}


def _changes(before: T, after: T, *, without: tuple[str, ...] = ()) -> dict[str, object]:
    """Return what a write may change, as parameters; `before` and `after` are one row."""
    born: tuple[str, ...] = _BORN[type(after)]
    if any(getattr(before, name) != getattr(after, name) for name in born):
        raise AssertionError(f"{before} cannot become {after}: what it was born with stays")
    values = columns(after)
    for name in (*born, *without):
        del values[name]
    return {**values, "revision": before.revision + 1, "read_revision": before.revision}


def save_enrollment(
    tx: Transaction, before: Enrollment, after: Enrollment, entry: HistoryEntry | None = None
) -> Enrollment:
    """Write `after` if the row is still as `before` was read; with its history entry when the status moved."""
    if entry is None and before.status is not after.status:
        message = f"enrollment {before.id} moved from {before.status} to {after.status} without a history entry"
        raise AssertionError(message)
    if tx.run("enrollments.save", **_changes(before, after)) != 1:
        raise LostRaceError(f"enrollment {before.id}")
    if entry is not None:
        tx.run("enrollments.append_history", **columns(entry))
    counting.moved(tx, before, after)
    return replace(after, revision=before.revision + 1)


def pin(tx: Transaction, before: Enrollment, *, mailbox_id: int, variants: Mapping[str, str]) -> Enrollment:
    """Keep who writes and in which wording, if the row is still as `before` was read."""
    ids = {"workspace_id": before.workspace_id, "id": before.id, "read_revision": before.revision}
    if tx.run("enrollments.pin", **ids, mailbox_id=mailbox_id, variants=variants) != 1:
        raise LostRaceError(f"enrollment {before.id}")
    return replace(
        before, mailbox_id=mailbox_id, variants=variants, last_skip_reason=None, revision=before.revision + 1
    )


def save_attempt(tx: Transaction, before: Attempt, after: Attempt) -> Attempt:
    """Write `after` if the row is still as `before` was read."""
    if _plan_of(before) == _plan_of(after):
        changed = tx.run("attempts.save", **_changes(before, after, without=_PLAN))
    else:
        changed = tx.run("attempts.plan_anew", **_changes(before, after))
    if changed != 1:
        raise LostRaceError(f"attempt {before.id}")
    counting.left(tx, before, after)
    return replace(after, revision=before.revision + 1)


def new_attempt(run: Enrollment, **facts: Any) -> Attempt:  # noqa: ANN401  # the other fields of an attempt, by name
    """Return an attempt of the step that a run stands on, not yet inserted."""
    return Attempt(
        workspace_id=run.workspace_id,
        id=0,
        enrollment_id=run.id,
        lead_id=run.lead_id,
        sequence_id=run.sequence_id,
        step=run.step,
        version=run.version,
        step_counter=run.step_counter,
        **facts,
    )


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
        proposed_version=saved.proposed_version,
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
