"""SIGTERM while a message is on the wire: the first lets it end, the second ends the process, and nothing is lost.

The server takes the message and keeps silent, for as long as the test wants: what the engine does meanwhile is its own.
"""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.correspondence import one_step
from acceptance.live_sandbox import Delivery, LiveSandbox
from acceptance.product import Engine, Product
from acceptance.realservers import wait_until

LEAD = "anna@shop.example"
LIMIT = 60.0  #: Real seconds after which a server speaks again by itself, so that no broken engine hangs the tests.
AT_ONCE = 5.0  #: Real seconds in which a process ends that waits for nothing; a drain would wait for the server.


class Silence:
    """A server that has a message, and does not say so until it is broken."""

    def __init__(self) -> None:
        self._fell = threading.Event()
        self._broken = threading.Event()

    def fall(self, _: Delivery) -> None:
        """Keep the servers' thread; called in it, before the sender is told."""
        self._fell.set()
        self._broken.wait(LIMIT)

    def has_fallen(self) -> bool:
        """Whether a message was taken."""
        return self._fell.is_set()

    def end(self) -> None:
        """Let the servers speak."""
        self._broken.set()


@pytest.fixture
def silence() -> Iterator[Silence]:
    """Return a silence that ends with the test."""
    made = Silence()
    yield made
    made.end()


@pytest.fixture
def sandbox(tmp_path: Path, silence: Silence) -> Iterator[LiveSandbox]:
    """Return servers that fall silent with the first message that they take."""
    folder = tmp_path / "world"
    with LiveSandbox(
        folder, seed=1, steps=("intro",), answering={}, answer_after=0, on_accepted=silence.fall
    ) as servers:
        yield servers
        silence.end()  # or they could not be stopped


def hang(product: Product, silence: Silence, engine: Engine) -> None:
    """Wait until a message is on the wire, send the first signal, and wait until the engine has taken note of it."""
    wait_until(silence.has_fallen, 30, what="a message that is taken")
    engine.signal(signal.SIGTERM)
    wait_until(lambda: "engine.draining" in engine.said(), 10, what="the engine to drain")

    assert ["in_flight"] == attempts(product)


def attempts(product: Product) -> list[str]:
    """Return the status of each attempt to write to the lead."""
    (enrollment,) = product.facts("explain", LEAD)["enrollments"]
    return [str(attempt["status"]) for attempt in enrollment["attempts"]]


def begin(product: Product, sandbox: LiveSandbox) -> None:
    """Connect the mailbox whose server keeps copies, and enroll somebody."""
    account = next(one for one in sandbox.world.accounts if sandbox.saves_sent(one.address))
    sandbox.connect(product, account)
    product.ask("mailbox", "check", account.address)
    product.publish("founders", one_step())
    product.import_leads([LEAD], "--sequence", "founders")


def test_the_first_signal_lets_a_message_on_the_wire_end_and_records_it(
    product: Product, sandbox: LiveSandbox, silence: Silence
):
    """The engine waits for the server's word, and leaves with exit 0."""
    begin(product, sandbox)
    with product.engine() as engine:
        hang(product, silence, engine)
        silence.end()
        code = engine.wait(30)

    assert 0 == code
    assert ["sent"] == attempts(product)


def test_the_second_signal_ends_the_process_at_once_and_nothing_is_lost(
    product: Product, sandbox: LiveSandbox, silence: Silence
):
    """The attempt stays as it was begun; the next start looks it up, and nobody gets the step twice."""
    begin(product, sandbox)
    with product.engine() as engine:
        hang(product, silence, engine)
        drained = engine.running
        engine.signal(signal.SIGTERM)
        code = engine.wait(AT_ONCE)
        left = attempts(product)
    silence.end()
    with product.engine("--until-done") as engine:
        again = engine.wait(60)

    assert drained, "the first signal ended it"
    assert 1 == code
    assert ["in_flight"] == left
    assert 0 == again
    assert ["sent"] == attempts(product)
    assert ["intro"] == sandbox.steps_of(LEAD)


def test_a_run_until_all_is_done_says_when_only_a_person_can_go_on(product: Product, sandbox: LiveSandbox):
    """It does not leave, since not everybody is done, and does not wait without a word either."""
    begin(product, sandbox)
    product.ask("enrollment", "pause", "--lead", LEAD)
    with product.engine("--until-done") as engine:
        wait_until(lambda: "engine.waits_for_you" in engine.said(), 30, what="the engine to say what it waits for")
        waiting = engine.running
        engine.signal(signal.SIGTERM)
        code = engine.wait(30)

    assert waiting
    assert 0 == code
