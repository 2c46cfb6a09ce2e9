"""How soon an engine is back at work after SIGKILL, with many enrollments and many attempts in flight.

Run: `.venv/bin/python bench/recovery.py [ENROLLMENTS] [IN_FLIGHT] [RUNS]` (100,000, 1,000 and 3; SQLite). A process
sends from as many mailboxes as there shall be attempts in flight, over real SMTP to servers of the sandbox. Every
second attempt is stopped right behind `begin` (nothing left), the others behind the server's yes (it left, and nobody
wrote that down). Then the process is killed with SIGKILL, and another engine starts on the same data. Printed is what
it needs, beside the same engine's restart over the same mailboxes with nobody enrolled: the reading of every mailbox is
in both. Each figure is the median of the runs, with the least and the most.
"""

import asyncio
import csv
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from relance import app
from relance.app import Installation, Secret, SecretKind
from relance.app.running import running_engine
from relance.config import Config, LogLevel
from relance.core.mailbox import Mailbox
from relance.core.workspace import Workspace
from relance.engine.surroundings import Limits
from relance.ports.store import Reader, Store
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Account, Domain, Security
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.leads import Script
from relance.sandbox.world import World
from relance.services import mailboxes, sending, sequences
from relance.services.lead_files import LeadRow, import_batch, open_lead_file
from relance.services.leasing import ALL_SHARDS
from relance.services.rescuing import Orphan
from relance.services.sequence_files import Sound, read_sequence_file

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
DOMAIN = Domain(name="sender.example", security=Security.PLAIN)
SEQUENCE = 'name: bench\nwindow: always\nsteps:\n  - {id: intro, kind: email, subject: "Hello", text: "Hello there."}\n'
GRACE = timedelta(minutes=20)
WITHIN = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Seconds since the new process began to open the data."""

    lease: float
    first_send: float | None
    given_up: float
    settled: float


class Halting:
    """A store that stops every sender where a kill would be worst: behind `begin`, or before `confirm`."""

    def __init__(self, store: Store, wanted: int) -> None:
        self._store = store
        self._wanted = wanted
        self._begun = 0
        self.halted = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # everything else is the real store's
        return getattr(self._store, name)

    async def write(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # as the port has it
        """Write, and never come back where the sender shall die."""
        service = getattr(fn, "__wrapped__", fn)  # as the shard's owner, or plainly
        if service is sending.confirm:
            await self._halt()
        result = await self._store.write(fn, *args, **kwargs)
        if service is sending.begin and isinstance(result, sending.Begun):
            self._begun += 1
            if self._begun % 2:
                await self._halt()
        return result

    async def _halt(self) -> None:
        self.halted += 1
        if self.halted == self._wanted:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.Event().wait()


def config_of(directory: Path) -> Config:
    """Return the configuration of the bench's installation."""
    return Config(data=directory, master_key_file=directory / "master.key", log_level=LogLevel.ERROR)


async def die_in_the_middle(directory: Path, in_flight: int) -> None:
    """Run an engine until so many attempts are in flight, and be killed."""
    installation = app.open_installation(config_of(directory))
    installation.clock = SandboxClock(START)
    installation.store = Halting(installation.store, in_flight)
    async with running_engine(installation, limits=Limits(sends_at_once=in_flight, watch=False)):
        await asyncio.sleep(WITHIN)


async def connect(
    installation: Installation,
    workspace: Workspace,
    account: Account,
    *,
    now: datetime = START,
    **pacing: Any,  # noqa: ANN401  # fields of the mailbox, by name
) -> None:
    """Connect one mailbox that no ramp holds up."""
    settings = installation.factory("smtp_imap").parse_settings({"smtp": str(account.smtp), "imap": str(account.imap)})
    mailbox = Mailbox(
        workspace_id=workspace.id,
        id=0,
        provider="smtp_imap",
        login=account.username,
        address=account.address,
        display_name=account.display_name,
        settings=settings,
        ramp=False,
        shard=mailboxes.shard_of("smtp_imap", account.username),
        created_at=now,
        **pacing,
    )
    sealed = installation.seal(workspace, account.address, Secret(kind=SecretKind.PASSWORD, value=account.password))
    await installation.write(mailboxes.add, mailbox, sealed=sealed, now=now)


