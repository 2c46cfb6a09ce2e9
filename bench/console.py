"""What each page of the console costs on the server over a large installation, in both databases.

Run: `.venv/bin/python bench/console.py [LEADS [sqlite|postgres|both [ROUNDS [PART]]]]` (20,000 leads, both, 30
rounds, every page; PART: those whose address has it): twice as many enrollments and five times as many messages as
leads, of which one in five came in; 200 mailboxes, 20 sequences. Every page that can be asked for with GET is asked for
in this process, without a socket, by an owner who is logged in, and by a key what programs ask the API for. The figure
is the whole answer: session, membership, queries, template. A page that grows with the table shows in a second run with
more leads.
"""

import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

import apsw  # noqa: E402
import httpx  # noqa: E402
import psycopg  # noqa: E402
from console_rows import ROWS, Dialect, statements  # type: ignore[import-not-found]  # noqa: E402  # beside this file

from peers import postgres_binaries  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from relance.app import init_installation, settle_installation  # noqa: E402
from relance.app.installation import Installation  # noqa: E402
from relance.app.serving import surroundings  # noqa: E402
from relance.config import Config  # noqa: E402
from relance.core.people import Role  # noqa: E402
from relance.core.workspace import Workspace  # noqa: E402
from relance.ports.store import Transaction  # noqa: E402
from relance.services import api_keys, sessions, users  # noqa: E402
from relance.testing import builders  # noqa: E402
from relance.testing.builders import MONDAY, email, plan  # noqa: E402
from relance.testing.fake_clock import FakeClock  # noqa: E402
from relance.web.console import PAGES  # noqa: E402
from relance.web.security.tokens import KEY_PREFIX, new_token  # noqa: E402
from relance.web.security.who import COOKIE  # noqa: E402
from relance.web.server import application  # noqa: E402

