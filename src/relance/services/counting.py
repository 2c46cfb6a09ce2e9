"""Counting what happens, in the transaction in which it does.

Rule 1: a count is a row that nobody else touches, so that no two sends wait for each other; sums are made later.
Rule 2: an outcome counts once for a person in a sequence, and is ascribed to the message of ours that it answers.
Rule 3: days are those of UTC.
"""

from dataclasses import dataclass
from datetime import datetime

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.counts import Counts, Outcome
from relance.core.enrollment import Enrollment
from relance.ports.store import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """To what of ours somebody's outcome is ascribed."""

    workspace_id: int
    enrollment_id: int
    kind: Outcome
    sequence_id: int
    step: str
    variant: str
    mailbox_id: int
    day: str


def moved(tx: Transaction, before: Enrollment | None, after: Enrollment) -> None:
    """Count that somebody stands elsewhere now; `before` None: they have just come in."""
    if before is not None and _place(before) == _place(after):
        return
    tx.run(
        "numbers.move",
        workspace_id=after.workspace_id,
        sequence_id=after.sequence_id,
        from_version=before.version if before else None,
        from_step=before.step if before else None,
        from_status=before.status if before else None,
        version=after.version,
        step=after.step,
        status=after.status,
    )


def left(tx: Transaction, before: Attempt, after: Attempt) -> None:
    """Count a message that is known to have left since; one that was known before is counted already."""
    if after.status is not AttemptStatus.SENT or before.status is AttemptStatus.SENT or after.sent_at is None:
        return
    ids = {"workspace_id": after.workspace_id, "enrollment_id": after.enrollment_id}
    first = tx.one(int, "numbers.is_first_contact", **ids, attempt_id=after.id) is not None
    row = _ascribed(after, Outcome.REPLIED, after.sent_at)
    if row is not None:
        _change(tx, row, Counts(sent=1, contacted=1 if first else 0))


def came_of_it(tx: Transaction, attempt: Attempt, outcome: Outcome, *, now: datetime) -> bool:
    """Count what came of a message; return whether this person had it not yet."""
    row = _ascribed(attempt, outcome, now)
    if row is None or not _added(tx, row):
        return False
    _change(tx, row, Counts(**{outcome.value: 1}))
    return True


def taken_back(tx: Transaction, *, workspace_id: int, enrollment_id: int, outcome: Outcome) -> bool:
    """Take an outcome back that was misread, from the day that it was counted on; return whether there was one."""
    ids = {"workspace_id": workspace_id, "enrollment_id": enrollment_id}
    row = tx.one(OutcomeRow, "numbers.take_outcome_back", **ids, kind=outcome)
    if row is None:
        return False
    _change(tx, row, Counts(**{outcome.value: -1}))
    return True


def _added(tx: Transaction, row: OutcomeRow) -> bool:
    return (
        tx.run(
            "numbers.add_outcome",
            workspace_id=row.workspace_id,
            enrollment_id=row.enrollment_id,
            kind=row.kind,
            sequence_id=row.sequence_id,
            step=row.step,
            variant=row.variant,
            mailbox_id=row.mailbox_id,
            day=row.day,
        )
        == 1
    )


def _place(run: Enrollment) -> tuple[int, str, str]:
    return run.version, run.step, run.status


def _ascribed(attempt: Attempt, outcome: Outcome, at: datetime) -> OutcomeRow | None:
    """Return to what an outcome is ascribed; None for what no mailbox has sent."""
    if attempt.mailbox_id is None:
        return None
    return OutcomeRow(
        workspace_id=attempt.workspace_id,
        enrollment_id=attempt.enrollment_id,
        kind=outcome,
        sequence_id=attempt.sequence_id,
        step=attempt.step,
        variant=attempt.variant,
        mailbox_id=attempt.mailbox_id,
        day=at.date().isoformat(),
    )


def _change(tx: Transaction, row: OutcomeRow, by: Counts) -> None:
    tx.run(
        "numbers.change",
        workspace_id=row.workspace_id,
        sequence_id=row.sequence_id,
        step=row.step,
        variant=row.variant,
        mailbox_id=row.mailbox_id,
        day=row.day,
        contacted=by.contacted,
        sent=by.sent,
        replied=by.replied,
        positive=by.positive,
        auto=by.auto,
        bounced=by.bounced,
        opted_out=by.opted_out,
    )
