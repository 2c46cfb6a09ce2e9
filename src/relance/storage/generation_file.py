"""The newest generation of the database, in a small file beside it that no backup of the database contains.

Rule: the file is written whole, or not at all; one that cannot be understood counts as missing, which is the safe side.
"""

import json
import os
from dataclasses import asdict
from pathlib import Path

from relance.ports.faultpoints import reach
from relance.ports.generation import Generation
from relance.ports.store import StoreUnavailableError
from relance.storage.durable_files import sync_folder


class JsonGenerationFile:
    """Implements `relance.ports.generation.GenerationFile`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Generation | None:
        """Return what was kept. Raises StoreUnavailableError."""
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            return Generation(
                installation=str(kept["installation"]), number=int(kept["number"]), server=str(kept["server"])
            )
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreUnavailableError(f"{self._path} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError):
            return None

    def tidy(self) -> None:
        """Take away what was left by whoever was killed in the middle of writing. Nobody else may be writing."""
        for stray in self._path.parent.glob(f".{self._path.name}.*"):
            stray.unlink(missing_ok=True)

    def write(self, generation: Generation) -> None:
        """Replace it. Raises StoreUnavailableError."""
        fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        reach("file", "generation.json", "before")
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(asdict(generation), file)
                file.flush()
                os.fsync(file.fileno())
            reach("file", "generation.json", "written")
            fresh.replace(self._path)
            sync_folder(self._path.parent)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise StoreUnavailableError(f"{self._path} cannot be written: {error.strerror}") from error
        reach("file", "generation.json", "after")
