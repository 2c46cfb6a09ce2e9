"""What a claim over PostgreSQL costs as an installation grows, and what a snapshot that is held open makes of it.

Run: `.venv/bin/python bench/growth_postgres.py [MOST [SECONDS]]` (100,000 enrollments, 20 s). A private PostgreSQL is
started. First as in `growth.py`: the same people due in ever larger installations, and half of MOST due behind capped
mailboxes; each claim is undone. Then people are claimed and moved on, for SECONDS, alone and while another connection
holds a snapshot, so that nothing which was moved can be cleaned away; beside it, in the same run, the obvious
statement: the most due rows, FOR UPDATE SKIP LOCKED.
"""

import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

import psycopg  # noqa: E402
from growth import (  # type: ignore[import-not-found]  # noqa: E402  # beside this file
    BUSY,
    CLAIMS,
    DUE,
    FREE_IN,
    LEAST,
    MAILBOXES,
    MANY_MAILBOXES,
    ROOM,
    UndoneError,
    scene,
)

from peers import postgres_binaries  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from relance.ports.store import Store, Transaction  # noqa: E402
from relance.services import dispatching  # noqa: E402
from relance.storage.opening import open_store  # noqa: E402
from relance.testing.builders import MONDAY  # noqa: E402

SLICES = 4  #: Parts of SECONDS; the last one is compared.
PEOPLE = """
    INSERT INTO leads (workspace_id, id, email, created_at) OVERRIDING SYSTEM VALUE
    SELECT 1, i, 'p' || i || '@lead.example', %(now)s FROM generate_series(%(first)s::bigint, %(last)s::bigint) i
"""
ENROLLED = """
    INSERT INTO enrollments (workspace_id, id, uid, sequence_id, version, lead_id, status, step, step_kind,
        step_counter, next_due_at, mailbox_id, created_at) OVERRIDING SYSTEM VALUE
    SELECT 1, i, 'u' || i, 1, 1, i, 'active', 'more', 'email', 2, %(due)s, 1 + i %% %(mailboxes)s, %(now)s
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) i
"""
MOVE_ON = """
    UPDATE enrollments SET lock_holder = NULL, lock_expires_at = NULL, step_counter = step_counter + 1,
        next_due_at = next_due_at + interval '7 days'
    WHERE workspace_id = 1 AND id = ANY (%(ids)s)
"""
NAIVE = """
    UPDATE enrollments SET lock_holder = 'w1', lock_expires_at = %(now)s WHERE workspace_id = 1 AND id IN (
        SELECT id FROM enrollments WHERE status = 'active' AND step_kind = 'email' AND ready_at <= %(now)s
            AND lock_holder IS NULL
        ORDER BY ready_at LIMIT %(room)s FOR UPDATE SKIP LOCKED
    ) RETURNING id
"""


def enroll(url: str, *, first: int, last: int, mailboxes: int, due: timedelta) -> None:
    """Put people into the database, due so long before now."""
    facts = {"first": first, "last": last, "now": MONDAY, "due": MONDAY - due, "mailboxes": mailboxes}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(PEOPLE, facts)
        connection.execute(ENROLLED, facts)
        connection.execute("VACUUM ANALYZE")


def claim(tx: Transaction) -> list[int]:
    """Claim as the dispatcher does."""
    lock = {"worker": "w1", "lock_expires_at": MONDAY + timedelta(seconds=90), "now": MONDAY}
    return [one.enrollment_id for one in dispatching.claim(tx, **lock, busy=frozenset(), limit=ROOM)]  # type: ignore[arg-type]  # by name


async def undone(store: Store) -> tuple[list[float], int]:
    """Return how long each of some claims took, in milliseconds, sorted, and how many rows the last one took."""
    took, found = [], 0

    def one(tx: Transaction) -> None:
        nonlocal found
        began = time.perf_counter()
        found = len(claim(tx))
        took.append(1e3 * (time.perf_counter() - began))
        raise UndoneError

    for _ in range(CLAIMS):
        with suppress(UndoneError):
            await store.write(one)
    return sorted(took), found


