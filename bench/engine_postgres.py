"""What a send costs the engine itself over PostgreSQL, beside its bare statements and empty jobs of three queues.

Run: `.venv/bin/python bench/engine_postgres.py [LEADS [MAILBOXES]]`. PEERS in the environment is an interpreter of
an environment with `procrastinate dbos pgqueuer asyncpg psycopg[binary] psycopg_pool` installed (`-`: none).
A private PostgreSQL with its own durable settings is started for all. Ours is claim, every gate, reserve, compose,
begin, confirm and the next step, with null mailboxes. Beside it the statements that the engine ran, in their order and
transactions, through one bare connection; and queues whose job does nothing, each at the best of some settings.
Printed: by the clock and per CPU-second of the client; what the server itself burns is nobody's here.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

import psycopg  # noqa: E402
from engine_only import STEPS, Cost, by_the_engine, fill  # type: ignore[import-not-found]  # noqa: E402

from peers import postgres_binaries  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from relance.storage.opening import open_store  # noqa: E402
from relance.storage.postgres import PostgresStore  # noqa: E402
from relance.storage.postgres_connection import connected  # noqa: E402

JOBS = 1_000
#: Jobs at once (for PgQueuer, of one batch) that are tried; the best counts.
SETTINGS = {"procrastinate": (1, 4, 16), "pgqueuer": (10, 100, 500), "dbos": (10, 50)}
ROUNDS = 3
Line = tuple[str, Any]


def told(name: str, wall: float, cpu: float, most: tuple[float, float]) -> str:
    """Say how many a second, and how many times as many the engine does."""
    ours = f"; the engine does {most[0] / wall:.1f} and {most[1] / cpu:.1f} times as many" if wall != most[0] else ""
    return f"{name:32}{wall:8.0f} a second, {cpu:8.0f} a CPU-second{ours}"


class Recording:
    """What one connection runs, in its transactions. The engine has only one while it is recorded."""

    def __init__(self) -> None:
        self.lines: list[Line | None] = []

    def around(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Note a statement before it runs."""

        def noted(connection: Any, sql: Any, params: Any = None, **more: Any) -> Any:  # noqa: ANN401  # psycopg's
            self.lines.append((sql, params))
            return run(connection, sql, params, **more)

        return noted

    def ends(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Note the end of a transaction."""

        def noted(connection: Any) -> Any:  # noqa: ANN401  # psycopg's
            self.lines.append(None)
            return run(connection)

        return noted


async def recorded(url: str) -> list[Line | None]:
    """Let the engine send everything over one connection, and return what that ran."""
    recording, kind = Recording(), psycopg.Connection
    execute, commit, rollback = kind.execute, kind.commit, kind.rollback
    kind.execute = recording.around(execute)  # type: ignore[method-assign]
    kind.commit, kind.rollback = recording.ends(commit), recording.ends(rollback)  # type: ignore[method-assign]
    try:
        await by_the_engine(PostgresStore(url, connections=1))
    finally:
        kind.execute, kind.commit, kind.rollback = execute, commit, rollback  # type: ignore[method-assign]
    return recording.lines


def by_the_driver(url: str, lines: list[Line | None]) -> Cost:
    """Run the recorded statements again, and nothing else."""
    with connected(url) as connection:
        cpu, wall = time.process_time(), time.perf_counter()
        for line in lines:
            if line is None:
                connection.commit()
                continue
            cursor = connection.execute(*line)
            if cursor.description:
                cursor.fetchall()
        return Cost(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall)


def peer(python: str, queue: str, at_once: int, url: str) -> tuple[float, float]:
    """Return jobs a second and jobs a CPU-second of one queue."""
    command = [python, str(HERE / "engine_peers_worker.py"), queue, str(JOBS), str(at_once), url]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)  # noqa: S603  # our script
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    wall, cpu = done.stdout.split()[-2:]
    return float(wall), float(cpu)


async def filled(url: str, leads: int, mailboxes: int) -> str:
    """Make the state that everything starts from."""
    store = open_store(url)
    await store.write(fill, leads, mailboxes)
    await store.close()
    return url


def measure(cluster: Cluster, python: str, leads: int, mailboxes: int) -> None:
    """Print ours, its statements, and the queues."""
    databases, sends = cluster.databases, leads * STEPS
    rounds = []
    for _ in range(ROUNDS):
        urls = [asyncio.run(filled(databases.create(), leads, mailboxes)) for _ in range(3)]
        ours = asyncio.run(by_the_engine(open_store(urls[0])))
        lines = asyncio.run(recorded(urls[1]))
        rounds.append((ours, by_the_driver(urls[2], lines), sum(line is not None for line in lines)))
    rounds.sort(key=lambda each: each[0].cpu / each[1].cpu)
    ours, bare, statements = rounds[len(rounds) // 2]
    most = sends / ours.wall, sends / ours.cpu
    print(told("the engine", *most, most))
    print(told(f"its statements ({statements / sends:.0f} a send)", sends / bare.wall, sends / bare.cpu, most))
    print(f"the engine reaches {100 * bare.cpu / ours.cpu:.0f} % of what its statements allow, by CPU")
    for queue, settings in SETTINGS.items() if python != "-" else ():
        found = {at_once: peer(python, queue, at_once, databases.create()) for at_once in settings}
        best = max(found, key=lambda at_once: found[at_once][0])
        print(told(f"{queue}, {best} at once", *found[best], most))


def main() -> None:
    """Start a server and measure."""
    leads, mailboxes = (int(value) for value in (sys.argv[1:] + ["200", "50"][len(sys.argv) - 1 :])[:2])
    binaries = postgres_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL's server programs are not installed")
    print(f"setting: PostgreSQL, durable, on this machine; {leads} people x {STEPS} steps, {mailboxes} mailboxes")
    print(f"         without gaps, median of {ROUNDS} rounds; {JOBS} empty jobs")
    with (
        tempfile.TemporaryDirectory(prefix="relance-bench-") as name,
        Cluster(binaries, Path(name) / "server") as cluster,
    ):
        measure(cluster, os.environ.get("PEERS", "-"), leads, mailboxes)


if __name__ == "__main__":
    main()
