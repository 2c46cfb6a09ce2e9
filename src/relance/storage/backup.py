"""A consistent copy of a SQLite file while an engine works on it, and putting one back. The key is never in it."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from relance.ports.store import StoreError, StoreUnavailableError
from relance.storage.durable_files import sync_folder
from relance.storage.opening import is_postgres
from relance.storage.sqlite_connection import READER, store_error
from relance.storage.sqlite_schema import migrate_sqlite
from relance.storage.statements import Dialect, load_statements

_ENDINGS = ("-wal", "-shm", "-journal")


def back_up(location: str | Path, target: Path) -> int:
    """Write a whole, checked copy to `target`, which must not exist, and return its size in bytes. Blocks.

    Raises StoreError; `target` is complete or missing.
    """
    source = _sqlite_path(location, "pg_dump --format=custom --file=FILE $RELANCE_DATABASE_URL")
    if not source.exists():
        raise StoreUnavailableError(f"There is no database {source}: nothing to back up")
    _refuse_existing(target)
    with _unfinished(target) as copy:
        _copy(source, copy)
        _check(copy)
        os.link(copy, target)  # unlike a rename, never replaces a file
    sync_folder(target.parent)
    return target.stat().st_size


def restore(backup: Path, location: str | Path) -> int:
    """Put a backup where there is no database, bring its schema up to date, and return its new generation.

    The generation tells the engine that the world may be further than this state: it starts in recovery. Blocks.
    Raises StoreError; the place is as it was then.
    """
    target = _sqlite_path(location, "pg_restore --dbname=$RELANCE_DATABASE_URL FILE")
    if not backup.exists():
        raise StoreUnavailableError(f"There is no backup {backup}")
    _refuse_existing(target)
    for ending in _ENDINGS:
        _refuse_existing(target.with_name(target.name + ending))
    with _unfinished(target) as copy:
        _copy(backup, copy)
        _check(copy)
        migrate_sqlite(copy)
        generation = _advance(copy)
        os.link(copy, target)
    sync_folder(target.parent)
    return generation


def _sqlite_path(location: str | Path, remedy: str) -> Path:
    if isinstance(location, str) and is_postgres(location):
        raise StoreError(f"The state is in PostgreSQL: use its own tool, `{remedy}`")
    return Path(location)


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise StoreError(f"{path} exists: move it away, or name another file")


@contextlib.contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Yield a file of ours beside the target, and leave nothing of it behind."""
    copy = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        try:
            yield copy
        finally:
            for ending in ("", *_ENDINGS):
                copy.with_name(copy.name + ending).unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailableError(f"{target} cannot be written: {error.strerror}") from error


def _copy(source: Path, copy: Path) -> None:
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


def _check(copy: Path) -> None:
    try:
        with contextlib.closing(apsw.Connection(str(copy), flags=READER)) as reading:
            found = reading.pragma("quick_check")
    except apsw.Error as error:
        raise store_error(error, copy, "checking the copy") from error
    if found != "ok":
        raise StoreUnavailableError(f"The copy is damaged ({found}): check the disk; the original was not touched")


def _advance(copy: Path) -> int:
    statement = load_statements(Dialect.SQLITE)["installation.advance"]
    try:
        with contextlib.closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as writing:
            row = writing.execute(statement.sql).fetchone()
            writing.pragma("journal_mode", "delete")
    except apsw.Error as error:
        raise store_error(error, copy, "counting the restore") from error
    if row is None:
        raise StoreError("The backup names no installation: it is not one of Relance's")
    return int(row[0])
