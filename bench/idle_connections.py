"""What a mailbox costs that is watched and silent: memory and CPU of the process that holds its notification.

Run: `.venv/bin/python bench/idle_connections.py [CONNECTIONS]` (1,000). The real connector, over loopback and TLS, to
the sandbox's IMAP server in another process: login, select, IDLE, and nothing more. Measured is what the holding
process grows by, and the CPU of connecting; the sockets' buffers in the kernel are nobody's here.
"""

import asyncio
import json
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvloop

from relance.connectors.smtp_imap.factory import SmtpImapFactory
from relance.ports.connector import Connector, Credentials
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Domain, Security
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.leads import Script
from relance.sandbox.world import World

BATCH = 50  #: Connections that are opened at once.
SETTLE = 2.0  #: Seconds of silence before memory is read.


async def serve(directory: Path, mailboxes: int) -> None:
    """Run the servers until the process is ended, and say how to log in."""
    world = World(
        clock=SandboxClock(datetime.now(UTC)),
        seed=1,
        directory=directory,
        domains=(Domain(name="sender.example", security=Security.TLS),),
        mailboxes=0,
        faults=NO_FAULTS,
        script=Script(markers={}, waits=(timedelta(days=30),)),
    )
    for number in range(mailboxes):
        world.add_mailbox(f"box{number}@sender.example", f"Box {number}")
    await world.start()
    told = [
        {"user": one.username, "password": one.password, "smtp": str(one.smtp), "imap": str(one.imap)}
        for one in world.accounts
    ]
    print(json.dumps({"ca": str(world.accounts[0].ca_file), "accounts": told}), flush=True)
    await asyncio.Event().wait()


def memory() -> float:
    """Return the KiB that this process has in memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def connector_of(factory: SmtpImapFactory, account: dict[str, str], ca_file: str) -> Connector:
    """Return a connector that opens nothing yet."""

    async def password() -> str:
        return account["password"]

    settings = {"smtp": account["smtp"], "imap": account["imap"], "ca_file": ca_file}
    return factory.connect(
        address=account["user"],
        settings=factory.parse_settings(settings),
        credentials=Credentials(username=account["user"], secret=password),
    )


async def hold(told: dict[str, object]) -> tuple[float, float, int]:
    """Watch every mailbox; return KiB and CPU seconds for all, and how many are still watched."""
    factory, accounts = SmtpImapFactory(), told["accounts"]
    if not isinstance(accounts, list):
        raise TypeError(accounts)
    connectors = [connector_of(factory, account, str(told["ca"])) for account in accounts]
    watches: list[asyncio.Task[None]] = []

    async def more(some: list[Connector]) -> None:
        watches.extend(asyncio.create_task(one.watch(lambda: None)) for one in some)
        await asyncio.sleep(BATCH / 200)

    await more(connectors[:BATCH])  # what is loaded once for all
    await asyncio.sleep(SETTLE)
    before, cpu = memory(), time.process_time()
    for at in range(BATCH, len(connectors), BATCH):
        await more(connectors[at : at + BATCH])
    await asyncio.sleep(SETTLE)
    grown, spent = memory() - before, time.process_time() - cpu
    alive = sum(not watch.done() for watch in watches)
    for watch in watches:
        watch.cancel()
    await asyncio.gather(*watches, return_exceptions=True)
    await asyncio.gather(*(one.close() for one in connectors), return_exceptions=True)
    return grown, spent, alive


async def measure(connections: int) -> None:
    """Start the servers, watch, and print."""
    with tempfile.TemporaryDirectory(prefix="relance-bench-") as name:
        command = [sys.executable, __file__, "serve", name, str(connections)]
        server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, limit=1 << 26)
        try:
            if server.stdout is None:
                raise TypeError(server)
            told = json.loads(await server.stdout.readline())
            grown, spent, alive = await hold(told)
        finally:
            server.kill()
            await server.wait()
    counted = connections - BATCH
    print(f"setting: {connections} mailboxes over TLS on loopback, one process, uvloop as in the product")
    print(f"watched: {alive} of {connections}")
    print(f"memory:  {grown / counted:.1f} KiB a connection; {grown / counted * 1e6 / 2**20:.0f} GiB for a million")
    print(f"connect: {1e3 * spent / counted:.2f} ms of CPU a connection, TLS and login")


def main() -> None:
    """Serve, or measure."""
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(Path(sys.argv[2]), int(sys.argv[3])))
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000))


if __name__ == "__main__":
    main()
