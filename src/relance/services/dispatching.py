"""Finding what can be sent now: lanes of mailbox × sequence, one enrollment a visit, least recently served first.

Rule 1: only mailboxes that are free now are looked at, so that a backlog behind exhausted ones costs nothing, and of
        these only such as somebody waits for, so that one without work costs nothing either.
Rule 2: first the most-due row of each sequence, then the second of each; workspaces take turns outermost.
Rule 3: a claim is a conditional write of the lock; whoever comes second finds nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from relance.core.events import EventName
from relance.core.mailbox import Mailbox
from relance.core.sequence import Plan, Sequence
from relance.ports.store import Reader, Transaction
from relance.services import moving
from relance.services.candidates import LISTED, Candidate, Due, Free, admits, who_is_due
from relance.services.leasing import ALL_SHARDS, Hold, fence, these
from relance.services.records import save_enrollment
from relance.services.sending.reserve import lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One enrollment, locked for one worker, and the mailbox that will send it, with its shard."""

    workspace_id: int
    enrollment_id: int
    step_counter: int
    mailbox_id: int
    shard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    workspace_id: int
    at: datetime


def claim_as_owner(
    tx: Transaction,
    holds: Collection[Hold],
    *,
    worker: str,
    lock_expires_at: datetime,
    now: datetime,
    busy: Collection[int],
    limit: int,
) -> list[Claim]:
    """Claim for the mailboxes of these shards, one worker's own. Raises FencedError if one of them is not."""
    by_shard = {hold.shard: hold for hold in holds}
    claims = claim(
        tx, worker=worker, lock_expires_at=lock_expires_at, now=now, busy=busy, limit=limit, shards=tuple(by_shard)
    )
    fence(tx, [by_shard[shard] for shard in sorted({claimed.shard for claimed in claims})])
    return claims


def claim(
    tx: Transaction,
    *,
    worker: str,
    lock_expires_at: datetime,
    now: datetime,
    busy: Collection[int],
    limit: int,
    shards: Collection[int] = ALL_SHARDS,
    listed: int = LISTED,
) -> list[Claim]:
    """Lock at most `limit` enrollments, at most one per mailbox of these shards that is free and not in `busy`.

    `listed`: from how many due rows on each mailbox asks for its own; what is claimed is the same.
    """
    due = who_is_due(tx, now=now, listed=listed)
    if due.nobody:
        return []
    free = [mailbox for mailbox in _free(tx, due, these(shards), now) if mailbox.id not in busy]
    claims: list[Claim] = []
    sequences: dict[int, list[Sequence]] = {}
    waiting = _workspaces_in_turn(tx, free)
    while waiting:
        due.rotations.begin()
        left = []
        for mailbox in waiting:
            if len(claims) >= limit:
                return claims
            workspace_id = mailbox.workspace_id
            if workspace_id not in sequences:
                sequences[workspace_id] = tx.all(Sequence, "sequences.sendable", workspace_id=workspace_id, now=now)
            claimed = _claim_one(
                tx, due, sequences[workspace_id], mailbox, free, worker=worker, lock_expires_at=lock_expires_at, now=now
            )
            if claimed is None:
                left.append(mailbox)
            else:
                claims.append(claimed)
        waiting = left if due.rotations.somebody_waited and len(left) < len(waiting) else []
    return claims


def _claim_one(
    tx: Transaction,
    due: Due,
    sequences: list[Sequence],
    mailbox: Free,
    free: list[Free],
    *,
    worker: str,
    lock_expires_at: datetime,
    now: datetime,
) -> Claim | None:
    """Lock one enrollment for this mailbox; the sequence that had its turn goes behind the others."""
    for sequence in list(sequences):
        candidate = _lock_most_due(
            tx, due, sequence, mailbox, free, worker=worker, lock_expires_at=lock_expires_at, now=now
        )
        if candidate is None:
            continue
        due.rotations.leave_out(mailbox.id)
        sequences.remove(sequence)
        sequences.append(sequence)
        return Claim(
            workspace_id=mailbox.workspace_id,
            enrollment_id=candidate.id,
            step_counter=candidate.step_counter,
            mailbox_id=mailbox.id,
            shard=mailbox.shard,
        )
    return None


def _lock_most_due(
    tx: Transaction,
    due: Due,
    sequence: Sequence,
    mailbox: Free,
    free: list[Free],
    *,
    worker: str,
    lock_expires_at: datetime,
    now: datetime,
) -> Candidate | None:
    """Lock the row that this mailbox is to send next; whoever another worker has locked meanwhile is passed over."""
    while (candidate := due.most_due(sequence, mailbox, free)) is not None:
        due.source.strike(candidate)
        locked = tx.run(
            "enrollments.claim",
            workspace_id=mailbox.workspace_id,
            id=candidate.id,
            step_counter=candidate.step_counter,
            worker=worker,
            lock_expires_at=lock_expires_at,
            now=now,
        )
        if locked == 1:
            return candidate
    return None


def mailboxes_of(reader: Reader, workspace_id: int, plan: Plan) -> list[Mailbox]:
    """Return every mailbox, whatever its state, from which this plan may open conversations."""
    listed = reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id)
    return [m for m in listed if admits(plan, m)]


def _free(reader: Reader, due: Due, shards: tuple[int, ...] | None, now: datetime) -> list[Free]:
    """Return the mailboxes that could send now and that somebody waits for."""
    if due.mailbox_ids is None:
        return reader.all(Free, "mailboxes.free", shard_list=shards, now=now)
    return reader.all(Free, "mailboxes.free_among", mailbox_list=due.mailbox_ids, shard_list=shards, now=now)


def _workspaces_in_turn(reader: Reader, mailboxes: list[Free]) -> list[Free]:
    """Interleave workspaces: each one's first mailbox, then each one's second; who waited longest comes first."""
    if len({mailbox.workspace_id for mailbox in mailboxes}) <= 1:
        return mailboxes
    had_turn = {turn.workspace_id: turn.at for turn in reader.all(_Turn, "mailboxes.turns_of_workspaces")}
    longest_first = sorted(
        dict.fromkeys(m.workspace_id for m in mailboxes),
        key=lambda one: (one in had_turn, had_turn.get(one, datetime.min.replace(tzinfo=UTC))),
    )
    by_workspace: dict[int, list[Free]] = {workspace_id: [] for workspace_id in longest_first}
    for mailbox in mailboxes:
        by_workspace[mailbox.workspace_id].append(mailbox)
    rounds = max((len(queue) for queue in by_workspace.values()), default=0)
    return [queue[i] for i in range(rounds) for queue in by_workspace.values() if i < len(queue)]


def release_lock(tx: Transaction, claimed: Claim, *, worker: str) -> None:
    """Let a claimed row go untouched."""
    tx.run("enrollments.unlock", workspace_id=claimed.workspace_id, id=claimed.enrollment_id, worker=worker)


def put_off(
    tx: Transaction, claimed: Claim, *, worker: str, until: datetime, reason: str, detail: str, now: datetime
) -> None:
    """Let a claimed row go whose sending came to grief, not before `until`: it must not be claimed before all others.

    Its attempt is left as it is. What was reserved is reserved anew; what was in flight is for the rescuer.
    """
    enrollment = lock(tx, claimed.workspace_id, claimed.enrollment_id)
    if enrollment is None or enrollment.lock_holder != worker:
        return
    moving.note(tx, enrollment, EventName.STEP_TRIED, detail[:500], now)
    later = moving.unpinned(moving.unlocked(enrollment))
    save_enrollment(tx, enrollment, replace(later, skip_until=until, last_skip_reason=reason, last_skip_at=now))
