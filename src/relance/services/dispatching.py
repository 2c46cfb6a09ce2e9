"""Finding what can be sent now: lanes of mailbox × sequence, one enrollment a visit, least recently served first.

Rule 1: only mailboxes that are free now are looked at, so that a backlog behind exhausted ones costs nothing.
Rule 2: first the most-due row of each sequence, then the second of each; workspaces take turns outermost.
Rule 3: a claim is a conditional write of the lock; whoever comes second finds nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from relance.core.events import EventName
from relance.core.mailbox import Mailbox
from relance.core.sequence import Order, Plan, Sequence
from relance.ports.store import Reader, Transaction
from relance.services import moving
from relance.services.leasing import ALL_SHARDS, Hold, fence, these
from relance.services.records import save_enrollment
from relance.services.sending.reserve import lock
from relance.services.situations import plan_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One enrollment, locked for one worker, and the mailbox that will send it, with its shard."""

    workspace_id: int
    enrollment_id: int
    step_counter: int
    mailbox_id: int
    shard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    id: int
    step_counter: int
    ready_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Free:
    """A mailbox that could send now, as much of it as the choice needs."""

    workspace_id: int
    id: int
    shard: int
    address: str
    pool: str


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
) -> list[Claim]:
    """Lock at most `limit` enrollments, at most one per mailbox of these shards that is free and not in `busy`."""
    if tx.one(int, "enrollments.any_to_send", now=now) is None:
        return []
    claims: list[Claim] = []
    sequences: dict[int, list[Sequence]] = {}
    had_turn = {turn.workspace_id: turn.at for turn in tx.all(_Turn, "mailboxes.turns_of_workspaces")}
    free = [m for m in tx.all(_Free, "mailboxes.free", shard_list=these(shards), now=now) if m.id not in busy]
    pools = _Pools(tx, now)
    for mailbox in _workspaces_in_turn(free, had_turn):
        if len(claims) >= limit:
            break
        workspace_id = mailbox.workspace_id
        if workspace_id not in sequences:
            sequences[workspace_id] = tx.all(Sequence, "sequences.sendable", workspace_id=workspace_id, now=now)
        for sequence in list(sequences[workspace_id]):
            candidate = _most_due(tx, sequence, mailbox, pools, now)
            if candidate is None:
                continue
            locked = tx.run(
                "enrollments.claim",
                workspace_id=workspace_id,
                id=candidate.id,
                step_counter=candidate.step_counter,
                worker=worker,
                lock_expires_at=lock_expires_at,
                now=now,
            )
            if locked != 1:
                continue
            sequences[workspace_id].remove(sequence)
            sequences[workspace_id].append(sequence)
            claims.append(
                Claim(
                    workspace_id=workspace_id,
                    enrollment_id=candidate.id,
                    step_counter=candidate.step_counter,
                    mailbox_id=mailbox.id,
                    shard=mailbox.shard,
                )
            )
            break
    return claims


def admits(plan: Plan, mailbox: Mailbox | _Free) -> bool:
    """Whether a sequence may open conversations from this mailbox."""
    if plan.mailboxes:
        address = mailbox.address.casefold()
        named = {each.casefold() for each in plan.mailboxes}
        return address in named or f"@{address.rpartition('@')[2]}" in named
    return plan.pool == mailbox.pool


def mailboxes_of(reader: Reader, workspace_id: int, plan: Plan) -> list[Mailbox]:
    """Return every mailbox, whatever its state, from which this plan may open conversations."""
    listed = reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id)
    return [m for m in listed if admits(plan, m)]


def _most_due(reader: Reader, sequence: Sequence, mailbox: _Free, pools: "_Pools", now: datetime) -> _Candidate | None:
    """Return the earliest ready row of this sequence that this mailbox may send: its own follow-ups, or a new one.

    Which of the two comes first is the sequence's `order`; the other is asked for only where it counts.
    """
    order = pools.plan_of(sequence).order
    if order is Order.NEW_LEADS_FIRST and (new := pools.most_due(sequence, mailbox)) is not None:
        return new
    ids = {"workspace_id": mailbox.workspace_id, "sequence_id": sequence.id, "now": now}
    best = reader.one(_Candidate, "enrollments.earliest_of_mailbox", **ids, mailbox_id=mailbox.id)
    if order is Order.NEW_LEADS_FIRST or (order is Order.FOLLOW_UPS_FIRST and best is not None):
        return best
    pooled = pools.most_due(sequence, mailbox)
    if pooled is None or (best is not None and best.ready_at <= pooled.ready_at):
        return best
    return pooled


class _Pools:
    """People whom no mailbox has written to yet, within one claim: a sequence found to have none is not asked again."""

    def __init__(self, reader: Reader, now: datetime) -> None:
        self._reader = reader
        self._now = now
        self._plans: dict[int, Plan] = {}
        self._empty: set[int] = set()

    def most_due(self, sequence: Sequence, mailbox: _Free) -> _Candidate | None:
        """Return the earliest ready one of this sequence, if this mailbox may open its conversations now."""
        resting = sequence.new_leads_until is not None and sequence.new_leads_until > self._now
        if sequence.id in self._empty or resting or not admits(self.plan_of(sequence), mailbox):
            return None
        ids = {"workspace_id": sequence.workspace_id, "sequence_id": sequence.id, "now": self._now}
        found = self._reader.one(_Candidate, "enrollments.earliest_of_pool", **ids)
        if found is None:
            self._empty.add(sequence.id)
        return found

    def plan_of(self, sequence: Sequence) -> Plan:
        """Return what the sequence's present version says, read once."""
        if sequence.id not in self._plans:
            self._plans[sequence.id] = plan_of(self._reader, sequence.workspace_id, sequence.id, sequence.version)
        return self._plans[sequence.id]


def _workspaces_in_turn(mailboxes: list[_Free], had_turn: Mapping[int, datetime]) -> list[_Free]:
    """Interleave workspaces: each one's first mailbox, then each one's second; who waited longest comes first."""
    longest_first = sorted(
        dict.fromkeys(m.workspace_id for m in mailboxes),
        key=lambda one: (one in had_turn, had_turn.get(one, datetime.min.replace(tzinfo=UTC))),
    )
    by_workspace: dict[int, list[_Free]] = {workspace_id: [] for workspace_id in longest_first}
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
