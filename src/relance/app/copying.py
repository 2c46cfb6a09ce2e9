"""A copy of an installation's state that can be played with: nothing that happens to it happens to anybody."""

import asyncio

from relance.app.installation import Installation
from relance.ports.store import Store
from relance.storage.state_copy import copy_into_memory


async def copy_of(installation: Installation) -> Store:
    """Copy one snapshot of the state into memory, while engines work on it. Raises StoreError."""
    return await asyncio.to_thread(copy_into_memory, installation.config.database)
