"""How much more one, two and four workers send over one PostgreSQL.

Run: `.venv/bin/python bench/workers.py [LEADS [MAILBOXES]]` (1,500 people, one step, 64 mailboxes without gaps). Each
worker is a process with the engine of production and null mailboxes, by the machine's clock. The sequence is paused
until the shards are shared evenly; timed is from its resuming until everybody is written to. Printed: sends a second,
sends per CPU-second of the workers and of the server, and the ratio to one worker. Workers that outnumber the cores can
only share them.
"""

import asyncio
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from workers_takeover import RealClock  # type: ignore[import-not-found]  # noqa: E402  # beside this file

from peers import postgres_binaries  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from relance.app.clocks import RealMonotonic  # noqa: E402
from relance.engine.contents import LeftOut  # noqa: E402
from relance.engine.engine import Engine  # noqa: E402
from relance.engine.shards import Lease, Shards  # noqa: E402
from relance.engine.surroundings import Limits, Surroundings  # noqa: E402
from relance.forecast.playing import Memory, Silence, TakenForValid  # noqa: E402
from relance.forecast.silent_world import SilentWorld  # noqa: E402
from relance.ports.store import Store, Transaction  # noqa: E402
from relance.services import auditing, forecasting, leasing, sequences, workspaces  # noqa: E402
from relance.services.leasing import SHARDS  # noqa: E402
from relance.storage.opening import open_store  # noqa: E402
from relance.testing import builders  # noqa: E402
from relance.testing.builders import KEYS, email, plan  # noqa: E402

CREWS = (1, 2, 4)
LEASE = 30.0
LOOK = 0.05  #: Seconds between two looks of the bench.
TICKS = os.sysconf("SC_CLK_TCK")


async def work(url: str, name: str) -> None:
    """Be one worker, until the process is ended."""
    clock, monotonic, log = RealClock(), RealMonotonic(), Silence()
    store = open_store(url)
    shards = Shards(store, monotonic, log, Lease(owner=name, seconds=LEASE, alone=False))
    around = Surroundings(
        store=store,
        clock=clock,
        monotonic=monotonic,
        log=log,
        keys=KEYS,
        worker=name,
        connect=SilentWorld(clock, reply_rate=0.0, bounce_rate=0.0).connect,
        shards=shards,
        contents=LeftOut(),
        addresses=TakenForValid(),
        limits=Limits(watch=False),
    )
    memory = Memory(await store.read(forecasting.generation))
    await Engine(around, shards, memory, memory).start()
    await asyncio.Event().wait()


def fill(tx: Transaction, leads: int, mailboxes: int) -> None:
    """Enroll everybody into a sequence that is paused."""
    now = RealClock().now()
    workspaces.ensure_installation(tx, uid="bench", now=now)
    acme = builders.workspace(tx)
    for number in range(mailboxes):
        address = f"bo{number}@ours.example"
        builders.mailbox(tx, acme, address, daily_cap=leads, hourly_cap=leads, min_gap=0.0, max_gap=0.0)
    builders.published(tx, acme, plan(email("intro", subject="A question")), now=now)
    people = [builders.lead(tx, acme, f"p{number}@lead{number % 97}.example") for number in range(leads)]
    builders.enrollment(tx, acme, people, now=now)
    sequences.pause(tx, workspace_id=acme.id, name="q4", now=now)


def resume(tx: Transaction) -> None:
    """Let the sequence go on."""
    sequences.resume(tx, workspace_id=1, name="q4", now=RealClock().now())


def cpu_of(pids: list[int]) -> float:
    """Return the CPU seconds that processes have burnt so far."""
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / TICKS


def cpu_of_server(cluster: Cluster) -> float:
    """Return the CPU seconds of a PostgreSQL server so far, of connections that have ended too."""
    postmaster = cluster.pid
    total = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            fields = status.read_text().rpartition(")")[2].split()
            its = status.parent.name == str(postmaster)
            if its or fields[1] == str(postmaster):
                total += sum(int(field) for field in (fields[11:15] if its else fields[11:13]))
    return total / TICKS


async def sent(store: Store) -> int:
    """Return how many were written to."""
    return sum(step.sent for step in await store.read(auditing.audit, workspace_id=1, name="q4"))


async def crew(cluster: Cluster, workers: int, leads: int, mailboxes: int) -> tuple[float, float, float]:
    """Return the seconds by the clock, of the workers' CPU and of the server's that so many workers take."""
    url = cluster.databases.create()
    store = open_store(url)
    await store.write(fill, leads, mailboxes)
    command = [sys.executable, __file__, "work", url]
    processes = [await asyncio.create_subprocess_exec(*command, f"w{number}") for number in range(workers)]
    pids = [process.pid for process in processes]
    try:
        while {one.shards for one in await store.read(leasing.workers)} != {SHARDS // workers}:  # noqa: ASYNC110  # likewise
            await asyncio.sleep(LOOK)
        cpu, server, wall = cpu_of(pids), cpu_of_server(cluster), time.perf_counter()
        await store.write(resume)
        while await sent(store) < leads:  # noqa: ASYNC110  # other processes tell nobody
            await asyncio.sleep(LOOK)
        return time.perf_counter() - wall, cpu_of(pids) - cpu, cpu_of_server(cluster) - server
    finally:
        for process in processes:
            process.kill()
        await asyncio.gather(*(process.wait() for process in processes))
        await store.close()


def main() -> None:
    """Print one line for each size of crew."""
    if sys.argv[1:2] == ["work"]:
        asyncio.run(work(*sys.argv[2:4]))
        return
    leads, mailboxes = (int(value) for value in (sys.argv[1:] + ["1500", "64"][len(sys.argv) - 1 :])[:2])
    binaries = postgres_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL's server programs are not installed")
    print(f"setting: PostgreSQL, durable, on this machine; {leads} people, {mailboxes} mailboxes without gaps,")
    print(f"         null mailboxes; {os.cpu_count()} cores for workers and server together", flush=True)
    first = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="relance-bench-") as name,
        Cluster(binaries, Path(name) / "server") as cluster,
    ):
        for workers in CREWS:
            wall, cpu, server = asyncio.run(crew(cluster, workers, leads, mailboxes))
            first = first or leads / wall
            print(
                f"{workers} workers: {leads / wall:6.0f} a second ({leads / wall / first:.2f} times one), "
                f"{leads / cpu:6.0f} a CPU-second of the workers, {leads / server:6.0f} of the server",
                flush=True,
            )


if __name__ == "__main__":
    main()
