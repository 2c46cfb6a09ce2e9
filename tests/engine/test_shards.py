"""Workers that share the shards: who joins, leaves, dies or sleeps, and what each of them may still do."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from engine.rig import LEASE, WITHIN, Parts, Rig, until
from relance.engine.shards import Shards
from relance.ports.store import Transaction
from relance.services import dispatching, leasing
from relance.services.leasing import SHARDS, FencedError, Hold
from relance.testing import builders

Service = Callable[[Transaction], str]


async def rounds(workers: Sequence[Shards], times: int = 4) -> None:
    """Let everybody look, one after the other, as often as it takes."""
    for _ in range(times):
        for worker in workers:
            await worker.run_once()


def owned(workers: Sequence[Shards]) -> list[int]:
    """Return how many shards each one may act for."""
    return [len(worker.holds()) for worker in workers]


async def expire(rig: Rig, worker: str) -> None:
    """Let a worker's lease end, as if it had not been renewed."""
    await rig.store.inner.write(leasing.take_part, owner=worker, lease_seconds=-1.0)


@pytest.mark.parametrize("alone", [True, False])
async def test_what_was_handed_back_is_held_no_more(rig: Rig, alone: bool):  # noqa: FBT001  # a parameter
    """Not even by the engine that has the file to itself."""
    shards = rig.shards("w1", alone=alone)
    await shards.take()
    (hold, *_), held = shards.holds(), len(shards.holds())
    await shards.hand_back()

    assert (SHARDS, 0, False) == (held, len(shards.holds()), shards.still(hold))


@pytest.mark.parametrize("seconds", [1.0, 30.0])
async def test_a_lease_that_nobody_renews_ends_before_the_database_says_so(rig: Rig, seconds: float):
    """A process that was stopped finds out by its own clock, with a margin, whatever the length."""
    shards = rig.shards("w1", alone=False, seconds=seconds)
    await shards.take()
    hold = shards.holds()[0]
    rig.monotonic.advance(seconds * 0.9)
    held = shards.still(hold)
    rig.monotonic.advance(seconds * 0.05)

    assert (True, False) == (held, shards.still(hold))
    assert (None, ()) == (shards.hold(hold.shard), shards.holds())


async def test_a_lease_is_counted_from_before_it_was_asked_for(rig: Rig, monkeypatch: pytest.MonkeyPatch):
    """The database counts from when it heard; an answer that came late must not make the lease longer here."""
    write, shards = rig.store.write, rig.shards("w1", alone=False)

    async def late(*args: Any, **facts: Any) -> Any:
        answer = await write(*args, **facts)
        rig.monotonic.advance(LEASE * 0.6)
        return answer

    monkeypatch.setattr(rig.store, "write", late)
    await shards.take()
    taken = len(shards.holds())
    rig.monotonic.advance(LEASE * 0.35)
    ended = len(shards.holds())
    await shards.run_once()
    renewed = len(shards.holds())
    rig.monotonic.advance(LEASE * 0.35)

    assert (SHARDS, 0, SHARDS, 0) == (taken, ended, renewed, len(shards.holds()))


async def test_a_lease_that_ended_goes_on_if_nobody_came(any_rig: Rig):
    """The database was away for longer than the lease; the same epochs count again."""
    shards = any_rig.shards("w1", alone=False)
    await shards.take()
    before = shards.holds()
    await expire(any_rig, "w1")
    any_rig.monotonic.advance(LEASE * 2)
    ended = shards.holds()
    await shards.run_once()

    assert ((), before) == (ended, shards.holds())


async def test_workers_share_evenly_whoever_comes(any_rig: Rig):
    """One has all; of two each has half; of three nobody has more than a third, and nothing is nobody's."""
    workers = [any_rig.shards(f"w{n}", alone=False) for n in range(3)]
    seen = []
    for n in range(3):
        await workers[n].take()
        await rounds(workers[: n + 1])
        seen.append(owned(workers[: n + 1]))

    assert [[256], [128, 128]] == seen[:2]
    assert SHARDS == sum(seen[2])
    assert 86 == max(seen[2])
    assert SHARDS == len({hold.shard for worker in workers for hold in worker.holds()})


