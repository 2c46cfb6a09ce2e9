"""`kill -9` of the engine, again and again: everybody gets every step once, nobody is lost, and an answer holds.

The moments are drawn from a seed that is printed; RELANCE_TEST_KILL_SEED draws them again, RELANCE_TEST_KILLS more of
them (`make kill-proof N=100`). A third of the kills comes at a delicate moment: the server has taken a message, and the
engine has not been told. What was received is counted in the servers' own journal.
"""

import itertools
import os
import random  # noqa: TID251 - the moments of a test, not of the product; their seed is printed
import signal
from pathlib import Path

import pytest

from acceptance.correspondence import three_steps
from acceptance.killing import Trap, settle_unknown
from acceptance.live_sandbox import LiveSandbox
from acceptance.product import Product
from acceptance.realservers import wait_until

STEPS = ("intro", "bump", "last")
KILLS = int(os.environ.get("RELANCE_TEST_KILLS") or 8)
SEED = int(os.environ.get("RELANCE_TEST_KILL_SEED") or 1)
ANSWER_AFTER = 0.3  #: Real seconds from a message to its answer.
PATIENCE = 4.0  #: Real seconds to wait for a delicate moment.


@pytest.mark.timeout(60 + 10 * KILLS)
def test_kills_at_any_moment_cost_nobody_a_step_and_give_nobody_one_twice(product: Product, tmp_path: Path):
    """Counted by the servers: every step exactly once, in order; after an answer nothing."""
    chance = random.Random(SEED)  # noqa: S311 - a seed that is printed makes the moments replayable
    leads = [f"lead{number}@shop{number}.example" for number in range(max(12, KILLS * 3 // 2))]
    answering = dict(zip(chance.sample(leads, len(leads) // 4), itertools.cycle(["intro", "bump"]), strict=False))
    trap = Trap()
    with LiveSandbox(
        tmp_path / "world",
        seed=SEED,
        steps=STEPS,
        answering=answering,
        answer_after=ANSWER_AFTER,
        on_accepted=trap.heard,
    ) as sandbox:
        sandbox.connect_to(product, max_gap="0.5")  # slow: a run then has many moments
        product.publish("founders", three_steps(after="3s"))
        product.import_leads(leads, "--sequence", "founders")
        for number in range(KILLS):
            kill_once(product, trap, chance, delicate=number % 3 == 2)
        asked = finish(product, sandbox)
        print(f"{KILLS} kills over {len(leads)} leads, seed {SEED}; a person was asked {asked} times")  # noqa: T201

        assert {lead: list(STEPS[: 1 + STEPS.index(answering.get(lead, "last"))]) for lead in leads} == {
            lead: sandbox.steps_of(lead) for lead in leads
        }
        assert {lead: ("stopped", "replied") if lead in answering else ("completed", None) for lead in leads} == {
            row["lead"]: (row["status"], row["stop_reason"]) for row in product.rows("enrollment", "list")
        }
        assert [] == [row for row in product.rows("audit", "founders") if row["twice"]]
        assert [] == product.rows("stuck")


def kill_once(product: Product, trap: Trap, chance: random.Random, *, delicate: bool) -> None:
    """Start an engine and kill it: a random time after it began to work, or when a message was just taken."""
    with product.engine() as engine:
        wait_until(lambda: not engine.running or product.engine_pid() == engine.pid, 20, what="the engine's lock")
        if delicate:
            trap.set(engine, chance.randint(1, 3))
        trap.sprung.wait(PATIENCE if delicate else chance.uniform(0, 1.5))
        trap.disarm()
        engine.kill()

        assert -signal.SIGKILL == engine.code


def finish(product: Product, sandbox: LiveSandbox) -> int:
    """Run to the end. Where the product cannot look a message up, a person does; return how often that was needed."""
    asked = 0

    def ended() -> bool:
        nonlocal asked
        asked += settle_unknown(product, sandbox)
        return not product.unfinished()

    with product.beside_an_engine():
        wait_until(ended, 60, what="the end of every run", interval=0.5)
    return asked
