"""One byte stream to a server: plain, TLS from the first byte, or TLS later, over asyncio's or uvloop's transports.

Rule 1: every wait has a time limit in real seconds; a silent socket is noticed, never waited for.
Rule 2: reading stops while nobody takes what came (`HIGH_WATER`), so a fast server fills no memory.
Rule 3: bytes that came in the clear before TLS began are refused (the STARTTLS injection of CVE-2011-0411).
"""

import asyncio
import contextlib
import os
import socket
import ssl
from typing import Self, cast

from relance.connectors.smtp_imap.errors import UnreachableError, WireLostError
from relance.connectors.smtp_imap.settings import Endpoint, Security, is_loopback
from relance.connectors.smtp_imap.tls import TlsDoor, TlsDoors, TlsStream, reason_of

HIGH_WATER = 256 * 1024
#: By OpenSSL's X509_V_ERR_… code: what helps where another authority would not.
CERTIFICATE_REMEDIES = {
    10: "whoever runs the server must renew it",
    62: "connect by the name that the certificate is made out for",
    64: "connect by the name that the certificate is made out for",
}
ANOTHER_AUTHORITY = "if the server is yours, name its authority with --ca-file"
KEEPALIVE = (("TCP_KEEPIDLE", 120), ("TCP_KEEPINTVL", 30), ("TCP_KEEPCNT", 4))


class Wire(asyncio.Protocol):
    """One connection. One task reads and writes at a time."""

    __slots__ = (
        "_failure",
        "_gone",
        "_paused_reading",
        "_readable",
        "_received",
        "_tls",
        "_transport",
        "_writable",
        "endpoint",
        "lost",
    )

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.lost: str | None = None  #: Why the connection is over, once it is.
        self._transport: asyncio.Transport | None = None
        self._tls: TlsStream | None = None
        self._received = bytearray()
        self._readable: asyncio.Future[None] | None = None
        self._writable: asyncio.Future[None] | None = None
        self._paused_reading = False
        self._failure: Exception | None = None
        self._gone: asyncio.Future[None] | None = None  #: Whoever waits for the socket to be gone.

    @classmethod
    async def open(cls, endpoint: Endpoint, *, doors: TlsDoors, ca_file: str | None, time_limit: float) -> Self:
        """Resolve, connect and, for `Security.TLS`, shake hands. Raises UnreachableError naming the step."""
        wire = cls(endpoint)
        try:
            await wire._connect(await resolve(endpoint, time_limit=time_limit), time_limit)
            if endpoint.security is Security.TLS:
                await wire.start_tls(open_door(doors, endpoint, ca_file), time_limit=time_limit)
        except BaseException:
            wire.abort()
            raise
        return wire

    async def start_tls(self, door: TlsDoor, *, time_limit: float) -> None:
        """Shake hands on the open connection. Raises UnreachableError with step `tls`."""
        if self._received:
            raise UnreachableError(
                f"{self.endpoint} spoke before TLS began: this connection cannot be trusted", step="tls"
            )
        self._tls = TlsStream(door, self.endpoint.host)
        try:
            async with asyncio.timeout(time_limit):
                self._tls.handshake()
                self._flush()
                while not self._tls.established:
                    self._raise_if_lost()
                    await self.wait_readable()
        except TimeoutError:
            raise UnreachableError(f"{self.endpoint} did not finish the TLS handshake in time", step="tls") from None
        except WireLostError as error:
            raise tls_refusal(self.endpoint, self._failure or error) from error
        except (ssl.SSLError, ssl.CertificateError) as error:
            raise tls_refusal(self.endpoint, error) from error

    async def read(self, *, time_limit: float) -> bytes:
        """Return what came, at least one byte. Raises WireLostError at the end or after `time_limit` seconds."""
        try:
            async with asyncio.timeout(time_limit):
                while not self._received:
                    self._raise_if_lost()
                    await self.wait_readable()
        except TimeoutError:
            raise WireLostError(f"{self.endpoint} has been silent for {time_limit:g} seconds") from None
        return self.take()

    def take(self) -> bytes:
        """Return what came, perhaps nothing."""
        data = bytes(self._received)
        self._received.clear()
        if self._paused_reading and self._transport is not None:
            self._paused_reading = False
            self._transport.resume_reading()
        return data

    async def wait_readable(self) -> None:
        """Return once bytes came, the connection was lost, or `wake` was called. Cancelling loses nothing."""
        if self._received or self.lost is not None:
            return
        waiting = self._readable = asyncio.get_running_loop().create_future()
        try:
            await waiting
        finally:
            if self._readable is waiting:  # a cancelled waiter ends after the next one has begun
                self._readable = None

    async def write(self, data: bytes, *, time_limit: float) -> None:
        """Send; returns once the socket's buffer is low again. Raises WireLostError."""
        self._raise_if_lost()
        if self._tls is not None:
            try:
                self._tls.encrypt(data)
            except ssl.SSLError as error:
                self._lose(f"TLS failed: {error}")
                self._raise_if_lost()
            self._flush()
        elif self._transport is not None:
            self._transport.write(data)
        if self._writable is not None:
            try:
                async with asyncio.timeout(time_limit):
                    await asyncio.shield(self._writable)
            except TimeoutError:
                raise WireLostError(f"{self.endpoint} has taken nothing for {time_limit:g} seconds") from None
        self._raise_if_lost()

    def close(self, last_words: bytes = b"") -> None:
        """Let go of the connection after what was written and `last_words`, without waiting."""
        if self.lost is None and last_words and self._transport is not None:
            if self._tls is None:
                self._transport.write(last_words)
            else:
                with contextlib.suppress(ssl.SSLError):
                    self._tls.encrypt(last_words)
                self._flush()
        self._lose("the connection was closed by us")
        if self._transport is not None:
            self._transport.close()

    async def wait_closed(self, *, time_limit: float) -> None:
        """Return once the socket is gone; after `time_limit` seconds, break it."""
        if self._transport is not None:
            self._gone = asyncio.get_running_loop().create_future()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(time_limit):
                    await self._gone
        self.abort()

    def abort(self) -> None:
        """Let go of the connection at once."""
        self._lose("the connection was given up")
        if self._transport is not None:
            self._transport.abort()

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; see asyncio.Protocol."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transports are no subclass of it
        _keep_alive(transport.get_extra_info("socket"))

    def data_received(self, data: bytes) -> None:
        """Decrypt and keep; see asyncio.Protocol."""
        if self.lost is not None:
            return
        if self._tls is not None:
            try:
                data = self._tls.receive(data)
            except ssl.SSLError as error:
                self._failure = error
                self._flush()  # the alert that tells the server why
                self._lose(f"TLS failed: {error}")
                return
            self._flush()
        self._received += data
        if len(self._received) > HIGH_WATER and not self._paused_reading and self._transport is not None:
            self._paused_reading = True
            self._transport.pause_reading()
        if self._tls is not None and self._tls.finished:
            self._lose("the server closed the connection")
            if self._transport is not None:
                self._transport.close()
        self.wake()

    def eof_received(self) -> bool:
        """Let asyncio close; see asyncio.Protocol."""
        self._lose("the server closed the connection")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake whoever waits; see asyncio.Protocol."""
        self._transport = None
        if self._gone is not None and not self._gone.done():
            self._gone.set_result(None)
        self._lose(f"the connection broke: {exc}" if exc else "the server closed the connection")

    def pause_writing(self) -> None:
        """Make writers wait; see asyncio.Protocol."""
        self._writable = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        """Let writers go on; see asyncio.Protocol."""
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None

    # --- inside ---

    async def _connect(self, addresses: list[tuple[str, int]], time_limit: float) -> None:
        loop = asyncio.get_running_loop()
        trouble = "it has no address"
        for host, port in addresses:
            try:
                async with asyncio.timeout(time_limit):
                    await loop.create_connection(lambda: self, host, port)
            except TimeoutError:
                trouble = f"no answer in {time_limit:g} seconds"
            except OSError as error:
                trouble = in_words(error)
            else:
                return
        raise UnreachableError(f"{self.endpoint} cannot be reached: {trouble}", step="connect")

    def _flush(self) -> None:
        if self._tls is not None and self._transport is not None:
            ciphertext = self._tls.outgoing()
            if ciphertext and not self._transport.is_closing():
                self._transport.write(ciphertext)

    def _lose(self, why: str) -> None:
        if self.lost is None:
            self.lost = why
        self.wake()
        self.resume_writing()

    def wake(self) -> None:
        """Let whoever waits for bytes look around."""
        if self._readable is not None and not self._readable.done():
            self._readable.set_result(None)

    def _raise_if_lost(self) -> None:
        if self.lost is not None:
            raise WireLostError(f"{self.endpoint}: {self.lost}")


def in_words(error: Exception) -> str:
    """Return what the system says about an error, without its number; a loop's own words name the endpoint again."""
    if not isinstance(error, OSError) or isinstance(error, ssl.SSLError) or error.errno is None:
        return str(error) or type(error).__name__
    return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)  # getaddrinfo's are below 0


