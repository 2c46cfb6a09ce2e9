"""What watching very many mailboxes costs, and how soon an answer stops its sequence. Loopback, TLS, one process.

Run: `.venv/bin/python bench/watching.py [MAILBOXES [REPLIES [PYTHON]]]` (1,000 mailboxes, 200 replies).
The engine of production over SQLite (synchronous=FULL), in which as many people were written to as will answer; IMAP
servers of ours in processes of their own. Measured: time until every mailbox is watched; resident memory a mailbox with
everything that the engine keeps of it, once the connections for reading are let go (after 10 s here, 120 s by default);
CPU while nothing happens; from a push to the commit that stops the sequence, at 20 replies a second and then as many
again at once; and time until all are watched again after every connection was cut.
Beside it as many idle connections (2,000 at most) held by aioimaplib, where PYTHON is one that has it.
"""

import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import uvloop
from imap_crowd import resident, serve

from relance.app.clocks import RealMonotonic
from relance.connectors.smtp_imap.factory import SmtpImapFactory
from relance.core.mailbox import Mailbox
from relance.core.workspace import Workspace
from relance.engine.contents import LeftOut
from relance.engine.engine import Engine
from relance.engine.shards import Lease, Shards
from relance.engine.surroundings import Limits, Surroundings
from relance.forecast.playing import Memory, Silence, TakenForValid, play
from relance.forecast.silent_world import SilentWorld
from relance.ports.connector import Connector, Credentials
from relance.ports.store import Reader, Store, Transaction
from relance.sandbox.clock import SandboxClock
from relance.services import forecasting, workspaces
from relance.storage.opening import open_store
from relance.testing import builders
from relance.testing.builders import KEYS, MONDAY, email, plan

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