async def test_what_a_leaver_had_is_taken_by_the_others(any_rig: Rig):
    """At their next look, without waiting for a lease to end."""
    workers = [any_rig.shards(f"w{n}", alone=False) for n in range(2)]
    for worker in workers:
        await worker.take()
    await rounds(workers)
    await workers[1].hand_back()
    await rounds(workers[:1])

    assert [256] == owned(workers[:1])


async def test_what_the_dead_had_is_taken_once_their_lease_has_ended(any_rig: Rig):
    """Not a moment earlier: they may only be slow."""
    workers = [any_rig.shards(f"w{n}", alone=False) for n in range(2)]
    for worker in workers:
        await worker.take()
    await rounds(workers)
    await rounds(workers[:1])
    before = owned(workers[:1])
    await expire(any_rig, "w1")
    await rounds(workers[:1])

    assert ([128], [256]) == (before, owned(workers[:1]))


async def test_a_restart_on_this_host_waits_for_no_lease(any_rig: Rig):
    """The lock of the one before us tells that it is dead."""
    first, second = (any_rig.shards(name, alone=False) for name in ("w1", "w2"))
    await first.take()
    await second.take(dead=["w1"])

    assert 256 == len(second.holds())


async def test_a_shard_is_drained_before_it_goes(any_rig: Rig):
    """Nothing new begins for it, what runs may finish, what is open is closed; then it goes to the other."""
    first, second = (any_rig.shards(name, alone=False) for name in ("w1", "w2"))
    await first.take()
    closed: list[int] = []

    async def close(shards: frozenset[int]) -> None:
        closed.extend(shards)

    first.on_leaving = close
    last = first.holds()[-1]
    with first.work(last):
        await second.take()
        await rounds([first, second])
        meanwhile = (first.hold(last.shard), first.still(last), second.hold(last.shard), last.shard in closed)
    await rounds([first, second])

    assert (None, True, None, False) == meanwhile
    assert last.shard in closed
    assert not first.still(last)
    assert second.hold(last.shard) is not None
    assert [128, 128] == owned([first, second])


async def test_a_woken_worker_writes_nothing_for_what_is_not_its_own_any_more(any_rig: Rig):
    """Its own clock has not told it yet: the epoch does, in the transaction itself."""
    first, second = (any_rig.shards(name, alone=False) for name in ("w1", "w2"))
    await first.take()
    hold = first.holds()[0]
    await expire(any_rig, "w1")
    await second.take()
    wrote: list[str] = []

    def service(_tx: Transaction) -> None:
        wrote.append("decided")

    with pytest.raises(FencedError):
        await any_rig.store.write(leasing.fenced, hold, service)
    for theirs in second.holds()[:1]:
        await any_rig.store.write(leasing.fenced, theirs, service)

    assert first.still(hold)
    assert ["decided"] == wrote


async def test_a_woken_worker_claims_nothing_for_a_mailbox_that_is_not_its_own_any_more(any_rig: Rig):
    """The row stays free for whoever owns the mailbox now."""
    any_rig.workspace = await any_rig.store.write(builders.workspace)
    await any_rig.mailbox("bo@ours.example")
    await any_rig.store.write(builders.published, any_rig.workspace)
    await any_rig.person("ann@lead.example")
    first, second = (any_rig.shards(name, alone=False) for name in ("w1", "w2"))
    await first.take()
    old = first.holds()
    await expire(any_rig, "w1")
    await second.take()
    now = any_rig.clock.now()
    lock = {"lock_expires_at": now + timedelta(seconds=90), "now": now}
    facts: dict[str, Any] = {**lock, "busy": frozenset(), "limit": 1}

    with pytest.raises(FencedError):
        await any_rig.store.write(dispatching.claim_as_owner, old, worker="w1", **facts)
    (claimed,) = await any_rig.store.write(dispatching.claim_as_owner, second.holds(), worker="w2", **facts)

    assert (await any_rig.box()).id == claimed.mailbox_id


