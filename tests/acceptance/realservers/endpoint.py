"""Where a server listens and how the connection is protected."""

import contextlib
import socket
from dataclasses import dataclass
from enum import StrEnum

LOOPBACK = "127.0.0.1"


class Security(StrEnum):
    """The words that the product's command line uses after HOST:PORT."""

    TLS = "tls"  #: TLS from the first byte (RFC 8314 §3).
    STARTTLS = "starttls"  #: A greeting in clear, then an upgrade (SMTP refuses AUTH before it, IMAP does not).
    PLAIN = "plain"  #: Never encrypted; the server takes passwords all the same.


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One listening port. `str()` gives `HOST:PORT:SECURITY`, as the command line takes it."""

    host: str
    port: int
    security: Security

    def __str__(self) -> str:
        """Spell the endpoint for a command line."""
        return f"{self.host}:{self.port}:{self.security}"


def free_ports(count: int) -> list[int]:
    """Return `count` different loopback ports that are free now.

    All are held at once while they are chosen, so that they differ. Somebody else may take one before the server binds
    it: who starts servers on them starts again with others when that fails.
    """
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [each.getsockname()[1] for each in sockets]
