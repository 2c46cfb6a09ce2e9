"""What every loop needs, made once by the composition root and handed down."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta

from relance.core import defaults
from relance.core.mailbox import Mailbox
from relance.ports.clock import Clock, Monotonic
from relance.ports.connector import Connector
from relance.ports.store import Reader, Store
from relance.ports.telemetry import Log
from relance.services.situations import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Names one mailbox."""

    workspace_id: int
    mailbox_id: int


def mailbox_of(reader: Reader, box: Box) -> Mailbox | None:
    """Return a mailbox as it is now, None if there is none of that name any more."""
    return reader.one(Mailbox, "mailboxes.get", workspace_id=box.workspace_id, id=box.mailbox_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much an engine does at once, and how patient it is. Times in real seconds."""

    sends_at_once: int = 64
    reads_at_once: int = 32
    poll: float = 1.0
    watch_check: float = 5.0
    rescue_every: float = 30.0
    drain: float = 30.0
    watch: bool = True
    sweep_least: timedelta = defaults.SWEEP_LEAST
    sweep_most: timedelta = defaults.SWEEP_MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The engine's world. `worker` names this process in locks; `lease_holds` says whether it still may act."""

    store: Store
    clock: Clock
    monotonic: Monotonic
    log: Log
    keys: Keys
    worker: str
    connect: Callable[[Mailbox], Awaitable[Connector]]
    lease_holds: Callable[[], bool]
    limits: Limits = field(default_factory=Limits)
