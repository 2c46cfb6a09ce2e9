"""The composition root: the only place that chooses a store, a clock, a vault and connectors, and wires them.

Rule 1: real time and chance enter here; everything below takes them as arguments.
Rule 2: `open_installation` changes nothing but a schema that is behind; what is missing is made by `init_installation`.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from importlib.metadata import entry_points
from typing import Concatenate, ParamSpec, TypeVar, cast

import structlog

from relance.config import Config, LogFormat
from relance.core.mailbox import Mailbox
from relance.core.suppression import SuppressionReason, tombstone_of
from relance.core.workspace import Workspace
from relance.ports.connector import Connector, ConnectorFactory, Credentials, LoginRefusedError
from relance.ports.journal import OptOut
from relance.ports.store import ConflictError, Reader, Store, StoreError, StoreUnavailableError, Transaction
from relance.ports.telemetry import Log
from relance.ports.vault import Vault, VaultError
from relance.services import mailboxes, workspaces
from relance.services.refusals import LostRaceError, RefusedError
from relance.services.situations import Keys, workspace_of
from relance.storage.opening import is_postgres, open_store
from relance.storage.optout_log import OptOutLog
from relance.storage.vault import LocalVault, create_key, read_key

T = TypeVar("T")
P = ParamSpec("P")
CONNECTOR_GROUP = "relance.connectors"
DIRECTORY_MODE = 0o700
COMMAND_LIMIT = 20.0  #: Real seconds that a password or token command may take.
COMMAND_CACHED = 30.0  #: Real seconds for which its answer is used again.
COMMAND_BYTES = 65_536
_RACES = 5  #: Times that a lost race is read and decided again.


# --- time ---


class SystemClock:
    """Implements `ports.clock.Clock`: the machine's time, or the database's where several hosts share one."""

    def __init__(self) -> None:
        self._offset = timedelta(0)
        self._last = datetime.now(UTC)

    def now(self) -> datetime:
        """Return the present instant, never earlier than the last one returned."""
        self._last = max(self._last, datetime.now(UTC) + self._offset)
        return self._last

    def correct(self, offset: timedelta) -> None:
        """Follow another clock, which is ahead of the machine's by `offset`."""
        self._offset = offset


class RealMonotonic:
    """Implements `ports.clock.Monotonic`."""

    def seconds(self) -> float:
        """Return seconds since an arbitrary start."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after that many real seconds."""
        await asyncio.sleep(seconds)


# --- logins ---


