"""Putting a backup in the place of the state of a data directory, so that the next engine knows that it is older."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from relance.config import Config
from relance.ports.generation import Generation
from relance.ports.store import StoreError, StoreUnavailableError
from relance.services import taking_along
from relance.services.taking_along import TakenAlong
from relance.storage.generation_file import JsonGenerationFile
from relance.storage.opening import engine_lock, open_store
from relance.storage.optout_log import OptOutLog
from relance.storage.restore import Restored, looked_into, restore
from relance.storage.vault import read_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was put back, and what of the state before went along; `unread`: why nothing could be learned of it."""

    restored: Restored
    along: TakenAlong | None = None
    unread: str | None = None


def restore_installation(config: Config, backup: Path, *, now: datetime) -> Outcome:
    """Put a backup back; the database that was there is kept beside it, and what it knows of the world goes along.

    Blocks. Raises EngineRunningError while an engine runs, VaultError without the key, StoreError and its kinds;
    everything is as it was then.
    """
    if not config.data.is_dir():
        raise StoreUnavailableError(
            f"There is no directory {config.data}: make it, put the copies of {config.master_key_file.name} and "
            f"{config.opt_out_log.name} into it, and try again"
        )
    read_key(config.master_key_file)
    file = JsonGenerationFile(config.generation_file)
    looks: list[TakenAlong | str] = []
    log = OptOutLog(config.opt_out_log)
    with engine_lock(config.engine_lock) as lock:
        lock.write(*lock.dead)
        file.tidy()
        kept = file.read()
        with _taken_back_if_it_fails(file, kept):
            restored = restore(
                backup,
                config.database,
                installation=kept.installation if kept else None,
                suffix=f"replaced-{now:%Y%m%dT%H%M%S%fZ}",
                take_along=lambda copy, replaced: looks.append(asyncio.run(_take_along(copy, replaced, log, now=now))),
                announce=lambda found: file.write(
                    Generation(
                        installation=found.installation,
                        number=max(kept.number if kept else 0, found.generation) + 1,
                        server="",
                    )
                ),
            )
    looked = looks[0] if looks else None
    if isinstance(looked, str):
        return Outcome(restored=restored, unread=looked)
    return Outcome(restored=restored, along=looked)


@contextlib.contextmanager
def _taken_back_if_it_fails(file: JsonGenerationFile, kept: Generation | None) -> Iterator[None]:
    """Leave the generation as it was if the database was left as it was."""
    try:
        yield
    except StoreError:
        if kept is not None and file.read() != kept:
            file.write(kept)
        raise


async def _take_along(copy: Path, replaced: Path, log: OptOutLog, *, now: datetime) -> TakenAlong | str:
    """Write what the replaced database knows into the copy that takes its place, or return why it cannot be read.

    Who opted out, by that, stands in the log then too: nobody may have written it there yet, or the log may be lost.
    """
    older = open_store(copy)
    try:
        backup_at = await older.read(taking_along.alive_at)
        try:
            with looked_into(replaced) as readable:
                newer = open_store(readable)
                try:
                    facts = await newer.read(taking_along.facts_since, backup_at)
                finally:
                    await newer.close()
        except (StoreError, ValueError) as error:  # ValueError: a value that no row of ours ever had
            return str(error)
        log.append(one.entry for one in facts.wishes.opted_out)
        return await older.write(taking_along.take_along, facts, now=now)
    finally:
        await older.close()
