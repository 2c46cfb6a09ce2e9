"""A day of many inboxes: each sends its share, with a virtual clock and mailboxes that take everything.

Run: `.venv/bin/python bench/inbox_day.py [INBOXES [SENDS [WORKSPACES]]]` (10,000 inboxes x 6 sends, 1,000 workspaces).
The engine of production over SQLite (synchronous=FULL); time jumps from one due instant to the next, ten seconds at
least.
Printed: what it took, beside the rate that as many inboxes need over eight hours; how late the latest message left
after its mailbox was free; that no cap and no gap was broken, inbox by inbox; and how fairly workspaces were served
half-way (Jain's index: 1 is even, 1/n is one for all).
"""

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import apsw

from relance.app.clocks import RealMonotonic
from relance.core import pacing
from relance.core.mailbox import Mailbox
from relance.core.workspace import Workspace
from relance.forecast.playing import play
from relance.forecast.silent_world import SilentWorld
from relance.ports.store import Reader, Store, Transaction
from relance.sandbox.clock import SandboxClock
from relance.services import slots, workspaces
from relance.storage.opening import open_store
from relance.testing import builders
from relance.testing.builders import KEYS, MONDAY, email, plan

TICK = timedelta(seconds=10)
WORKDAY = 8 * 3600
PATIENCE = 3600.0  #: Real seconds in which all that is due at one moment is sent.


class CoarseClock(SandboxClock):
    """A clock that jumps at least a tick: what is due within it is done at once, and a little late."""

    def jump(self, to: datetime) -> None:
        """Move on."""
        super().jump(max(to, self.now() + TICK))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One message: whose, by which mailbox, and when it was reserved."""

    workspace_id: int
    mailbox_id: int
    uid: str
    step_counter: int
    planned_at: datetime


def settle(tx: Transaction) -> None:
    """Make the installation."""
    workspaces.ensure_installation(tx, uid="bench", now=MONDAY)


def fill(tx: Transaction, number: int, inboxes: int, sends: int) -> Workspace:
    """Make one workspace: its inboxes, and as many people as they can write to in a day."""
    acme = builders.workspace(tx, name=f"w{number}")
    for inbox in range(inboxes):
        builders.mailbox(tx, acme, f"bo{inbox}@ours{number}.example", daily_cap=sends, hourly_cap=sends)
    builders.published(tx, acme, plan(email("intro", subject="A question")))
    people = [builders.lead(tx, acme, f"p{one}@lead{one % 97}.example") for one in range(inboxes * sends)]
    builders.enrollment(tx, acme, people)
    return acme


def everything_sent(path: Path) -> list[Sent]:
    """Return what was sent, in order, from the closed file."""
    database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows = database.execute(
        "SELECT a.workspace_id, a.mailbox_id, e.uid, a.step_counter, a.planned_at FROM attempts a"
        " JOIN enrollments e ON e.workspace_id = a.workspace_id AND e.id = a.enrollment_id"
        " WHERE a.status = 'sent' ORDER BY a.planned_at, a.id"
    )
    return [
        Sent(workspace_id=ws, mailbox_id=box, uid=uid, step_counter=step, planned_at=datetime.fromisoformat(at))
        for ws, box, uid, step, at in rows
    ]


def inboxes_of(reader: Reader) -> dict[int, Mailbox]:
    """Return every mailbox by its id."""
    return {one.id: one for one in reader.all(Mailbox, "mailboxes.connected")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the records say of the day."""

    sent: int
    over_cap: int
    too_close: int
    latest: float  #: Seconds.
    jain: float


def judge(sent: list[Sent], boxes: dict[int, Mailbox], sends: int) -> Judged:
    """Look at every inbox."""
    by_box: defaultdict[int, list[Sent]] = defaultdict(list)
    for one in sent:
        by_box[one.mailbox_id].append(one)
    waits = []
    for box, ones in by_box.items():
        for before, after in pairwise(ones):
            gap = pacing.gap(boxes[box], key=slots.gap_key(before.uid, before.step_counter))
            waits.append((after.planned_at - before.planned_at - gap).total_seconds())
    days = Counter((one.mailbox_id, one.planned_at.date()) for one in sent)
    served = Counter(one.workspace_id for one in sent[: len(sent) // 2])
    square, squares = sum(served.values()) ** 2, sum(count**2 for count in served.values())
    everybody = len({one.workspace_id for one in sent})
    return Judged(
        sent=len(sent),
        over_cap=sum(count > sends for count in days.values()),
        too_close=sum(wait < 0 for wait in waits),
        latest=max(waits, default=0.0),
        jain=square / (everybody * squares),
    )


async def a_day(path: Path, inboxes: int, sends: int, parts: int) -> tuple[Judged, float, float, timedelta]:
    """Fill a file, live through the day, and return what it came to, with CPU and wall seconds and the virtual time."""
    store: Store = open_store(path)
    await store.write(settle)
    for number in range(parts):
        await store.write(fill, number, inboxes // parts, sends)
    clock = CoarseClock(MONDAY)
    world = SilentWorld(clock, reply_rate=0.0, bounce_rate=0.0)
    cpu, wall = time.process_time(), time.perf_counter()
    await play(store, clock, world, keys=KEYS, monotonic=RealMonotonic(), days=2, rest=PATIENCE)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    boxes = await store.read(inboxes_of)
    await store.close()
    judged = judge(await asyncio.to_thread(everything_sent, path), boxes, sends)
    return judged, cpu, wall, clock.now() - MONDAY


def main() -> None:
    """Print the day."""
    inboxes, sends, parts = (int(value) for value in (sys.argv[1:] + ["10000", "6", "1000"][len(sys.argv) - 1 :])[:3])
    with tempfile.TemporaryDirectory(prefix="relance-bench-") as folder:
        judged, cpu, wall, span = asyncio.run(a_day(Path(folder) / "day.db", inboxes, sends, parts))
    needed = inboxes * sends / WORKDAY
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"setting: {inboxes} inboxes x {sends} sends, {parts} workspaces; SQLite in a file, synchronous=FULL;")
    print(f"         virtual time in steps of {TICK.total_seconds():g} s; null mailboxes; {os.cpu_count()} cores")
    print(f"sent:    {judged.sent} of {inboxes * sends}, in {span} of virtual time")
    print(f"cost:    {wall:.1f} s by the clock, {cpu:.1f} s of CPU: {judged.sent / cpu:.0f} sends per CPU-second,")
    print(f"         {judged.sent / wall / needed:.1f} times the {needed:.1f} a second that they need in eight hours")
    print(f"memory:  {peak:.0f} MiB at most, the filling included")
    print(f"late:    {judged.latest:.1f} s at most after the mailbox was free, of steps of {TICK.total_seconds():g} s")
    print(f"broken:  {judged.over_cap} caps, {judged.too_close} gaps")
    print(f"fair:    Jain's index over the workspaces {judged.jain:.4f}, when half was sent")


if __name__ == "__main__":
    main()
