"""What a send costs from claim to confirmation, over SMTP on loopback to a server in another process.

Claim, every gate, reserve, render (Liquid, spintax, text and HTML), stage, begin, release, confirm, the next step; one
engine process, durable commits, a connection kept for each mailbox. Reading is silent. Beside it, in the same run and
against the same server, what people write by hand: `smtplib`, `EmailMessage`, the same template library, and one row
committed a message, with nothing to keep anybody from being written to twice.

Run: `.venv/bin/python bench/full_path.py [LEADS [MAILBOXES]]`. Prints sends per CPU-second of the sending process.
"""

import asyncio
import multiprocessing
import smtplib
import sys
import tempfile
import time
from email.message import EmailMessage
from multiprocessing.connection import Connection
from pathlib import Path

import apsw
import liquid

from relance.app.clocks import RealMonotonic
from relance.connectors.smtp_imap.factory import SmtpImapFactory
from relance.core.mailbox import Mailbox
from relance.core.sequence import EmailStep, Variant
from relance.forecast.playing import play
from relance.forecast.silent_world import SilentMailbox, SilentWorld
from relance.ports.connector import Connector, Credentials, Envelope, Staged
from relance.ports.store import Transaction
from relance.sandbox.clock import SandboxClock
from relance.services import auditing, workspaces
from relance.storage.opening import open_store
from relance.storage.sqlite_connection import connect
from relance.testing import builders
from relance.testing.builders import KEYS, MONDAY, delay, plan

ROUNDS = 3
STEPS = 3
TEXT = (
    "{Hello|Hi|Good morning} {{ first_name }},\n\nI saw that {{ company }} {is growing|has grown} this year. "
    "{We help|Our work is to help} teams like yours to answer their customers within the hour.\n\n"
    'Would {{ day | default: "Thursday" }} suit you for ten minutes?\n\nKind regards\n{{ sender_name }}\n'
)
HTML = "<p>" + TEXT.replace("\n\n", "</p><p>").replace("\n", "<br>") + "</p>"
PEOPLE = {"first_name": "Ann", "company": "Acme Metal Works"}


# --- the server, in a process of its own


class Sink(asyncio.Protocol):
    """Takes every message: EHLO, AUTH, MAIL, RCPT, DATA, pipelined."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet."""
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(transport)
        self._wire, self._waiting, self._in_data = transport, b"", False
        transport.write(b"220 sink.example ESMTP\r\n")

    def data_received(self, data: bytes) -> None:
        """Answer every whole line, and every whole message."""
        self._waiting += data
        answers = []
        while True:
            end = b"\r\n.\r\n" if self._in_data else b"\r\n"
            line, found, rest = self._waiting.partition(end)
            if not found:
                break
            self._waiting = rest
            answers.append(self._answer(line))
        self._wire.write(b"".join(answers))

    def _answer(self, line: bytes) -> bytes:
        if self._in_data:
            self._in_data = False
            return b"250 2.0.0 taken\r\n"
        match line[:4].upper():
            case b"EHLO":
                return b"250-sink.example\r\n250-PIPELINING\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n"
            case b"AUTH":
                return b"235 2.7.0 welcome\r\n"
            case b"DATA":
                self._in_data = True
                return b"354 go on\r\n"
            case _:
                return b"250 2.0.0 yes\r\n"


def serve(told: Connection) -> None:
    """Run the sink until its process is ended."""

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


# --- ours


class Sending(SilentMailbox):
    """A mailbox that sends by the real connector, and reads nothing."""

    def __init__(self, world: SilentWorld, address: str, real: Connector) -> None:
        super().__init__(world, address)
        self._real = real

    async def stage(self, envelope: Envelope) -> Staged:
        """Bring it to the server."""
        return await self._real.stage(envelope)

    async def close(self) -> None:
        """Hang up."""
        await self._real.close()


class World(SilentWorld):
    """Mailboxes that send to one server."""

    def __init__(self, clock: SandboxClock, port: int) -> None:
        super().__init__(clock, reply_rate=0.0, bounce_rate=0.0)
        self._factory = SmtpImapFactory()
        self._settings = self._factory.parse_settings(
            {"smtp": f"127.0.0.1:{port}:plain", "imap": f"127.0.0.1:{port}:plain"}
        )

    async def connect(self, mailbox: Mailbox) -> Sending:
        """Return a connector that opens nothing yet."""
        real = self._factory.connect(
            address=mailbox.address,
            settings=self._settings,
            credentials=Credentials(username=mailbox.login, secret=_password),
        )
        return Sending(self, mailbox.address, real)


