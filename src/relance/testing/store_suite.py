"""What every store must do, whatever database stands behind it.

Run each of `CHECKS` over a new, empty store of your own: `await check(store)` returns, or an assertion says what is
wrong. The checks need the product's schema and its statements about workspaces, shards and opt-outs.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from relance.ports.store import ConflictError, Reader, Store, StoreError, Transaction

NOW = datetime(2026, 11, 30, 9, 2, 11, 123456, tzinfo=UTC)
LIMIT = 30  #: Seconds after which something that must happen has not happened.
Check = Callable[[Store], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Workspace:
    id: int
    uid: str
    name: str
    timezone: str | None
    settings: Mapping[str, object]
    wrapped_key: bytes
    skip_until: datetime | None = None
    last_skip_reason: str | None = None
    revision: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shard:
    id: int
    epoch: int


class _OnPurposeError(Exception):
    """Raised by a function that is to fail."""


def _add(tx: Transaction, name: str, *, settings: Mapping[str, object] | None = None, at: datetime = NOW) -> int:
    added = tx.one(
        int,
        "workspaces.add",
        uid=f"uid of {name}",
        name=name,
        timezone=None,
        settings=settings or {},
        wrapped_key=b"\x00\xffkey",
        created_at=at,
    )
    assert added is not None
    return added


def _names(reader: Reader) -> list[str]:
    return reader.all(str, "workspaces.names")


async def a_write_returns_what_its_function_returned(store: Store) -> None:
    """And whoever was told of it can read it."""
    added = await store.write(_add, "one")
    found = await store.read(lambda reader: reader.one(_Workspace, "workspaces.find", name="one"))

    assert found is not None
    assert added == found.id


async def values_come_back_as_they_went_in(store: Store) -> None:
    """Microseconds, zones turned to UTC, bytes, None, and nested JSON with letters of every kind."""
    at = datetime(2026, 10, 25, 2, 30, 0, 1, tzinfo=timezone(timedelta(hours=2)))
    settings = {"ä": ["\N{SNOWMAN}", 1, 2.5, None, True], "inner": {"quote": "'\"%s %% :name \\"}}
    await store.write(_add, "values", settings=settings, at=at)
    found = await store.read(lambda reader: reader.one(_Workspace, "workspaces.find", name="values"))

    assert found is not None
    assert settings == found.settings
    assert at == found.created_at
    assert UTC == found.created_at.tzinfo
    assert b"\x00\xffkey" == found.wrapped_key
    assert found.timezone is None


async def text_that_no_database_keeps_is_stored_with_a_mark(store: Store) -> None:
    """NUL and lone surrogates of a stranger's mail must not stop the reading of a mailbox."""
    await store.write(_add, "a\x00b\ud800c", settings={"text": "d\x00e\udfff"})
    found = await store.read(lambda reader: reader.all(_Workspace, "workspaces.list"))

    assert ["a\ufffdb\ufffdc"] == [workspace.name for workspace in found]
    assert {"text": "d\ufffde\ufffd"} == found[0].settings


async def a_function_that_raises_loses_its_own_writes_only(store: Store) -> None:
    """Its exception reaches its caller as it was raised, and nobody else."""

    def fail(tx: Transaction) -> None:
        _add(tx, "lost")
        raise _OnPurposeError

    told = await asyncio.gather(
        *(store.write(_add, f"before {n}") for n in range(5)),
        store.write(fail),
        *(store.write(_add, f"later {n}") for n in range(5)),
        return_exceptions=True,
    )
    expected = sorted([f"before {n}" for n in range(5)] + [f"later {n}" for n in range(5)])

    assert [_OnPurposeError] == [type(result) for result in told if isinstance(result, BaseException)]
    assert expected == await store.read(_names)


async def a_refused_constraint_is_a_conflict(store: Store) -> None:
    """Everything the function wrote goes with it."""

    def twice(tx: Transaction) -> None:
        _add(tx, "first")
        _add(tx, "taken")

    await store.write(_add, "taken")

    assert "ConflictError" == await _error_of(store.write(twice))
    assert ["taken"] == await store.read(_names)


