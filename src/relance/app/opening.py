"""Opening an installation, and making one where there is none.

Rule: `open_installation` changes nothing but a schema that is behind; what is missing is made by `init_installation`.
"""

import uuid
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import cast

from relance.app.clocks import RealMonotonic, SystemClock
from relance.app.installation import Installation
from relance.app.log import make_log
from relance.config import Config
from relance.connectors.addresses.checker import DirectChecker
from relance.connectors.addresses.domain_records import NameServerInspector
from relance.core.workspace import Workspace
from relance.ports.clock import Clock
from relance.ports.connector import ConnectorFactory
from relance.ports.store import Store, StoreUnavailableError
from relance.ports.vault import Vault, VaultError
from relance.services import workspaces
from relance.services.situations import Keys
from relance.storage.generation_file import JsonGenerationFile
from relance.storage.opening import open_store
from relance.storage.optout_log import OptOutLog
from relance.storage.vault import LocalVault, create_key, read_key

CONNECTOR_GROUP = "relance.connectors"
DIRECTORY_MODE = 0o700


def open_installation(config: Config, *, clock: Clock | None = None) -> Installation:
    """Open what `relance init` made, its schema brought up to date. Blocks.

    `clock`: what tells the domain's time; None: the machine's, or the database's where several hosts share one.
    Raises VaultError, StoreError and its kinds, each with what to do.
    """
    if not config.data.is_dir():
        raise StoreUnavailableError(
            f"There is no directory {config.data}: make it with `relance init`, or name another"
        )
    if config.database_url is None and not config.database_path.exists():
        raise StoreUnavailableError(f"There is no database in {config.data}: make it with `relance init`")
    vault = LocalVault(read_key(config.master_key_file))
    return _wire(config, vault, open_store(config.database), clock or SystemClock())


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
    return _wire(config, vault, open_store(config.database), SystemClock())


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


def load_factories() -> Mapping[str, ConnectorFactory]:
    """Return every installed connector by its provider's name."""
    return {point.name: cast("ConnectorFactory", point.load()) for point in entry_points(group=CONNECTOR_GROUP)}


def _wire(config: Config, vault: Vault, store: Store, clock: Clock) -> Installation:
    return Installation(
        config=config,
        store=store,
        vault=vault,
        keys=Keys(
            message_id=vault.derive("message-id"), trace=vault.derive("trace"), tombstone=vault.derive("tombstone")
        ),
        clock=clock,
        monotonic=RealMonotonic(),
        log=make_log(config),
        opt_outs=OptOutLog(config.opt_out_log),
        generation=JsonGenerationFile(config.generation_file),
        factories=load_factories(),
        addresses=DirectChecker(name_server=config.name_server),
        domains=NameServerInspector(name_server=config.name_server),
    )