PER_SERVER = 9_000  #: Connections of one server process: it has descriptors for 20,000, and each mailbox may have two.
WORKSPACE = 500  #: Mailboxes in one workspace.
RATE = 20.0
KEEP = 10.0
REPLY = (
    "From: {lead}\r\nTo: {box}\r\nSubject: Re: A question\r\nIn-Reply-To: {id}\r\nReferences: {id}\r\n"
    "Message-ID: <{number}.{lead}>\r\nDate: Mon, 30 Nov 2026 09:00:00 +0000\r\n\r\nYes, Thursday suits me.\r\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One message that was sent, to be answered."""

    mailbox_id: int
    address: str
    recipient: str
    message_id: str


class Servers:
    """IMAP servers in processes of their own, and who is served by which."""

    def __init__(self, folder: Path, count: int) -> None:
        self._ends: list[Connection] = []
        self._processes = []
        self.places: list[tuple[int, str]] = []
        for number in range(count):
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.get_context("spawn").Process(
                target=serve, args=(theirs, folder / f"server{number}"), daemon=True
            )
            process.start()
            self._ends.append(ours)
            self._processes.append(process)
            self.places.append(ours.recv())

    def ask(self, server: int, *order: object) -> float:
        """Give one server an order and return its answer."""
        self._ends[server].send(order)
        return float(self._ends[server].recv())

    def idle(self) -> int:
        """Return how many connections idle."""
        return sum(int(self.ask(number, "idle")) for number in range(len(self._ends)))

    def stop(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.terminate()
            process.join()


class Times:
    """Implements `ports.telemetry.Log`: remembers when which mailbox had a message ingested."""

    def __init__(self) -> None:
        self.ingested: dict[int, float] = {}
        self.woken: dict[int, float] = {}
        self.trouble: list[str] = []

    def info(self, event: str, /, **facts: object) -> None:
        """Remember what counts."""
        if event == "message.ingested" and facts["became"] == "applied":
            self.ingested.setdefault(int(str(facts["mailbox"])), time.monotonic())

    def warning(self, event: str, /, **facts: object) -> None:
        """Remember trouble."""
        self.trouble.append(f"{event} {facts}")

    error = warning


def fill(tx: Transaction, number: int, letters: int) -> Workspace:
    """Make one workspace: mailboxes that will be answered, and the people who will."""
    workspaces.ensure_installation(tx, uid="bench", now=MONDAY)
    acme = builders.workspace(tx, name=f"w{number}")
    for box in range(letters):
        builders.mailbox(tx, acme, f"bo{box}@ours{number}.example", daily_cap=5, hourly_cap=5)
    builders.published(tx, acme, plan(email("intro", subject="A question"), email("bump", "3d")))
    people = [builders.lead(tx, acme, f"p{one}@lead{number}x{one}.example") for one in range(letters)]
    builders.enrollment(tx, acme, people)
    return acme


def fill_up(tx: Transaction, acme: Workspace, number: int, first: int, count: int) -> None:
    """Give a workspace the mailboxes that hear nothing."""
    for box in range(first, count):
        builders.mailbox(tx, acme, f"bo{box}@ours{number}.example", daily_cap=5, hourly_cap=5)


def everybody(reader: Reader) -> list[Mailbox]:
    """Return every mailbox."""
    return reader.all(Mailbox, "mailboxes.connected")


def sent_letters(path: Path) -> list[Letter]:
    """Return one letter for each mailbox that has sent one."""
    rows = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY).execute(
        "SELECT a.mailbox_id, m.address, a.recipient, a.message_id FROM attempts a"
        " JOIN mailboxes m ON m.workspace_id = a.workspace_id AND m.id = a.mailbox_id"
        " WHERE a.status = 'sent' GROUP BY a.mailbox_id"
    )
    return [Letter(mailbox_id=box, address=a, recipient=r, message_id=i) for box, a, r, i in rows]


def quantiles(values: Sequence[float]) -> str:
    """Write p50, p99 and the largest in milliseconds."""
    if not values:
        return "nothing came"
    ordered = sorted(values)
    p50, p99 = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, most {ordered[-1] * 1000:.1f} ms ({len(ordered)})"


async def wait_for(true: Callable[[], bool], limit: float = 600.0) -> float:
    """Return after how many seconds something holds, looked at twenty times a second."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > limit:
            raise TimeoutError
        await asyncio.sleep(0.05)
    return time.monotonic() - began


class Bench:
    """One engine over real connectors."""

    def __init__(self, store: Store, clock: SandboxClock, servers: Servers, boxes: dict[int, int]) -> None:
        self.store, self.clock, self.servers = store, clock, servers
        self.server_of = boxes  #: Server by mailbox.
        self.times = Times()
        self._factory = SmtpImapFactory()

    async def connect(self, mailbox: Mailbox) -> Connector:
        """Return the real connector to the crowd."""
        port, ca_file = self.servers.places[self.server_of[mailbox.id]]
        settings = {"smtp": "127.0.0.1:9:plain", "imap": f"127.0.0.1:{port}:tls", "ca_file": ca_file}
        settings["keep_seconds"] = KEEP

        async def secret() -> str:
            return "sesame"

        return self._factory.connect(
            address=mailbox.address,
            settings=settings,
            credentials=Credentials(username=mailbox.address, secret=secret),
        )

    async def engine(self) -> Engine:
        """Make the engine."""
        monotonic = RealMonotonic()
        shards = Shards(self.store, monotonic, Silence(), Lease(owner="bench", seconds=3600.0, alone=True))
        around = Surroundings(
            store=self.store,
            clock=self.clock,
            monotonic=monotonic,
            log=self.times,
            keys=KEYS,
            worker="bench",
            connect=self.connect,
            shards=shards,
            contents=LeftOut(),
            addresses=TakenForValid(),
            limits=replace(Limits(), sweep_least=timedelta(hours=1), sweep_most=timedelta(hours=2)),
        )
        memory = Memory(await self.store.read(forecasting.generation))
        return Engine(around, shards, memory, memory)

    async def answer(self, letters: Sequence[Letter], *, rate: float | None) -> list[float]:
        """Let answers arrive, at a rate or all at once; return after how many seconds each had stopped its sequence."""
        self.times.ingested.clear()
        pushed = {}
        began = time.monotonic()
        for number, letter in enumerate(letters):
            if rate is not None:
                await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            raw = REPLY.format(lead=letter.recipient, box=letter.address, id=letter.message_id, number=number).encode()
            server = self.server_of[letter.mailbox_id]
            pushed[letter.mailbox_id] = self.servers.ask(server, "push", letter.address, raw)
        await wait_for(lambda: len(self.times.ingested) >= len(letters), 120.0)
        return [self.times.ingested[box] - at for box, at in pushed.items()]


async def beside(servers: Servers, python: str, count: int) -> None:
    """Let the other library hold as many connections to the same server."""
    port, ca_file = servers.places[0]
    script = Path(__file__).with_name("watching_peer.py")
    peer = await asyncio.create_subprocess_exec(python, str(script), str(port), ca_file, str(count))
    await peer.wait()


async def measure(folder: Path, count: int, replies: int, python: str | None) -> None:
    """Fill, send, and then watch."""
    path = folder / "bench.db"
    store = open_store(path)
    parts = -(-count // WORKSPACE)
    here = [count // parts + (number < count % parts) for number in range(parts)]
    heard = [min(boxes, -(-2 * replies // parts)) for boxes in here]
    made = [await store.write(fill, number, letters) for number, letters in enumerate(heard)]
    clock = SandboxClock(MONDAY)
    await play(
        store, clock, SilentWorld(clock, reply_rate=0.0, bounce_rate=0.0), keys=KEYS, monotonic=RealMonotonic(), days=1
    )
    letters = await asyncio.to_thread(sent_letters, path)
    for number, acme in enumerate(made):
        await store.write(fill_up, acme, number, heard[number], here[number])
    print(f"{count} mailboxes, {len(letters)} letters sent", flush=True)
    servers = Servers(folder, -(-count // PER_SERVER))
    try:
        boxes = {one.id: number // PER_SERVER for number, one in enumerate(await store.read(everybody))}
        bench = Bench(store, clock, servers, boxes)
        before, cpu = resident(), time.process_time()
        began = time.monotonic()
        engine = await bench.engine()
        await engine.start()
        await wait_for(lambda: servers.idle() >= count)
        watched = time.monotonic() - began
        await engine.settle()
        print(
            f"all watched after {watched:.1f} s, all read after {time.monotonic() - began:.1f} s,"
            f" {time.process_time() - cpu:.1f} s of CPU",
            flush=True,
        )
        await asyncio.sleep(KEEP + 3)
        print(f"memory: {(resident() - before) / count:.1f} KB a mailbox ({before / 1024:.0f} MB before)", flush=True)
        cpu, at = time.process_time(), time.monotonic()
        await asyncio.sleep(20)
        print(f"idle: {(time.process_time() - cpu) / (time.monotonic() - at) * 100:.1f} % of a core", flush=True)
        steady, burst = letters[:replies], letters[replies : 2 * replies]
        print(f"push to stopped, {RATE:g} a second: {quantiles(await bench.answer(steady, rate=RATE))}", flush=True)
        print(f"push to stopped, at once: {quantiles(await bench.answer(burst, rate=None))}", flush=True)
        for number in range(len(servers.places)):
            servers.ask(number, "cut")
        cpu = time.process_time()
        again = await wait_for(lambda: servers.idle() >= count)
        print(f"after a cut all watched again in {again:.1f} s, {time.process_time() - cpu:.1f} s of CPU", flush=True)
        print(f"trouble: {len(bench.times.trouble)} {bench.times.trouble[:2]}")
        await engine.drain()
        if python is None:
            print("aioimaplib: not measured, no Python was named that has it")
        else:
            await beside(servers, python, min(count, 2000))
    finally:
        servers.stop()
        await store.close()


def main() -> None:
    """Print everything."""
    count, replies = (int(value) for value in (sys.argv[1:] + ["1000", "200"][len(sys.argv) - 1 :])[:2])
    with tempfile.TemporaryDirectory(prefix="relance-bench-") as made:
        uvloop.run(measure(Path(made), count, replies, next(iter(sys.argv[3:]), None)))


if __name__ == "__main__":
    main()
