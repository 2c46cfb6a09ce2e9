"""Opening the store that a URL or a path names, with its schema up to date; and the locks of its engines."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from relance.ports.faultpoints import reach
from relance.ports.store import Store, StoreBusyError, StoreUnavailableError
from relance.storage.durable_files import share
from relance.storage.sqlite import SqliteStore
from relance.storage.sqlite_schema import migrate_sqlite

_URLS = ("postgresql://", "postgres://")
_MOST_DEAD = 50  #: Names kept of engines that died before they had a lease.
_MOST_WRITTEN = 65_536


class EngineRunningError(StoreBusyError):
    """Another engine works on this data directory. Commands work beside it; a second engine does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLock:
    """The lock as its holder has it. `dead` are workers that held it before and may have left a lease behind."""

    path: Path
    handle: int
    worker: str
    dead: tuple[str, ...]

    def settled(self) -> None:
        """Forget the dead, once none of them can hold a lease any more."""
        self.write()

    def write(self, *before: str) -> None:
        """Write the process id and, for the next holder, the names of those whose lease it may find."""
        words = "\n".join([str(os.getpid()), *before[-_MOST_DEAD:], *([self.worker] if self.worker else [])])
        reach("file", "engine.lock", "before")
        written = os.pwrite(self.handle, f"{words}\n".encode(), 0)
        reach("file", "engine.lock", "written")
        os.ftruncate(self.handle, written)  # last, so that no crash leaves it empty
        reach("file", "engine.lock", "after")


def is_postgres(location: str) -> bool:
    """Tell whether the location is a PostgreSQL URL rather than a path."""
    return location.startswith(_URLS)


def open_store(location: str | Path) -> Store:
    """Open a PostgreSQL URL or a SQLite path, and bring its schema up to date. Blocks.

    Raises SchemaError, StoreBusyError and StoreUnavailableError, each with a sentence that says what to do.
    """
    if isinstance(location, str) and is_postgres(location):
        return _open_postgres(location)
    path = Path(location)
    if not path.parent.is_dir():
        raise StoreUnavailableError(f"There is no directory {path.parent}: create it with `relance init`")
    try:
        shared = share(path.parent)  # before anything is opened: a restore may be about to put another file there
    except OSError as error:
        raise StoreUnavailableError(
            f"{path.parent} cannot be locked ({error.strerror}): check its owner, or put it on a local disk"
        ) from error
    try:
        migrate_sqlite(path)
        return SqliteStore(path, shared=shared)
    except BaseException:
        os.close(shared)
        raise


def _open_postgres(url: str) -> Store:
    try:
        # An extra: asked for only when it is used.
        from relance.storage.postgres import PostgresStore  # noqa: PLC0415
        from relance.storage.postgres_schema import migrate_postgres  # noqa: PLC0415
    except ImportError as error:
        remedy = "pip install 'relance[postgres]'"
        raise StoreUnavailableError(f"PostgreSQL needs a driver that is not installed: {remedy}") from error
    migrate_postgres(url)
    return PostgresStore(url)


@contextlib.contextmanager
def engine_lock(path: Path, *, worker: str = "", places: int = 1) -> Iterator[EngineLock]:
    """Be one of at most `places` engines of a data directory while the block runs; `path` is its `engine.lock`.

    Each place is a file of its own: `engine.lock`, `engine-2.lock` and so on. The lock is the kernel's and ends with
    the process, however it ends: whoever held it before is dead. Raises EngineRunningError naming the one that lives.
    """
    for number in range(1, places + 1):
        place = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        handle = _lock(place)
        if handle is not None:
            break
    else:
        raise EngineRunningError(
            f"An engine (process {_holder(path)}) already works on {path.parent}: stop it first, or use another --data",
        )
    try:
        lock = EngineLock(path=place, handle=handle, worker=worker, dead=tuple(_words(handle)[1:]))
        lock.write(*lock.dead)
        yield lock
    finally:
        os.close(handle)


def _lock(path: Path) -> int | None:
    """Return the handle of a file that is ours now, None if another process has it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreUnavailableError(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _holder(path: Path) -> str:
    """Return the process id that stands in a lock's file."""
    return next(iter(path.read_text("utf-8", "replace").split()), "unknown")


def _words(handle: int) -> list[str]:
    """Return what engines have written: the process id of the last, and names of workers."""
    return os.pread(handle, _MOST_WRITTEN, 0).decode("utf-8", "replace").split()
