"""A disk that fails when told to: an SQLite VFS over the real one."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

LIMIT = 30  #: Seconds after which something that must happen has not happened.
_numbers = itertools.count(1)


class FaultyDisk(apsw.VFS):
    """Register it by making it; give `vfs=disk.name` to a store."""

    def __init__(self) -> None:
        self.name = f"faulty-{next(_numbers)}"
        self.fails_to_write: type[apsw.Error] | None = None
        self.fails_to_sync: type[apsw.Error] | None = None
        self.syncs = 0  #: Of the WAL, so far.
        self.syncing = threading.Event()  #: Somebody waits in a sync of the WAL.
        self.may_sync = threading.Event()
        self.may_sync.set()
        super().__init__(self.name, "")

    def xOpen(self, name, flags):  # noqa: N802 - SQLite's name for it
        """Open a file that asks this disk before it writes."""
        return _File(self, name, flags)

    @contextmanager
    def failing(self, *, write=None, sync=None) -> Iterator[None]:
        """Fail every write or sync of the WAL inside the block."""
        self.fails_to_write, self.fails_to_sync = write, sync
        yield
        self.fails_to_write = self.fails_to_sync = None


class _File(apsw.VFSFile):
    def __init__(self, disk, name, flags) -> None:
        super().__init__("", name, flags)
        text = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._disk = disk
        self._wal = text.endswith("-wal")

    def xWrite(self, data, offset) -> None:  # noqa: N802 - SQLite's name for it
        if self._wal and self._disk.fails_to_write:
            raise self._disk.fails_to_write("the disk was told to fail")
        super().xWrite(data, offset)

    def xSync(self, flags) -> None:  # noqa: N802 - SQLite's name for it
        if self._wal:
            self._disk.syncing.set()
            assert self._disk.may_sync.wait(LIMIT)
            self._disk.syncs += 1
            if self._disk.fails_to_sync:
                raise self._disk.fails_to_sync("the disk was told to fail")
        super().xSync(flags)