class SecretKind(StrEnum):
    """Where a mailbox's secret comes from."""

    PASSWORD = "password"  # noqa: S105 - a kind, not a password
    PASSWORD_COMMAND = "password_command"  # noqa: S105 - a kind, not a password
    OAUTH_TOKEN_COMMAND = "oauth_token_command"  # noqa: S105 - a kind, not a password


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What is sealed for a mailbox: the password itself, or the command that prints it at each login."""

    kind: SecretKind
    value: str


#: Key of a mailbox's settings that is ours and not the connector's: how to log in, without the secret.
LOGIN = "login"


async def run_secret_command(command: str, *, what: str, limit: float = COMMAND_LIMIT) -> str:
    """Run a shell command and return the first line it prints. Raises LoginRefusedError with what to do."""
    process = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(limit):
            printed, complaint = await process.communicate()
    except TimeoutError as error:
        raise LoginRefusedError(f"{what} gave no answer in {limit:g} s: run it by hand", temporary=True) from error
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    said = complaint.decode("utf-8", "replace").strip().splitlines()
    if process.returncode != 0:
        why = f"{process.returncode}: {said[-1][:200]}" if said else str(process.returncode)
        raise LoginRefusedError(f"{what} failed with exit code {why}: run it by hand and repair it")
    lines = printed[:COMMAND_BYTES].decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].strip():
        raise LoginRefusedError(f"{what} printed nothing: it must print the secret on its first line")
    return lines[0].rstrip("\r\n")


# --- the installation ---


@dataclass(slots=True, kw_only=True)
class Installation:
    """Everything that commands and the engine need, chosen and wired. Close it when done."""

    config: Config
    store: Store
    vault: Vault
    keys: Keys
    clock: SystemClock
    monotonic: RealMonotonic
    log: Log
    opt_outs: OptOutLog
    factories: Mapping[str, ConnectorFactory]
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
        """Return a workspace, the configured one by default. Raises NotFoundError."""
        return await self.read(workspaces.by_name, name or self.config.workspace)

    async def keep_time(self) -> None:
        """Take the time from the database, where several hosts share one. Once a pass is enough."""
        if is_postgres(str(self.config.database)):
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


def open_installation(config: Config) -> Installation:
    """Open what `relance init` made, its schema brought up to date. Blocks.

    Raises VaultError, StoreError and its kinds, each with what to do.
    """
    if not config.data.is_dir():
        raise StoreUnavailableError(
            f"There is no directory {config.data}: make it with `relance init`, or name another"
        )
    if config.database_url is None and not config.database_path.exists():
        raise StoreUnavailableError(f"There is no database in {config.data}: make it with `relance init`")
    vault = LocalVault(read_key(config.master_key_file))
    return _wire(config, vault, open_store(config.database))


def init_installation(config: Config) -> Installation:
    """Make directory, key and schema where they are missing, and open them. Safe to repeat. Blocks.

    The identity and the workspace are made by `settle_installation`. Raises as `open_installation` does.
    """
    try:
        config.data.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailableError(f"{config.data} cannot be made: {error.strerror}; name another --data") from error
    if config.database_url is None and config.database_path.exists() and not config.master_key_file.exists():
        raise VaultError(
            f"{config.data} has a database but no key file {config.master_key_file}: restore the key from its copy"
        )
    vault = LocalVault(create_key(config.master_key_file))
    return _wire(config, vault, open_store(config.database))


async def settle_installation(installation: Installation, *, timezone: str | None) -> Workspace:
    """Give the installation its identity and its workspace, once; later calls return what is there."""
    now = installation.clock.now()
    await installation.write(workspaces.ensure_installation, uid=uuid.uuid4().hex, now=now)
    return await installation.write(
        workspaces.ensure_workspace,
        name=installation.config.workspace,
        uid=uuid.uuid4().hex,
        wrapped_key=installation.vault.new_workspace_key(),
        timezone=timezone,
        now=now,
    )


def make_log(config: Config) -> Log:
    """Return the log: structured lines on stderr, so that stdout stays for facts."""
    console = config.log_format is LogFormat.CONSOLE
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()) if console else structlog.processors.JSONRenderer()
    )
    return cast(
        "Log",
        structlog.wrap_logger(
            structlog.WriteLogger(sys.stderr),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.format_exc_info,
                renderer,
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(config.log_level.upper())),
        ),
    )


def load_factories() -> Mapping[str, ConnectorFactory]:
    """Return every installed connector by its provider's name."""
    return {point.name: cast("ConnectorFactory", point.load()) for point in entry_points(group=CONNECTOR_GROUP)}


def _wire(config: Config, vault: Vault, store: Store) -> Installation:
    return Installation(
        config=config,
        store=store,
        vault=vault,
        keys=Keys(
            message_id=vault.derive("message-id"), trace=vault.derive("trace"), tombstone=vault.derive("tombstone")
        ),
        clock=SystemClock(),
        monotonic=RealMonotonic(),
        log=make_log(config),
        opt_outs=OptOutLog(config.opt_out_log),
        factories=load_factories(),
    )


def _bound_to(address: str) -> str:
    return f"mailbox:{address}"


def _database_time(reader: Reader) -> datetime:
    shown = reader.one(datetime, "clock.now")
    return shown if shown is not None else datetime.now(UTC)


def _locked_secret(reader: Reader, mailbox: Mailbox) -> tuple[Workspace, bytes]:
    return workspace_of(reader, mailbox.workspace_id), mailboxes.sealed_credentials(reader, mailbox)
