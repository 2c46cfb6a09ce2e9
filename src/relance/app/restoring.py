"""Putting a backup in the place of the state of a data directory, so that the next engine knows that it is older."""

from datetime import UTC, datetime
from pathlib import Path

from relance.config import Config
from relance.ports.generation import Generation
from relance.ports.store import StoreUnavailableError
from relance.storage.generation_file import JsonGenerationFile
from relance.storage.opening import engine_lock
from relance.storage.restore import Restored, restore
from relance.storage.vault import read_key


def restore_installation(config: Config, backup: Path) -> Restored:
    """Put a backup back; the database that was there is kept beside it. Blocks.

    Raises EngineRunningError while an engine runs, VaultError without the key, StoreError and its kinds; everything is
    as it was then.
    """
    if not config.data.is_dir():
        raise StoreUnavailableError(
            f"There is no directory {config.data}: make it, put the copies of {config.master_key_file.name} and "
            f"{config.opt_out_log.name} into it, and try again"
        )
    read_key(config.master_key_file)
    file = JsonGenerationFile(config.generation_file)
    with engine_lock(config.engine_lock) as lock:
        lock.write(*lock.dead)
        kept = file.read()
        restored = restore(
            backup,
            config.database,
            installation=kept.installation if kept else None,
            suffix=f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}",
        )
        newest = max(kept.number if kept else 0, restored.generation)
        file.write(Generation(installation=restored.installation, number=newest + 1, server=""))
    return restored
