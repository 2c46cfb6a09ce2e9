"""`CyrusImap` and `CourierImap`: other servers with what `RealImap` has. No tokens: they know passwords only."""

import itertools
import os
import smtplib
from email.message import EmailMessage
from pathlib import Path
from typing import NoReturn

from acceptance.realservers.client import TIMEOUT
from acceptance.realservers.courier import (
    SOCKET,
    CourierPorts,
    deliver_to_maildir,
    make_maildir,
    prepare_courier,
    start_courier,
)
from acceptance.realservers.cyrus import CyrusPorts, start_cyrus
from acceptance.realservers.endpoint import LOOPBACK, Endpoint, Security, free_ports
from acceptance.realservers.imap_world import RealImap
from acceptance.realservers.passwords import PasswordService, as_authdaemond, as_saslauthd
from acceptance.realservers.tokens import LATER_THAN_ANY_TEST


class _KnowsPasswordsOnly(RealImap):
    """What both have that `RealImap` has otherwise."""

    _ports: CyrusPorts | CourierPorts

    def imap(self, security: Security = Security.TLS) -> Endpoint:
        """Return the IMAP port with this protection."""
        port = self._ports.imaps if security is Security.TLS else self._ports.imap
        return Endpoint(host=LOOPBACK, port=port, security=security)

    def access_token(self, address: str, *, expires_at: int = LATER_THAN_ANY_TEST) -> NoReturn:
        """Refuse: this server takes no tokens."""
        raise ValueError(f"{type(self).__name__} knows passwords only: {address} has no token until {expires_at}")


class CyrusImap(_KnowsPasswordsOnly):
    """A Cyrus on this machine; the rules of `RealImap` hold."""

    _ports: CyrusPorts
    _asked: PasswordService

    def deliver(self, address: str, message: EmailMessage, *, sender: str = "stranger@elsewhere.example") -> None:
        """Deliver a message as a mail server does, by LMTP; it stands in the INBOX on return."""
        with smtplib.LMTP(LOOPBACK, self._ports.lmtp, timeout=TIMEOUT) as session:
            session.send_message(message, from_addr=sender, to_addrs=[address])

    def _let_in(self, passwords: dict[str, str]) -> None:
        self._asked.passwords = {**self._asked.passwords, **passwords}

    def _launch(self, folder: Path) -> None:
        imap, imaps, lmtp = free_ports(3)
        self._ports = CyrusPorts(imap=imap, imaps=imaps, lmtp=lmtp)
        (folder / "c").mkdir()
        self._asked = PasswordService(folder / "c" / "auth", as_saslauthd)
        self._servers.append(
            start_cyrus(folder / "c", layout=self.layout, certificates=self._certificates, ports=self._ports)
        )

    def _stop_servers(self) -> None:
        if self._servers:
            self._asked.stop()
        super()._stop_servers()


class CourierImap(_KnowsPasswordsOnly):
    """A Courier on this machine; the rules of `RealImap` hold. Only root may start it. It has no STARTTLS here."""

    _ports: CourierPorts
    _asked: PasswordService
    _root: Path
    _delivered = itertools.count(1)

    def deliver(self, address: str, message: EmailMessage, *, sender: str = "stranger@elsewhere.example") -> None:
        """Deliver a message as a delivery agent does, into the maildir; it stands in the INBOX on return."""
        name = f"{next(self._delivered)}.{os.getpid()}.{sender}"
        deliver_to_maildir(self._root, address, message.as_bytes(), name=name)

    def _let_in(self, passwords: dict[str, str]) -> None:
        for address in passwords:
            make_maildir(self._root, address, self.layout)
        self._asked.passwords = {**self._asked.passwords, **passwords}

    def _launch(self, folder: Path) -> None:
        imap, imaps = free_ports(2)
        self._ports = CourierPorts(imap=imap, imaps=imaps)
        self._root = folder / "c"
        prepare_courier(self._root, self._certificates)
        self._asked = PasswordService(self._root / SOCKET, as_authdaemond)
        self._servers += start_courier(self._root, ports=self._ports)

    def _stop_servers(self) -> None:
        if self._servers:
            self._asked.stop()
        super()._stop_servers()
