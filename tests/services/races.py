"""Two transactions over PostgreSQL at the same time: one is kept open, the other runs into it.

Nothing here waits for a while: the second transaction is watched until the server says that it waits for a lock, or
until it has ended without; then the first one may go on.
"""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import psycopg

from relance.ports.store import Transaction
from relance.services.refusals import LostRaceError
from services.life import Life

LIMIT = 20.0  #: Real seconds after which what must happen has not happened.
Service = Callable[[Transaction], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """How it ended for both."""

    first: Any
    second: Any  #: What it returned; LostRaceError if the row was not any more as it had read it.
    waited: bool  #: Whether the second one waited for a lock of the first.


async def meet(life: Life, first: Service, second: Service) -> Met:
    """Run `second` while `first` has done its work and is not committed yet."""
    in_hand, go_on = threading.Event(), threading.Event()

    def held(tx: Transaction) -> Any:
        outcome = first(tx)
        in_hand.set()
        assert go_on.wait(LIMIT)
        return outcome

    async with asyncio.timeout(LIMIT):
        leading = asyncio.create_task(life.store.write(held))
        try:
            await asyncio.to_thread(in_hand.wait, LIMIT)
            following = asyncio.create_task(_ended(life, second))
            waited = await _waits(life, following)
        finally:
            go_on.set()
        return Met(first=await leading, second=await following, waited=waited)


async def _ended(life: Life, service: Service) -> Any:
    try:
        return await life.store.write(service)
    except LostRaceError as error:
        return error


async def _waits(life: Life, following: "asyncio.Task[Any]") -> bool:
    async with await psycopg.AsyncConnection.connect(life.url, autocommit=True) as beside:
        while not following.done():
            found = await beside.execute(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if await found.fetchone():
                return True
    return False


@contextmanager
def unlocked(life: Life, *statements: str) -> Iterator[None]:
    """Take the locks out of these statements: FOR UPDATE, FOR SHARE, SKIP LOCKED."""
    with rewritten(life, dict.fromkeys(statements, (r"FOR (NO KEY )?(UPDATE|SHARE)( OF \w+)?( SKIP LOCKED)?", ""))):
        yield


@contextmanager
def rewritten(life: Life, changes: dict[str, tuple[str, str]]) -> Iterator[None]:
    """Exchange a piece of statements, which must be there."""
    store: Any = life.store
    kept = store._statements  # noqa: SLF001  # what a test of the statements has to change
    changed = dict(kept)
    for name, (pattern, instead) in changes.items():
        sql, count = re.subn(pattern, instead, kept[name].sql)
        assert count > 0, f"{name} does not say {pattern} any more"
        changed[name] = replace(kept[name], sql=sql)
    store._statements = changed  # noqa: SLF001
    try:
        yield
    finally:
        store._statements = kept  # noqa: SLF001
