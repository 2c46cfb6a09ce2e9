"""`RealImap`: Dovecot alone, for tests that read mailboxes and need nobody who submits mail. No privilege needed.

Rule 1: everything lives in one temporary folder and on ephemeral loopback ports; worlds never meet, nor the system's
        own servers.
Rule 2: what was started is stopped, whatever happens in between.
Rule 3: a method returns when its effect can be seen, so that tests do not wait after it.
"""

import imaplib
import secrets
import shutil
import smtplib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from types import TracebackType
from typing import Self

from acceptance.realservers.authority import make_certificates
from acceptance.realservers.client import TIMEOUT, imap_session, quoted, read_folder
from acceptance.realservers.dovecot import Dovecot, DovecotPorts, start_dovecot
from acceptance.realservers.endpoint import LOOPBACK, Endpoint, Security, free_ports
from acceptance.realservers.layouts import LAYOUTS, Layout, Role
from acceptance.realservers.process import Server, StartError
from acceptance.realservers.tokens import LATER_THAN_ANY_TEST, bearer_token
from acceptance.realservers.waiting import TooLateError, wait_until

START_LIMIT = 15.0  #: Seconds until a world must answer; it takes a fifth of one.
ATTEMPTS = 3  #: Starts with other ports before giving up.


@dataclass(frozen=True, slots=True, kw_only=True)
class Domains:
    """The domains of a world. With Postfix, every other domain is refused at RCPT with 550 5.4.4."""

    #: Unknown users are refused at RCPT with 550 5.1.1.
    strict: tuple[str, ...] = ("north.example", "south.example")
    #: Unknown users are accepted, and a DSN with 5.1.1 reaches the sender a moment later.
    late: tuple[str, ...] = ("late.example",)

    def __iter__(self) -> Iterator[str]:
        return iter((*self.strict, *self.late))


