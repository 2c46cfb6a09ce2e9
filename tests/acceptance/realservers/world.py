"""`RealMail`: Dovecot and Postfix together, so that mail submitted for one mailbox arrives in another."""

import smtplib
from email.message import EmailMessage
from pathlib import Path

from acceptance.realservers.client import smtp_session
from acceptance.realservers.endpoint import LOOPBACK, Endpoint, Security, free_ports
from acceptance.realservers.imap_world import Domains, RealImap
from acceptance.realservers.layouts import LAYOUTS, Layout, Role
from acceptance.realservers.person import Person
from acceptance.realservers.postfix import Postfix, PostfixPorts, start_postfix
from acceptance.realservers.waiting import wait_until


class RealMail(RealImap):
    """A mail world on this machine; the rules of `RealImap` hold. Postfix needs root."""

    _postfix: Postfix

    def __init__(
        self,
        *,
        layout: Layout = LAYOUTS["plain"],
        domains: Domains | None = None,
        saves_sent: bool = False,
    ) -> None:
        """Start the servers. `saves_sent`: the SMTP side puts a copy of each message into its sender's Sent folder."""
        self._saves_sent = saves_sent
        super().__init__(layout=layout, domains=domains)

    def smtp(self, security: Security = Security.TLS) -> Endpoint:
        """Return the submission port with this protection."""
        ports = self._postfix.ports
        port = {Security.TLS: ports.tls, Security.STARTTLS: ports.starttls, Security.PLAIN: ports.plain}[security]
        return Endpoint(host=LOOPBACK, port=port, security=security)

    def add_user(self, address: str, password: str | None = None, *, name: str = "") -> Person:
        """Give `address` a mailbox; return its person when the address can log in and receives mail."""
        self.add_mailboxes({address: password})
        return self.person(address, name=name)

    def person(self, address: str, *, name: str = "") -> Person:
        """Return the person behind an address that was added before; KeyError otherwise."""
        return Person(
            address=address,
            password=self.password(address),
            imap=self.imap(),
            smtp=self.smtp(),
            ca_file=self.ca_file,
            name=name,
        )

    def send_as(self, address: str, to: str, message: EmailMessage) -> None:
        """Submit `message` as `address` for `to` over TLS; errors are those of smtplib."""
        self.person(address).send(message, to)

    def _launch(self, folder: Path) -> None:
        super()._launch(folder)
        tls, starttls, plain = free_ports(3)
        self._postfix = start_postfix(
            folder / "p",
            domains=self.domains,
            recipients=self._recipients(),
            certificates=self._certificates,
            ports=PostfixPorts(tls=tls, starttls=starttls, plain=plain),
            lmtp_port=self._dovecot.ports.lmtp,
            sasl_port=self._dovecot.ports.sasl,
            sent_copies=self._sent_detail() if self._saves_sent else None,
        )
        self._servers.append(self._postfix.server)

    def _sent_detail(self) -> str:
        """Return what Dovecot takes after `+` as the Sent folder: its name inside the namespace."""
        return self.layout.folder(Role.SENT).wire.removeprefix(self.layout.prefix)

    def _answers(self) -> bool:
        return super()._answers() and all(self._offers_login(security) for security in Security)

    def _offers_login(self, security: Security) -> bool:
        try:
            with smtp_session(self.smtp(security), ca_file=self.ca_file, login=None) as session:
                session.ehlo_or_helo_if_needed()
                return session.has_extn("auth")
        except (OSError, smtplib.SMTPException):
            return False

    def _recipients(self) -> list[str]:
        return [*self._passwords, *(f"@{domain}" for domain in self.domains.late)]

    def _announce(self, addresses: list[str]) -> None:
        self._postfix.replace_recipients(self._recipients())
        wait_until(lambda: self._takes_mail_for(addresses[-1]), what=f"RCPT for {addresses[-1]}")

    def _takes_mail_for(self, address: str) -> bool:
        with smtp_session(self.smtp(Security.PLAIN), ca_file=self.ca_file, login=None) as session:
            session.ehlo_or_helo_if_needed()
            session.mail("")
            return session.rcpt(address)[0] == 250
