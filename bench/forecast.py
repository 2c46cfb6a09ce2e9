"""How long a forecast takes: everybody's next steps, by the engine of production over a copy in memory.

Run: `.venv/bin/python bench/forecast.py [LEADS [MAILBOXES]]` (5,000 people x 3 steps, 20 mailboxes with the default
caps, gaps and window). Printed: seconds by the clock and of CPU, beside the 20 seconds that are wanted for that size,
and when the last message leaves.
"""

import asyncio
import sys
import time

from full_path import HTML, PEOPLE, STEPS, TEXT  # type: ignore[import-not-found]  # beside this file

from relance.app.clocks import RealMonotonic
from relance.core.sequence import EmailStep, Variant, Window
from relance.forecast.playing import play
from relance.forecast.silent_world import SilentWorld
from relance.ports.store import Transaction
from relance.sandbox.clock import SandboxClock
from relance.services import auditing, workspaces
from relance.storage.scratch import ScratchStore
from relance.testing import builders
from relance.testing.builders import KEYS, MONDAY, delay, plan

WANTED = 20.0 / 15_000  #: Seconds for each message.
DAYS = 400


def fill(tx: Transaction, leads: int, mailboxes: int) -> None:
    """Enroll everybody at once."""
    workspaces.ensure_installation(tx, uid="bench", now=MONDAY)
    acme = builders.workspace(tx)
    for number in range(mailboxes):
        builders.mailbox(tx, acme, f"bo{number}@ours.example", display_name="Bo")
    steps = [
        EmailStep(
            id=f"step{number}",
            after=delay("2d" if number else "0s"),
            variants=(Variant(id="a", weight=1, subject=None if number else "A question", text=TEXT, html=HTML),),
        )
        for number in range(STEPS)
    ]
    builders.published(tx, acme, plan(*steps, window=Window()))
    people = [builders.lead(tx, acme, f"p{number}@lead{number % 97}.example", **PEOPLE) for number in range(leads)]
    builders.enrollment(tx, acme, people)


async def measure(leads: int, mailboxes: int) -> None:
    """Play it and print."""
    store, clock = ScratchStore.empty(), SandboxClock(MONDAY)
    await store.write(fill, leads, mailboxes)
    cpu, wall = time.process_time(), time.perf_counter()
    world = SilentWorld(clock, reply_rate=0.0, bounce_rate=0.0)
    played = await play(store, clock, world, keys=KEYS, monotonic=RealMonotonic(), days=DAYS)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    sends = sum(step.sent for step in await store.read(auditing.audit, workspace_id=1, name="q4"))
    await store.close()
    print(f"setting: {leads} people x {STEPS} steps on {mailboxes} mailboxes; a copy in memory, nobody answers")
    print(f"foreseen: {sends} messages until {played.until:%d %b %Y}")
    print(f"took:     {wall:.1f} s by the clock, {cpu:.1f} s of CPU, {1e3 * cpu / sends:.2f} ms a message;")
    print(f"          {cpu / (sends * WANTED):.2f} times what is wanted")


def main() -> None:
    """Measure the size that was asked for."""
    leads, mailboxes = (int(value) for value in (sys.argv[1:] + ["5000", "20"][len(sys.argv) - 1 :])[:2])
    asyncio.run(measure(leads, mailboxes))


if __name__ == "__main__":
    main()
