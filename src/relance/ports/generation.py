"""Which state of the database was the newest: kept outside it, so that an older state put back is noticed."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What a database said of itself."""

    installation: str  #: Its uid: another installation's number says nothing.
    number: int  #: Grows while an engine runs.
    server: str  #: Cluster, timeline and database of a database server; empty for a file.


class GenerationFile(Protocol):
    """One value in the data directory."""

    def read(self) -> Generation | None:
        """Return what was kept, None where nothing was or it cannot be understood. Raises StoreUnavailableError."""
        ...

    def write(self, generation: Generation) -> None:
        """Replace it and make that durable. Raises StoreUnavailableError; the old value stands then."""
        ...
