"""One worker of a job queue, for `kill_peers.py`: runs jobs whose effect is a line in a file, and is killed in some.

Runs under an interpreter that has the queues installed, not under ours:
`python bench/kill_peers_worker.py QUEUE enqueue|work|left DATABASE_URL FOLDER`.
"""

import asyncio
import os
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path

JOBS = 100
KILLED = frozenset(range(2, JOBS, 5))
#: A worker that has had no job for so long (real seconds) ends, and is started again if anything is left.
QUIET = 4.0
#: Seconds after which a queue with heartbeats may take a worker for dead; long enough for a busy machine.
STALE = 3.0


class Effects:
    """What happened outside, as a mail server would know it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "effects"
        self._folder = folder
        self.last = time.monotonic()

    def happen(self, number: int) -> None:
        """Let a job's effect happen; kill this process before anybody can write that down, once for a chosen job."""
        self.last = time.monotonic()
        with self._file.open("a") as handle:
            handle.write(f"{number}\n")
            handle.flush()
            os.fsync(handle.fileno())
        marker = self._folder / f"killed-{number}"
        if number in KILLED and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    async def until_quiet(self) -> None:
        """Return when nothing has happened for a while."""
        while time.monotonic() - self.last < QUIET:  # noqa: ASYNC110  # it is the silence that is waited for
            await asyncio.sleep(QUIET - (time.monotonic() - self.last))


async def procrastinate(verb: str, url: str, effects: Effects) -> int:
    """Run it with its own defaults; it recovers a dead worker's jobs only where the user writes a task for that."""
    from procrastinate import App, PsycopgConnector  # type: ignore[import-not-found]  # noqa: PLC0415

    app = App(connector=PsycopgConnector(conninfo=url))

    @app.task(name="job")  # type: ignore[untyped-decorator]  # not installed here
    async def job(number: int) -> None:
        effects.happen(number)

    async with app.open_async():
        match verb:
            case "enqueue":
                await app.schema_manager.apply_schema_async()
                for number in range(JOBS):
                    await job.defer_async(number=number)
            case "work":
                working = asyncio.create_task(app.run_worker_async(wait=True, install_signal_handlers=False))
                await effects.until_quiet()
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)
        jobs = await app.job_manager.list_jobs_async()
        return sum(one.status in {"todo", "doing"} for one in jobs)


async def pgqueuer(verb: str, url: str, effects: Effects) -> int:
    """Run it with heartbeats so short that a dead worker's jobs come back within the run; the rest is its default."""
    import asyncpg  # type: ignore[import-not-found]  # noqa: PLC0415
    from pgqueuer import AsyncpgDriver, PgQueuer, Queries  # type: ignore[import-not-found]  # noqa: PLC0415

    connection = await asyncpg.connect(url)
    queries = Queries(AsyncpgDriver(connection))
    match verb:
        case "enqueue":
            await queries.install()
            await queries.enqueue(["job"] * JOBS, [str(number).encode() for number in range(JOBS)], [0] * JOBS)
        case "work":
            worker = PgQueuer.from_asyncpg_connection(await asyncpg.connect(url))

            @worker.entrypoint("job")  # type: ignore[untyped-decorator]  # not installed here
            async def job(one: object) -> None:
                effects.happen(int(one.payload))  # type: ignore[attr-defined]  # pgqueuer's Job

            stale = timedelta(seconds=STALE)
            working = asyncio.create_task(worker.run(dequeue_timeout=timedelta(seconds=1), heartbeat_timeout=stale))
            effects.last += STALE
            await effects.until_quiet()
            working.cancel()
            await asyncio.wait([working], timeout=5)
    return sum(found.count for found in await queries.queue_size())


def dbos(verb: str, url: str, effects: Effects) -> int:
    """Run workflows of one step from a queue; a restart under the same executor id recovers what was pending."""
    from dbos import DBOS, SetWorkflowID  # type: ignore[import-not-found]  # noqa: PLC0415

    DBOS(config={"name": "bench", "system_database_url": url, "executor_id": "local", "application_version": "1"})

    @DBOS.step()  # type: ignore[untyped-decorator]  # not installed here
    def step(number: int) -> None:
        effects.happen(number)

    @DBOS.workflow()  # type: ignore[untyped-decorator]  # not installed here
    def job(number: int) -> None:
        step(number)

    DBOS.launch()
    DBOS.register_queue("jobs", worker_concurrency=10, polling_interval_sec=0.1)
    if verb == "enqueue":
        for number in range(JOBS):
            with SetWorkflowID(f"job {number}"):  # once, however often it is filled
                DBOS.enqueue_workflow("jobs", job, number)
        os._exit(0)
    if verb == "work":
        asyncio.run(effects.until_quiet())
    left = DBOS.list_workflows(status=["PENDING", "ENQUEUED"])
    print(len(left), flush=True)
    os._exit(0)


def main() -> None:
    """Do one verb; the last line printed is how many jobs are not finished."""
    queue, verb, url, folder = sys.argv[1:]
    effects = Effects(Path(folder))
    match queue:
        case "procrastinate":
            print(asyncio.run(procrastinate(verb, url, effects)))
        case "pgqueuer":
            print(asyncio.run(pgqueuer(verb, url, effects)))
        case "dbos":
            print(dbos(verb, url, effects))
        case _:
            raise SystemExit(f"no queue {queue!r}")


if __name__ == "__main__":
    main()
