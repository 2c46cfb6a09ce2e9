"""Running an engine over an opened installation: wired, locked against a second one, drained on a signal."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from relance.app.installation import Installation
from relance.app.loop_health import HEALTH_SUFFIX, write_health
from relance.core.attempt import Attempt
from relance.core.suppression import tombstone_of
from relance.core.unsubscribe_link import PATH, Link, write_link
from relance.engine.contents import StoredContents
from relance.engine.engine import Engine
from relance.engine.shards import Lease, Shards
from relance.engine.surroundings import Limits, Surroundings, by_mail_only
from relance.ports.store import StoreError
from relance.ports.telemetry import Log
from relance.ports.vault import Vault
from relance.services import scheduling
from relance.storage.opening import engine_lock, is_postgres

#: Real seconds between two looks at whether every run has ended.
_LOOK = 0.5
#: Real seconds between two looks at the database's clock.
_TIME_EVERY = 1.0
#: Engines of one data directory over PostgreSQL.
MOST_WORKERS = 64
#: Real seconds between two reports on how the loops do.
HEALTH_EVERY = 5.0


class Until(StrEnum):
    """When a run ends by itself."""

    STOPPED = "stopped"  #: Only by a signal.
    IDLE = "idle"  #: Nothing can be sent at the moment, is on the wire, or waits to be understood.
    DONE = "done"  #: Every enrollment has ended.


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a run ended."""

    standing: scheduling.Standing
    signalled: bool


def worker_name(epoch: str) -> str:
    """Return this process's name in locks: host, process and start, so that a recycled process id is another name."""
    return f"{socket.gethostname()}:{os.getpid()}:{epoch}"


def of_this_host(workers: Iterable[str]) -> list[str]:
    """Return the workers that ran on this host.

    A data directory that was copied to another host names engines that may be alive where it was copied from.
    """
    here = f"{socket.gethostname()}:"
    return [worker for worker in workers if worker.startswith(here)]


def unsubscribe_links(vault: Vault, base_url: str | None) -> Callable[[Attempt], str | None]:
    """Return what makes the https address at which the person of an attempt opts out; RFC 8058 asks for https."""
    if base_url is None or not base_url.startswith("https://"):
        return by_mail_only
    key, tombstone = vault.derive("unsubscribe"), vault.derive("tombstone")

    def address(attempt: Attempt) -> str | None:
        digest = tombstone_of(attempt.recipient, tombstone)
        link = write_link(key, Link(workspace_id=attempt.workspace_id, attempt_id=attempt.id, digest=digest))
        return f"{base_url}{PATH}{link}" if link else None

    return address


@asynccontextmanager
async def running_engine(installation: Installation, *, limits: Limits | None = None) -> AsyncIterator[Engine]:
    """Lock, start, and drain at the end. Over PostgreSQL it shares the work with every other.

    Raises EngineRunningError if another engine works on this SQLite file.
    """
    config = installation.config
    alone = not is_postgres(str(config.database))
    worker = worker_name(os.urandom(4).hex())
    lease = Lease(owner=worker, seconds=config.lease_seconds, alone=alone)
    shards = Shards(installation.store, installation.monotonic, installation.log, lease)
    around = Surroundings(
        store=installation.store,
        clock=installation.clock,
        monotonic=installation.monotonic,
        log=installation.log,
        keys=installation.keys,
        worker=worker,
        connect=installation.connect,
        shards=shards,
        contents=StoredContents(installation.store),
        addresses=installation.addresses,
        limits=limits or Limits(),
        unsubscribe=unsubscribe_links(installation.vault, config.base_url),
    )
    # Over PostgreSQL the leases are the authority; the lock tells that the engine which had it before us is dead, so
    # that a restart need not wait until its lease ends.
    with engine_lock(config.engine_lock, worker=worker, places=1 if alone else MOST_WORKERS) as lock:
        engine = Engine(around, shards, installation.opt_outs, installation.generation)
        async with AsyncExitStack() as stack:
            await engine.start(dead=of_this_host(lock.dead))
            stack.push_async_callback(engine.drain)
            lock.settled()
            keeping_time = asyncio.create_task(_keep_time(installation), name="time")
            stack.callback(keeping_time.cancel)
            reporting = asyncio.create_task(
                _report_health(installation, engine, worker, lock.path.with_suffix(HEALTH_SUFFIX)), name="health"
            )
            stack.callback(reporting.cancel)
            yield engine


async def _keep_time(installation: Installation) -> None:
    """Follow the database's clock, where several hosts share one."""
    while True:
        try:
            await installation.keep_time()
        except StoreError as error:
            installation.log.warning("time.not_kept", error=str(error))
        await installation.monotonic.sleep(_TIME_EVERY)


async def _report_health(installation: Installation, engine: Engine, worker: str, path: Path) -> None:
    """Say how the loops do, for `relance doctor`."""
    while True:
        now = installation.clock.now()
        try:
            await asyncio.to_thread(write_health, path, engine.health(), worker=worker, at=now)
        except OSError as error:
            installation.log.warning("health.not_reported", error=str(error))
        await installation.monotonic.sleep(HEALTH_EVERY)


async def run(
    installation: Installation,
    *,
    until: Until,
    beside: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
) -> Ran:
    """Run the engine until a signal, or until there is nothing (more) to do. A second signal ends the process.

    `beside` is entered once the engine is the only one there, and left before it is drained.
    """
    stop = asyncio.Event()
    _on_signals(stop, installation.log)
    async with running_engine(installation) as engine, beside():
        ending = asyncio.create_task(_ending(installation, engine, until))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({ending, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (ending, stopping):
            task.cancel()
        await asyncio.gather(ending, stopping, return_exceptions=True)
    standing = await _standing(installation)
    return Ran(standing=standing, signalled=stop.is_set())


async def _ending(installation: Installation, engine: Engine, until: Until) -> None:
    """Return when the run may end by itself."""
    if until is Until.STOPPED:
        await asyncio.Event().wait()
    told = False
    while True:
        await engine.settle()
        standing = await _standing(installation)
        if until is Until.DONE and standing.unfinished and not standing.walking and not told:
            told = True
            installation.log.warning(
                "engine.waits_for_you",
                unfinished=standing.unfinished,
                next="`relance stuck` says what for; or stop with Ctrl-C",
            )
        if standing.unread == 0 and (until is Until.IDLE or standing.unfinished == 0):
            return
        await installation.monotonic.sleep(_LOOK)


async def _standing(installation: Installation) -> scheduling.Standing:
    return await installation.read(scheduling.standing, now=installation.clock.now())


def _on_signals(stop: asyncio.Event, log: Log) -> None:
    """Drain at the first SIGTERM or SIGINT; die at the second."""
    loop = asyncio.get_running_loop()

    def drain() -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()
        log.info("engine.draining", next="what is being sent is finished and recorded; a second signal ends it at once")

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, drain)