async def enroll(
    installation: Installation, workspace: Workspace, directory: Path, leads: int, *, now: datetime = START
) -> None:
    """Publish the sequence and enroll everybody, as `relance lead import --sequence` does."""
    path = directory / "bench.yaml"
    path.write_text(SEQUENCE)
    found = read_sequence_file(path, today=START.date())
    if not isinstance(found, Sound):
        raise SystemExit(str(found))
    await installation.write(sequences.publish, workspace_id=workspace.id, plan=found.plan, now=now)
    file = directory / "leads.csv"
    with file.open("w", newline="") as handle:
        csv.writer(handle).writerows([["email"], *([f"p{number}@people{number}.example"] for number in range(leads))])
    rows = iter(open_lead_file(file, {}).rows())
    while batch := [row for row in islice(rows, 500) if isinstance(row, LeadRow)]:
        await installation.write(
            import_batch,
            batch,
            workspace_id=workspace.id,
            source="bench",
            list_name="bench",
            sequence_name="bench",
            keys=installation.keys,
            now=now,
        )


async def restart(directory: Path, world: World, *, leads: int) -> Figures:
    """Start an engine on what the dead one left, and see when it has come how far."""
    sent_before = len(list(world.journal.accepted()))
    clock = world.clock  # the servers' too: that nothing left is believed by their time as well as by ours
    began = time.perf_counter()
    installation = app.open_installation(config_of(directory))
    installation.clock = clock
    try:
        async with asyncio.timeout(WITHIN), running_engine(installation, limits=Limits(watch=False)) as engine:
            lease = time.perf_counter() - began
            first_send, given_up = None, None
            while given_up is None or (leads and first_send is None):
                await asyncio.sleep(0.01)
                if first_send is None and len(list(world.journal.accepted())) > sent_before:
                    first_send = time.perf_counter() - began
                if given_up is None and not await installation.read(_any_in_flight):
                    given_up = time.perf_counter() - began
            clock.jump(clock.now() + GRACE)
            engine.time_has_jumped()
            while await installation.read(_unknown):
                await asyncio.sleep(0.05)
                clock.jump(clock.now() + timedelta(seconds=30))
                engine.time_has_jumped()
            return Figures(lease=lease, first_send=first_send, given_up=given_up, settled=time.perf_counter() - began)
    finally:
        await installation.close()


def _any_in_flight(reader: Reader) -> bool:
    now = START + timedelta(minutes=2)
    return bool(reader.all(Orphan, "attempts.abandoned", shard_list=ALL_SHARDS, now=now, limit=1))


def _unknown(reader: Reader) -> int:
    return reader.one(int, "attempts.count_unknown") or 0


async def measure(enrollments: int, in_flight: int, *, boxes: int) -> Figures:
    """Set up, kill, restart."""
    with tempfile.TemporaryDirectory(prefix="relance-bench-") as name:
        directory = Path(name) / "data"
        world = World(
            clock=SandboxClock(START + timedelta(minutes=2)),
            seed=1,
            directory=Path(name),
            domains=(DOMAIN,),
            mailboxes=0,
            faults=NO_FAULTS,
            script=Script(markers={}, waits=(timedelta(days=30),)),
        )
        for number in range(boxes):
            world.add_mailbox(f"box{number}@{DOMAIN.name}", f"Box {number}")
        await world.start()
        installation = app.init_installation(config_of(directory))
        installation.clock = SandboxClock(START)
        try:
            workspace = await app.settle_installation(installation, timezone="UTC")
            for account in world.accounts:
                await connect(installation, workspace, account)
            await enroll(installation, workspace, Path(name), enrollments)
        finally:
            await installation.close()
        if in_flight:
            child = await asyncio.create_subprocess_exec(
                sys.executable, __file__, "die", str(directory), str(in_flight), stdout=subprocess.DEVNULL
            )
            if await child.wait() != -signal.SIGKILL:
                raise SystemExit("the first process ended by itself")
        try:
            return await restart(directory, world, leads=enrollments)
        finally:
            await world.stop()


def main() -> None:
    """Print one line for each setting, and what the second costs more than the first."""
    if sys.argv[1:2] == ["die"]:
        asyncio.run(die_in_the_middle(Path(sys.argv[2]), int(sys.argv[3])))
        return
    usual = ("100000", "1000", "3")
    enrollments, in_flight, runs = (int(argument) for argument in [*sys.argv[1:], *usual[len(sys.argv) - 1 :]])
    print(f"SQLite, synchronous=FULL, {in_flight} mailboxes on one loopback server, {os.cpu_count()} cores")
    print("seconds from opening the data until: lease taken, first send, nothing in flight, everything settled")
    for people, attempts in ((1, 0), (enrollments, in_flight)):
        found = [asyncio.run(measure(people, attempts, boxes=in_flight)) for _ in range(runs)]
        named = ("lease", "first_send", "given_up", "settled")
        shown = [_median([getattr(one, name) or 0.0 for one in found]) for name in named]
        print(f"{people:>8} enrollments, {attempts:>5} in flight, {runs} runs: {', '.join(shown)}")


def _median(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()
