"""The kill test: 100 jobs, 20 SIGKILLs between effect and commit, ours beside three job queues, in one run.

Run: `.venv/bin/python bench/kill_peers.py PEERS_PYTHON`, where PEERS_PYTHON is an interpreter of an environment with
`procrastinate dbos pgqueuer asyncpg psycopg[binary] psycopg_pool` installed. A private PostgreSQL is started for them
and for us. A queue's effect is a line in a file, ours a message that an SMTP server has accepted; each of twenty chosen
jobs kills its process right behind its effect, once. Whoever is killed is started again until nothing more happens.
Printed: effects that happened again, jobs whose effect never happened, jobs that stay unfinished.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from kill_peers_worker import JOBS, KILLED  # type: ignore[import-not-found]  # noqa: E402  # beside this file
from recovery import connect, enroll  # type: ignore[import-not-found]  # noqa: E402  # beside this file

from peers import postgres_binaries  # noqa: E402
from postgres_server import ALIVE, Databases, ensure_server, locked, stop_server  # noqa: E402
from relance import app  # noqa: E402
from relance.app.running import running_engine  # noqa: E402
from relance.config import Config, LogLevel  # noqa: E402
from relance.engine.surroundings import Limits  # noqa: E402
from relance.ports.store import Store  # noqa: E402
from relance.sandbox.clock import SandboxClock  # noqa: E402
from relance.sandbox.domains import Domain, Security  # noqa: E402
from relance.sandbox.faults import NO_FAULTS  # noqa: E402
from relance.sandbox.leads import Script  # noqa: E402
from relance.sandbox.world import World  # noqa: E402
from relance.services import scheduling, sending  # noqa: E402

QUEUES = ("procrastinate", "pgqueuer", "dbos")
START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
BOXES = 10
#: How much later by the domain's clock each process of ours is started: behind the ambiguity grace of 15 minutes.
LATER = timedelta(minutes=20)
ROUNDS = 60
PROCESS_LIMIT = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What one contestant did."""

    name: str
    kills: int
    repeated: int
    missing: int
    unfinished: int


class Dying:
    """A store in front of which the process dies when an accepted send is to be written, once for every fifth one."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # everything else is the real store's
        return getattr(self._store, name)

    async def write(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # as the port has it
        """Write, or die."""
        if fn is sending.confirm and kwargs["attempt_id"] % (JOBS // len(KILLED)) == 0:
            marker = self._folder / f"killed-{kwargs['attempt_id']}"
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return await self._store.write(fn, *args, **kwargs)


def config_of(folder: Path, url: str) -> Config:
    """Return the configuration of our contestant."""
    data = folder / "data"
    return Config(data=data, master_key_file=data / "master.key", database_url=url, log_level=LogLevel.ERROR)


async def work(folder: Path, url: str, at: datetime) -> int:
    """Run our engine at one moment of virtual time until nothing more can be done; return how many runs are left."""
    installation = app.open_installation(config_of(folder, url))
    installation.clock = SandboxClock(at)
    installation.store = Dying(installation.store, folder)
    try:
        async with running_engine(installation, limits=Limits(watch=False)) as engine:
            await engine.settle()
        return (await installation.read(scheduling.standing, now=at)).unfinished
    finally:
        await installation.close()


async def ours(url: str, folder: Path) -> Count:
    """Set up a mail world and 100 people, and start our engine again and again."""
    clock = SandboxClock(START)
    world = World(
        clock=clock,
        seed=1,
        directory=folder,
        domains=(Domain(name="sender.example", security=Security.PLAIN),),
        mailboxes=0,
        faults=NO_FAULTS,
        script=Script(markers={}, waits=(timedelta(days=300),)),
    )
    for number in range(BOXES):
        world.add_mailbox(f"box{number}@sender.example", f"Box {number}")
    await world.start()
    installation = app.init_installation(config_of(folder, url))
    installation.clock = clock
    workspace = await app.settle_installation(installation, timezone="UTC")
    for account in world.accounts:
        await connect(installation, workspace, account)
    await enroll(installation, workspace, folder, JOBS)
    await installation.close()
    kills, left = 0, JOBS
    for _ in range(ROUNDS):
        command = [sys.executable, __file__, "ours", str(folder), url, clock.now().isoformat()]
        child = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        printed, _ = await asyncio.wait_for(child.communicate(), PROCESS_LIMIT)
        killed = child.returncode == -signal.SIGKILL
        kills += killed
        left = left if killed else int(printed.split()[-1])
        if not left:
            break
        clock.jump(clock.now() + LATER)
    people = (entry.recipient for entry in world.journal.accepted() if not entry.recipient.endswith("@sender.example"))
    happened = Counter(people)  # without what a mailbox sends to itself to see whether Sent works
    await world.stop()
    return Count(
        name="relance",
        kills=kills,
        repeated=sum(count - 1 for count in happened.values()),
        missing=JOBS - len(happened),
        unfinished=left,
    )


def killed(command: list[str]) -> bool:
    """Run a command to its end, and say whether that was SIGKILL. Raises SystemExit where it failed."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PROCESS_LIMIT)  # noqa: S603  # our own script
    if done.returncode not in {0, -signal.SIGKILL}:
        raise SystemExit(done.stderr)
    return done.returncode != 0


def peer(python: str, queue: str, url: str, folder: Path) -> Count:
    """Fill a queue and start its worker again and again."""
    script = [python, str(HERE / "kill_peers_worker.py"), queue]
    filling, kills = [*script, "enqueue", url, str(folder)], 0
    while killed(filling):  # a queue that works while it is filled
        kills += 1
    left, effects = str(JOBS), [""]
    for _ in range(ROUNDS):
        done = subprocess.run(  # noqa: S603  # our own script
            [*script, "work", url, str(folder)], check=False, capture_output=True, text=True, timeout=PROCESS_LIMIT
        )
        before, effects = len(effects), (folder / "effects").read_text().split()
        if done.returncode == -signal.SIGKILL:
            kills += 1
        elif done.returncode != 0:
            raise SystemExit(done.stderr)
        else:
            left = done.stdout.split()[-1]
            if left == "0" or len(effects) == before:
                break
    happened = Counter(effects)
    return Count(
        name=queue,
        kills=kills,
        repeated=sum(count - 1 for count in happened.values()),
        missing=JOBS - len(happened),
        unfinished=int(left),
    )


def main() -> None:
    """Print one line for each contestant."""
    if sys.argv[1:2] == ["ours"]:
        folder, database, at = sys.argv[2:]
        print(asyncio.run(work(Path(folder), database, datetime.fromisoformat(at))))
        return
    python = sys.argv[1]
    binaries = postgres_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL's server programs are not installed")
    print(f"{JOBS} jobs, {len(KILLED)} of them killed by SIGKILL between effect and commit; PostgreSQL for all")
    print(f"{'':16}{'kills':>7}{'repeated':>10}{'missing':>9}{'unfinished':>12}")
    with tempfile.TemporaryDirectory(prefix="relance-bench-") as name, locked(Path(name) / ALIVE):
        session = Path(name)
        databases = Databases(admin_url=ensure_server(binaries, session), session_dir=session)
        try:
            for contestant in (*QUEUES, "relance"):
                home = session / contestant
                home.mkdir()
                url = databases.create()
                found = asyncio.run(ours(url, home)) if contestant == "relance" else peer(python, contestant, url, home)
                print(f"{found.name:16}{found.kills:>7}{found.repeated:>10}{found.missing:>9}{found.unfinished:>12}")
        finally:
            stop_server(session)


if __name__ == "__main__":
    main()
