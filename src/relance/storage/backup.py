"""A consistent copy of a SQLite file while an engine works on it. The key is never in it."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from relance.ports.store import StoreError, StoreUnavailableError
from relance.storage.durable_files import sync_folder
from relance.storage.opening import is_postgres
from relance.storage.sqlite_connection import READER, store_error

#: Files that SQLite keeps beside a database.
ENDINGS = ("-wal", "-shm", "-journal")


def back_up(location: str | Path, target: Path) -> int:
    """Write a whole, checked copy to `target`, which must not exist, and return its size in bytes. Blocks.

    Raises StoreError; `target` is complete or missing.
    """
    source = sqlite_path(location, "pg_dump --format=custom --file=FILE $RELANCE_DATABASE_URL")
    if not source.exists():
        raise StoreUnavailableError(f"There is no database {source}: nothing to back up")
    refuse_existing(target)
    with unfinished(target) as copy:
        copy_database(source, copy)
        check_database(copy)
        os.link(copy, target)  # unlike a rename, never replaces a file
    sync_folder(target.parent)
    return target.stat().st_size


def sqlite_path(location: str | Path, remedy: str) -> Path:
    """Return the file that a location names. Raises StoreError with the remedy for a database server."""
    if isinstance(location, str) and is_postgres(location):
        raise StoreError(f"The state is in PostgreSQL: use its own tool, `{remedy}`")
    return Path(location)


def refuse_existing(path: Path) -> None:
    """Raise StoreError if there is something of that name: nothing is ever replaced."""
    if path.exists():
        raise StoreError(f"{path} exists: move it away, or name another file")


@contextlib.contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Yield a file of ours beside the target, and leave nothing of it behind."""
    copy = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        try:
            yield copy
        finally:
            for ending in ("", *ENDINGS):
                copy.with_name(copy.name + ending).unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailableError(f"{target} cannot be written: {error.strerror}") from error


def copy_database(source: Path, copy: Path) -> None:
    """Copy one snapshot of a database into an empty file. Raises StoreError."""
    try:
        with (
            contextlib.closing(apsw.Connection(str(source), flags=READER)) as reading,
            contextlib.closing(apsw.Connection(str(copy))) as writing,
        ):
            reading.set_busy_timeout(10_000)
            with writing.backup("main", reading, "main") as portions:
                portions.step(-1)  # one snapshot: in portions, a busy engine would make it start again for ever
            writing.pragma("journal_mode", "delete")  # one file, no WAL beside it
    except apsw.Error as error:
        raise store_error(error, source, "copying it") from error


def check_database(copy: Path) -> None:
    """Read all of a copy. Raises StoreError if it is damaged."""
    try:
        with contextlib.closing(apsw.Connection(str(copy), flags=READER)) as reading:
            found = reading.pragma("quick_check")
    except apsw.Error as error:
        raise store_error(error, copy, "checking the copy") from error
    if found != "ok":
        raise StoreUnavailableError(f"The copy is damaged ({found}): check the disk; the original was not touched")
