"""TLS without a socket: one context per server and authority, resumed sessions, and bytes in and out of memory.

With asyncio's own TLS a connection takes 303 KB; `ssl.MemoryBIO` over a plain transport costs 24, and 100,000
watched mailboxes are what this is for. RFC 8446; certificates and host names are always verified.
"""

import ssl
from dataclasses import dataclass

from relance.connectors.smtp_imap.settings import Endpoint

PIECE = 64 * 1024
MOST_PATIENCE = 1024


def check_authorities(ca_file: str) -> None:
    """Raise ValueError with what to do unless a file holds certificates."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=ca_file)
    except ssl.SSLError:
        raise ValueError(
            f"ca_file {ca_file} holds no certificate in PEM: give the file of your server's authority that begins with "
            "-----BEGIN CERTIFICATE-----"
        ) from None
    except OSError as error:
        raise ValueError(f"ca_file {ca_file} cannot be read ({error.strerror})") from None


def reason_of(error: Exception) -> str:
    """Return why a handshake failed, without the names that the library has for it."""
    reason = getattr(error, "reason", None)
    if reason in {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL"}:
        return "the server does not speak TLS there"
    return str(reason).replace("_", " ").lower() if isinstance(reason, str) else str(error)


@dataclass(slots=True)
class TlsDoor:
    """What connections to one server share: the context and the last session, which saves a handshake."""

    context: ssl.SSLContext
    session: ssl.SSLSession | None = None
    _unlike: int = 0  #: Connections that did not resume since `session` was taken.
    _patience: int = 1

    def learn(self, connection: ssl.SSLObject) -> None:
        """Take a session to resume, once the first connection is up and whenever the one that there is does not serve.

        Asking a connection for its session loses 6 KB for good in CPython 3.11 (gh-116810), so a server that resumes
        nothing is asked ever more seldom.
        """
        if connection.session_reused:
            self._unlike, self._patience = 0, 1
            return
        self._unlike += 1
        if self._unlike >= self._patience:
            self.session = connection.session
            self._unlike, self._patience = 0, min(2 * self._patience, MOST_PATIENCE)


class TlsDoors:
    """Keeps one door per (host, port, ca_file). Building a context reads files and takes milliseconds."""

    def __init__(self) -> None:
        self._doors: dict[tuple[str, int, str | None], TlsDoor] = {}
        self._contexts: dict[tuple[str, str | None], ssl.SSLContext] = {}

    def door(self, endpoint: Endpoint, ca_file: str | None) -> TlsDoor:
        """Return the door to `endpoint`. Raises OSError (ssl.SSLError too) where `ca_file` cannot be used."""
        key = (endpoint.host, endpoint.port, ca_file)
        if key not in self._doors:
            self._doors[key] = TlsDoor(self._context(endpoint.host, ca_file))
        return self._doors[key]

    def _context(self, host: str, ca_file: str | None) -> ssl.SSLContext:
        if (host, ca_file) not in self._contexts:
            context = ssl.create_default_context()
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            if ca_file is not None:
                context.load_verify_locations(cafile=ca_file)
            self._contexts[host, ca_file] = context
        return self._contexts[host, ca_file]


class TlsStream:
    """One connection's TLS state between ciphertext and plain bytes."""

    __slots__ = ("_door", "_in", "_object", "_out", "_tickets_may_come", "established", "finished")

    def __init__(self, door: TlsDoor, host: str) -> None:
        self._door = door
        self._in = ssl.MemoryBIO()
        self._out = ssl.MemoryBIO()
        self._object = door.context.wrap_bio(self._in, self._out, server_hostname=host, session=door.session)
        self._tickets_may_come = 2
        self.established = False
        self.finished = False  #: The peer said that nothing follows.

    def handshake(self) -> None:
        """Go on with the handshake as far as the bytes reach. Raises ssl.SSLError, ssl.CertificateError."""
        try:
            self._object.do_handshake()
        except ssl.SSLWantReadError:
            return
        self.established = True

    def receive(self, ciphertext: bytes) -> bytes:
        """Return the plain bytes that `ciphertext` completes. Raises ssl.SSLError."""
        self._in.write(ciphertext)
        if not self.established:
            self.handshake()
            if not self.established:
                return b""
        plain = bytearray()
        while True:
            try:
                piece = self._object.read(PIECE)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                piece = b""
            if not piece:
                self.finished = True
                break
            plain += piece
        if plain and self._tickets_may_come:
            # Tickets of TLS 1.3 come after the handshake, before or after the server's first words.
            self._tickets_may_come -= 1
            if not self._tickets_may_come:
                self._door.learn(self._object)
        return bytes(plain)

    def encrypt(self, plain: bytes) -> None:
        """Encrypt; the result waits in `outgoing`. Raises ssl.SSLError."""
        view = memoryview(plain)
        while view:
            view = view[self._object.write(view) :]

    def outgoing(self) -> bytes:
        """Return what has to be written to the socket."""
        return self._out.read()