async def test_an_owner_who_lost_a_shard_and_has_it_again_does_not_go_on_where_it_was(any_rig: Rig):
    """Somebody else acted for it in between: only the epoch tells."""
    first = any_rig.shards("w1", alone=False)
    await first.take()
    old = first.holds()[0]
    await expire(any_rig, "w1")
    second = any_rig.shards("w2", alone=False)
    await second.take()
    await second.hand_back()
    await first.run_once()
    await first.run_once()
    again = first.hold(old.shard)

    assert again is not None
    assert old.epoch + 2 == again.epoch
    assert not first.still(old)


def decides(tx: Transaction, hold: Hold, service: Service) -> str:
    """Write as the owner of one shard."""
    return leasing.fenced(tx, hold, service)


def claims(tx: Transaction, hold: Hold, service: Service) -> str:
    """Write as the owner of several, as whoever claims for many mailboxes does."""
    leasing.fence(tx, [hold])
    return service(tx)


@pytest.mark.postgres
@pytest.mark.parametrize("writes", [decides, claims])
async def test_a_taker_passes_by_a_shard_that_somebody_writes_for(
    postgres_rig: Rig, writes: Callable[[Transaction, Hold, Service], str]
):
    """A transaction of the old owner holds the shard's row: its write counts, and the shard follows a moment later."""
    rig = postgres_rig
    first, second = (rig.shards(name, alone=False) for name in ("w1", "w2"))
    await first.take()
    hold = first.holds()[7]
    inside, go = threading.Event(), threading.Event()

    def slow(_tx: Transaction) -> str:
        inside.set()
        assert go.wait(WITHIN)
        return "written"

    writing = asyncio.create_task(rig.store.write(writes, hold, slow))
    assert await asyncio.to_thread(inside.wait, WITHIN)
    await first.run_once()  # renewing is not held up by it
    await expire(rig, "w1")
    await second.take()
    meanwhile = second.hold(hold.shard)
    go.set()
    wrote = await writing
    await rounds([second])

    assert (None, "written") == (meanwhile, wrote)
    assert Hold(shard=hold.shard, owner="w2", epoch=hold.epoch + 1) == second.hold(hold.shard)


@pytest.mark.postgres
async def test_who_comes_while_a_shard_is_being_taken_is_fenced_out(postgres_rig: Rig):
    """The old owner's transaction waits for the taker's, and then finds the new epoch."""
    rig = postgres_rig
    first = rig.shards("w1", alone=False)
    await first.take()
    hold = first.holds()[0]
    await expire(rig, "w1")
    taken, go = threading.Event(), threading.Event()

    def take_slowly(tx: Transaction) -> None:
        leasing.take_part(tx, owner="w2", lease_seconds=LEASE)
        taken.set()
        assert go.wait(WITHIN)

    taking = asyncio.create_task(rig.store.write(take_slowly))
    assert await asyncio.to_thread(taken.wait, WITHIN)
    writing = asyncio.create_task(rig.store.write(leasing.fenced, hold, lambda _tx: "written"))
    go.set()
    await taking

    with pytest.raises(FencedError):
        await writing


async def test_a_mailbox_that_went_and_came_back_is_read_at_once(rig: Rig):
    """Nothing is sent from it before it is read, so its next sweep would be a long time to wait for."""
    await rig.prepare(builders.email("intro"))
    box = await rig.box_name()
    first = rig.shards("w1", alone=False)
    await first.take(dead=["rig"])
    parts = Parts(rig.around(shards=first))
    reads = [await parts.poller.run_once()]
    await until(lambda: parts.poller.plan.has_tried_all)
    await expire(rig, "w1")
    second = rig.shards("w2", alone=False)
    await second.take()
    await second.hand_back()
    await rounds([first])
    reads.append(await parts.poller.run_once())
    unread = parts.poller.plan.unread()
    await until(lambda: parts.poller.plan.has_tried_all)

    assert [1, 1] == reads
    assert frozenset({box.mailbox_id}) == unread
