"""A connection to one SQLite file: its settings, read back, and its errors in the port's words.

Durability is not traded: WAL with `synchronous=FULL`, so that what was committed survives power loss.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import apsw

from relance.ports.store import ConflictError, StoreBusyError, StoreError, StoreUnavailableError
from relance.storage.durable_files import sync_folder

WRITER = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
READER = apsw.SQLITE_OPEN_READONLY
OLDEST_SQLITE = (3, 51, 3)  #: Before it, a reset of the WAL could corrupt the file.
PATIENCE = 5.0  #: Real seconds to wait for another process's write transaction.
WAL_PAGES = 1_000  #: Checkpoint when the WAL has grown to so many pages (4 MB).
NO_ROOM = 1_048_576  #: With fewer bytes free, what fails on a disk fails because it is full.
WAL_BYTES = 67_108_864  #: What stays of the WAL's file after a checkpoint.

_SETTINGS: Mapping[str, object] = {
    "journal_mode": "wal",
    "synchronous": 2,
    "foreign_keys": 1,
    "wal_autocheckpoint": WAL_PAGES,
    "journal_size_limit": WAL_BYTES,
    "temp_store": 2,
    "trusted_schema": 0,
    "cell_size_check": 1,
}
#: The database is the whole business of someone: nobody else on the machine reads it.
_OWNER_ONLY = stat.S_IRUSR | stat.S_IWUSR


def connect(path: Path, *, flags: int = WRITER, patience: float = PATIENCE, vfs: str | None = None) -> apsw.Connection:
    """Open the file and read every setting back. Raises StoreUnavailableError and StoreBusyError."""
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < OLDEST_SQLITE:
        raise StoreUnavailableError(f"SQLite {apsw.sqlite_lib_version()} can corrupt its file: pip install -U apsw")
    try:
        if flags == WRITER:
            _create(path)
        connection = apsw.Connection(str(path), flags=flags, vfs=vfs, statementcachesize=512)
        try:
            connection.set_busy_timeout(round(patience * 1000))
            if flags == WRITER and connection.readonly("main"):
                raise StoreUnavailableError(f"{path} can only be read: check its owner and its disk")  # noqa: TRY301 - closed below
            _apply(connection, path)
        except BaseException:
            connection.close()
            raise
    except OSError as error:
        raise StoreUnavailableError(f"The database {path} cannot be opened: {error.strerror}") from error
    except apsw.Error as error:
        raise store_error(error, path, "opening it") from error
    return connection


def keep_plans(connection: apsw.Connection) -> None:
    """Let a prepared statement stay prepared, whatever is bound to it.

    Otherwise SQLite plans anew at each execution where a bound value could change the plan, in the hope of another
    index: 20 µs for a statement that takes 2 (https://sqlite.org/queryplanner-ng.html, "query planner stability").
    """
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)


def _create(path: Path) -> None:
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, _OWNER_ONLY))
        sync_folder(path.parent)


def _apply(connection: apsw.Connection, path: Path) -> None:
    keep_plans(connection)
    for name, value in _SETTINGS.items():
        connection.pragma(name, value)
        found = connection.pragma(name)
        if found != value:
            raise StoreUnavailableError(f"SQLite keeps {name} at {found!r} instead of {value!r} for {path}")


def store_error(error: apsw.Error, path: Path, doing: str) -> StoreError:
    """Say what happened in the port's words; `doing` is a statement's name or a phrase such as `committing`."""
    match error:
        case apsw.ConstraintError():
            return ConflictError(f"{doing}: {error}")
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError() | apsw.SchemaChangeError():
            return StoreBusyError(f"Another process is writing to {path}, and {doing} waited in vain: try again")
        case apsw.InterruptError():
            return StoreBusyError(f"{doing} read {path} for too long and was ended: ask for less at once")
        case _ if _is_full(error, path.parent):
            return StoreUnavailableError(f"The disk of {path} is full ({doing}): free some space; nothing was changed")
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError():
            return StoreUnavailableError(f"{path} cannot be opened for writing ({doing}): check its owner and its disk")
        case apsw.CorruptError() | apsw.NotADBError():
            return StoreUnavailableError(f"{path} is damaged or not a database ({doing}): restore a backup")
        case apsw.IOError():
            return StoreUnavailableError(f"The disk of {path} fails ({doing}: {error}): check it; nothing was changed")
        case _:
            return StoreError(f"{doing}: {error}")


def _is_full(error: apsw.Error, folder: Path) -> bool:
    """Whether there is no room. SQLite does not say so where it fails to make the WAL's index: then ask the disk."""
    if not isinstance(error, apsw.IOError | apsw.CantOpenError):
        return isinstance(error, apsw.FullError)
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < NO_ROOM
