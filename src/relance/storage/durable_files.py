"""Files that are still there after power loss."""

import os
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
