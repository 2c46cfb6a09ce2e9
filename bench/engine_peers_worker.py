"""One worker of a job queue over empty jobs, for `engine_postgres.py`: how many it finishes a second, and a CPU-second.

Runs under an interpreter that has the queues installed, not under ours:
`python bench/engine_peers_worker.py QUEUE JOBS AT_ONCE DATABASE_URL`. Filling the queue is not timed.
"""

import asyncio
import os
import sys
import time
from dataclasses import dataclass, field

FIRST_POLL = 0.01  #: Seconds between two looks of a queue that polls.


@dataclass(slots=True)
class Done:
    """When the first job began and the last one ended, by both clocks."""

    jobs: int
    count: int = 0
    began: tuple[float, float] = (0.0, 0.0)
    ended: tuple[float, float] = (0.0, 0.0)
    all: asyncio.Event = field(default_factory=asyncio.Event)

    def begin(self) -> None:
        """Start both clocks."""
        self.began = time.perf_counter(), time.process_time()

    def one(self) -> None:
        """Count one job."""
        self.count += 1

    def end(self) -> None:
        """Stop both clocks and print jobs a second and jobs a CPU-second."""
        self.ended = time.perf_counter(), time.process_time()
        if self.count != self.jobs:
            raise SystemExit(f"{self.count} of {self.jobs} jobs were done")
        wall, cpu = self.ended[0] - self.began[0], self.ended[1] - self.began[1]
        print(f"{self.jobs / wall:.1f} {self.jobs / cpu:.1f}", flush=True)


async def procrastinate(url: str, jobs: int, at_once: int) -> None:
    """Fill it in batches, then let one worker run until nothing is left."""
    from procrastinate import App, PsycopgConnector  # type: ignore[import-not-found]  # noqa: PLC0415

    app, done = App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=at_once + 2)), Done(jobs)

    @app.task(name="job")  # type: ignore[untyped-decorator]  # not installed here
    async def job(number: int) -> None:
        del number
        done.one()

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await job.batch_defer_async(*({"number": number} for number in range(jobs)))
        done.begin()
        await app.run_worker_async(wait=False, concurrency=at_once, install_signal_handlers=False)
        done.end()


async def pgqueuer(url: str, jobs: int, at_once: int) -> None:
    """Fill it in one statement, then drain it in batches of `at_once`."""
    import asyncpg  # type: ignore[import-not-found]  # noqa: PLC0415
    from pgqueuer import AsyncpgPoolDriver, PgQueuer, Queries  # type: ignore[import-not-found]  # noqa: PLC0415
    from pgqueuer.types import QueueExecutionMode  # type: ignore[import-not-found]  # noqa: PLC0415

    done = Done(jobs)
    async with asyncpg.create_pool(url, min_size=2, max_size=8) as pool:
        queries = Queries(AsyncpgPoolDriver(pool))
        await queries.install()
        await queries.enqueue(["job"] * jobs, [b""] * jobs, [0] * jobs)
        worker = PgQueuer(AsyncpgPoolDriver(pool))

        @worker.entrypoint("job")  # type: ignore[untyped-decorator]  # not installed here
        async def job(one: object) -> None:
            del one
            done.one()

        done.begin()
        await worker.run(batch_size=at_once, mode=QueueExecutionMode.drain)
        done.end()


def dbos(url: str, jobs: int, at_once: int) -> None:
    """Enqueue workflows of one step, and look until none is left: its threads work from the first on."""
    from dbos import DBOS  # type: ignore[import-not-found]  # noqa: PLC0415

    DBOS(config={"name": "bench", "system_database_url": url, "executor_id": "local", "application_version": "1"})
    done = Done(jobs)

    @DBOS.step()  # type: ignore[untyped-decorator]  # not installed here
    def step() -> None:
        return None

    @DBOS.workflow()  # type: ignore[untyped-decorator]  # not installed here
    def job(number: int) -> None:
        del number
        step()

    DBOS.launch()
    DBOS.register_queue("jobs", worker_concurrency=at_once, polling_interval_sec=FIRST_POLL)
    done.begin()
    handles = [DBOS.enqueue_workflow("jobs", job, number) for number in range(jobs)]
    for handle in handles:
        handle.get_result()
        done.one()
    done.end()
    os._exit(0)


def main() -> None:
    """Print jobs a second and jobs a CPU-second of the worker."""
    queue, jobs, at_once, url = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    match queue:
        case "procrastinate":
            asyncio.run(procrastinate(url, jobs, at_once))
        case "pgqueuer":
            asyncio.run(pgqueuer(url, jobs, at_once))
        case "dbos":
            dbos(url, jobs, at_once)
        case _:
            raise SystemExit(f"no queue {queue!r}")


if __name__ == "__main__":
    main()
