"""The stage of all runs of one worker: the servers, the process that forks, and a prepared installation to copy.

One stage serves one store. A run copies the installation, lives through the plan and returns what the servers saw.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg.conninfo import conninfo_to_dict

from crash.harness_clock import WorldClock
from crash.mail_world import MailWorld
from crash.orders import Order
from crash.scenario import BOXES, MARKERS, prepare
from postgres_cluster import Cluster
from postgres_server import Databases
from relance.app.restoring import restore_installation
from relance.config import Config, LogLevel
from relance.storage.backup import ENDINGS, back_up

_TESTS = Path(__file__).resolve().parents[1]
_START_LIMIT = 30.0
_LONGEST_LINE = 4 * 1024 * 1024  #: Bytes of what a process says at once: in the end, every place that it has passed.
_STANDING = frozenset({"T", "t", "Z", "X"})  #: States of a process that runs no more, see proc(5).


class ProcessDied(Exception):  # noqa: N818 - what happened to it, on purpose or not
    """The process is gone; `code` is minus the signal's number, or its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the process ended with {code}")
        self.code = code


@dataclass(slots=True, kw_only=True)
class Process:
    """One life of the product, seen from the harness.

    It speaks and hears over a connection each: what it said right before it died is then never lost with a word of ours
    that nobody hears any more.
    """

    pid: int
    _reader: asyncio.StreamReader
    _mouth: asyncio.StreamWriter  #: Never written to; closed in the end.
    _ear: asyncio.StreamWriter
    _ended: "asyncio.Future[int]"

    async def hear(self) -> dict[str, Any]:
        """Return what it says next. Raises ProcessDied, once it is really gone and has let go of its locks."""
        try:
            line = await self._reader.readline()
        except ConnectionError:
            line = b""
        if not line:
            raise ProcessDied(await asyncio.shield(self._ended))
        heard: dict[str, Any] = json.loads(line)
        return heard

    def tell(self, **facts: object) -> None:
        """Say something to it."""
        self._ear.write(f"{json.dumps(facts)}\n".encode())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it, unless it is gone."""
        if not self._ended.done():
            with contextlib.suppress(ProcessLookupError):  # it is, and its end is on the way to us
                os.kill(self.pid, number)

    def sockets(self) -> dict[int, int]:
        """Return the ports of its TCP connections over IPv4, its own and that of the other end."""
        mine = set()
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it closes one, or ends, while we look
            for one in (Path("/proc") / str(self.pid) / "fd").iterdir():
                with contextlib.suppress(FileNotFoundError):
                    mine.add(str(one.readlink()).removeprefix("socket:[").rstrip("]"))
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return {_port(row[1]): _port(row[2]) for row in rows if row[9] in mine}

    async def stopped(self) -> None:
        """Return once it stands still or is gone: a SIGCONT before that would be lost."""
        stat = Path("/proc") / str(self.pid) / "stat"
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            while stat.read_text().rpartition(")")[2].split()[0] not in _STANDING:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)

    async def bury(self) -> None:
        """Kill it, if it lives, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        await asyncio.shield(self._ended)
        for writer in (self._mouth, self._ear):
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


def _name(url: str) -> str:
    return str(conninfo_to_dict(url)["dbname"])


def _port(end: str) -> int:
    """Read the port of `0100007F:1F90`, see proc(5)."""
    return int(end.partition(":")[2], 16)