async def an_error_is_final_for_its_function_even_if_it_is_swallowed(store: Store) -> None:
    """One database could go on after it and the other could not: here neither does."""

    def swallow(tx: Transaction) -> str:
        _add(tx, "first")
        try:
            _add(tx, "taken")
        except ConflictError:
            return "swallowed"
        return "not refused"

    def go_on(tx: Transaction) -> None:
        try:
            _add(tx, "taken")
        except ConflictError:
            _add(tx, "second")

    await store.write(_add, "taken")

    assert "ConflictError" == await _error_of(store.write(swallow))
    assert "StoreError" == await _error_of(store.write(go_on))
    assert ["taken"] == await store.read(_names)


async def a_cancelled_caller_does_not_lose_its_write(store: Store) -> None:
    """Whoever is cancelled while the function runs leaves, and the write becomes durable."""
    started, go = threading.Event(), threading.Event()

    def slow(tx: Transaction) -> None:
        started.set()
        assert go.wait(LIMIT)
        _add(tx, "kept")

    task = asyncio.create_task(store.write(slow))
    assert await asyncio.to_thread(started.wait, LIMIT)
    task.cancel()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    go.set()
    await store.close()  # waits for what was accepted

    assert isinstance(result, asyncio.CancelledError)


async def a_caller_cancelled_in_the_queue_does_not_lose_its_write(store: Store) -> None:
    """Nor does whoever is cancelled before the function has begun, behind others that take long."""
    started, go = threading.Event(), threading.Event()

    def slow(_tx: Transaction) -> None:
        started.set()
        assert go.wait(LIMIT)

    before = [asyncio.create_task(store.write(slow)) for _ in range(20)]
    assert await asyncio.to_thread(started.wait, LIMIT)
    task = asyncio.create_task(store.write(_add, "kept"))
    await asyncio.sleep(0)  # it has now handed its function over
    task.cancel()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    go.set()
    await asyncio.gather(*before)
    await store.close()  # waits for what was accepted

    assert isinstance(result, asyncio.CancelledError)


async def a_reading_sees_one_snapshot(store: Store) -> None:
    """Leave out what commits while it runs; the next reading has it."""
    started, go = threading.Event(), threading.Event()

    def look_twice(reader: Reader) -> tuple[list[str], list[str]]:
        first = _names(reader)
        started.set()
        assert go.wait(LIMIT)
        return first, _names(reader)

    reading = asyncio.create_task(store.read(look_twice))
    assert await asyncio.to_thread(started.wait, LIMIT)
    await store.write(_add, "meanwhile")
    go.set()

    assert ([], []) == await reading
    assert ["meanwhile"] == await store.read(_names)


async def a_reading_cannot_write(store: Store) -> None:
    """Not even where its function is given a transaction's methods by accident."""

    def write(reader: Reader) -> None:
        reader.one(
            int,
            "workspaces.add",
            uid="u",
            name="n",
            timezone=None,
            settings={},
            wrapped_key=b"",
            created_at=NOW,
        )

    assert "StoreUnavailableError" == await _error_of(store.read(write))
    assert [] == await store.read(_names)


async def a_run_returns_how_many_rows_it_changed(store: Store) -> None:
    """Tell a conditional write that it lost the race."""
    added = await store.write(_add, "one")

    def change(tx: Transaction, revision: int) -> int:
        return tx.run("workspaces.change_settings", id=added, timezone="UTC", settings={"a": 1}, revision=revision)

    assert [1, 0, 1] == [await store.write(change, revision) for revision in (0, 0, 1)]


async def many_rows_and_arrays(store: Store) -> None:
    """Take a batch in one call, and an array that may be empty."""
    workspace = await store.write(_add, "one")
    digests = [f"{n:040x}" for n in range(300)]

    def fill(tx: Transaction) -> None:
        rows = [{"workspace_id": workspace, "digest": d, "reason": "unsubscribed", "at": NOW} for d in digests]
        tx.many("opt_outs.add", rows)
        tx.many("opt_outs.add", [])

    def known(reader: Reader, wanted: tuple[str, ...]) -> list[str]:
        return reader.all(str, "opt_outs.known", workspace_id=workspace, digests_list=wanted)

    await store.write(fill)

    assert sorted(digests[:3]) == sorted(await store.read(known, (*digests[:3], "unknown")))
    assert [] == await store.read(known, ())


