"""What a send costs the engine itself: claim, gates, reserve, begin, confirm, the next step; with durable commits.

No server and next to nothing to render: mailboxes take everything and say nothing. Beside it, in the same run and over
a copy of the same file, the statements that the engine ran, in their order and transactions, through the bare driver:
what is left when everything that is ours costs nothing.

Run: `.venv/bin/python bench/engine_only.py [LEADS [MAILBOXES]]`. Prints sends per CPU-second and the ratio.
"""

import asyncio
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import apsw

from relance.app.clocks import RealMonotonic
from relance.forecast.playing import play
from relance.forecast.silent_world import SilentWorld
from relance.ports.store import Store, Transaction
from relance.sandbox.clock import SandboxClock
from relance.services import workspaces
from relance.storage.opening import open_store
from relance.storage.sqlite_connection import connect
from relance.testing import builders
from relance.testing.builders import KEYS, MONDAY, email, plan

STEPS = 3
ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one way took for all sends."""

    cpu: float
    wall: float

    def told(self, sends: int) -> str:
        """Say it per send and per second."""
        return (
            f"{sends / self.cpu:7.0f} sends per CPU-second, {1e6 * self.cpu / sends:6.0f} µs of CPU a send, "
            f"{sends / self.wall:6.0f} a second by the clock"
        )


def fill(tx: Transaction, leads: int, mailboxes: int) -> None:
    """Make everybody due at once, with mailboxes that need not wait between two messages."""
    workspaces.ensure_installation(tx, uid="bench", now=MONDAY)
    acme = builders.workspace(tx)
    for number in range(mailboxes):
        builders.mailbox(tx, acme, f"bo{number}@ours.example", daily_cap=500, hourly_cap=500, min_gap=0.0, max_gap=0.0)
    steps = [email("intro", subject="A question"), *(email(f"more{n}", "1d") for n in range(1, STEPS))]
    builders.published(tx, acme, plan(*steps))
    people = [builders.lead(tx, acme, f"p{number}@lead{number % 97}.example") for number in range(leads)]
    builders.enrollment(tx, acme, people)


async def by_the_engine(store: Store) -> Cost:
    """Let the engine of production send everything."""
    clock = SandboxClock(MONDAY)
    world = SilentWorld(clock, reply_rate=0.0, bounce_rate=0.0)
    cpu, wall = time.process_time(), time.perf_counter()
    await play(store, clock, world, keys=KEYS, monotonic=RealMonotonic(), days=30)
    cost = Cost(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall)
    await store.close()
    return cost


class Recording:
    """Every statement that any connection runs, in order."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str, object]] = []

    def hook(self, connection: apsw.Connection) -> None:
        """Listen to a connection that is being opened."""
        name = id(connection)

        def note(_cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
            self.lines.append((name, sql, bindings))
            return True

        connection.exec_trace = note


def by_the_driver(path: Path, recording: Recording) -> Cost:
    """Run the recorded statements again, and nothing else."""
    connections = {name: connect(path) for name in {line[0] for line in recording.lines}}
    lines = [(connections[name], sql, bindings) for name, sql, bindings in recording.lines if "PRAGMA" not in sql]
    cpu, wall = time.process_time(), time.perf_counter()
    for connection, sql, bindings in lines:
        for _ in connection.execute(sql, bindings):
            pass
    cost = Cost(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall)
    for connection in connections.values():
        connection.close()
    return cost


async def one_round(folder: Path, leads: int, mailboxes: int) -> tuple[Cost, Cost, int]:
    """Measure both ways over the same state."""
    start = folder / "start.db"
    store = open_store(start)
    await store.write(fill, leads, mailboxes)
    await store.close()
    for name in ("engine", "recorded", "driver"):
        shutil.copy(start, folder / f"{name}.db")
    engine = await by_the_engine(open_store(folder / "engine.db"))
    recording = Recording()
    apsw.connection_hooks.append(recording.hook)
    try:
        await by_the_engine(open_store(folder / "recorded.db"))
    finally:
        apsw.connection_hooks.remove(recording.hook)
    driver = await asyncio.to_thread(by_the_driver, folder / "driver.db", recording)
    return engine, driver, len(recording.lines)


def main() -> None:
    """Print the medians of some rounds."""
    leads, mailboxes = (int(value) for value in (sys.argv[1:] + ["400", "50"][len(sys.argv) - 1 :])[:2])
    sends = leads * STEPS
    rounds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="relance-bench-") as folder:
            rounds.append(asyncio.run(one_round(Path(folder), leads, mailboxes)))
    rounds.sort(key=lambda each: each[0].cpu / each[1].cpu)
    engine, driver, statements = rounds[len(rounds) // 2]
    print(f"setting: SQLite {apsw.sqlite_lib_version()} in a file, synchronous=FULL; {leads} people x {STEPS} steps,")
    print(f"         {mailboxes} mailboxes without gaps; median of {ROUNDS} rounds")
    print(f"engine:  {engine.told(sends)}")
    print(f"driver:  {driver.told(sends)} ({statements / sends:.0f} statements a send)")
    print(f"ratio:   the engine reaches {100 * driver.cpu / engine.cpu:.0f} % of what its statements alone allow")


if __name__ == "__main__":
    main()
