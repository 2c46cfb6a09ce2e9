"""How soon the mailboxes of a worker that was killed send again, beside those of one that was asked to leave.

Run: `.venv/bin/python bench/workers_takeover.py [LEASE_SECONDS] [ROUNDS]` (30 and 3; PostgreSQL). Two `relance worker`
send without a pause from twelve mailboxes over loopback servers. In each round one of them is killed with SIGKILL, and
later another one gets SIGTERM; a new one takes its place each time. Measured is, of each mailbox that had been the lost
worker's, the time from the signal to the next message that its server took. The limit is the lease and half of it more
(45 s with the default lease).
"""

import asyncio
import os
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from recovery import connect, enroll  # type: ignore[import-not-found]  # noqa: E402  # beside this file

from peers import postgres_binaries  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from relance import app  # noqa: E402
from relance.app import Installation  # noqa: E402
from relance.config import Config, LogLevel  # noqa: E402
from relance.ports.store import Transaction  # noqa: E402
from relance.sandbox.clock import SandboxClock  # noqa: E402
from relance.sandbox.domains import Domain, Security  # noqa: E402
from relance.sandbox.faults import NO_FAULTS  # noqa: E402
from relance.sandbox.leads import Script  # noqa: E402
from relance.sandbox.world import World  # noqa: E402
from relance.services import leasing, mailboxes  # noqa: E402
from relance.services.leasing import ALL_SHARDS, SHARDS  # noqa: E402

DOMAIN = Domain(name="sender.example", security=Security.PLAIN)
BOXES = 12
LEADS = 5_000
PACING = {"daily_cap": LEADS, "hourly_cap": LEADS, "min_gap": 0.5, "max_gap": 0.5}
PATIENCE = 300.0  #: Seconds.
SETTLED = 1.0  #: Seconds after a signal in which what was on the wire may still arrive.


class RealClock(SandboxClock):
    """The machine's time."""

    def __init__(self) -> None:
        super().__init__(datetime.now(UTC))

    def now(self) -> datetime:
        """Return the present instant."""
        return datetime.now(UTC)


class Bench:
    """Workers as processes, over one installation and one world of servers."""

    def __init__(self, installation: Installation, world: World, environment: dict[str, str]) -> None:
        self._installation = installation
        self._world = world
        self._environment = environment
        self.workers: list[asyncio.subprocess.Process] = []

    async def start(self) -> None:
        """Start one more worker, and wait until the shards are shared evenly."""
        command = [sys.executable, "-m", "relance", "worker"]
        devnull = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*command, env=self._environment, stdout=devnull, stderr=devnull)
        self.workers.append(process)
        even = SHARDS // len(self.workers)
        while await self._shares() != {even}:  # noqa: ASYNC110  # other processes tell nobody
            await asyncio.sleep(0.1)

    async def _shares(self) -> set[int]:
        return {one.shards for one in await self._installation.read(leasing.workers)}

    async def lose(self, how: signal.Signals) -> list[float]:
        """End the eldest worker, and return how long each of its mailboxes was silent."""
        lost = self.workers.pop(0)
        owner = next(one.name for one in await self._installation.read(leasing.workers) if f":{lost.pid}:" in one.name)
        its = await self._installation.write(_addresses_of, owner)
        began, at = time.perf_counter(), datetime.now(UTC)
        lost.send_signal(how)
        found: dict[str, float] = {}
        while len(found) < len(its):
            await asyncio.sleep(0.05)
            for one in self._world.journal.accepted():
                if one.mailbox in its and one.mailbox not in found and one.at > at + timedelta(seconds=SETTLED):
                    found[one.mailbox] = (one.at - at).total_seconds()
            if time.perf_counter() - began > PATIENCE:
                raise SystemExit(f"silent for ever: {its - found.keys()}")
        await lost.wait()
        return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owned:
    id: int
    epoch: int


def _addresses_of(tx: Transaction, owner: str) -> set[str]:
    owned = {one.id for one in tx.all(_Owned, "shards.hold", owner=owner, shard_list=ALL_SHARDS)}
    return {box.address for box in mailboxes.of_workspace(tx, 1) if box.shard in owned}


async def measure(url: str, directory: Path, lease: float, rounds: int) -> dict[signal.Signals, list[float]]:
    """Set up, then lose workers in turn."""
    world = World(
        clock=RealClock(),
        seed=1,
        directory=directory,
        domains=(DOMAIN,),
        mailboxes=0,
        faults=NO_FAULTS,
        script=Script(markers={}, waits=(timedelta(days=30),)),
    )
    for number in range(BOXES):
        world.add_mailbox(f"box{number}@{DOMAIN.name}", f"Box {number}")
    await world.start()
    data = directory / "data"
    config = Config(data=data, master_key_file=data / "master.key", database_url=url, log_level=LogLevel.ERROR)
    installation = await asyncio.to_thread(app.init_installation, config)
    environment = {**os.environ, "RELANCE_DATA": str(data), "RELANCE_DATABASE_URL": url}
    bench = Bench(installation, world, {**environment, "RELANCE_LEASE_SECONDS": f"{lease:g}"})
    silent: dict[signal.Signals, list[float]] = {signal.SIGKILL: [], signal.SIGTERM: []}
    try:
        workspace = await app.settle_installation(installation, timezone="UTC")
        for account in world.accounts:
            await connect(installation, workspace, account, now=installation.clock.now(), **PACING)
        await enroll(installation, workspace, directory, LEADS, now=installation.clock.now())
        await bench.start()
        await bench.start()
        for _ in range(rounds):
            for how, seconds in silent.items():
                seconds.extend(await bench.lose(how))
                await bench.start()
    finally:
        for worker in bench.workers:
            worker.kill()
        await asyncio.gather(*(worker.wait() for worker in bench.workers))
        await installation.close()
        await world.stop()
    return silent


def main() -> None:
    """Print the figures of both ways to lose a worker, beside the lease and the limit."""
    lease, rounds = (float(argument) for argument in [*sys.argv[1:], "30", "3"][:2])
    binaries = postgres_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL is not installed")
    with tempfile.TemporaryDirectory(prefix="relance-bench-") as name:
        directory = Path(name)
        with Cluster(binaries, directory / "server") as cluster:
            silent = asyncio.run(measure(cluster.url, directory, lease, int(rounds)))
    limit = lease * 1.5
    print(f"PostgreSQL, 2 workers, {BOXES} mailboxes, {rounds:g} rounds, {os.cpu_count()} cores")
    print(f"lease {lease:g} s, limit {limit:g} s; seconds from the signal to the mailbox's next message")
    for how, found in silent.items():
        print(
            f"{how.name}: median {statistics.median(found):5.1f}, most {max(found):5.1f}, "
            f"over the limit {sum(one > limit for one in found)} of {len(found)}"
        )


if __name__ == "__main__":
    main()