@dataclass(slots=True, kw_only=True)
class Stage:
    """Servers, zygote and template; made by `open`, which closes it at the end."""

    folder: Path
    clock: WorldClock
    world: MailWorld
    cluster: Cluster | None
    databases: Databases | None
    _zygote: asyncio.subprocess.Process
    _arrivals: "asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]]"
    _forks: "asyncio.Queue[int]" = field(default_factory=asyncio.Queue)
    _ended: "dict[int, asyncio.Future[int]]" = field(default_factory=dict)
    _template: str | None = None
    _database: str | None = None
    _kept: str | None = None  #: The database that holds an older state.

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, folder: Path, cluster: Cluster | None, product: Path | None = None) -> AsyncIterator[Self]:
        """Open a stage in an empty folder; over PostgreSQL if there is a server of its own for it.

        `product` is the folder of another product than the one that is installed, such as one without a guard.
        """
        clock = WorldClock(folder / "clock")
        world = MailWorld(clock, boxes=BOXES, markers=MARKERS)
        await world.start()
        arrivals: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        control = await asyncio.start_unix_server(
            lambda reader, writer: arrivals.put_nowait((reader, writer)), folder / "control", limit=_LONGEST_LINE
        )
        log = (folder / "log").open("ab")
        zygote = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "crash.zygote"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(str(path) for path in (product, _TESTS) if path)},
        )
        stage = cls(
            folder=folder,
            clock=clock,
            world=world,
            cluster=cluster,
            databases=cluster.databases if cluster else None,
            _zygote=zygote,
            _arrivals=arrivals,
        )
        listening = asyncio.create_task(stage._listen())
        try:
            await stage._prepare()
            yield stage
        finally:
            for pid, ended in stage._ended.items():
                if not ended.done():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            zygote.stdin.close() if zygote.stdin else None
            await zygote.wait()
            listening.cancel()
            control.close()
            await world.stop()
            log.close()
            stage._drop()

    async def _prepare(self) -> None:
        url = None
        if self.databases is not None:
            url = self.databases.create()
            self._template = _name(url)
        await prepare(self.folder / "template", url, self.world, self.folder / "clock")

    def _drop(self) -> None:
        if self.databases is not None and self._template is not None:
            for database in (self._database, self._kept):
                if database is not None:
                    self.databases.drop(database)
            self.databases.drop(self.databases.url(self._template))

    def new_installation(self) -> tuple[Path, str | None]:
        """Copy the prepared installation, over the one of the run before; return its directory and database."""
        data = self.folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(self.folder / "template", data)
        if self.databases is None or self._template is None:
            return data, None
        if self._database is not None:
            self.databases.drop(self._database)
        self._database = self.databases.create(template=self._template)
        return data, self._database

    def keep_state(self) -> None:
        """Keep the state as it is: by the product's own command, or by the server's; no process lives."""
        if self.databases is not None and self._database is not None:
            if self._kept is not None:
                self.databases.drop(self._kept)
            self._kept = self.databases.create(template=_name(self._database))
            return
        backup = self.folder / "data" / "kept.backup"
        backup.unlink(missing_ok=True)
        back_up(self.folder / "data" / "relance.db", backup)

    def put_back(self, *, aside: bool) -> str | None:
        """Let the state that was kept take the place of the newest; return its database.

        `aside`: the newest can be looked into by then; otherwise its disk is lost.
        """
        if self.databases is not None and self._database is not None and self._kept is not None:
            self.databases.drop(self._database)
            self._database = self.databases.create(template=_name(self._kept))
            return self._database
        data = self.folder / "data"
        if not aside:
            for ending in ("", *ENDINGS):
                (data / f"relance.db{ending}").unlink(missing_ok=True)
        config = Config(data=data, master_key_file=data / "master.key", log_level=LogLevel.ERROR)
        restore_installation(config, data / "kept.backup", now=self.clock.now() + self.clock.ahead)
        return None

    async def start(self, order: Order) -> Process:
        """Start one life of the product."""
        if self._zygote.stdin is None:
            raise RuntimeError("the zygote has no ears")
        self._zygote.stdin.write(f"{order}\n".encode())
        async with asyncio.timeout(_START_LIMIT):
            pid = await self._forks.get()
            (reader, mouth), (_, ear) = await self._arrivals.get(), await self._arrivals.get()
            process = Process(pid=pid, _reader=reader, _mouth=mouth, _ear=ear, _ended=self._ended[pid])
            hello = await process.hear()
        if hello != {"pid": pid}:
            raise RuntimeError(f"{pid} was expected, and {hello} came")
        return process

    async def _listen(self) -> None:
        if self._zygote.stdout is None:
            raise RuntimeError("the zygote has no voice")
        while line := await self._zygote.stdout.readline():
            facts = json.loads(line)
            pid = int(facts.get("forked") or facts["ended"])
            if "forked" in facts:
                self._ended[pid] = asyncio.get_running_loop().create_future()  # numbers come again in a long run
                self._forks.put_nowait(pid)
            else:
                self._ended[pid].set_result(int(facts["code"]))

    def restart_database(self) -> None:
        """Kill the database server and let it recover."""
        if self.cluster is not None:
            self.cluster.crash()

    def cut_database(self) -> None:
        """End every connection of the run's database, as a server that restarts does."""
        if self.databases is None or self._database is None:
            return
        name = _name(self._database)
        with psycopg.connect(self.databases.admin_url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
                [name],
            )
