"""What pages and the API cannot do themselves, since it takes connectors: `app` supplies it."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from relance.core.mailbox import Mailbox
from relance.core.workspace import Workspace
from relance.ports.connector import CheckReport
from relance.ports.domains import DomainAnswers
from relance.services.mailbox_options import WantedMailbox


class MailboxHands(Protocol):
    """Connecting and checking mailboxes, and asking about their domains."""

    def prepare(self, workspace: Workspace, wanted: WantedMailbox, password: str) -> tuple[Mailbox, bytes]:
        """Return a mailbox that `mailboxes.add` can connect, and its sealed password. Raises WrongInputError."""
        ...

    def settings(self, existing: Mailbox, servers: Mapping[str, object]) -> Mapping[str, object]:
        """Return a mailbox's settings with other servers. Raises WrongInputError."""
        ...

    def seal(self, workspace: Workspace, address: str, password: str) -> bytes:
        """Seal another password for a mailbox."""
        ...

    async def try_out(self, wanted: Mailbox, password: str) -> CheckReport:
        """Try a mailbox that is not connected yet; it writes one message to itself."""
        ...

    async def check(self, mailbox: Mailbox) -> CheckReport:
        """Try a connected mailbox. Raises LoginRefusedError where its secret does not open."""
        ...

    async def inspect_domain(self, name: str, selectors: Sequence[str]) -> DomainAnswers:
        """Ask name servers about a domain."""
        ...