async def _password() -> str:
    return "secret"  # the sink takes any


def fill(tx: Transaction, leads: int, mailboxes: int) -> None:
    """Make everybody due at once, with mailboxes that need not wait between two messages."""
    workspaces.ensure_installation(tx, uid="bench", now=MONDAY)
    acme = builders.workspace(tx)
    for number in range(mailboxes):
        builders.mailbox(
            tx,
            acme,
            f"bo{number}@ours.example",
            daily_cap=500,
            hourly_cap=500,
            min_gap=0.0,
            max_gap=0.0,
            display_name="Bo",
        )
    subjects = ["{A question|One question} for {{ company }}", *([None] * (STEPS - 1))]
    steps = [
        EmailStep(
            id=f"step{number}",
            after=delay("1d" if number else "0s"),
            variants=(Variant(id="a", weight=1, subject=subject, text=TEXT, html=HTML),),
        )
        for number, subject in enumerate(subjects)
    ]
    builders.published(tx, acme, plan(*steps))
    people = [builders.lead(tx, acme, f"p{n}@lead{n % 97}.example", **PEOPLE) for n in range(leads)]
    builders.enrollment(tx, acme, people)


async def by_the_engine(path: Path, leads: int, mailboxes: int, port: int) -> float:
    """Return the CPU seconds that the engine needs for all sends."""
    store = open_store(path)
    await store.write(fill, leads, mailboxes)
    clock = SandboxClock(MONDAY)
    cpu = time.process_time()
    await play(store, clock, World(clock, port), keys=KEYS, monotonic=RealMonotonic(), days=30)
    spent = time.process_time() - cpu
    steps = await store.read(auditing.audit, workspace_id=1, name="q4")
    await store.close()
    if [step.sent for step in steps] != [leads] * STEPS:
        raise SystemExit(f"not everything was sent: {steps}")
    return spent


def by_hand(path: Path, leads: int, mailboxes: int, port: int) -> float:
    """Return the CPU seconds of the loop that people write."""
    database = connect(path)
    database.execute("CREATE TABLE sent (lead INTEGER, step INTEGER, message_id TEXT, PRIMARY KEY (lead, step))")
    templates = [liquid.Template(text) for text in (TEXT, HTML)]
    servers = [smtplib.SMTP("127.0.0.1", port) for _ in range(mailboxes)]
    for server in servers:
        server.login("bo", "secret")
    cpu = time.process_time()
    for step in range(STEPS):
        for lead in range(leads):
            _send_by_hand(database, servers[lead % mailboxes], templates, lead, step)
    spent = time.process_time() - cpu
    for server in servers:
        server.quit()
    database.close()
    return spent


def _send_by_hand(
    database: apsw.Connection, server: smtplib.SMTP, templates: list[liquid.BoundTemplate], lead: int, step: int
) -> None:
    text, html = (template.render(**PEOPLE, sender_name="Bo") for template in templates)
    message = EmailMessage()
    message["From"], message["To"] = "Bo <bo@ours.example>", f"p{lead}@lead{lead % 97}.example"
    message["Subject"], message["Message-ID"] = "A question", f"<{lead}.{step}@ours.example>"
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    server.send_message(message)
    database.execute("INSERT INTO sent VALUES (?, ?, ?)", (lead, step, message["Message-ID"]))


def main() -> None:
    """Print the medians of some rounds."""
    leads, mailboxes = (int(value) for value in (sys.argv[1:] + ["400", "50"][len(sys.argv) - 1 :])[:2])
    listening, told = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(told,), daemon=True)
    server.start()
    port = listening.recv()
    ours, theirs = [], []
    try:
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory(prefix="relance-bench-") as name:
                ours.append(asyncio.run(by_the_engine(Path(name) / "ours.db", leads, mailboxes, port)))
                theirs.append(by_hand(Path(name) / "by_hand.db", leads, mailboxes, port))
    finally:
        server.terminate()
    sends = leads * STEPS
    engine, hand = (sends / sorted(each)[ROUNDS // 2] for each in (ours, theirs))
    print(f"{leads} people, {STEPS} steps, {mailboxes} mailboxes, SQLite synchronous=FULL, medians of {ROUNDS} rounds")
    print(
        f"the engine:            {engine:6.0f} sends per CPU-second ({1e6 / engine:.0f} µs a send); the goal is 2,000"
    )
    print(f"smtplib and a table:   {hand:6.0f} sends per CPU-second ({1e6 / hand:.0f} µs a send)")
    print(f"the engine does {engine / hand:.2f} times what the loop by hand does")


if __name__ == "__main__":
    main()
