"""One connector per mailbox, made when first needed and made anew when the mailbox's settings change."""

from relance.core.mailbox import Mailbox
from relance.engine.surroundings import Box, Surroundings
from relance.ports.connector import Connector


class Connections:
    """Holds the connectors of this process."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._held: dict[Box, tuple[object, Connector]] = {}
        self._shards: dict[Box, int] = {}

    async def of(self, mailbox: Mailbox) -> Connector:
        """Return the mailbox's connector. Raises LoginRefusedError when its credentials cannot be opened."""
        box = Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id)
        made_from = (mailbox.login, tuple(sorted(mailbox.settings.items(), key=str)), mailbox.provider)
        held = self._held.get(box)
        if held is not None and held[0] == made_from:
            return held[1]
        connector = await self._around.connect(mailbox)
        held = self._held.get(box)
        if held is not None and held[0] == made_from:  # another loop was faster while we waited
            await connector.close()
            return held[1]
        self._held[box] = (made_from, connector)
        self._shards[box] = mailbox.shard
        if held is not None:
            await held[1].close()
        return connector

    async def drop(self, box: Box) -> None:
        """Close a mailbox's connector, if there is one."""
        held = self._held.pop(box, None)
        self._shards.pop(box, None)
        if held is not None:
            await held[1].close()

    async def leave(self, shards: frozenset[int]) -> None:
        """Close what belongs to shards that go to another worker."""
        for box in [box for box, shard in self._shards.items() if shard in shards]:
            await self.drop(box)

    async def close(self) -> None:
        """Close all of them."""
        for box in list(self._held):
            await self.drop(box)
