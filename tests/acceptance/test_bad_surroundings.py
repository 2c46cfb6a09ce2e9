"""Bad surroundings: one clear sentence each, an exit code, nothing lost, and on it goes when they are good again."""

import contextlib
import itertools
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from acceptance.correspondence import assert_one_thread, steps_in, three_steps
from acceptance.live_sandbox import LiveSandbox
from acceptance.product import Answer, Product
from acceptance.realservers import RealMail, wait_until
from acceptance.realservers.endpoint import LOOPBACK, Endpoint
from acceptance.test_late_cases import Pair
from peers import unavailable

STEPS = ("intro", "bump", "last")
SMALL_DISK = "6m"

on_sqlite = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)


def assert_one_sentence(answer: Answer, *words: str) -> None:
    """Check that a refusal is one line for a person, names these things, and is not excused as our own fault."""
    assert 1 == len(answer.err.strip().splitlines()), answer.err
    assert answer.err.startswith("relance: ")
    assert "fault of Relance" not in answer.err
    assert [] == [word for word in words if word not in answer.err], answer.err


# --- another engine ---


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_second_engine_is_refused_while_commands_work_beside_the_first(product: Product):
    """Over SQLite: exit 3 and a sentence that names the first; the next one starts at once, even after a kill."""
    with product.engine() as first:
        wait_until(lambda: product.engine_pid() == first.pid, 20, what="the first engine")
        refused = product.ask("run", code=3)
        product.ask("lead", "add", "anna@shop.example", "first_name=Anna")
        leads = product.rows("lead", "list")
        first.kill()
    with product.engine("--until-idle") as second:
        code = second.wait(20)

    assert_one_sentence(refused, str(first.pid), "stop it")
    assert ["anna@shop.example"] == [row["email"] for row in leads]
    assert 0 == code, second.said()


# --- mail servers ---


