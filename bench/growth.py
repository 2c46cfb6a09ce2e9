"""What a claim costs as an installation grows with the same work due, and with many due behind capped mailboxes.

Run: `.venv/bin/python bench/growth.py [MOST]` (1,000,000 enrollments; SQLite, in a file). First 10,000 enrollments and
then ten times as many, up to MOST, of which 400 are due for 200 of 1,000 mailboxes. Then as many due as half of MOST,
all pinned to 10,000 mailboxes of which 98 in 100 are capped. Each claim is undone, so that the next finds the same.
Beside it, in the same run, the obvious statement: due rows joined with the mailboxes that are free, most due first.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import apsw

from relance.ports.store import Store, Transaction
from relance.services import dispatching, workspaces
from relance.storage.opening import open_store
from relance.storage.parameters import time_text
from relance.testing import builders
from relance.testing.builders import MONDAY, email, plan

LEAST = 10_000
DUE, BUSY, MAILBOXES = 400, 200, 1_000
MANY_MAILBOXES, FREE_IN = 10_000, 50
CLAIMS, NAIVE_CLAIMS, ROOM = 200, 20, 200
PEOPLE = """
    WITH RECURSIVE n (i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :first + :count)
    INSERT INTO leads (workspace_id, id, email, created_at) SELECT 1, i, 'p' || i || '@lead.example', :now FROM n
"""
ENROLLED = """
    WITH RECURSIVE n (i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :first + :count)
    INSERT INTO enrollments (workspace_id, id, uid, sequence_id, version, lead_id, status, step, step_kind,
        step_counter, next_due_at, mailbox_id, created_at)
    SELECT 1, i, 'u' || i, 1, 1, i, 'active', 'more', 'email', 2, :due, 1 + i % :mailboxes, :now FROM n
"""
NAIVE = """
    SELECT e.id FROM enrollments e JOIN mailboxes m ON m.workspace_id = e.workspace_id AND m.id = e.mailbox_id
    WHERE e.status = 'active' AND e.step_kind = 'email' AND e.ready_at <= :now AND e.lock_holder IS NULL
        AND m.status = 'active' AND (m.skip_until IS NULL OR m.skip_until <= :now)
    ORDER BY e.ready_at LIMIT 200
"""


class UndoneError(Exception):
    """Ends a transaction that is not kept."""


def scene(tx: Transaction, mailboxes: int) -> None:
    """Make one sequence and the mailboxes that it may use."""
    workspaces.ensure_installation(tx, uid="bench", now=MONDAY)
    acme = builders.workspace(tx)
    for number in range(mailboxes):
        builders.mailbox(tx, acme, f"bo{number}@ours.example")
    builders.published(tx, acme, plan(email("intro", subject="A question"), email("more", "1d")))


def enroll(path: Path, *, first: int, count: int, mailboxes: int, due: bool) -> None:
    """Put people into the file, due an hour ago or in a week."""
    at = MONDAY - timedelta(hours=1) if due else MONDAY + timedelta(days=7)
    facts = {"first": first, "count": count, "now": time_text(MONDAY)}
    connection = apsw.Connection(str(path))
    with connection:
        connection.execute(PEOPLE, facts)
        connection.execute(ENROLLED, {**facts, "due": time_text(at), "mailboxes": mailboxes})
    connection.close()


def cap(path: Path) -> None:
    """Let all but one in fifty of the mailboxes be capped until tomorrow."""
    connection = apsw.Connection(str(path))
    until = time_text(MONDAY + timedelta(days=1))
    connection.execute("UPDATE mailboxes SET skip_until = ? WHERE id % ? <> 0", (until, FREE_IN))
    connection.close()


def timed(work: Callable[[], object]) -> float:
    """Return how many milliseconds something takes."""
    began = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - began)


async def claims(store: Store) -> tuple[list[float], int]:
    """Return how long each of some claims took, in milliseconds, and how many rows the last one took."""
    took: list[float] = []
    found = 0

    def claim(tx: Transaction) -> None:
        nonlocal found
        began = time.perf_counter()
        lock = {"worker": "w1", "lock_expires_at": MONDAY + timedelta(seconds=90), "now": MONDAY}
        found = len(dispatching.claim(tx, **lock, busy=frozenset(), limit=ROOM))  # type: ignore[arg-type]  # by name
        took.append(1e3 * (time.perf_counter() - began))
        raise UndoneError

    for _ in range(CLAIMS):
        try:
            await store.write(claim)
        except UndoneError:
            continue
    return sorted(took), found


def naive(path: Path) -> float:
    """Return the median time of the obvious statement, in milliseconds."""
    connection = apsw.Connection(str(path))
    took = [timed(lambda: list(connection.execute(NAIVE, {"now": time_text(MONDAY)}))) for _ in range(NAIVE_CLAIMS)]
    connection.close()
    return statistics.median(took)


async def measure(path: Path, what: str, first: float | None = None) -> float:
    """Print one line; return the median of a claim."""
    store = open_store(path)
    took, found = await claims(store)
    await store.close()
    middle, late = statistics.median(took), took[int(0.99 * len(took))]
    ratio = f", {middle / first:.2f} times the first line" if first else ""
    print(
        f"{what}: {found} claimed in {middle:.2f} ms (median), {late:.2f} ms (p99){ratio}; joined: {naive(path):.2f} ms"
    )
    return middle


async def new(path: Path, mailboxes: int) -> None:
    """Make the file."""
    store = open_store(path)
    await store.write(scene, mailboxes)
    await store.close()


async def run(folder: Path, most: int) -> None:
    """Measure every size."""
    path = folder / "growing.db"
    await new(path, MAILBOXES)
    enroll(path, first=1, count=DUE, mailboxes=BUSY, due=True)
    size, first = DUE, None
    goal = LEAST
    while goal <= most:
        enroll(path, first=size + 1, count=goal - size, mailboxes=MAILBOXES, due=False)
        size = goal
        middle = await measure(path, f"{size:>10,} enrollments, {DUE} due", first)
        first = first or middle
        goal *= 10
    path = folder / "backlog.db"
    await new(path, MANY_MAILBOXES)
    enroll(path, first=1, count=most // 2, mailboxes=MANY_MAILBOXES, due=True)
    cap(path)
    await measure(path, f"{most // 2:>10,} due, {MANY_MAILBOXES:,} mailboxes, {MANY_MAILBOXES // FREE_IN} of them free")


def main() -> None:
    """Measure up to the size that was asked for."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"setting: SQLite {apsw.sqlite_lib_version()} in a file, synchronous=FULL; at most {ROOM} claims a pass")
    with tempfile.TemporaryDirectory(prefix="relance-bench-") as folder:
        asyncio.run(run(Path(folder), most))


if __name__ == "__main__":
    main()