async def a_batch_is_refused_whole(store: Store) -> None:
    """One row that breaks a constraint takes the function's batch along."""
    workspace = await store.write(_add, "one")

    def fill(tx: Transaction) -> None:
        rows = [{"workspace_id": w, "digest": "d", "reason": "r", "at": NOW} for w in (workspace, workspace + 1)]
        tx.many("opt_outs.add", rows)

    assert "ConflictError" == await _error_of(store.write(fill))
    assert [] == await store.read(
        lambda reader: reader.all(str, "opt_outs.known", workspace_id=workspace, digests_list=("d",)),
    )


async def a_transaction_ends_with_its_function(store: Store) -> None:
    """Let what leaks out of it do nothing any more."""
    leaked: list[Transaction] = []
    await store.write(leaked.append)

    try:
        _add(leaked[0], "late")
    except StoreError:
        pass
    else:
        raise AssertionError("a transaction was used after its end")
    assert [] == await store.read(_names)


async def of_two_who_take_shards_each_has_its_own(store: Store) -> None:
    """Whoever takes first has it; nobody else has the same one."""

    def take(tx: Transaction, owner: str) -> list[_Shard]:
        return tx.all(_Shard, "shards.take", owner=owner, lease_seconds=30, size=256)

    one, other = await asyncio.gather(store.write(take, "a"), store.write(take, "b"))

    assert list(range(256)) == sorted(shard.id for shard in [*one, *other])
    assert {1} == {shard.epoch for shard in [*one, *other]}
    assert [] == await store.write(take, "c")


async def a_lease_that_runs_is_not_taken_and_one_that_ended_is(store: Store) -> None:
    """Let a successor take the shard over at the next epoch, and the old owner not renew it."""

    def take(tx: Transaction, owner: str, seconds: float) -> list[int]:
        return [shard.epoch for shard in tx.all(_Shard, "shards.take", owner=owner, lease_seconds=seconds, size=256)]

    def renew(tx: Transaction, owner: str) -> int:
        return tx.run("shards.renew", owner=owner, lease_seconds=30.0)

    def hand_back(tx: Transaction) -> int:
        return tx.run("shards.hand_back", owner="a", shard_list=[9])

    assert [1] * 256 == await store.write(take, "a", 30.0)
    assert [] == await store.write(take, "b", 30.0)
    assert 1 == await store.write(hand_back)
    assert [2] == await store.write(take, "a", -1.0)
    assert [3] == await store.write(take, "b", 30.0)
    assert [255, 1] == [await store.write(renew, owner) for owner in ("a", "b")]


async def closing_commits_what_was_accepted_and_refuses_the_rest(store: Store) -> None:
    """Nobody is left waiting."""
    accepted = [asyncio.create_task(store.write(_add, f"{n}")) for n in range(20)]
    await asyncio.sleep(0)  # each has now handed its function over
    await store.close()

    assert 20 == len(set(await asyncio.gather(*accepted)))
    assert "StoreUnavailableError" == await _error_of(store.write(_add, "late"))
    assert "StoreUnavailableError" == await _error_of(store.read(_names))


async def _error_of(running: Awaitable[object]) -> str:
    """Return the name of the error's type, or `nothing`."""
    try:
        await running
    except Exception as error:  # noqa: BLE001 - which one it is is what the caller asserts
        return type(error).__name__
    return "nothing"


CHECKS: tuple[Check, ...] = (
    a_write_returns_what_its_function_returned,
    values_come_back_as_they_went_in,
    text_that_no_database_keeps_is_stored_with_a_mark,
    a_function_that_raises_loses_its_own_writes_only,
    a_refused_constraint_is_a_conflict,
    an_error_is_final_for_its_function_even_if_it_is_swallowed,
    a_cancelled_caller_does_not_lose_its_write,
    a_caller_cancelled_in_the_queue_does_not_lose_its_write,
    a_reading_sees_one_snapshot,
    a_reading_cannot_write,
    a_run_returns_how_many_rows_it_changed,
    many_rows_and_arrays,
    a_batch_is_refused_whole,
    a_transaction_ends_with_its_function,
    of_two_who_take_shards_each_has_its_own,
    a_lease_that_runs_is_not_taken_and_one_that_ended_is,
    closing_commits_what_was_accepted_and_refuses_the_rest,
)
