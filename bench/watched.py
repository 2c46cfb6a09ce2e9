"""What ten open consoles cost the engine's throughput: the same sends alone, and while ten pages follow them live.

Run: `.venv/bin/python bench/watched.py [LEADS [CONSOLES]]` (1,500 leads, 10 consoles; SQLite, in a file). Each console
listens to the event stream and fetches *Today* anew whenever it is told that something moved, in the engine's own
process and loop. Both ways are measured in turn, three times; the figure is the processor's time, since a machine is
shared. Pages are told less often once much has moved for a while: a longer run costs less of each send.
"""

import asyncio
import contextlib
import sys
import tempfile
import time
from pathlib import Path

import httpx

from relance.app import init_installation, settle_installation
from relance.app.clocks import RealMonotonic
from relance.app.serving import surroundings
from relance.config import Config
from relance.core.people import Role
from relance.core.workspace import Workspace
from relance.forecast.playing import play
from relance.forecast.silent_world import SilentWorld
from relance.ports.store import Transaction
from relance.sandbox.clock import SandboxClock
from relance.services import sessions, users
from relance.testing import builders
from relance.testing.builders import MONDAY, email, plan
from relance.testing.fake_clock import FakeClock
from relance.web.live import Live
from relance.web.security.tokens import new_token
from relance.web.security.who import COOKIE
from relance.web.server import application

ROUNDS, MAILBOXES, STEPS = 3, 50, 3
BASE = "http://bench.example"


def fill(tx: Transaction, acme: Workspace, leads: int) -> str:
    """Make everybody due at once, and an owner; return the token of the owner's session."""
    for number in range(MAILBOXES):
        address = f"bo{number}@ours.example"
        builders.mailbox(tx, acme, address, daily_cap=5_000, hourly_cap=5_000, min_gap=0.0, max_gap=0.0)
    steps = [email("intro", subject="A question"), *(email(f"more{n}", "1d") for n in range(1, STEPS))]
    builders.published(tx, acme, plan(*steps))
    people = [builders.lead(tx, acme, f"p{number}@lead{number % 97}.example") for number in range(leads)]
    builders.enrollment(tx, acme, people)
    owner = users.add(tx, email="owner@ours.example", name="", password_hash=None, now=MONDAY)
    users.let_in(tx, acme, owner, Role.OWNER, by="the bench", may=Role.OWNER, now=MONDAY)
    token = new_token()
    sessions.begin(tx, owner, digest=token.digest, now=MONDAY)
    return token.text


async def watch(live: Live, client: httpx.AsyncClient, workspace: Workspace, seen: list[int]) -> None:
    """Follow a workspace as an open page does."""
    async for topics in live.listen(workspace.id):
        if topics:
            page = await client.get(f"/w/{workspace.name}/today")
            seen.append(page.status_code)


async def one(folder: Path, leads: int, consoles: int) -> tuple[float, list[int]]:
    """Send everything while so many consoles are open; return the processor's seconds, and what pages answered."""
    installation = init_installation(Config(data=folder, master_key_file=folder / "master.key", workspace="acme"))
    clock = SandboxClock(MONDAY)
    installation.clock = clock
    workspace = await settle_installation(installation, timezone=None)
    token = await installation.write(fill, workspace, leads)
    around = surroundings(installation, base_url=BASE, real=FakeClock())
    transport = httpx.ASGITransport(app=application(around))  # type: ignore[arg-type]  # it is ASGI
    live, seen = Live(around.store, around.log), list[int]()
    world = SilentWorld(clock, reply_rate=0.0, bounce_rate=0.0)
    async with httpx.AsyncClient(transport=transport, base_url=BASE, cookies={COOKIE: token}, timeout=60) as client:
        watching = [asyncio.create_task(watch(live, client, workspace, seen)) for _ in range(consoles)]
        await asyncio.sleep(0.1)
        began = time.process_time()
        await play(installation.store, clock, world, keys=installation.keys, monotonic=RealMonotonic(), days=30)
        took = time.process_time() - began
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    with contextlib.suppress(RuntimeError):
        await installation.close()
    return took, seen


def main() -> None:
    """Print both ways and their ratio."""
    given = dict(enumerate(sys.argv))
    leads, consoles = int(given.get(1, "1500")), int(given.get(2, "10"))
    sends = leads * STEPS
    alone, watched = [], []
    for _ in range(ROUNDS):
        for many, kept in ((0, alone), (consoles, watched)):
            with tempfile.TemporaryDirectory(prefix="relance-bench-") as folder:
                took, seen = asyncio.run(one(Path(folder) / "data", leads, many))
            kept.append(took)
            pages = f"; {len(seen)} pages, answers {sorted(set(seen))}" if many else ""
            print(f"{many:3} consoles: {sends / took:6.0f} sends per CPU-second{pages}", flush=True)
    ratio = sorted(alone)[ROUNDS // 2] / sorted(watched)[ROUNDS // 2]
    print(f"with {consoles} consoles: {100 * ratio:.0f} % of the throughput without (medians of {ROUNDS}, by CPU)")


if __name__ == "__main__":
    main()
