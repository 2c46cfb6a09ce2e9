"""What a mailbox's settings may say, checked once, with errors that say what to do."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

HIGHEST_PORT = 65_535
IDLE_LIMIT = 29 * 60  # RFC 2177: re-issue at least every 29 minutes


class Security(StrEnum):
    """How a connection is protected."""

    TLS = "tls"  #: From the first byte.
    STARTTLS = "starttls"  #: Asked for in the clear, then demanded: without it nothing is said.
    PLAIN = "plain"  #: Not at all; only on this machine.


USUAL_SECURITY = {
    25: Security.STARTTLS,
    143: Security.STARTTLS,
    587: Security.STARTTLS,
    2525: Security.STARTTLS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A server and how it is spoken to."""

    host: str
    port: int
    security: Security

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One mailbox's servers and limits; all times in real seconds."""

    smtp: Endpoint
    imap: Endpoint
    ca_file: str | None = None  #: Trusted in addition to the system's authorities.
    connect_seconds: float = 30.0  #: Resolving, connecting, TLS and greeting, each.
    command_seconds: float = 60.0  #: Silence after which a command has failed.
    idle_renew_seconds: float = 9 * 60.0  #: Below 29 minutes; the answer proves that the socket is alive.
    poll_seconds: float = 60.0  #: Where the server has no IDLE.
    keep_seconds: float = 120.0  #: How long an unused connection for sending or reading is kept.


TIMES = ("connect_seconds", "command_seconds", "idle_renew_seconds", "poll_seconds", "keep_seconds")
KNOWN = frozenset(
    {"smtp", "imap", "ca_file", *TIMES}
    | {f"{server}_{part}" for server in ("smtp", "imap") for part in ("host", "port", "security")}
)


def read_settings(given: Mapping[str, object]) -> Settings:
    """Return the settings behind a mapping, `smtp` and `imap` as `HOST:PORT[:SECURITY]` or in three keys each.

    Raises ValueError with what to do.
    """
    unknown = sorted(set(given) - KNOWN)
    if unknown:
        raise ValueError(f"unknown setting {unknown[0]!r}: known are {', '.join(sorted(KNOWN))}")
    times = {name: _read_seconds(name, given[name]) for name in TIMES if given.get(name) is not None}
    if times.get("idle_renew_seconds", 0.0) >= IDLE_LIMIT:
        raise ValueError("idle_renew_seconds must be below 29 minutes (RFC 2177): choose at most 1700")
    smtp = _read_endpoint("smtp", given)
    imap = _read_endpoint("imap", given)
    return Settings(smtp=smtp, imap=imap, ca_file=_read_ca_file(given.get("ca_file")), **times)


def write_settings(settings: Settings) -> Mapping[str, object]:
    """Return the complete mapping that `read_settings` reads back."""
    complete: dict[str, object] = {"ca_file": settings.ca_file}
    for name, endpoint in (("smtp", settings.smtp), ("imap", settings.imap)):
        complete[f"{name}_host"] = endpoint.host
        complete[f"{name}_port"] = endpoint.port
        complete[f"{name}_security"] = endpoint.security.value
    for name in TIMES:
        complete[name] = getattr(settings, name)
    return complete


def is_loopback(host: str) -> bool:
    """Tell whether `host` is this machine by its own name or address."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_endpoint(server: str, given: Mapping[str, object]) -> Endpoint:
    short = given.get(server)
    if isinstance(short, str):
        host, port, security = _split(server, short)
    else:
        host = str(given.get(f"{server}_host") or "")
        port = str(given.get(f"{server}_port") or "")
        security = str(given.get(f"{server}_security") or "")
    host = host.strip()
    if not host or any(character.isspace() or not character.isprintable() or character == "/" for character in host):
        raise ValueError(f"{server} needs a host name: write {server.upper()}.EXAMPLE.COM:PORT:SECURITY")
    if not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) <= HIGHEST_PORT):
        raise ValueError(f"{server} needs a port between 1 and {HIGHEST_PORT}, not {port!r}")
    try:
        chosen = Security(security.casefold()) if security else USUAL_SECURITY.get(int(port), Security.TLS)
    except ValueError:
        raise ValueError(f"{server} security must be tls, starttls or plain, not {security!r}") from None
    if chosen is Security.PLAIN and not is_loopback(host):
        raise ValueError(f"{server} may be plain only on this machine: use tls or starttls for {host}")
    return Endpoint(host=host, port=int(port), security=chosen)


def _split(server: str, text: str) -> tuple[str, str, str]:
    """Cut `HOST:PORT[:SECURITY]`; an IPv6 host stands in brackets."""
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or not rest.startswith(":"):
            raise ValueError(f"{server} {text!r} lacks its port: write [HOST]:PORT:SECURITY")
        port, _, security = rest[1:].partition(":")
        return host, port, security
    host, colon, rest = text.partition(":")
    if not colon:
        usual = 465 if server == "smtp" else 993
        raise ValueError(f"{server} {text!r} lacks its port: write HOST:PORT, such as {text}:{usual}")
    port, _, security = rest.partition(":")
    return host, port, security


def _read_seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ValueError(f"{name} must be a positive number of seconds, not {value!r}")
    return float(value)


def _read_ca_file(value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ValueError(f"ca_file must be the path of a PEM file, not {value!r}")  # noqa: TRY004 - the port says so
    path = Path(value)
    if not path.is_file():
        raise ValueError(f"ca_file {value} is not a readable file: give the PEM file of your server's authority")
    return str(path.absolute())
