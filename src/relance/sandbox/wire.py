"""One connection of a client to a sandbox server, and the socket that listens for them.

Rule: bytes that arrive open a command (see `activity`); the session calls `at_rest` when it has answered everything.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import cast

from relance.sandbox.activity import Activity

_LINE_LIMIT = 65_536


class Disconnected(Exception):  # noqa: N818 -- how a conversation ends, not a fault of ours
    """The client is gone; the session ends."""


class Wire(asyncio.Protocol):
    """Reads lines and blocks from one client, writes answers, and can be cut."""

    def __init__(self, activity: Activity, attended_by: Callable[["Wire"], None]) -> None:
        self._activity = activity
        self._attended_by = attended_by
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self.encrypted = False

    # --- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Open the conversation."""
        self._transport = cast("asyncio.Transport", transport)
        self.encrypted = transport.get_extra_info("ssl_object") is not None
        self._activity.opened(self)
        self._attended_by(self)

    def data_received(self, data: bytes) -> None:
        """Keep what came and wake the session."""
        self._activity.opened(self)
        self._buffer += data
        self._wake()

    def eof_received(self) -> bool:
        """End with the client."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the session see that nobody is there any more."""
        del exc
        self._ended = True
        self._activity.gone(self)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # --- the session's side

    async def _more(self) -> None:
        if self._ended:
            raise Disconnected
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    async def line(self) -> bytes:
        """Return the next line without its end; Disconnected when there will be none."""
        seen = 0
        while (end := self._buffer.find(b"\n", seen)) < 0:
            seen = len(self._buffer)
            if seen > _LINE_LIMIT:
                raise Disconnected
            await self._more()
        return self._take(end + 1).rstrip(b"\r\n")

    async def exactly(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        while len(self._buffer) < size:
            await self._more()
        return self._take(size)

    async def starts_with(self, prefix: bytes) -> bool:
        """Say whether what comes next begins with the prefix, and leave it where it is."""
        while len(self._buffer) < len(prefix):
            if not prefix.startswith(self._buffer):
                return False
            await self._more()
        return self._buffer.startswith(prefix)

    async def until(self, terminator: bytes) -> bytes:
        """Return everything up to and including the terminator."""
        seen = 0
        while (end := self._buffer.find(terminator, seen)) < 0:
            seen = max(0, len(self._buffer) - len(terminator))
            await self._more()
        return self._take(end + len(terminator))

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def write(self, data: bytes) -> None:
        """Send bytes to the client, if it is still there."""
        if self._transport is not None and not self._ended and not self._transport.is_closing():
            self._transport.write(data)

    def at_rest(self) -> None:
        """Say that everything asked for so far is answered."""
        if not self._buffer:
            self._activity.answered(self)

    def push(self, data: bytes, folder: object) -> None:
        """Send news that nobody asked for."""
        if self._transport is not None and not self._ended and not self._transport.is_closing():
            self._activity.pushed(self, folder)
            self._transport.write(data)

    async def start_tls(self, context: ssl.SSLContext) -> None:
        """Encrypt from here on; what was sent ahead in clear text is discarded (RFC 3207 §6, RFC 9051 §11.1)."""
        self._buffer.clear()
        transport = self._transport
        if transport is None or self._ended:
            raise Disconnected
        try:
            upgraded = await asyncio.get_running_loop().start_tls(transport, self, context, server_side=True)
        except (OSError, ConnectionError) as error:  # a client that does not trust our certificate
            self.cut()
            raise Disconnected from error
        if upgraded is None:
            raise Disconnected
        self._transport = upgraded
        self.encrypted = True

    def cut(self) -> None:
        """Break the connection at once, as a failing network does."""
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """End the connection after what has been written."""
        if self._transport is not None and not self._ended:
            self._transport.close()


class Listener:
    """A listening socket on loopback whose every connection is a session of its own."""

    def __init__(self, activity: Activity, attend: Callable[[Wire], Awaitable[None]]) -> None:
        self._activity = activity
        self._attend = attend
        self._server: asyncio.Server | None = None
        self._sessions: dict[asyncio.Task[None], Wire] = {}
        self.port = 0

    async def start(self, tls: ssl.SSLContext | None = None) -> None:
        """Listen on a free port of 127.0.0.1, with TLS from the first byte if a context is given."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Wire(self._activity, self._open), "127.0.0.1", self.port, ssl=tls, backlog=512
        )
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Stop listening and cut every session."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut_all()
        sessions = list(self._sessions)
        for session in sessions:
            session.cancel()
        await asyncio.gather(*sessions, return_exceptions=True)

    def cut_all(self, only: Callable[[Wire], bool] = lambda _: True) -> None:
        """Break every connection, as a server that crashes does, or only some."""
        for wire in filter(only, list(self._sessions.values())):
            wire.cut()

    def _open(self, wire: Wire) -> None:
        task = asyncio.get_running_loop().create_task(self._converse(wire))
        self._sessions[task] = wire
        task.add_done_callback(self._sessions.pop)

    async def _converse(self, wire: Wire) -> None:
        try:
            await self._attend(wire)
        except Disconnected:
            wire.cut()
        except Exception as error:  # noqa: BLE001 -- one broken session must not take the world along, but be seen
            wire.cut()
            asyncio.get_running_loop().call_exception_handler(
                {"message": "A sandbox session failed", "exception": error, "protocol": wire}
            )
        finally:
            self._activity.answered(wire)
            wire.close()
