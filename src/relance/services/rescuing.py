"""Taking over what a process that died has left behind: locks, reservations, messages that were in flight.

Rule 1: what was only reserved has not left: its slot goes back and the step is tried again.
Rule 2: what was in flight may have left: it becomes `unknown`. That of an earlier engine does so at once, since that
        engine is gone; our own only after its last possible moment.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from relance.core import defaults
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.ports.store import Reader, Transaction
from relance.services import moving, slots
from relance.services.leasing import ALL_SHARDS, these
from relance.services.records import save_attempt, save_enrollment
from relance.services.sending.reserve import lock
from relance.services.sending.settle import lose

#: Statuses of an attempt of which nothing has left.
NOTHING_LEFT = frozenset({AttemptStatus.RESERVED, AttemptStatus.VOIDED, AttemptStatus.FAILED})
#: Between the last moment at which a dot may leave and the verdict that its sender is gone.
AFTER_RELEASE = timedelta(seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """An attempt that nobody works on, and its mailbox's shard."""

    workspace_id: int
    id: int
    enrollment_id: int
    shard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """An enrollment that somebody holds."""

    workspace_id: int
    id: int
    shard: int
    lock_holder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftBehind:
    """What nobody works on any more."""

    abandoned: list[Orphan]  #: In flight for an engine that is gone, or past the last moment of their dot.
    locked: list[Locked]  #: By a worker that is gone, or by this one for too long; who is at work the caller knows.
    slots: list[Orphan]  #: Ended, and still holding a slot.


def left_behind(
    reader: Reader,
    *,
    worker: str,
    now: datetime,
    limit: int,
    since: datetime | None = None,
    shards: Collection[int] = ALL_SHARDS,
) -> LeftBehind:
    """Return what looks left behind in these shards, as a worker sees it that has owned them `since` then."""
    shard_list = these(shards)
    over = now - AFTER_RELEASE
    if since is not None:
        over = max(over, since + defaults.RELEASE_DEADLINE)  # the deadline of what began when we came
    return LeftBehind(
        abandoned=reader.all(Orphan, "attempts.abandoned", shard_list=shard_list, now=over, limit=limit),
        locked=reader.all(
            Locked, "enrollments.left_locked", shard_list=shard_list, worker=worker, now=now, limit=limit
        ),
        slots=reader.all(Orphan, "attempts.slots_left_behind", shard_list=shard_list, limit=limit),
    )


def take_over(tx: Transaction, *, workspace_id: int, enrollment_id: int, holder: str) -> bool:
    """Let a dead holder's row go. A message that was in flight keeps its row locked until it is called unknown."""
    enrollment = lock(tx, workspace_id, enrollment_id)
    if enrollment is None or enrollment.lock_holder != holder:
        return False
    attempt = tx.one(
        Attempt,
        "attempts.of_step",
        workspace_id=workspace_id,
        enrollment_id=enrollment_id,
        step_counter=enrollment.step_counter,
    )
    if attempt is not None and attempt.status is AttemptStatus.IN_FLIGHT:
        return False
    if attempt is not None and attempt.status is AttemptStatus.RESERVED:
        return_slot(tx, attempt)
    freed = moving.unlocked(enrollment)
    if enrollment.last_sent_at is None:
        freed = replace(freed, mailbox_id=None)
    save_enrollment(tx, enrollment, freed)
    return True


def give_up_on(tx: Transaction, attempt: Attempt | Orphan, *, now: datetime) -> None:
    """Call an abandoned attempt unknown."""
    lose(
        tx,
        workspace_id=attempt.workspace_id,
        attempt_id=attempt.id,
        error="its process ended before it could say what became of it",
        now=now,
    )


def return_slot(tx: Transaction, found: Attempt | Orphan) -> None:
    """Give back what an attempt that has not left still holds, whatever was read of it before."""
    ids = {"workspace_id": found.workspace_id}
    attempt = tx.one(Attempt, "attempts.get", **ids, id=found.id)
    if attempt is None or attempt.status not in NOTHING_LEFT:
        return
    mailbox = tx.one(Mailbox, "mailboxes.get", **ids, id=attempt.mailbox_id)
    enrollment = tx.one(Enrollment, "enrollments.get", **ids, id=attempt.enrollment_id)
    if mailbox is None or enrollment is None or not attempt.holds_slot:
        return
    slots.give_back(tx, attempt, mailbox=mailbox, enrollment=enrollment)
    save_attempt(tx, attempt, replace(attempt, holds_slot=False))