async def resolve(endpoint: Endpoint, *, time_limit: float) -> list[tuple[str, int]]:
    """Return the addresses of a server. Raises UnreachableError with step `resolve`."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(time_limit):
            found = await loop.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise UnreachableError(f"the name {endpoint.host} was not resolved in time", step="resolve") from None
    except (OSError, UnicodeError) as error:
        raise UnreachableError(
            f"the name {endpoint.host} cannot be resolved: {in_words(error)}", step="resolve"
        ) from error
    addresses = list(dict.fromkeys((str(address[0]), int(address[1])) for *_, address in found))
    if endpoint.security is Security.PLAIN:
        addresses = [(host, port) for host, port in addresses if is_loopback(host)]
    if not addresses:
        raise UnreachableError(f"the name {endpoint.host} has no address that may be used", step="resolve")
    return addresses


def open_door(doors: TlsDoors, endpoint: Endpoint, ca_file: str | None) -> TlsDoor:
    """Return the TLS context for a server. Raises UnreachableError where the ca_file cannot be used."""
    try:
        return doors.door(endpoint, ca_file)
    except OSError as error:
        raise UnreachableError(f"the ca_file {ca_file} cannot be used: {reason_of(error)}", step="tls") from error


def tls_refusal(endpoint: Endpoint, error: Exception) -> UnreachableError:
    """Return the error for a failed handshake, with the remedy where the certificate is to blame."""
    if isinstance(error, ssl.SSLCertVerificationError):
        remedy = CERTIFICATE_REMEDIES.get(error.verify_code, ANOTHER_AUTHORITY)
        return UnreachableError(
            f"the certificate of {endpoint} is not trusted ({error.verify_message}): {remedy}", step="tls"
        )
    return UnreachableError(f"TLS with {endpoint} failed ({reason_of(error)}): check port and security", step="tls")


def _keep_alive(sock: socket.socket | None) -> None:
    """Ask the kernel to probe a connection on which nothing happens, where it can."""
    if sock is None:
        return
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in KEEPALIVE:
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
