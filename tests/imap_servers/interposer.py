"""Something between the product and a server, which passes every response on but one: that one goes wrong.

The server's stream is cut into responses as RFC 3501 has it, literals included, so that each of them can be reached by
its number. Only for servers in the clear.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable

Spoil = Callable[[bytes], bytes | None]
LITERAL = re.compile(rb"\{(\d+)\}\r\n$")


class Interposer:
    """Listens on a free port of loopback. `spoil` gets the response with number `at` and says what goes out instead.

    None instead of bytes means silence from there on. After a response that was spoilt the connection is closed, unless
    `stays_open`. Numbers count from 0 over all connections since `arm`.
    """

    def __init__(self, port: int) -> None:
        """Stand before the server on `port`."""
        self._upstream = port
        self._tasks: set[asyncio.Task[None]] = set()
        self._at: int | None = None
        self._spoil: Spoil = bytes
        self._stays_open = False
        self.passed = 0  #: Responses since the last `arm`.

    def arm(self, at: int, spoil: Spoil, *, stays_open: bool) -> None:
        """Let the response with this number go wrong, once."""
        self.passed, self._at, self._spoil, self._stays_open = 0, at, spoil, stays_open

    def disarm(self) -> None:
        """Let everything pass."""
        self._at = None

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop, and break what is open."""
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._upstream, limit=2**26)
        onward = asyncio.ensure_future(_carry(reader, to_server))
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while (response := await _response(from_server)) and await self._pass(response, writer):
                pass
        onward.cancel()
        for end in (writer, to_server):
            end.close()

    async def _pass(self, response: bytes, writer: asyncio.StreamWriter) -> bool:
        """Send a response on, or what has become of it; tell whether the connection goes on."""
        number, self.passed = self.passed, self.passed + 1
        spoilt = number == self._at
        data = self._spoil(response) if spoilt else response
        if data is None:
            await asyncio.Event().wait()
        writer.write(data or b"")
        await writer.drain()
        return not spoilt or self._stays_open


async def _response(reader: asyncio.StreamReader) -> bytes:
    whole = b""
    while True:
        line = await reader.readline()
        whole += line
        literal = LITERAL.search(line)
        if literal is None:
            return whole
        whole += await reader.readexactly(int(literal[1]))


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()
