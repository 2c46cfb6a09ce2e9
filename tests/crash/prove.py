"""The long run and its relations: `make crash-proof N=10000`, `make crash-replay`, `make crash-table`.

N counts kills that happened, on both stores together. Each worker is a process with a theatre of its own, every other
one over PostgreSQL; seeds are dealt out in turn. Some schedules over PostgreSQL are for several workers of the product.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from crash.fault_table import page
from crash.plan import Plan, first_stopped
from crash.random_schedules import draw_any
from crash.single_faults import Judged
from crash.theatre import Theatre, hasty_server

STORES = ("sqlite", "postgres")
#: One of so many schedules over PostgreSQL is for several workers, which takes some four times as long. A prime: seeds
#: are dealt out to the stores in turn, and of an even number PostgreSQL would never get the right ones.
CREW_EVERY = 7
COUNTED = ("kills", "stops", "put_back", "schedules", "crews", "lives", "failures", "waiting", "starved")
SWEPT_TURNS = (0, 1, 3)  #: Of time, for which workers are stopped beyond their lease, from place to place.
TABLE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "faults.md"


def main() -> int:
    """Do what the command line asks for; exit 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    doing = parser.add_subparsers(dest="doing", required=True)
    long = doing.add_parser("long", help="draw schedules until so many kills have happened")
    long.add_argument("--kills", type=int, default=10_000)
    long.add_argument("--seed", type=int, default=1)
    long.add_argument("--minutes", type=float, default=0.0, help="stop after so long, however many those were")
    long.add_argument("--workers", type=int, default=2, help="each takes one store, in turn")
    long.add_argument("--crew-every", type=int, default=CREW_EVERY, help="schedules over PostgreSQL; 1: each")
    worker = doing.add_parser("worker", help="one worker of a long run")
    for name in ("--kills", "--seed", "--step", "--crew-every"):
        worker.add_argument(name, type=int, required=True)
    worker.add_argument("--minutes", type=float, default=0.0)
    worker.add_argument("--store", choices=STORES, default="sqlite")
    again = doing.add_parser("replay", help="play one plan again and show what the servers saw")
    again.add_argument("--store", choices=STORES, default="sqlite")
    again.add_argument("plan")
    sweep = doing.add_parser("sweep", help="stop a worker of a crew at every place, past its lease")
    sweep.add_argument("--crew", type=int, default=2, help="workers of the product")
    doing.add_parser("table", help="write docs/reference/faults.md")
    asked = parser.parse_args()
    match asked.doing:
        case "long":
            facts = {name: getattr(asked, name) for name in ("kills", "minutes", "seed", "workers", "crew_every")}
            return run_long(**facts)
        case "worker":
            facts = {name: getattr(asked, name) for name in ("kills", "minutes", "seed", "step", "store", "crew_every")}
            return work(**facts)
        case "replay":
            return replay(asked.store, Plan.parse(asked.plan))
        case "sweep":
            return run_sweep(asked.crew)
        case _:
            return write_table()


# --- the long run


def run_long(*, kills: int, minutes: float, seed: int, workers: int, crew_every: int) -> int:
    """Share the kills out among workers over both stores, and add up. `minutes`: 0 for no limit."""
    began = time.monotonic()
    started = []
    for number in range(workers):
        command = [sys.executable, "-m", "crash.prove", "worker", "--seed", str(seed + number)]
        command += ["--step", str(workers), "--kills", str(-(-kills // workers)), "--store", STORES[number % 2]]
        command += ["--crew-every", str(crew_every), "--minutes", str(minutes)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    said = [json.loads((one.communicate()[0].splitlines() or ["{}"])[-1]) for one in started]
    total = {name: sum(each.get(name, 0) for each in said) for name in COUNTED}
    print(json.dumps({**total, "seed": seed, "minutes": round((time.monotonic() - began) / 60, 1)}))  # noqa: T201
    return 1 if total["failures"] or not all(said) else 0


def work(*, kills: int, minutes: float, seed: int, step: int, store: str, crew_every: int) -> int:
    """Draw and judge schedules until so many kills have happened, or time is up."""
    done = dict.fromkeys(COUNTED, 0)
    ends_at = time.monotonic() + 60 * minutes if minutes else math.inf
    with theatre_over(store) as theatre:
        places = theatre.enumeration.places
        while done["kills"] < kills and time.monotonic() < ends_at:
            plan = draw_any(seed, places, postgres=store == "postgres", crew_every=crew_every)
            judged = theatre.judge(plan)
            if judged.starved:
                done["starved"] += 1
                judged = theatre.judge(plan)
            count(done, judged)
            if judged.violations:
                print(f"seed {seed}: {theatre.complaint(judged)}", file=sys.stderr, flush=True)  # noqa: T201
            seed += step
    print(json.dumps(done))  # noqa: T201
    return 1 if done["failures"] else 0


def count(done: dict[str, int], judged: Judged) -> None:
    """Add one schedule to the counts."""
    done["schedules"] += 1
    done["crews"] += judged.plan.needs_crew
    done["failures"] += bool(judged.violations)
    done["waiting"] += len(judged.waiting)
    if judged.run is not None:
        done["kills"] += len(judged.run.killed_at)
        done["stops"] += len(judged.run.stopped_at)
        done["put_back"] += judged.run.put_back
        done["lives"] += judged.run.lives


def run_sweep(crew: int) -> int:
    """Stop who comes by first at each place, until the others have its work, and judge."""
    done = dict.fromkeys(COUNTED, 0)
    with theatre_over("postgres") as theatre:
        for number, place in enumerate(theatre.enumeration.places):
            turns = SWEPT_TURNS[number % len(SWEPT_TURNS)]
            judged = theatre.judge(Plan(workers=crew, stops=first_stopped(place, turns=turns), copies="all"))
            count(done, judged)
            if judged.violations:
                print(theatre.complaint(judged), file=sys.stderr, flush=True)  # noqa: T201
    print(json.dumps(done))  # noqa: T201
    return 1 if done["failures"] else 0


# --- one plan, and the table


def replay(store: str, plan: Plan) -> int:
    """Play a plan again and show the servers' log, how everybody ended, and what was broken."""
    with theatre_over(store) as theatre:
        judged = theatre.judge(plan)
        if judged.run is not None:
            for entry in judged.run.journal:
                facts = {name: getattr(entry, name, None) for name in ("recipient", "person", "marker", "nature")}
                shown = " ".join(str(fact) for fact in facts.values() if fact is not None)
                print(f"{entry.at}  {type(entry).__name__:9} {entry.mailbox}  {shown}")  # noqa: T201
            for person, row in judged.run.ended["people"].items():
                print(f"{person}: {row}")  # noqa: T201
            print(f"killed at: {judged.run.killed_at}, stopped at: {judged.run.stopped_at}")  # noqa: T201
        print("\n".join(judged.violations) or "no promise was broken")  # noqa: T201
        return 1 if judged.violations else 0


def write_table() -> int:
    """Write the page of faults and outcomes from what the harness sees."""
    with theatre_over("sqlite") as theatre:
        TABLE.write_text(page(theatre), encoding="utf-8")
    return 0


@contextmanager
def theatre_over(store: str) -> Iterator[Theatre]:
    """Open a theatre in a folder that goes away."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="relance-crash-")))
        cluster = closing.enter_context(hasty_server(folder / "server")) if store == "postgres" else None
        yield closing.enter_context(Theatre.open(folder, cluster))


if __name__ == "__main__":
    sys.exit(main())
