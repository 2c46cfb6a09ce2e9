"""Who may act for what: workers share the shards; each shard has one owner, an epoch that grows, and a lease.

Rule 1: leases run on the database's real clock. A worker's own and those of its shards are prolonged together, so that
        none of its shards outlasts it.
Rule 2: a shard changes hands only when it is let go or its lease has ended, and its epoch grows each time.
Rule 3: who decides something for a shard does it `fenced`: its transaction holds the shard's row, and fails if that has
        changed hands. What is already true outside (a message that left, an answer that was read) is no decision.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from relance.ports.store import Reader, Transaction

T = TypeVar("T")
P = ParamSpec("P")
SHARDS = 256
ALL_SHARDS = tuple(range(SHARDS))
#: The shard whose owner does what needs doing once in the whole installation.
FIRST = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One worker's right to act for one shard. It is worth nothing once the shard's epoch has grown."""

    shard: int
    owner: str
    epoch: int


class FencedError(Exception):
    """The shard has changed hands since. Nothing was written, and nothing may be done for it any more."""

    def __init__(self, hold: Hold) -> None:
        super().__init__(f"shard {hold.shard} is no longer {hold.owner}'s at epoch {hold.epoch}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one worker owns, and how much it should."""

    holds: tuple[Hold, ...]
    target: int
    live: int  #: Workers that share the work, this one among them.


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What may be a reason to take, or to give away."""

    live: int
    free: int  #: Shards that nobody owns, or only somebody whose lease has ended.


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One who takes part."""

    name: str
    started_at: datetime
    shards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owned:
    id: int
    epoch: int


def these(shards: Collection[int]) -> tuple[int, ...] | None:
    """Return shards as statements take them: None says all of them, which costs no comparison."""
    return None if len(shards) == SHARDS else tuple(shards)


def fenced(
    tx: Transaction, hold: Hold, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run a service as the shard's owner, or not at all. Raises FencedError."""
    if tx.one(int, "shards.hold_one", owner=hold.owner, shard=hold.shard) != hold.epoch:
        raise FencedError(hold)
    return fn(tx, *args, **kwargs)


def fence(tx: Transaction, holds: Collection[Hold]) -> None:
    """Hold these shards' rows until the transaction ends. Raises FencedError if one of them has changed hands."""
    shards: dict[str, list[int]] = {}
    for hold in holds:
        shards.setdefault(hold.owner, []).append(hold.shard)
    owned = {
        Hold(shard=row.id, owner=owner, epoch=row.epoch)
        for owner, listed in shards.items()
        for row in tx.all(_Owned, "shards.hold", owner=owner, shard_list=listed)
    }
    for hold in holds:
        if hold not in owned:
            raise FencedError(hold)


def take_part(tx: Transaction, *, owner: str, lease_seconds: float) -> Share:
    """Prolong what this worker owns, join if it is new, and take what it is short of from what is free."""
    rows = tx.all(_Owned, "shards.renew", owner=owner, lease_seconds=lease_seconds)
    tx.run("workers.renew", name=owner, lease_seconds=lease_seconds)
    live = tx.one(int, "workers.count_live") or 1
    target = -(-SHARDS // live)
    if len(rows) < target:
        short = target - len(rows)
        rows += tx.all(_Owned, "shards.take", owner=owner, lease_seconds=lease_seconds, size=short)
    return _share(owner, rows, target, live)


def take_all(tx: Transaction, *, owner: str, lease_seconds: float) -> Share:
    """Take every shard, whoever had it: a file lock proves that no other engine lives."""
    rows = tx.all(_Owned, "shards.take_all", owner=owner, lease_seconds=lease_seconds)
    tx.run("workers.forget_others", name=owner)
    tx.run("workers.renew", name=owner, lease_seconds=lease_seconds)
    return _share(owner, rows, SHARDS, 1)


def _share(owner: str, rows: Iterable[_Owned], target: int, live: int) -> Share:
    holds = tuple(Hold(shard=row.id, owner=owner, epoch=row.epoch) for row in sorted(rows, key=lambda row: row.id))
    return Share(holds=holds, target=target, live=live)


def outlook(reader: Reader) -> Outlook:
    """Return how many share the work, and how many shards are free."""
    return Outlook(live=reader.one(int, "workers.count_live") or 0, free=reader.one(int, "shards.count_free") or 0)


def hand_back(tx: Transaction, *, owner: str, shards: Collection[int]) -> frozenset[int]:
    """Let go of drained shards; return those that were."""
    return frozenset(tx.all(int, "shards.hand_back", owner=owner, shard_list=tuple(shards)))


def leave(tx: Transaction, *, owner: str) -> None:
    """Let go of everything of a worker that has drained, or is known to have ended."""
    tx.run("shards.free_of", owner=owner)
    tx.run("workers.leave", name=owner)


def workers(reader: Reader) -> list[Worker]:
    """Return everybody who takes part."""
    return reader.all(Worker, "workers.live")
