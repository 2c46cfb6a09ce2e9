"""Putting a backup of a SQLite file back. The database that was there is kept aside; nothing is ever destroyed.

Rule: until the backup is whole, checked and of the right installation and schema, nothing is touched.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from relance.ports.store import StoreError, StoreUnavailableError
from relance.storage.backup import ENDINGS, check_database, copy_database, refuse_existing, sqlite_path, unfinished
from relance.storage.durable_files import sync_folder
from relance.storage.sqlite_connection import READER, store_error
from relance.storage.sqlite_schema import migrate_sqlite
from relance.storage.statements import Dialect, load_statements


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was put back, and where that is kept which was there before (None: nothing was)."""

    installation: str
    generation: int
    alive_at: str | None  #: When it was last known to be worked on, as SQLite keeps it.
    aside: Path | None


def restore(
    backup: Path,
    location: str | Path,
    *,
    installation: str | None,
    suffix: str,
    take_along: Callable[[Path, Path], None],
) -> Restored:
    """Put a backup in the place of the database, which is kept aside under its name with `suffix`. Blocks.

    `installation`: the uid that it must have; None: not known here. `take_along` is given the copy that takes the place
    and the database that is replaced, if there is one: it may write into the first, and must leave the second alone.
    No engine may run. Raises StoreError and its kinds; everything is as it was then.
    """
    target = sqlite_path(location, "pg_restore --clean --if-exists --dbname=$RELANCE_DATABASE_URL FILE")
    if not backup.is_file():
        raise StoreUnavailableError(f"There is no backup {backup}: name a file that `relance backup` made")
    if target.exists() and backup.samefile(target):
        raise StoreError(f"{backup} is the database itself: name a backup")
    aside = target.with_name(f"{target.name}.{suffix}")
    for ending in ("", *ENDINGS):
        refuse_existing(aside.with_name(aside.name + ending))
    with unfinished(target) as copy:
        copy_database(backup, copy)
        check_database(copy)
        _refuse_foreign(backup, copy)
        migrate_sqlite(copy)
        found = _identity(copy)
        if installation is not None and found.installation != installation:
            raise StoreError(f"{backup} is a backup of another installation: name one of this data directory's")
        if target.exists():
            take_along(copy, target)
        _one_file(copy)
        kept = _replace(target, aside, copy)
    sync_folder(target.parent)
    return Restored(installation=found.installation, generation=found.generation, alive_at=found.alive_at, aside=kept)


@contextlib.contextmanager
def looked_into(database: Path) -> Iterator[Path]:
    """Yield a copy of a database with today's schema, to be read and thrown away. Raises StoreError and its kinds."""
    with unfinished(database.with_name(f"{database.name}.looked-into")) as copy:
        copy_database(database, copy)
        check_database(copy)
        migrate_sqlite(copy)
        yield copy


@dataclass(frozen=True, slots=True, kw_only=True)
class _Identity:
    installation: str
    generation: int
    alive_at: str | None


def _refuse_foreign(backup: Path, copy: Path) -> None:
    """Refuse a database that is somebody else's before its schema is touched, if only in a copy."""
    try:
        with contextlib.closing(apsw.Connection(str(copy), flags=READER)) as reading:
            ours = all(reading.table_exists(None, name) for name in ("schema_migrations", "installation"))
    except apsw.Error as error:
        raise store_error(error, copy, "looking into the copy") from error
    if not ours:
        raise StoreError(f"{backup} is not a backup of Relance: name one that `relance backup` made")


def _identity(copy: Path) -> _Identity:
    statement = load_statements(Dialect.SQLITE)["installation.get"]
    try:
        with contextlib.closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as reading:
            row = reading.execute(statement.sql).fetchone()
    except apsw.Error as error:
        raise store_error(error, copy, "reading whose it is") from error
    if row is None:
        raise StoreError("The backup names no installation: it was made before `relance init` had ended")
    return _Identity(installation=str(row[0]), generation=int(row[1]), alive_at=row[2])


def _one_file(copy: Path) -> None:
    """Leave no WAL beside it."""
    try:
        with contextlib.closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as writing:
            writing.pragma("journal_mode", "delete")
    except apsw.Error as error:
        raise store_error(error, copy, "closing the copy") from error


def _replace(target: Path, aside: Path, copy: Path) -> Path | None:
    """Move the old database aside with what belongs to it, and give the copy its name; undo that if it fails."""
    moved: list[tuple[Path, Path]] = []
    try:
        for ending in ("", *ENDINGS):
            old, new = target.with_name(target.name + ending), aside.with_name(aside.name + ending)
            if old.exists():
                old.rename(new)
                moved.append((old, new))
        os.link(copy, target)
    except OSError:
        for old, new in reversed(moved):
            new.rename(old)
        raise
    return aside if moved else None