class Forwarder:
    """Makes a port lead to a server from the moment it is opened; before, nothing listens there. A context manager."""

    def __init__(self, target: Endpoint) -> None:
        self._target = target
        self._listener = socket.socket()
        self._listener.bind((LOOPBACK, 0))  # bound and not listening: taken, and refusing
        self._ends: list[socket.socket] = [self._listener]
        self._threads: list[threading.Thread] = []
        self.endpoint = Endpoint(host=LOOPBACK, port=self._listener.getsockname()[1], security=target.security)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)  # wakes whoever waits on it; closing alone does not
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()

    def open(self) -> None:
        """Listen, and forward every connection."""
        self._listener.listen()
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *ends: socket.socket) -> None:
        thread = threading.Thread(target=work, args=ends, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection((self._target.host, self._target.port))
                self._ends += [near, far]
                self._start(_pump, near, far)
                self._start(_pump, far, near)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@on_sqlite
@pytest.mark.slow
@pytest.mark.timeout(150)
def test_a_mailbox_recovers_by_itself_when_its_servers_are_back(product: Product, real_mail: RealMail):
    """While they are down it is shown as unreachable, with the reason on every lead that waits; nobody is lost."""
    box, lead = "jan.down@north.example", "anna.down@south.example"
    real_mail.add_mailboxes({box: None, lead: None})
    with Forwarder(real_mail.smtp()) as smtp, Forwarder(real_mail.imap()) as imap:
        servers = {"smtp": str(smtp.endpoint), "imap": str(imap.endpoint)}
        product.connect(box, **servers, password=real_mail.password(box), ca_file=real_mail.ca_file)
        product.publish("three", three_steps(after="2s"))
        product.import_leads([lead], "--sequence", "three")
        checked = product.ask("mailbox", "check", box, code=3)
        with product.beside_an_engine():
            wait_until(lambda: status_of(product, box) == "unreachable", 20, what="the trouble", interval=0.3)
            gates = {gate["gate"]: gate for gate in product.facts("explain", lead)["enrollments"][0]["gates"]}
            stuck = product.rows("stuck", code=1)
            smtp.open()
            imap.open()
            real_mail.person(lead).wait_for(subject="Re: A question", count=2, timeout=100)
            recovered = status_of(product, box)

    assert_one_sentence(checked, box, str(smtp.endpoint.port))
    assert "defer" == gates["mailbox"]["verdict"], gates
    assert "unreachable" in gates["mailbox"]["reason"]
    assert {("mailbox", box), ("sequence", "three")} == {(row["kind"], row["subject"]) for row in stuck}
    assert "active" == recovered
    assert list(STEPS) == steps_in(real_mail.inbox(lead))


@on_sqlite
def test_a_password_set_anew_resumes_sending_in_the_same_thread(product: Product, real_mail: RealMail):
    """A refused login is an error state of the mailbox; `mailbox set` lifts it, and history stays as it was."""
    pair = Pair(product, real_mail)
    pair.enroll("three", three_steps(after="1s"))
    with product.engine("--until-idle") as engine:
        assert 0 == engine.wait(30)
    real_mail.add_mailboxes({pair.mailbox: "another one"})
    checked = product.ask("mailbox", "check", pair.mailbox, code=1)
    with product.beside_an_engine():
        wait_until(lambda: status_of(product, pair.mailbox) == "auth_error", 20, what="the refusal", interval=0.3)
        before = pair.received()
        product.ask(
            *("mailbox", "set", pair.mailbox, "--password-env", "NEW_PASSWORD"),
            environment={"NEW_PASSWORD": "another one"},
        )
        pair.person.wait_for(subject="Re: A question", count=2, timeout=20)
        wait_until(lambda: not product.unfinished(), 10, interval=0.3)
    attempts = product.facts("explain", pair.lead)["enrollments"][0]["attempts"]

    assert_one_sentence(checked, pair.mailbox)
    assert ["intro"] == before
    assert list(STEPS) == pair.received()
    assert_one_thread(pair.person.inbox())
    assert [(step, "sent", pair.mailbox) for step in STEPS] == [
        (each["step"], each["status"], each["mailbox"]) for each in attempts
    ]


@on_sqlite
def test_an_untrusted_certificate_is_named_with_its_remedy(product: Product, real_mail: RealMail):
    """Exit 3, and the sentence says which option makes the authority known."""
    box = "jan.trust@north.example"
    real_mail.add_mailboxes({box: None})
    product.connect(
        box, smtp=str(real_mail.smtp()), imap=str(real_mail.imap()), password=real_mail.password(box), ca_file=None
    )
    refused = product.ask("mailbox", "check", box, code=3)
    product.ask("mailbox", "set", box, "--ca-file", str(real_mail.ca_file))
    product.ask("mailbox", "check", box)

    assert_one_sentence(refused, "--ca-file")


def status_of(product: Product, box: str) -> str:
    """Return a mailbox's status."""
    (found,) = [str(row["status"]) for row in product.rows("mailbox", "list") if row["address"] == box]
    return found


# --- disk and database ---


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that is a file system of its own, of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["/usr/bin/mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        unavailable("the right to mount a file system", "run pytest as root, in a container with CAP_SYS_ADMIN")
    yield folder
    subprocess.run(["/usr/bin/umount", "--lazy", folder], check=True)


def fill(folder: Path) -> Path:
    """Use up all space of a file system, and return the file to delete."""
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    return filler


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[LiveSandbox]:
    """Return the sandbox's servers; nobody answers."""
    with LiveSandbox(tmp_path / "world", seed=1, steps=STEPS, answering={}, answer_after=0) as live:
        yield live


def walk_through_trouble(
    product: Product, sandbox: LiveSandbox, trouble: Callable[[], None], words: str, relief: Callable[[], None]
) -> Answer:
    """Let leads walk; make trouble when a message was just taken, and end it once the engine has said these words.

    What has left cannot be recorded meanwhile, and whoever could not be sent to rests a minute. Returns what a command
    that writes said in between; everybody has got everything once on return.
    """
    leads = [f"lead{number}@shop{number}.example" for number in range(9)]
    sandbox.connect_to(product, min_gap="0.3", max_gap="0.4")
    product.publish("three", three_steps(after="1s"))
    product.import_leads(leads, "--sequence", "three")
    taken = itertools.count(1)
    sandbox.on_accepted = lambda _: trouble() if next(taken) == 4 else None
    with product.beside_an_engine() as engine:
        wait_until(lambda: '"what": "confirm"' in engine.said(), 30, what="an acceptance that is not recorded")
        wait_until(lambda: words in engine.said(), 10, what=words)
        meanwhile = product.ask("lead", "add", "late@shop.example", code=3)
        relief()
        wait_until(lambda: not product.unfinished(), 120, what="the end of every run", interval=0.5)

        assert engine.running
    assert {lead: list(STEPS) for lead in leads} == {lead: sandbox.steps_of(lead) for lead in leads}
    return meanwhile


@on_sqlite
@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_full_disk_loses_nothing_and_sending_goes_on_when_there_is_space(
    small_disk: Path, sandbox: LiveSandbox, store_url: None
):
    """What has left is recorded as soon as the disk takes it; nobody gets a step twice, nobody misses one."""
    product = Product(small_disk, database_url=store_url)
    product.log = small_disk.parent / "engine.log"
    product.ask("init")
    fillers: list[Path] = []
    meanwhile = walk_through_trouble(
        product,
        sandbox,
        lambda: fillers.append(fill(small_disk)),
        "is full",
        lambda: fillers.pop().unlink(),
    )

    assert_one_sentence(meanwhile, "is full", "free some space")


@on_sqlite
def test_a_disk_that_is_full_before_the_database_is_opened_is_named(small_disk: Path, store_url: None):
    """Without an engine SQLite makes its files anew, and calls a lack of room something else; doctor still looks."""
    product = Product(small_disk, database_url=store_url)
    product.log = small_disk.parent / "engine.log"
    product.ask("init")
    filler = fill(small_disk)
    refusals = [product.ask("lead", "list", code=3), product.ask("lead", "add", "anna@shop.example", code=3)]
    findings = {str(row["name"]): row for row in product.rows("doctor", code=3)}
    filler.unlink()
    product.ask("lead", "add", "anna@shop.example")

    for refusal in refusals:
        assert_one_sentence(refusal, "is full", "free some space")
    assert (False, "0 MB free") == (findings["disk"]["ok"], findings["disk"]["detail"])
    assert "is full" in str(findings["database"]["remedy"])
    assert ["anna@shop.example"] == [row["email"] for row in product.rows("lead", "list")]


@on_sqlite
def test_a_read_only_disk_is_refused_with_a_sentence(small_disk: Path, store_url: None):
    """Nothing starts on it, nothing is changed, and it works again when it may be written."""
    product = Product(small_disk, database_url=store_url)
    product.log = small_disk.parent / "engine.log"
    product.ask("init")
    remount(small_disk, "ro")
    refusals = [product.ask("run", code=3), product.ask("lead", "add", "anna@shop.example", code=3)]
    remount(small_disk, "rw")
    product.ask("lead", "add", "anna@shop.example")

    for refusal in refusals:
        assert_one_sentence(refusal, str(product.data))
    assert ["anna@shop.example"] == [row["email"] for row in product.rows("lead", "list")]


def remount(folder: Path, how: str) -> None:
    """Make a file system read-only or writable."""
    subprocess.run(["/usr/bin/mount", "-o", f"remount,{how}", folder], check=True)


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_a_database_that_goes_away_and_comes_back_loses_nothing(
    product: Product, sandbox: LiveSandbox, store_url: str, postgres_databases
):
    """The engine waits for it, and records then what had left meanwhile."""
    name = sql.Identifier(str(conninfo_to_dict(store_url)["dbname"]))

    def admit(*, connections: bool) -> None:
        with psycopg.connect(postgres_databases.admin_url, autocommit=True) as admin:
            allow = sql.SQL("true" if connections else "false")
            admin.execute(sql.SQL("ALTER DATABASE {} WITH ALLOW_CONNECTIONS {}").format(name, allow))
            if not connections:
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                    [conninfo_to_dict(store_url)["dbname"]],
                )

    meanwhile = walk_through_trouble(
        product,
        sandbox,
        lambda: admit(connections=False),
        "not currently accepting connections",
        lambda: admit(connections=True),
    )

    assert_one_sentence(meanwhile)
