"""Files that are still there after power loss, and a directory whose files nobody changes under others."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


def sync_file(path: Path) -> None:
    """Make what was written into a file durable. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make a new name in this folder durable; syncing the file alone does not. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def share(folder: Path) -> int:
    """Say that a file of this folder is in use, and return the handle to close when it is not any more.

    Waits for whoever has the folder to itself. Raises OSError.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
    except BaseException:
        os.close(handle)
        raise
    return handle


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Have a folder to oneself while the block runs. Raises BlockingIOError if one of its files is in use."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
