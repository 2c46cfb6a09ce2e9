"""Writing what must not be lost: again after a lost race, and for as long as it takes once a message has left."""

import asyncio
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from relance.engine.surroundings import Surroundings
from relance.ports.store import CommitUnknownError, ConflictError, StoreError, Transaction
from relance.services.leasing import Hold, fenced
from relance.services.refusals import LostRaceError

T = TypeVar("T")
P = ParamSpec("P")
_RACES = 5
_PAUSE_FIRST = 0.25
_PAUSE_MOST = 30.0


async def write(
    around: Surroundings, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Write; read and decide again when someone else was first. Raises LostRaceError after a few rounds."""
    for _ in range(_RACES - 1):
        try:
            return await around.store.write(fn, *args, **kwargs)
        except (LostRaceError, ConflictError):
            await asyncio.sleep(0)
    return await around.store.write(fn, *args, **kwargs)


async def write_as_owner(
    around: Surroundings,
    hold: Hold,
    fn: Callable[Concatenate[Transaction, P], T],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Write a decision that only the shard's owner may take, as `write` does. Raises FencedError."""

    @wraps(fn)
    def service(tx: Transaction) -> T:
        return fenced(tx, hold, fn, *args, **kwargs)

    return await write(around, service)


async def write_whatever_happens(
    around: Surroundings, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Write what is already true outside (a message has left), trying until the store takes it.

    `fn` is safe to apply again. Ends only with success, or with the process: then the attempt is still in flight in the
    database, and is looked up after the restart.
    """
    pause = _PAUSE_FIRST
    while True:
        try:
            return await write(around, fn, *args, **kwargs)
        except CommitUnknownError:
            continue
        except (StoreError, LostRaceError) as error:
            around.log.error("store.not_writing", error=str(error), what=getattr(fn, "__name__", "write"))
            await around.monotonic.sleep(pause)
            pause = min(_PAUSE_MOST, pause * 2)
