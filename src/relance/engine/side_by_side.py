"""Work for several mailboxes at once, for each only while its shard is ours.

Rule 1: a slow server keeps its own mailbox waiting, and others only when there is no more room.
Rule 2: what fails is raised, once everything has come to its end: nothing goes on unseen.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar, cast

from relance.core.mailbox import Mailbox
from relance.engine.surroundings import Surroundings
from relance.services.leasing import FencedError, Hold

T = TypeVar("T")
Job = Callable[[Hold], Awaitable[int]]


async def for_each(
    around: Surroundings, room: asyncio.Semaphore, jobs: Iterable[tuple[Mailbox, Job]], *, fenced: str
) -> int:
    """Do every job whose mailbox is ours, and return the sum of what they return.

    A job that finds the shard gone (FencedError) counts nothing, and is logged as `fenced`. Raises what another raised
    first.
    """

    async def do(mailbox: Mailbox, job: Job) -> int:
        async with room:
            hold = around.shards.hold(mailbox.shard)
            if hold is None:
                return 0
            with around.shards.work(hold):
                try:
                    return await job(hold)
                except FencedError as error:
                    around.log.warning(fenced, mailbox=mailbox.id, error=str(error))
                    return 0

    todo = list(jobs)
    if len(todo) <= 1:  # the usual case, which needs no tasks
        return sum([await do(*each) for each in todo])
    return sum(await all_of(do(*each) for each in todo))


async def all_of(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Do everything at once and return what comes of it. Raises what the first raised, once all have ended."""
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return cast("list[T]", outcomes)
