"""What every loop needs, made once by the composition root and handed down."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from relance.core import defaults
from relance.core.attempt import Attempt
from relance.core.mailbox import Mailbox
from relance.ports.addresses import AddressChecker
from relance.ports.clock import Clock, Monotonic
from relance.ports.connector import Connector
from relance.ports.store import Reader, Store
from relance.ports.telemetry import Log
from relance.services.leasing import Hold
from relance.services.situations import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Names one mailbox."""

    workspace_id: int
    mailbox_id: int


async def always() -> bool:
    """Say yes: what a loop that stands alone is told of the database."""
    return True


def mailbox_of(reader: Reader, box: Box) -> Mailbox | None:
    """Return a mailbox as it is now, None if there is none of that name any more."""
    return reader.one(Mailbox, "mailboxes.get", workspace_id=box.workspace_id, id=box.mailbox_id)


def by_mail_only(_: Attempt) -> str | None:
    """Give no https address to opt out at: what an installation does that nobody reaches from outside."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much an engine does at once, and how patient it is. Times in real seconds."""

    sends_at_once: int = 64
    reads_at_once: int = 32
    opens_at_once: int = 64  #: Notifications that are being opened; those that are held are not counted.
    poll: float = 1.0
    watch_check: float = 5.0
    rescue_every: float = 30.0
    drain: float = 30.0
    watch: bool = True
    sweep_least: timedelta = defaults.SWEEP_LEAST
    sweep_most: timedelta = defaults.SWEEP_MOST


class Rights(Protocol):
    """For which shards this worker may act: it does everything for the mailboxes and the leads that fall into them."""

    def hold(self, shard: int) -> Hold | None:
        """Return the right to begin something for a shard, None if this worker has none."""
        ...

    def holds(self) -> tuple[Hold, ...]:
        """Return every such right."""
        ...

    def still(self, hold: Hold) -> bool:
        """Whether what was begun with this right may be finished."""
        ...

    def work(self, hold: Hold) -> AbstractContextManager[None]:
        """Keep the shard while the block runs."""
        ...


class Contents(Protocol):
    """What messages attach, put in when they go on the wire."""

    async def into(self, workspace_id: int, raw: bytes) -> bytes:
        """Return a composed message with its contents. Raises NotFoundError for one that is gone, and StoreError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The engine's world. `worker` names this process in locks; `shards` says for what it may act."""

    store: Store
    clock: Clock
    monotonic: Monotonic
    log: Log
    keys: Keys
    worker: str
    connect: Callable[[Mailbox], Awaitable[Connector]]
    shards: Rights
    contents: Contents
    addresses: AddressChecker
    limits: Limits = field(default_factory=Limits)
    unsubscribe: Callable[[Attempt], str | None] = by_mail_only  #: The https address in a message, where there is one.
