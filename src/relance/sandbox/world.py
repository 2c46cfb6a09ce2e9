"""The world put together: domains with their servers, mailboxes on them, people outside, and one clock.

A demo starts it, connects the accounts, and then turns time: `quiet()` says when nothing is happening, `next_event()`
when something will, and `run_due(now)` lets it happen once the clock is there.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from math import ceil
from pathlib import Path

from relance.sandbox.activity import Activity
from relance.sandbox.certificates import Authority
from relance.sandbox.chance import below, token
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import DEFAULT_DOMAINS, Account, Domain, Endpoint, SandboxMailbox, Security
from relance.sandbox.faults import FaultPlan, Faults
from relance.sandbox.imap_server import ImapServer
from relance.sandbox.journal import Journal
from relance.sandbox.leads import DEMO_SCRIPT, Script
from relance.sandbox.mailstore import Mailstore
from relance.sandbox.people import People
from relance.sandbox.person import Population
from relance.sandbox.post_office import PostOffice
from relance.sandbox.smtp_server import SmtpServer

_FEWEST_MAILBOXES = 8
_LEADS_A_MAILBOX = 40
_NAMES = ("Clara Winter", "Tom Berger", "Julie Laurent", "Max Hoffmann", "Sara Lindqvist", "Paul Becker", "Nina Roth")


def mailboxes_for(leads: int) -> int:
    """Return how many mailboxes a demo with this many leads has."""
    return max(_FEWEST_MAILBOXES, ceil(leads / _LEADS_A_MAILBOX))


class World:
    """A mail world; its servers run in the loop that starts it."""

    def __init__(
        self,
        *,
        clock: SandboxClock,
        seed: int,
        directory: Path,
        domains: Sequence[Domain] = DEFAULT_DOMAINS,
        mailboxes: int = _FEWEST_MAILBOXES,
        leads: Iterable[str] = (),
        faults: FaultPlan | None = None,
        script: Script = DEMO_SCRIPT,
    ) -> None:
        """Build everything but sockets; `directory` receives the certificates, `leads` fixes everybody's behaviour."""
        self.clock = clock
        self.seed = seed
        self.journal = Journal()
        self.activity = Activity()
        self.faults = Faults(clock=clock, seed=seed, plan=faults or FaultPlan())
        self.population = Population(seed=seed, leads=leads)
        self.people = People(clock=clock, seed=seed, population=self.population, step_waits=script.waits)
        self.post_office = PostOffice(
            clock=clock, seed=seed, journal=self.journal, markers=script.markers, to_person=self.people.receive
        )
        self.people.post_office = self.post_office
        self._authority = Authority(directory)
        self._by_login: dict[str, dict[str, SandboxMailbox]] = {domain.name: {} for domain in domains}
        self._domains = tuple(domains)
        contexts = {
            each.name: self._authority.server_context([f"mail.{each.name}", f"smtp.{each.name}", f"imap.{each.name}"])
            for each in domains
        }
        self.imap = {
            domain.name: ImapServer(
                domain=domain,
                clock=clock,
                faults=self.faults,
                activity=self.activity,
                tls=contexts[domain.name],
                mailboxes=self._by_login[domain.name],
            )
            for domain in domains
        }
        self.smtp = {
            domain.name: SmtpServer(
                domain=domain,
                faults=self.faults,
                activity=self.activity,
                tls=contexts[domain.name],
                mailboxes=self._by_login[domain.name],
                post_office=self.post_office,
                refusal_of=self.people.refusal_of,
            )
            for domain in domains
        }
        for number in range(mailboxes):
            name = _NAMES[number % len(_NAMES)]
            local = name.lower().replace(" ", ".") + (str(number // len(_NAMES) + 1) if number >= len(_NAMES) else "")
            self.add_mailbox(f"{local}@{domains[number % len(domains)].name}", name)

    # --- building

    def add_mailbox(self, address: str, display_name: str) -> SandboxMailbox:
        """Add a mailbox on one of the domains; on a plain one the user name is the part before the @."""
        local, _, domain_name = address.partition("@")
        domain = self.imap[domain_name].domain
        username = local if domain.security is Security.PLAIN else address
        mailbox = SandboxMailbox(
            address=address,
            display_name=display_name,
            username=username,
            password=token(self.seed, "password", address),
            domain=domain,
            store=Mailstore(domain.folders, uid_validity=1 + below(self.seed, 1 << 30, "uidvalidity", address)),
        )
        self._by_login[domain_name][username] = mailbox
        self.post_office.mailboxes[address] = mailbox
        return mailbox

    async def start(self) -> None:
        """Open all sockets, on free ports of 127.0.0.1."""
        for server in self._servers():
            await server.start()

    async def stop(self) -> None:
        """Close all sockets and break every connection."""
        for server in self._servers():
            await server.stop()

    def _servers(self) -> list[ImapServer | SmtpServer]:
        return [*self.imap.values(), *self.smtp.values()]

    @property
    def accounts(self) -> Sequence[Account]:
        """What a client needs to connect each mailbox, once the world has started."""
        return [self._account(mailbox) for mailbox in self.post_office.mailboxes.values()]

    def _account(self, mailbox: SandboxMailbox) -> Account:
        domain = mailbox.domain
        smtp, imap = self.smtp[domain.name].port, self.imap[domain.name].port
        return Account(
            address=mailbox.address,
            display_name=mailbox.display_name,
            smtp=Endpoint(host="127.0.0.1", port=smtp, security=domain.security),
            imap=Endpoint(host="127.0.0.1", port=imap, security=domain.security),
            username=mailbox.username,
            password=mailbox.password,
            ca_file=self._authority.ca_file,
        )

    def mailbox(self, address: str) -> SandboxMailbox:
        """Return a mailbox as its servers see it, to look inside."""
        return self.post_office.mailboxes[address]

    # --- turning time

    def quiet(self) -> bool:
        """Say whether no server has an open command and no push waits to be consumed."""
        return self.activity.quiet()

    async def until_quiet(self) -> None:
        """Wait until the servers are at rest."""
        await self.activity.until_quiet()

    def next_event(self) -> datetime | None:
        """Return when something happens here by itself, or None if nothing will."""
        times = (self.people.next_due(), self.faults.next_change())
        return min((time for time in times if time is not None), default=None)

    def run_due(self, now: datetime) -> int:
        """Let everybody act whose time has come, and return how many messages that made."""
        return self.people.run_due(now)