MAILBOXES, SEQUENCES = 200, 20
GOAL = 0.150  #: Seconds, for 95 of 100 answers.
BASE = "http://bench.example"
#: Not pages: what never ends.
LEFT_OUT = {"/w/{workspace}/live"}
#: Questions beside the bare pages.
MORE = (
    "leads?after=5000",
    "leads?status=active",
    "leads?status=held",
    "leads?status=none",
    "leads?sequence=s3&status=stopped&reason=replied",
    "leads?sequence=s3&step=bump",
    "leads?replied=yes",
    "leads?replied=yes&status=held",
    "leads?reason=daily_cap",
    "leads?mailbox=bo7@ours.example",
    "leads?text=p1",
    "leads?text=@nowhere.example",
    "leads?list=nobody",
    "inbox?state=all",
    "inbox?state=done&kind=auto_reply",
    "inbox?state=all&mailbox=7&kind=unsubscribe",
    "inbox?state=all&sequence=3",
    "inbox?q=offer",
    "inbox?q=rare17",
    "inbox?q=offer+rare17",
    "inbox?state=all&before=2026-10-15T00:00:00%2B00:00~1",
    "numbers?days=365",
    "numbers?days=365&sequence=3",
    "numbers?days=365&mailbox=7",
)
#: Of the API: whatever a program asks for again and again, and what lists much.
API = (
    "workspaces",
    "mailboxes",
    "mailboxes/bo7@ours.example/health",
    "leads",
    "leads?status=held",
    "leads?sequence=s3&status=stopped&reason=replied",
    "leads/{lead}",
    "leads/{lead}/explain",
    "lists",
    "sequences",
    "sequences/s3",
    "sequences/s3/stats",
    "enrollments",
    "enrollments?sequence=s3",
    "enrollments?sequence=s3&status=held",
    "enrollments?lead={lead}",
    "tasks",
    "threads",
    "threads?state=all&sequence=s3",
    "threads/{thread}",
    "messages/search?words=offer",
    "suppressions",
    "events",
    "events?lead={lead}",
    "stats/sequences",
    "stats/mailboxes",
    "stats/days",
    "stuck",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much is measured."""

    leads: int
    rounds: int
    part: str  #: Only addresses that have it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one page took, in seconds."""

    path: str
    status: int
    median: float
    p95: float
    cpu: float  #: Of this process for one answer: what a machine with other work leaves comparable.


def scene(tx: Transaction, acme: Workspace) -> tuple[str, str]:
    """Make mailboxes, sequences, an owner and a key; return the token of the owner's session, and the key."""
    for number in range(MAILBOXES):
        builders.mailbox(tx, acme, f"bo{number}@ours.example", now=MONDAY)
    for number in range(SEQUENCES):
        steps = (email("intro", subject="A question"), email("bump", "3d"), email("last", "4d"))
        builders.published(tx, acme, plan(*steps, name=f"s{number + 1}"), now=MONDAY)
    owner = users.add(tx, email="owner@ours.example", name="", password_hash=None, now=MONDAY)
    users.let_in(tx, acme, owner, Role.OWNER, by="the bench", may=Role.OWNER, now=MONDAY)
    token, key = new_token(), new_token(KEY_PREFIX)
    sessions.begin(tx, owner, digest=token.digest, now=MONDAY)
    api_keys.add(
        tx,
        acme,
        name="the bench's",
        shown=key.shown,
        digest=key.digest,
        role=Role.OWNER,
        by=owner.email,
        may=Role.OWNER,
        now=MONDAY,
    )
    return token.text, key.text


def fill_sqlite(path: Path, leads: int) -> None:
    """Put the rows in, without the safety that a bench does not need."""
    connection = apsw.Connection(str(path))
    connection.pragma("foreign_keys", 0)
    connection.pragma("synchronous", 0)
    connection.pragma("cache_size", -200_000)
    with connection:
        for statement in statements(Dialect.SQLITE, leads, MONDAY.timestamp()):
            connection.execute(statement)
    connection.close()


def fill_postgres(url: str, leads: int) -> None:
    """Put the rows in, and let the planner know them."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET synchronous_commit = off")
        for statement in statements(Dialect.POSTGRES, leads, MONDAY.timestamp()):
            connection.execute(statement)
        connection.execute("VACUUM ANALYZE")


def paths(workspace: str, leads: int) -> Iterator[str]:
    """Yield every page that can be asked for, with ids in the midst of the tables."""
    ids = {"thread": leads // 20, "message": ROWS.first_incoming(leads) + leads // 20, "answer": 1}
    ids |= {"lead": leads // 2, "lead_id": leads // 2, "enrollment": leads, "mailbox": 7, "mailbox_id": 7}
    for route in PAGES:
        if "GET" in (route.methods or ()) and route.path not in LEFT_OUT:
            path = route.path.replace("{workspace}", quote(workspace))
            yield re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: str(ids.get(found[1], 3)), path)
    yield from (f"/w/{quote(workspace)}/{question}" for question in MORE)
    yield from (f"/api/v1/{question.format_map(ids)}" for question in API)


async def measure(client: httpx.AsyncClient, path: str, rounds: int) -> Figures:
    """Ask for one page again and again."""
    status = (await client.get(path)).status_code  # its template is read, its plans are made
    took = []
    cpu = time.process_time()
    for _ in range(rounds if status < httpx.codes.BAD_REQUEST else 0):
        began = time.perf_counter()
        await client.get(path)
        took.append(time.perf_counter() - began)
    if not took:
        return Figures(path=path, status=status, median=0.0, p95=0.0, cpu=0.0)
    return Figures(
        path=path,
        status=status,
        median=statistics.median(took),
        p95=sorted(took)[max(0, round(len(took) * 0.95) - 1)],
        cpu=(time.process_time() - cpu) / len(took),
    )


async def ask_for_all(
    installation: Installation, workspace: Workspace, lets_in: tuple[str, str], wanted: Wanted
) -> bool:
    """Measure every page and print what it took; return whether all met the goal."""
    real = FakeClock()
    app = application(surroundings(installation, base_url=BASE, real=real))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)  # type: ignore[arg-type]  # it is ASGI
    good, (token, key) = True, lets_in
    who = {"cookies": {COOKIE: token}, "headers": {"Authorization": f"Bearer {key}"}}
    async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=600, **who) as client:  # type: ignore[arg-type]  # by their names
        for path in (one for one in paths(workspace.name, wanted.leads) if wanted.part in one):
            real.advance(timedelta(minutes=1))  # a key may not call without end
            found = await measure(client, path, wanted.rounds)
            meets = found.p95 <= GOAL
            good = good and meets and found.status < httpx.codes.INTERNAL_SERVER_ERROR
            took = (
                f"{found.median * 1000:8.1f} {found.p95 * 1000:8.1f} ms, {found.cpu * 1000:6.1f} ms of CPU"
                if found.p95
                else f"   not measured: {found.status}"
            )
            print(f"  {found.path:72} {took}{'' if meets else '  MORE THAN THE GOAL'}", flush=True)
    return good


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str | None]:
    """Yield the URL of an empty database, None for a file."""
    if kind == "sqlite":
        yield None
        return
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster(postgres_binaries(), folder / "cluster"))
        yield cluster.url


async def bench(kind: str, wanted: Wanted, folder: Path) -> bool:
    """Fill one kind of database and ask for every page."""
    with database(kind, folder) as url:
        data = folder / kind
        installation = init_installation(
            Config(data=data, database_url=url, master_key_file=data / "master.key", workspace="acme")
        )
        installation.clock = FakeClock()
        workspace = await settle_installation(installation, timezone=None)
        token = await installation.write(scene, workspace)
        began = time.perf_counter()
        if url is None:
            await asyncio.to_thread(fill_sqlite, Path(installation.config.database), wanted.leads)
        else:
            await asyncio.to_thread(fill_postgres, url, wanted.leads)
        took = time.perf_counter() - began
        print(f"{kind}: {wanted.leads:,} leads, filled in {took:.0f} s; median and 95 of 100 of {wanted.rounds}")
        good = await ask_for_all(installation, workspace, token, wanted)
        await installation.close()
        return good


def main() -> int:
    """Run what the command line asks for."""
    given = dict(enumerate(sys.argv))
    kind = given.get(2, "both")
    wanted = Wanted(leads=int(given.get(1, "20000")), rounds=int(given.get(3, "30")), part=given.get(4, ""))
    kinds = ["sqlite", "postgres"] if kind == "both" else [kind]
    with tempfile.TemporaryDirectory() as folder:
        results = [asyncio.run(bench(kind, wanted, Path(folder))) for kind in kinds]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
