"""The mail server that a reader of the tutorial has, and the people who read their mail: the sandbox in real time."""

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Domain, Security
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.journal import Nature
from relance.sandbox.letters import read
from relance.sandbox.world import World

if TYPE_CHECKING:
    from relance.sandbox.post_office import Received

LIMIT = 20.0  #: Real seconds for anything the servers' thread is asked.
DOMAIN = "example.com"


class _Now(SandboxClock):
    """The machine's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - these servers live in real time


class TutorialWorld:
    """One provider with the mailboxes given as address → name; a context manager. What people get is kept."""

    def __init__(self, folder: Path, mailboxes: Mapping[str, str]) -> None:
        folder.mkdir()
        clock = _Now(datetime.now(UTC))  # noqa: TID251 - these servers live in real time
        provider = Domain(name=DOMAIN, security=Security.TLS)
        self._world = World(clock=clock, seed=1, directory=folder, domains=(provider,), mailboxes=0, faults=NO_FAULTS)
        for address, name in mailboxes.items():
            self._world.add_mailbox(address, name)
        self._received: list[Received] = []
        self._world.post_office.to_person = self._received.append
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tutorial world", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._world.start(), self._loop).result(LIMIT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._world.stop(), self._loop).result(LIMIT)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(LIMIT)
        self._loop.close()

    @property
    def smtp_port(self) -> int:
        """Where the provider takes mail."""
        return self._world.accounts[0].smtp.port

    @property
    def imap_port(self) -> int:
        """Where the provider's mailboxes are read."""
        return self._world.accounts[0].imap.port

    @property
    def ca_file(self) -> Path:
        """Who signed the provider's certificates."""
        return self._world.accounts[0].ca_file

    def password(self, address: str) -> str:
        """Return a mailbox's password."""
        return self._world.mailbox(address).password

    def recipients(self) -> list[str]:
        """Return who got a message so far, sorted; whoever got two stands there twice."""
        done: Future[list[str]] = Future()
        self._loop.call_soon_threadsafe(lambda: done.set_result(sorted(one.recipient for one in self._received)))
        return done.result(LIMIT)

    def answer(self, person: str, text: str) -> None:
        """Let a person answer the last message they got, and wait until the answer is in the mailbox."""
        done: Future[None] = Future()

        def write() -> None:
            original = read(next(one for one in reversed(self._received) if one.recipient == person).raw)
            letter = EmailMessage()
            letter["From"], letter["To"] = person, original.reply_to
            letter["Subject"] = f"Re: {original.subject}"
            letter["Date"] = format_datetime(self._world.clock.now())
            letter["Message-ID"] = "<answer-1@example.org>"
            letter["In-Reply-To"] = letter["References"] = original.message_id
            letter.set_content(text)
            self._world.post_office.deliver(
                original.reply_to, letter.as_bytes(), sender=person, nature=Nature.ANSWER, person=person
            )
            done.set_result(None)

        self._loop.call_soon_threadsafe(write)
        done.result(LIMIT)
