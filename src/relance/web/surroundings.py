"""What everything in `web` works with, handed in by `app`: no page chooses a store, a clock or a connector."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from starlette.requests import HTTPConnection

from relance.core.sequence import Plan
from relance.core.workspace import Workspace
from relance.ports.clock import Clock
from relance.ports.store import Store
from relance.ports.telemetry import Log
from relance.ports.vault import Vault
from relance.services.findings import Finding
from relance.services.previewing import TrialMails
from relance.services.situations import Keys
from relance.web.hands import MailboxHands


class SendTest(Protocol):
    """Sends every e-mail of a plan, or one step's, to an address of one's own; nobody is enrolled."""

    async def __call__(
        self,
        *,
        workspace: Workspace,
        plan: Plan,
        contents: Mapping[str, bytes],
        recipient: str,
        email: str | None,
        step: str | None,
    ) -> TrialMails:
        """Send now. `email`: whose values are filled in. Raises RefusedError and ConnectorError."""
        ...


class Foresee(Protocol):
    """Plays the future over a copy of the state."""

    async def __call__(self, workspace: str, question: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the facts of `relance forecast --json` for options by their names. Raises RefusedError."""
        ...

    async def of_lead(self, workspace: str, email: str) -> Mapping[str, Any]:
        """Return the facts of `relance explain --forecast --json` about one person. Raises RefusedError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """What takes connectors, the engine or the sandbox: `app` supplies each as a callable."""

    #: Keep outside the database too that this address of a workspace was erased then. Raises StoreUnavailableError.
    journal_erasure: Callable[[Workspace, str, datetime], None]
    mailboxes: MailboxHands
    uploads: Path  #: Where files that people upload lie until they are done with.
    #: Check the installation and a workspace, each finding with its remedy; True: look through the newest records too.
    #: Raises StoreError and VaultError.
    examine: Callable[[Workspace, bool], Awaitable[list[Finding]]]
    send_test: SendTest
    foresee: Foresee


class ClockControl(Protocol):
    """How far a demo's time may go."""

    @property
    def playing(self) -> bool:
        """Whether time goes on by itself."""
        ...

    @property
    def speed(self) -> float:
        """Virtual seconds in a real one."""
        ...

    @property
    def jumping_to(self) -> datetime | None:
        """Where time is on its way to; None: nowhere."""
        ...

    def play(self, speed: float) -> None:
        """Let time go on."""
        ...

    def pause(self) -> None:
        """Let time stand still."""
        ...

    def jump(self, to: datetime) -> None:
        """Go to an instant as fast as the engine can follow."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A demo that is shown: nothing in it belongs to anybody."""

    control: ClockControl
    entry: bytes  #: Digest of the link that logs its owner in.
    session: str  #: The owner's session.


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """One installation, as the web sees it."""

    store: Store  #: Its `write` decides again after a lost race.
    vault: Vault
    keys: Keys
    clock: Clock  #: The domain's time; a demo's jumps.
    real: Clock  #: The machine's time, for sessions, links and keys.
    log: Log
    base_url: str  #: Where people reach it, without a slash at the end.
    hands: Hands
    shown: Shown | None = None  #: A demo; None: time and people are real.
    stream_seconds: float = 300.0  #: How long an open page's event stream lasts before the browser asks for the next.

    @property
    def virtual(self) -> bool:
        """Whether the domain's time is a demo's."""
        return self.shown is not None

    @property
    def secure(self) -> bool:
        """Whether people reach it by https only."""
        return self.base_url.startswith("https://")


def surroundings_of(connection: HTTPConnection) -> Surroundings:
    """Return the surroundings of a request; what it writes stands in the audit log where somebody is behind it."""
    state = connection.scope.get("state", {})
    found: Surroundings = state.get("surroundings") or connection.app.state.surroundings
    return found
