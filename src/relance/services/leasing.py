"""The lease of the shards: the one authority on which process may act. It runs on the database's real clock."""

from dataclasses import dataclass
from datetime import datetime

from relance.ports.store import Reader, Transaction

SHARDS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Who works one shard."""

    id: int
    owner: str | None
    epoch: int
    lease_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """All shards are this worker's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldElsewhere:
    """Another engine works on this database, until then at least."""

    owner: str
    until: datetime


def take_all(tx: Transaction, *, owner: str, lease_seconds: float, alone: bool) -> Taken | HeldElsewhere:
    """Take every shard, or none. `alone`: a file lock already proves that no other engine lives."""
    if alone:
        tx.run("shards.take_all", owner=owner, lease_seconds=lease_seconds)
        return Taken()
    free = tx.all(Shard, "shards.free", size=SHARDS)
    if len(free) < SHARDS:
        ids = {shard.id for shard in free}
        for held in tx.all(Shard, "shards.list"):
            if held.id not in ids and held.owner is not None and held.lease_until is not None:
                return HeldElsewhere(owner=held.owner, until=held.lease_until)
    for shard in free:
        params = {"id": shard.id, "epoch": shard.epoch}
        if tx.one(int, "shards.take", **params, owner=owner, lease_seconds=lease_seconds) is None:
            raise LostShardError(shard.id)
    return Taken()


class LostShardError(Exception):
    """Another engine was faster; read again."""

    def __init__(self, shard_id: int) -> None:
        super().__init__(f"shard {shard_id} was taken by another engine")


def renew(tx: Transaction, *, owner: str, lease_seconds: float) -> bool:
    """Prolong the lease; False means that it was lost and nothing may be done any more."""
    return len(tx.all(int, "shards.renew", owner=owner, lease_seconds=lease_seconds)) == SHARDS


def hand_back(tx: Transaction, *, owner: str) -> None:
    """Free what this worker holds, after it has drained."""
    for shard in tx.all(Shard, "shards.list"):
        if shard.owner == owner:
            tx.run("shards.hand_back", id=shard.id, owner=owner, epoch=shard.epoch)


def owners(reader: Reader) -> list[str]:
    """Return the workers whose lease runs."""
    return reader.all(str, "shards.live_owners")
