"""Putting a backup of a SQLite file back. The database that was there is kept aside; nothing is ever destroyed.

Rule 1: until the backup is whole, checked and of the right installation and schema, nothing is touched.
Rule 2: the backup takes the place in one step: whoever kills this finds the one database there, or the other.
Rule 3: before that step it is said that the state is an older one (`announce`): recovering in vain does no harm.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from relance.ports.faultpoints import reach
from relance.ports.store import StoreError, StoreUnavailableError
from relance.storage.backup import ENDINGS, check_database, copy_database, refuse_existing, sqlite_path, unfinished
from relance.storage.durable_files import alone_in, sync_file, sync_folder
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
    announce: Callable[["Identity"], None],
) -> Restored:
    """Put a backup in the place of the database, which is kept aside under its name with `suffix`. Blocks.

    `installation`: the uid that it must have; None: not known here. `take_along` is given the copy that takes the place
    and the database that is replaced, if there is one: it may write into the first, and must leave the second alone.
    `announce` is told whose the backup is, and how old, just before it takes the place. No engine may run. Raises
    StoreError and its kinds; everything is as it was then, but for what was announced.
    """
    target = sqlite_path(location, "pg_restore --clean --if-exists --dbname=$RELANCE_DATABASE_URL FILE")
    if not backup.is_file():
        raise StoreUnavailableError(f"There is no backup {backup}: name a file that `relance backup` made")
    if target.exists() and backup.samefile(target):
        raise StoreError(f"{backup} is the database itself: name a backup")
    _clear(target)
    aside = target.with_name(f"{target.name}.{suffix}")
    for ending in ("", *ENDINGS):
        refuse_existing(aside.with_name(aside.name + ending))
    with unfinished(target) as copy:
        copy_database(backup, copy)
        check_database(copy)
        _refuse_foreign(backup, copy)
        migrate_sqlite(copy)
        found = _identity(copy)
        installation = installation or _installation_of(target)
        if installation is not None and found.installation != installation:
            raise StoreError(f"{backup} is a backup of another installation: name one of this data directory's")
        if target.exists():
            take_along(copy, target)
        _one_file(copy)
        sync_file(copy)
        with _alone(target):
            if target.exists():
                _at("fold")
                _fold(target)
            _at("announce")
            announce(found)
            _at("replace")
            kept = _replace(target, aside, copy)
            _at("clean up")
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
class Identity:
    """Whose a database is, and how old."""

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


def _identity(copy: Path) -> Identity:
    statement = load_statements(Dialect.SQLITE)["installation.get"]
    try:
        with contextlib.closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as reading:
            row = reading.execute(statement.sql).fetchone()
    except apsw.Error as error:
        raise store_error(error, copy, "reading whose it is") from error
    if row is None:
        raise StoreError("The backup names no installation: it was made before `relance init` had ended")
    return Identity(installation=str(row[0]), generation=int(row[1]), alive_at=row[2])


def _one_file(database: Path) -> None:
    """Leave no WAL beside it. Raises StoreError and its kinds."""
    try:
        with contextlib.closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)) as writing:
            writing.set_busy_timeout(10_000)
            writing.pragma("journal_mode", "delete")
    except apsw.Error as error:
        raise store_error(error, database, "making one file of it") from error


@contextlib.contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Let no other command open the database. Raises StoreError while one uses it."""
    try:
        with alone_in(target.parent):
            yield
    except BlockingIOError as error:
        raise StoreError(f"{target} is in use by another command: wait until that has ended, and try again") from error


def _installation_of(target: Path) -> str | None:
    """Return whose the database is that is replaced; None if there is none, or it cannot tell."""
    try:
        return _identity(target).installation if target.exists() else None
    except StoreError:
        return None


def _fold(target: Path) -> None:
    """Make one file of the database that is replaced, so that one step moves it; a damaged one is left as it is.

    Raises StoreError, also while another program uses it.
    """
    try:
        _one_file(target)
    except StoreError as error:
        if not isinstance(error.__cause__, apsw.CorruptError | apsw.NotADBError):
            raise


def _replace(target: Path, aside: Path, copy: Path) -> Path | None:
    """Give the old database, if there is one, its second name, and the copy the first; undo that if it fails."""
    moved: list[tuple[Path, Path]] = []
    kept = aside if target.exists() else None
    try:
        if kept is not None:
            os.link(target, aside)
        for ending in ENDINGS:  # there are none, but of a damaged one
            old, new = target.with_name(target.name + ending), aside.with_name(aside.name + ending)
            if old.exists():
                old.rename(new)
                moved.append((old, new))
        sync_folder(target.parent)
        _at("take the place")
        copy.replace(target)
    except OSError:
        for old, new in reversed(moved):
            new.rename(old)
        aside.unlink(missing_ok=True)
        raise
    return kept


def _clear(target: Path) -> None:
    """Take away what a restore left that was killed: its copy, and the second name of a database that stayed."""
    for stray in target.parent.glob(f".{target.name}.*"):
        stray.unlink(missing_ok=True)
    for aside in target.parent.glob(f"{target.name}.replaced-*"):
        if target.exists() and aside.samefile(target):
            aside.unlink()


def _at(step: str) -> None:
    reach("restore", step, "before")
