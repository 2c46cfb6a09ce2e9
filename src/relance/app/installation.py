"""An opened installation: everything that commands and the engine need, chosen and wired."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Concatenate, ParamSpec, TypeVar, cast

from relance.app.clocks import SystemClock
from relance.app.logins import COMMAND_CACHED, LOGIN, Secret, SecretKind, run_secret_command
from relance.config import Config, ConfigError
from relance.core.mailbox import Mailbox
from relance.core.suppression import SuppressionReason, tombstone_of
from relance.core.workspace import Workspace
from relance.ports.addresses import AddressChecker
from relance.ports.clock import Clock, Monotonic
from relance.ports.connector import Connector, ConnectorFactory, Credentials, LoginRefusedError
from relance.ports.domains import DomainInspector
from relance.ports.generation import GenerationFile
from relance.ports.journal import OptOut
from relance.ports.store import ConflictError, Reader, Store, StoreError, Transaction
from relance.ports.telemetry import Log
from relance.ports.vault import Vault, VaultError
from relance.services import mailboxes, workspaces
from relance.services.refusals import LostRaceError, NotFoundError, RefusedError
from relance.services.situations import Keys, workspace_of
from relance.storage.opening import is_postgres
from relance.storage.optout_log import OptOutLog

T = TypeVar("T")
P = ParamSpec("P")
_RACES = 5  #: Times that a lost race is read and decided again.


@dataclass(slots=True, kw_only=True)
class Installation:
    """Everything that commands and the engine need, chosen and wired. Close it when done."""

    config: Config
    store: Store
    vault: Vault
    keys: Keys
    clock: Clock  #: A demo puts its own here.
    monotonic: Monotonic
    log: Log
    opt_outs: OptOutLog
    generation: GenerationFile
    factories: Mapping[str, ConnectorFactory]
    addresses: AddressChecker
    domains: DomainInspector
    _printed: dict[str, tuple[float, str]] = field(default_factory=dict)  #: Command to when it answered what.

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write, reading and deciding again when someone else was first. Raises as `Store.write` does."""
        for _ in range(_RACES):
            try:
                return await self.store.write(fn, *args, **kwargs)
            except (LostRaceError, ConflictError):
                await asyncio.sleep(0)
        try:
            return await self.store.write(fn, *args, **kwargs)
        except LostRaceError as error:
            raise StoreError("Somebody else kept changing the same thing: try again") from error

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Read one snapshot. Raises as `Store.read` does."""
        return await self.store.read(fn, *args, **kwargs)

    async def workspace(self, name: str | None = None) -> Workspace:
        """Return a workspace, the configured one by default.

        Raises NotFoundError, ConfigError where the one that was configured is unknown, and VaultError under another
        key: with one that is not this installation's, marks of erased people and ids would silently be other ones.
        """
        try:
            found = await self.read(workspaces.by_name, name or self.config.workspace)
        except NotFoundError as error:
            if name is not None or self.config.workspace_place is None:
                raise
            raise ConfigError(f"{self.config.workspace_place}: {error}") from error
        self.vault.seal(found.wrapped_key, b"", bound_to="workspace")
        return found

    async def keep_time(self) -> None:
        """Take the time from the database, where several hosts share one. Once a pass is enough."""
        if isinstance(self.clock, SystemClock) and is_postgres(str(self.config.database)):
            self.clock.correct(await self.clock_difference())

    async def clock_difference(self) -> timedelta:
        """Return how far the database's clock is ahead of the machine's."""
        before = datetime.now(UTC)
        shown = await self.read(_database_time)
        after = datetime.now(UTC)
        return shown - (before + (after - before) / 2)

    def seal(self, workspace: Workspace, address: str, secret: Secret) -> bytes:
        """Encrypt a mailbox's secret for storing. Raises VaultError."""
        document = {"kind": secret.kind, "value": secret.value}
        return self.vault.seal(workspace.wrapped_key, json.dumps(document).encode(), bound_to=_bound_to(address))

    async def connect(self, mailbox: Mailbox) -> Connector:
        """Return a connector; opens nothing yet. Its secret is read at each login, so that a new one counts at once.

        Raises LoginRefusedError when there is no secret or it does not open.
        """
        factory = self.factory(mailbox.provider)
        await self._secret(mailbox)
        settings = {name: value for name, value in mailbox.settings.items() if name != LOGIN}
        login = mailbox.settings.get(LOGIN)
        login = login if isinstance(login, Mapping) else {}
        smtp_username = login.get("smtp_username")
        credentials = Credentials(
            username=mailbox.login,
            secret=lambda: self._ask(mailbox),
            oauth=login.get("oauth") is True,
            smtp_username=smtp_username if isinstance(smtp_username, str) else None,
        )
        try:
            return factory.connect(address=mailbox.address, settings=settings, credentials=credentials)
        except ValueError as error:
            raise LoginRefusedError(f"The settings of {mailbox.address} do not work: {error}") from error

    def factory(self, provider: str) -> ConnectorFactory:
        """Return a provider's connector factory. Raises RefusedError."""
        found = self.factories.get(provider)
        if found is None:
            known = ", ".join(sorted(self.factories)) or "none"
            raise RefusedError(f"there is no connector {provider!r} (installed: {known}); install its package")
        return found

    def journal_erasure(self, workspace: Workspace, address: str, *, at: datetime) -> None:
        """Keep outside the database too that a person was erased. Raises StoreUnavailableError."""
        digest = tombstone_of(address, self.keys.tombstone)
        erased = OptOut(at=at, workspace_uid=workspace.uid, digest=digest, reason=SuppressionReason.ERASED)
        self.opt_outs.append([erased])

    async def close(self) -> None:
        """Finish what was accepted and let go of the database."""
        await self.store.close()

    async def _secret(self, mailbox: Mailbox) -> Secret:
        try:
            workspace, sealed = await self.read(_locked_secret, mailbox)
            opened = self.vault.open(workspace.wrapped_key, sealed, bound_to=_bound_to(mailbox.address))
        except (RefusedError, VaultError) as error:
            raise LoginRefusedError(str(error)) from error
        document = cast("dict[str, str]", json.loads(opened))
        return Secret(kind=SecretKind(document["kind"]), value=document["value"])

    async def _ask(self, mailbox: Mailbox) -> str:
        secret = await self._secret(mailbox)
        if secret.kind is SecretKind.PASSWORD:
            return secret.value
        at, answer = self._printed.get(secret.value, (0.0, ""))
        if answer and time.monotonic() - at < COMMAND_CACHED:
            return answer
        kind = "token" if secret.kind is SecretKind.OAUTH_TOKEN_COMMAND else "password"
        answer = await run_secret_command(secret.value, what=f"The {kind} command of {mailbox.address}")
        self._printed[secret.value] = (time.monotonic(), answer)
        return answer


def _bound_to(address: str) -> str:
    return f"mailbox:{address}"


def _database_time(reader: Reader) -> datetime:
    shown = reader.one(datetime, "clock.now")
    return shown if shown is not None else datetime.now(UTC)


def _locked_secret(reader: Reader, mailbox: Mailbox) -> tuple[Workspace, bytes]:
    return workspace_of(reader, mailbox.workspace_id), mailboxes.sealed_credentials(reader, mailbox)
