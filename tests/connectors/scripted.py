"""Servers that play a script on loopback: expect, send, close, hang.

A script is a coroutine over a `Peer`; a `ScriptedServer` plays one per connection, in order. What a script expected and
did not get is raised by `ScriptedServer.stop`, so that a test cannot pass over it.
"""

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from relance.connectors.smtp_imap.fetching import FetchLimits
from relance.connectors.smtp_imap.mailbox_connector import SmtpImapConnector
from relance.connectors.smtp_imap.settings import read_settings
from relance.connectors.smtp_imap.tls import TlsDoors
from relance.ports.clock import Monotonic
from relance.ports.connector import Credentials

LIMIT = 10.0  #: Seconds after which something that must happen has not happened.


class Peer:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.heard: list[bytes] = []

    async def line(self) -> bytes:
        """Return the next line without its end; empty at the end of the stream."""
        async with asyncio.timeout(LIMIT):
            line = (await self._reader.readline()).removesuffix(b"\r\n")
        self.heard.append(line)
        return line

    @property
    def is_over(self) -> bool:
        """Tell whether the other side has ended, and everything was read."""
        return self._reader.at_eof()

    async def expect(self, pattern: str) -> re.Match[bytes]:
        """Read a line that must match as a whole, and return the match."""
        line = await self.line()
        found = re.fullmatch(pattern.encode(), line)
        assert found, f"{pattern!r} was expected, not {line!r}"
        return found

    async def exactly(self, count: int) -> bytes:
        """Read that many bytes."""
        async with asyncio.timeout(LIMIT):
            return await self._reader.readexactly(count)

    async def send(self, *lines: str | bytes) -> None:
        """Send lines; each gets its end."""
        for line in lines:
            self._writer.write((line.encode() if isinstance(line, str) else line) + b"\r\n")
        await self._writer.drain()

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)
        await self._writer.drain()

    async def start_tls(self, context: ssl.SSLContext) -> None:
        """Take a TLS handshake."""
        await self._writer.start_tls(context)

    def stop_reading(self) -> None:
        """Take nothing more, not even into the buffer of its reader, which is large."""
        transport = self._writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        transport.pause_reading()

    async def hang(self) -> None:
        """Say nothing until the other side goes."""
        with contextlib.suppress(ConnectionError):
            while await self._reader.read(65536):
                pass

    def close(self) -> None:
        """End the connection."""
        self._writer.close()

    def abort(self) -> None:
        """Break the connection."""
        self._writer.transport.abort()


Script = Callable[[Peer], Awaitable[None]]


class ScriptedServer:
    """Plays its scripts, one per connection; a connection beyond them is closed at once and counted."""

    def __init__(self, *scripts: Script, forever: bool = False) -> None:
        self._scripts = list(scripts)
        self._forever = forever
        self._failures: list[BaseException] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.peers: list[Peer] = []

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**26)
        self.port: int = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop, and raise what a script missed."""
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        if self._failures:
            raise self._failures[0]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        number = self.connections
        self.connections += 1
        peer = Peer(reader, writer)
        self.peers.append(peer)
        try:
            if number < len(self._scripts):
                await self._scripts[number](peer)
            elif self._forever:
                await self._scripts[-1](peer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except (AssertionError, TimeoutError) as failure:
            self._failures.append(failure)
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError, TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(1):  # it never ends where a handshake broke off
                    await writer.wait_closed()


@contextlib.asynccontextmanager
async def serving(*scripts: Script, forever: bool = False) -> AsyncIterator[ScriptedServer]:
    """Run a scripted server."""
    server = ScriptedServer(*scripts, forever=forever)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


class FakeTime:
    """A `Monotonic` whose sleepers a test wakes."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._slept = asyncio.Event()

    def seconds(self) -> float:
        """Return the time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Sleep until the test moves the time."""
        waiter = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now + seconds, waiter))
        self._slept.set()
        await waiter

    async def asleep(self) -> None:
        """Wait until somebody sleeps who was not there at the last call."""
        async with asyncio.timeout(LIMIT):
            await self._slept.wait()
        self._slept.clear()

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        for until, waiter in self._sleepers:
            if until <= self.now and not waiter.done():
                waiter.set_result(None)


async def secret() -> str:
    """Return the password of all scripted mailboxes."""
    return "sesame"


def connector(
    *,
    smtp: ScriptedServer | int = 9,
    imap: ScriptedServer | int = 9,
    time: Monotonic | None = None,
    limits: FetchLimits | None = None,
    oauth: bool = False,
    ask: Callable[[], Awaitable[str]] = secret,
    **wishes: object,
) -> SmtpImapConnector:
    """Return a connector to scripted servers, in the clear on loopback, with short time limits."""
    ports = [one.port if isinstance(one, ScriptedServer) else one for one in (smtp, imap)]
    settings = read_settings(
        {
            "smtp_host": "127.0.0.1",
            "smtp_port": ports[0],
            "smtp_security": "plain",
            "imap_host": "127.0.0.1",
            "imap_port": ports[1],
            "imap_security": "plain",
            "command_seconds": 5.0,
            "connect_seconds": 5.0,
            **wishes,
        }
    )
    return SmtpImapConnector(
        address="ada@north.example",
        settings=settings,
        credentials=Credentials(username="ada", secret=ask, oauth=oauth),
        doors=TlsDoors(),
        monotonic=time or FakeTime(),
        limits=limits,
    )


Answer = Sequence[str | bytes] | Callable[[Peer, str, str], Awaitable[None]]


@dataclass(slots=True)
class ImapScript:
    """An IMAP server made of a table: command → lines of its answer, or a coroutine that gives it.

    `{tag}` stands for the tag. A list of answers is used up one by one, its last one stays. A key may hold the
    beginning of the arguments (`STATUS "Sent"`); the longest key that fits answers. Unknown commands get OK.
    """

    answers: dict[str, Answer | list[Answer]] = field(default_factory=dict)
    capabilities: str = "IMAP4rev1 IDLE LITERAL+ UNSELECT"
    greeting: str = "* OK ready"
    commands: list[str] = field(default_factory=list)

    async def __call__(self, peer: Peer) -> None:
        """Play."""
        await peer.send(self.greeting)
        while line := (await peer.line()).decode("utf-8", "replace"):
            tag, _, rest = line.partition(" ")
            self.commands.append(rest)
            await self._answer(peer, tag, rest)

    async def _answer(self, peer: Peer, tag: str, rest: str) -> None:
        fitting = [key for key in self.answers if rest.upper().startswith(key.upper())]
        if not fitting:
            if rest.upper() == "CAPABILITY":
                await peer.send(f"* CAPABILITY {self.capabilities}")
            await peer.send(f"{tag} OK done")
            return
        answer = self.answers[max(fitting, key=len)]
        if isinstance(answer, list) and answer and not isinstance(answer[0], str | bytes):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if callable(answer):
            await answer(peer, tag, rest)
        else:
            lines = [one for one in answer if isinstance(one, str | bytes)]
            await peer.send(*(line.replace("{tag}", tag) if isinstance(line, str) else line for line in lines))

    def said(self, beginning: str) -> list[str]:
        """Return the commands that begin so."""
        return [one for one in self.commands if one.upper().startswith(beginning.upper())]
