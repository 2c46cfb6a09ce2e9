"""The production answer to whether an address takes mail: its domain, and perhaps its server."""

import socket
from dataclasses import replace

from relance.connectors.addresses.mail_exchangers import CannotTell, Exchangers, MailExchangers, TakesNoMail
from relance.connectors.addresses.rcpt_probe import SMTP_PORT, ask_servers
from relance.core.address_check import AddressVerdict, Verification
from relance.core.mail_hosts import host_of
from relance.ports.addresses import Finding


class DirectChecker:
    """Asks name servers and mail servers itself; implements `ports.addresses.AddressChecker`."""

    def __init__(self, *, name_server: str | None = None, smtp_port: int = SMTP_PORT) -> None:
        self._exchangers = MailExchangers(name_server)
        self._smtp_port = smtp_port

    async def check(self, address: str, question: Verification) -> Finding:
        """Ask as much as the question wants."""
        domain = address.rpartition("@")[2]
        match await self._exchangers.of(domain):
            case TakesNoMail(why):
                return Finding(verdict=AddressVerdict.INVALID, reason=why)
            case CannotTell(why):
                return Finding(verdict=AddressVerdict.UNKNOWN, reason=why)
            case Exchangers(hosts) if question is Verification.RCPT:
                found = await ask_servers(hosts, address, local_name=socket.gethostname(), port=self._smtp_port)
                return replace(found, host=host_of(hosts[0]))
            case Exchangers(hosts):
                why = f"{hosts[0]} takes mail for {domain}"
                return Finding(verdict=AddressVerdict.VALID, reason=why, host=host_of(hosts[0]))
