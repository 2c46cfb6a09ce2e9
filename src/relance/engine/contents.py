"""Puts the contents of attachments into messages: read once, and kept in memory while they are in use.

Rule 1: a message without attachments costs nothing here, not even a turn of the event loop.
Rule 2: what is kept is bounded in bytes; what was used last stays.
"""

import asyncio
from collections import OrderedDict

from relance.mail.attaching import contents_of, filled
from relance.ports.store import Store
from relance.services import attachments

MOST = 64 * 1024 * 1024  #: Bytes that are kept in memory: four messages' worth of the most that may be attached.


class StoredContents:
    """Implements `relance.engine.surroundings.Contents` over a store."""

    def __init__(self, store: Store, *, most: int = MOST) -> None:
        self._store = store
        self._most = most
        self._bodies: OrderedDict[tuple[int, str], bytes] = OrderedDict()
        self._held = 0
        self._reading = asyncio.Lock()  # senders that want the same content at once read it once

    async def into(self, workspace_id: int, raw: bytes) -> bytes:
        """Return a composed message with its contents. Raises NotFoundError for one that is gone, and StoreError."""
        hashes = contents_of(raw)
        if not hashes:
            return raw
        async with self._reading:
            bodies = {sha256: await self._body(workspace_id, sha256) for sha256 in hashes}
        return filled(raw, bodies)

    async def _body(self, workspace_id: int, sha256: str) -> bytes:
        key = (workspace_id, sha256)
        body = self._bodies.get(key)
        if body is None:
            body = await self._store.read(attachments.body, workspace_id=workspace_id, sha256=sha256)
            self._bodies[key] = body
            self._held += len(body)
        self._bodies.move_to_end(key)
        while self._held > self._most:
            self._held -= len(self._bodies.popitem(last=False)[1])
        return body


class LeftOut:
    """Implements `relance.engine.surroundings.Contents` where nobody reads the messages: they stay without contents."""

    async def into(self, workspace_id: int, raw: bytes) -> bytes:  # noqa: ARG002  # the protocol's signature
        """Return the message as it is."""
        return raw
