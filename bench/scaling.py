"""A working day of many mailboxes, simulated from measured costs: how many cells it takes, and how late messages are.

Run: `.venv/bin/python bench/scaling.py CLIENT_MS SERVER_MS [CORES [SENDS]]`: CPU milliseconds of a worker and of
PostgreSQL for one send (both from `bench/workers.py`), cores of a cell (16), sends of a mailbox a day (30). A cell is
one PostgreSQL and its workers on so many cores. Nothing here is measured: it is arithmetic over a day of eight hours,
second by second, in which mailboxes become free at random moments, a third more of them in the first hour, as after a
weekend. A cell that cannot keep up lets messages wait; the longest wait is printed.
"""

import sys
from dataclasses import dataclass

from relance.core.splitting import uniform

SECONDS = 8 * 3600
MORNING = 3600
RUSH = 4 / 3
SIZES = (10_000, 100_000, 1_000_000)
FILLED = 0.7  #: Part of its cores that a cell may be busy on average; the rest is for reading, reports and bad days.
PATIENCE = 60.0  #: Seconds that a message may wait for a worker.
MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What a day came to in one cell."""

    longest: float  #: Seconds that a message waited.
    busy: float  #: Part of the capacity that was used.


def a_day(mailboxes: float, sends: int, capacity: float, key: str) -> Day:
    """Live through a day of one cell that does `capacity` sends a second."""
    calm = mailboxes * sends / (SECONDS + (RUSH - 1) * MORNING)
    waiting = longest = done = 0.0
    for second in range(SECONDS):
        mean = calm * (RUSH if second < MORNING else 1.0)
        # The sum of many mailboxes' moments: as wide as a Poisson law, without its tail beyond three deviations.
        spread = sum(uniform(key, f"{second}.{part}") for part in range(3)) - 1.5
        waiting += max(0.0, mean + 2 * spread * mean**0.5)
        served = min(waiting, capacity)
        waiting, done = waiting - served, done + served
        longest = max(longest, waiting / capacity)
    return Day(longest=longest, busy=done / (capacity * SECONDS))


def cells(mailboxes: int, sends: int, capacity: float) -> tuple[int, Day]:
    """Return the fewest cells of one size that keep up, and the day of one of them."""
    for count in range(1, MOST):
        day = a_day(mailboxes / count, sends, capacity, f"{mailboxes} {count}")
        if day.longest <= PATIENCE and day.busy <= FILLED:
            return count, day
    raise SystemExit(f"more than {MOST} cells")


def main() -> None:
    """Print one line for each size."""
    client, server = float(sys.argv[1]), float(sys.argv[2])
    cores, sends = (int(value) for value in (sys.argv[3:] + ["16", "30"][len(sys.argv) - 3 :])[:2])
    capacity = cores / (1e-3 * (client + server))
    print(f"given: {client:g} ms of a worker and {server:g} ms of PostgreSQL a send; {cores} cores a cell, that are")
    print(
        f"       {FILLED:.0%} busy at most; {sends} sends a mailbox in eight hours; a cell does {capacity:.0f} a second"
    )
    for mailboxes in SIZES:
        count, day = cells(mailboxes, sends, capacity)
        print(
            f"{mailboxes:>9,} mailboxes: {mailboxes * sends / SECONDS:6.0f} sends a second on average, {count} cells, "
            f"{day.busy:.0%} busy, the longest wait {day.longest:.1f} s"
        )


if __name__ == "__main__":
    main()
