"""DATA, the body and the final dot over aiosmtplib's transport.

Why not aiosmtplib's `data()`: it writes body and dot in one call, so that nobody can look once more in between, and
whoever calls it cannot tell a failure before the dot (nothing left) from one after it (nobody knows). It also throws
away what a server says while no reply is awaited, such as `552` in the middle of the body. Until the dot is answered
this protocol stands in its place, by `set_protocol`, which asyncio and uvloop both offer for plain and TLS transports.
"""

import asyncio
import re

from relance.connectors.smtp_imap.errors import WireLostError
from relance.connectors.smtp_imap.smtp_replies import BadReplyError, Reply, ReplyReader

PIECE = 64 * 1024
LINE_ENDS = re.compile(rb"\r\n|\r|\n")
DOT = b".\r\n"


def stuff_dots(raw: bytes) -> bytes:
    """Return a message as DATA carries it, without the final dot (RFC 5321 §4.5.2).

    A lone CR or LF becomes CRLF: servers that disagree about where a line ends can be made to see another message.
    """
    ends = raw.count(b"\r\n")  # megabytes may be attached: they are written anew only where a line needs it
    body = raw if raw.count(b"\r") == ends == raw.count(b"\n") else LINE_ENDS.sub(b"\r\n", raw)
    if not body.endswith(b"\r\n"):
        body += b"\r\n"
    body = body.replace(b"\r\n.", b"\r\n..")
    return b"." + body if body.startswith(b".") else body


class DataPhase(asyncio.Protocol):
    """Stands between a transport and its former protocol while one message is handed over."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._former = transport.get_protocol()
        self._replies = ReplyReader()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self.takes_body = False  #: After 354 the server is only in step again once it has answered the dot.
        self._lost: str | None = None
        self._lost_by: Exception | None = None
        transport.set_protocol(self)
        transport.set_write_buffer_limits(high=0)  # "written" shall mean that the socket took it

    async def write(self, data: bytes) -> None:
        """Write and wait until the socket took everything, or the server speaks. Raises WireLostError."""
        for at in range(0, len(data), PIECE):
            self._raise_if_lost()
            self._transport.write(data[at : at + PIECE])
            await self._room.wait()
            if self.was_interrupted:
                return  # the caller looks, and never writes the dot after this
        self._raise_if_lost()

    def write_dot(self) -> None:
        """Write the final dot. From the moment of this call nobody knows. Raises WireLostError: it was not written."""
        self._raise_if_lost()
        self._transport.write(DOT)

    async def reply(self) -> Reply:
        """Return the next complete reply. Raises WireLostError, also for what is no reply."""
        while True:
            reply = self.early_reply()
            if reply is not None:
                return reply
            self._raise_if_lost()
            self._news.clear()
            await self._news.wait()

    def early_reply(self) -> Reply | None:
        """Return a reply that already came, if one is complete. Raises WireLostError for what is no reply."""
        try:
            return self._replies.next_reply()
        except BadReplyError as error:
            raise WireLostError(str(error)) from error

    @property
    def was_interrupted(self) -> bool:
        """Tell whether the server said something that nobody has taken."""
        return self._replies.has_bytes

    def give_back(self) -> None:
        """Put the former protocol back; it learns of a connection lost meanwhile."""
        if self._lost is not None:
            if isinstance(self._former, asyncio.BaseProtocol):
                self._former.connection_lost(self._lost_by)
        else:
            self._transport.set_protocol(self._former)

    def abort(self) -> None:
        """Break the connection, so that the server cannot take what it has for a whole message."""
        self._transport.abort()

    # --- asyncio.Protocol ---

    def data_received(self, data: bytes) -> None:
        """Keep it; see asyncio.Protocol."""
        self._replies.feed(data)
        self._news.set()
        self._room.set()

    def eof_received(self) -> bool:
        """Let asyncio close; see asyncio.Protocol."""
        self._end("the server closed the connection", None)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake whoever waits; see asyncio.Protocol."""
        self._end(f"the connection broke: {exc}" if exc else "the server closed the connection", exc)

    def pause_writing(self) -> None:
        """Make the writer wait; see asyncio.Protocol."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Let the writer go on; see asyncio.Protocol."""
        self._room.set()

    def _end(self, why: str, error: Exception | None) -> None:
        if self._lost is None:
            self._lost, self._lost_by = why, error
        self._news.set()
        self._room.set()

    def _raise_if_lost(self) -> None:
        if self._lost is not None or self._transport.is_closing():
            raise WireLostError(self._lost or "the connection is closing")