async def grow(urls: Sequence[str], most: int) -> None:
    """Print the claim at every size, then the one behind capped mailboxes."""
    store = open_store(urls[0])
    await store.write(scene, MAILBOXES)
    enroll(urls[0], first=1, last=DUE, mailboxes=BUSY, due=timedelta(hours=1))
    size, first = DUE, None
    for goal in itertools.takewhile(lambda goal: goal <= most, (LEAST * 10**n for n in itertools.count())):
        enroll(urls[0], first=size + 1, last=goal, mailboxes=MAILBOXES, due=timedelta(days=-7))
        size = goal
        first = await say(store, f"{goal:>10,} enrollments, {DUE} due", first) or first
    await store.close()
    store = open_store(urls[1])
    await store.write(scene, MANY_MAILBOXES)
    enroll(urls[1], first=1, last=most // 2, mailboxes=MANY_MAILBOXES, due=timedelta(hours=1))
    with psycopg.connect(urls[1], autocommit=True) as connection:
        until = MONDAY + timedelta(days=1)
        connection.execute("UPDATE mailboxes SET skip_until = %s WHERE id %% %s <> 0", (until, FREE_IN))
        connection.execute("VACUUM ANALYZE")
    await say(store, f"{most // 2:>10,} due, {MANY_MAILBOXES // FREE_IN} of {MANY_MAILBOXES:,} mailboxes free", None)
    await store.close()


async def say(store: Store, what: str, first: float | None) -> float:
    """Print one line; return the median."""
    took, found = await undone(store)
    middle, late = statistics.median(took), took[int(0.99 * len(took))]
    ratio = f", {middle / first:.2f} times the first line" if first else ""
    print(f"{what}: {found} claimed in {middle:.2f} ms (median), {late:.2f} ms (p99){ratio}", flush=True)
    return middle


async def ours(url: str, seconds: float) -> list[float]:
    """Claim and move on; return the rows a second in each slice."""
    store = open_store(url)

    with psycopg.connect(url) as beside:

        async def step() -> int:
            ids = await store.write(claim)
            beside.execute(MOVE_ON, {"ids": ids})
            beside.commit()
            return len(ids)

        found = await rates(step, seconds)
    await store.close()
    return found


async def obvious(url: str, seconds: float) -> list[float]:
    """Do the same by the obvious statement."""
    with psycopg.connect(url) as connection:

        async def step() -> int:
            rows = connection.execute(NAIVE, {"now": MONDAY, "room": ROOM}).fetchall()
            connection.commit()
            connection.execute(MOVE_ON, {"ids": [row[0] for row in rows]})
            connection.commit()
            await asyncio.sleep(0)
            return len(rows)

        return await rates(step, seconds)


async def rates(step: Callable[[], Awaitable[int]], seconds: float) -> list[float]:
    """Return rows a second, slice by slice."""
    found = []
    for _ in range(SLICES):
        began, rows = time.perf_counter(), 0
        while time.perf_counter() - began < seconds / SLICES:
            moved = await step()
            if not moved:
                raise SystemExit("nobody was left: enroll more")
            rows += moved
        found.append(rows / (time.perf_counter() - began))
    return found


async def held(make: Callable[[], str], people: int, seconds: float) -> None:
    """Print what a snapshot that is held open makes of both ways."""
    for name, work in (("ours", ours), ("the obvious statement", obvious)):
        last = {}
        for holding in (False, True):
            url = make()
            store = open_store(url)
            await store.write(scene, ROOM)
            await store.close()
            enroll(url, first=1, last=people, mailboxes=ROOM, due=timedelta(hours=1))
            with ExitStack() as stack:
                if holding:
                    other = stack.enter_context(psycopg.connect(url))
                    other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
                    other.execute("SELECT count(*) FROM enrollments")
                last[holding] = (await work(url, seconds))[-1]
        loss = 100 * (1 - last[True] / last[False])
        print(
            f"{name}: {last[False]:.0f} rows a second in the last {seconds / SLICES:g} of {seconds:g} s alone, "
            f"{last[True]:.0f} beside a snapshot: {loss:.0f} % lost",
            flush=True,
        )


def main() -> None:
    """Start a server and measure up to the size that was asked for."""
    most, seconds = (int(value) for value in (sys.argv[1:] + ["100000", "20"][len(sys.argv) - 1 :])[:2])
    binaries = postgres_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL's server programs are not installed")
    print(f"setting: PostgreSQL, durable, on this machine; at most {ROOM} claims a pass", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="relance-bench-") as name,
        Cluster(binaries, Path(name) / "server") as cluster,
    ):
        asyncio.run(grow([cluster.databases.create() for _ in range(2)], most))
        asyncio.run(held(cluster.databases.create, 2 * most, seconds))


if __name__ == "__main__":
    main()