class RealImap:
    """An IMAP server on this machine. Use it as a context manager, or call `stop` yourself."""

    _dovecot: Dovecot

    def __init__(self, *, layout: Layout = LAYOUTS["plain"], domains: Domains | None = None) -> None:
        """Start the servers and return when all ports answer; `StartError` holds the end of their logs."""
        self.layout = layout
        self.domains = domains or Domains()
        self.path = Path(tempfile.mkdtemp(prefix="rm-"))  # short: the path of a unix socket ends at 108 bytes
        self._passwords: dict[str, str] = {}
        self._servers: list[Server] = []
        try:
            self.path.chmod(0o755)  # the servers are other users
            self._certificates = make_certificates(self.path)
            self._start()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End every process of the world and remove its folder. Twice is once."""
        self._stop_servers()
        shutil.rmtree(self.path, ignore_errors=True)

    # --- where things are ---------------------------------------------------------------------------------------------

    @property
    def ca_file(self) -> Path:
        """The certificate that clients must trust."""
        return self._certificates.ca_file

    def imap(self, security: Security = Security.TLS) -> Endpoint:
        """Return the IMAP port with this protection."""
        port = self._dovecot.ports.imaps if security is Security.TLS else self._dovecot.ports.imap
        return Endpoint(host=LOOPBACK, port=port, security=security)

    def logs(self) -> str:
        """Return the end of the servers' logs, for the message of a failed test."""
        return "\n".join(server.last_words(100) for server in self._servers)

    def process_groups(self) -> list[int]:
        """Return the process groups of the running servers, to look from outside whether they are gone."""
        return [server.pid for server in self._servers]

    # --- mailboxes ----------------------------------------------------------------------------------------------------

    def add_mailboxes(self, passwords: dict[str, str | None]) -> None:
        """Give each address a mailbox, or a new password; one of None is made up.

        Returns when the last of them can log in (the file is replaced as a whole, so all can).
        ValueError for an address outside the world's domains.
        """
        for address in passwords:
            if address.partition("@")[2] not in tuple(self.domains):
                raise ValueError(f"{address} is in none of {', '.join(self.domains)}")
        self._passwords |= {address: given or secrets.token_urlsafe(9) for address, given in passwords.items()}
        self._let_in({address: self._passwords[address] for address in passwords})
        self._announce(list(passwords))
        last = next(reversed(passwords))
        wait_until(lambda: self._can_log_in(last), what=f"login of {last}")

    def password(self, address: str) -> str:
        """Return the password of an address that has a mailbox; KeyError otherwise."""
        return self._passwords[address]

    def access_token(self, address: str, *, expires_at: int = LATER_THAN_ANY_TEST) -> str:
        """Return a token for XOAUTH2 and OAUTHBEARER; `expires_at` is in Unix seconds."""
        return bearer_token(address, secret=self._dovecot.token_secret, expires_at=expires_at)

    def folder(self, address: str, name: str | Role) -> list[EmailMessage]:
        """Return what stands in a folder, oldest first, without marking it as read.

        `name` is the folder's role in the layout, or its name in modified UTF-7.
        """
        with imap_session(self.imap(), ca_file=self.ca_file, login=self._login(address)) as session:
            return read_folder(session, self._wire(name))

    def inbox(self, address: str) -> list[EmailMessage]:
        """Return what stands in somebody's INBOX, oldest first, without marking it as read."""
        return self.folder(address, "INBOX")

    def put(self, address: str, name: str | Role, message: EmailMessage) -> None:
        """Append a message to a folder, as a filter or a mail program does; LookupError if there is none."""
        with imap_session(self.imap(), ca_file=self.ca_file, login=self._login(address)) as session:
            status, answer = session.append(quoted(self._wire(name)), "", "", message.as_bytes())
        if status != "OK":
            raise LookupError(name, answer)

    def deliver(self, address: str, message: EmailMessage, *, sender: str = "stranger@elsewhere.example") -> None:
        """Deliver a message as a mail server does, by LMTP; it stands in the INBOX on return."""
        with smtplib.LMTP(LOOPBACK, self._dovecot.ports.lmtp, timeout=TIMEOUT) as session:
            session.send_message(message, from_addr=sender, to_addrs=[address])

    def _wire(self, name: str | Role) -> str:
        return self.layout.folder(name).wire if isinstance(name, Role) else name

    def _login(self, address: str) -> tuple[str, str]:
        return address, self._passwords[address]

    def _can_log_in(self, address: str) -> bool:
        try:
            with imap_session(self.imap(), ca_file=self.ca_file, login=self._login(address)):
                return True
        except imaplib.IMAP4.error:
            return False

    # --- starting -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            folder = self.path / str(attempt)
            folder.mkdir()
            try:
                self._launch(folder)
                wait_until(self._answers, START_LIMIT, what="greetings of all servers")
            except (StartError, TooLateError) as failure:
                # Somebody may have taken a port between choosing and binding it.
                words = self.logs()
                self._stop_servers()
                if attempt == ATTEMPTS:
                    raise StartError(f"{failure}\n{words}") from failure
            else:
                return

    def _launch(self, folder: Path) -> None:
        """Start the processes; they may not listen yet on return."""
        imap, imaps, lmtp, sasl = free_ports(4)
        ports = DovecotPorts(imap=imap, imaps=imaps, lmtp=lmtp, sasl=sasl)
        self._dovecot = start_dovecot(
            folder / "d",
            layout=self.layout,
            certificates=self._certificates,
            ports=ports,
        )
        self._servers.append(self._dovecot.server)

    def _answers(self) -> bool:
        """Say whether every port greets; raise `StartError` if a server has ended."""
        for server in self._servers:
            server.complain_if_ended()
        try:
            for security in (Security.TLS, Security.PLAIN):
                with imap_session(self.imap(security), ca_file=self.ca_file, login=None):
                    pass
        except (OSError, imaplib.IMAP4.error):
            return False
        return True

    def _let_in(self, passwords: dict[str, str]) -> None:
        """Make each address a user with this password; it counts from the next login on."""
        self._dovecot.set_passwords(passwords)

    def _announce(self, addresses: list[str]) -> None:
        """Tell other servers of the world about new mailboxes."""

    def _stop_servers(self) -> None:
        while self._servers:
            self._servers.pop().stop()
