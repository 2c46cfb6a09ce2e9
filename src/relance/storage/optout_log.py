"""Opt-outs, kept once more in a file outside the database, so that restoring an old backup forgets none.

Rule 1: a line is `time workspace digest reason`; the digest is keyed, so the file names nobody.
Rule 2: a line counts once it is synced; a torn last line (power loss) is skipped and never joined to the next one.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from relance.ports.faultpoints import reach
from relance.ports.journal import OptOut
from relance.ports.store import StoreUnavailableError
from relance.storage.parameters import time_text

_FIELDS = 4
_DIGEST_BYTES = 20


class OptOutLog:
    """An append-only file, safe for several processes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, entries: Iterable[OptOut]) -> None:
        """Write and sync. Raises StoreUnavailableError; nothing counts then, and appending again is harmless."""
        text = "".join(f"{time_text(e.at)} {e.workspace_uid} {e.digest} {e.reason}\n" for e in entries)
        if not text:
            return
        reach("file", "optouts.log", "before")
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                size = os.fstat(handle).st_size
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                _write_all(handle, (b"\n" if torn else b"") + text.encode())
                reach("file", "optouts.log", "written")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise StoreUnavailableError(f"{self._path} cannot be written: {error.strerror}") from error
        reach("file", "optouts.log", "after")

    def entries(self) -> Iterator[OptOut]:
        """Yield every whole line, oldest first; none if there is no file yet."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreUnavailableError(f"{self._path} cannot be read: {error.strerror}") from error
        for line in lines[:-1]:  # what follows the last line end is torn, or nothing
            entry = _read(line)
            if entry:
                yield entry


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _read(line: bytes) -> OptOut | None:
    words = line.decode("utf-8", "replace").split(" ")
    if len(words) != _FIELDS or len(words[2]) != _DIGEST_BYTES * 2:
        return None
    try:
        at = datetime.fromisoformat(words[0]).astimezone(UTC)
    except ValueError:
        return None
    return OptOut(at=at, workspace_uid=words[1], digest=words[2], reason=words[3])
