"""The entry point `smtp_imap`: settings in, connectors out."""

import asyncio
from collections.abc import Mapping

from relance.connectors.smtp_imap.mailbox_connector import SmtpImapConnector
from relance.connectors.smtp_imap.settings import read_settings, write_settings
from relance.connectors.smtp_imap.tls import TlsDoors, check_authorities
from relance.ports.clock import Monotonic
from relance.ports.connector import Connector, Credentials


class LoopTime:
    """Real time by the running loop."""

    def seconds(self) -> float:
        """Return the loop's seconds."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Return after that many real seconds."""
        await asyncio.sleep(seconds)


class SmtpImapFactory:
    """See `ports.connector.ConnectorFactory`. All mailboxes of one factory share TLS contexts and sessions."""

    def __init__(self, monotonic: Monotonic | None = None) -> None:
        self._monotonic = monotonic or LoopTime()
        self._doors = TlsDoors()

    def parse_settings(self, settings: Mapping[str, object]) -> Mapping[str, object]:
        """Validate a mailbox's settings and return them complete. Raises ValueError with what to do."""
        found = read_settings(settings)
        if found.ca_file is not None:
            check_authorities(found.ca_file)
        return write_settings(found)

    def connect(self, *, address: str, settings: Mapping[str, object], credentials: Credentials) -> Connector:
        """Return a connector; opens nothing yet. Raises ValueError as `parse_settings` does."""
        return SmtpImapConnector(
            address=address,
            settings=read_settings(settings),
            credentials=credentials,
            doors=self._doors,
            monotonic=self._monotonic,
        )
