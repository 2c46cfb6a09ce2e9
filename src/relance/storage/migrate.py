"""The schema's numbered changes, applied in order, once, all or none.

Rule 1: a file that was released never changes; its checksum stands in the database.
Rule 2: a database that knows more changes than this program is left alone.
Rule 3: whoever migrates holds the database alone (BEGIN EXCLUSIVE, an advisory lock); the second finds it done.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Protocol

from relance.ports.store import SchemaError
from relance.storage.statements import Dialect

_FILE = re.compile(r"^(\d{4})_([a-z0-9_]+)\.sql$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered file."""

    number: int
    name: str
    checksum: str  #: BLAKE2 of the text, line ends as LF.
    sql: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """One line of the database's own ledger."""

    number: int
    name: str
    checksum: str


class Target(Protocol):
    """A database held alone, inside one transaction that the caller commits."""

    def applied(self) -> Sequence[Applied]:
        """Return the ledger, making its table first if it is missing."""
        ...

    def apply(self, migration: Migration) -> None:
        """Run one file and write it into the ledger."""
        ...


@cache
def load_migrations(dialect: Dialect) -> tuple[Migration, ...]:
    """Read the package's changes for one database, in order. Raises SchemaError if the numbers have a gap."""
    return read_migrations(files("relance.storage") / "migrations" / dialect.value)


def read_migrations(folder: Traversable) -> tuple[Migration, ...]:
    """Read a folder's numbered changes, in order. Raises SchemaError if the numbers have a gap."""
    found = sorted((read for file in folder.iterdir() if (read := _read(file))), key=lambda change: change.number)
    numbers = [change.number for change in found]
    if numbers != list(range(1, len(found) + 1)):
        raise SchemaError(f"the migrations are numbered {numbers}: they must run from 1 without a gap")
    return tuple(found)


def ledger_table(dialect: Dialect) -> str:
    """Return the statement that makes the ledger's table where it is missing."""
    return (files("relance.storage") / "migrations" / dialect.value / "ledger.sql").read_text(encoding="utf-8")


def _read(file: Traversable) -> Migration | None:
    named = _FILE.match(file.name)
    if not named:
        return None
    sql = file.read_text(encoding="utf-8").replace("\r\n", "\n")
    checksum = blake2b(sql.encode(), digest_size=16).hexdigest()
    return Migration(number=int(named[1]), name=named[2], checksum=checksum, sql=sql)


def pending(known: Sequence[Migration], applied: Iterable[Applied]) -> tuple[Migration, ...]:
    """Return the changes that are still to be applied. Raises SchemaError if the ledger tells another story."""
    by_number = {change.number: change for change in known}
    seen = 0
    for line in applied:
        change = by_number.get(line.number)
        if change is None:
            raise SchemaError(
                f"The database has schema change {line.number} ({line.name}) and this program ends at "
                f"{len(known)}: install the version that wrote it, or a newer one",
            )
        if change.checksum != line.checksum:
            raise SchemaError(
                f"Schema change {line.number} ({line.name}) was applied with another text than this program has: "
                "install the released version again; a released change is never edited",
            )
        seen += 1
        if line.number != seen:
            raise SchemaError(f"Schema change {seen} is missing in the database's ledger: restore a backup")
    return tuple(known[seen:])


def bring_up(target: Target, known: Sequence[Migration]) -> int:
    """Apply what is pending and return how many changes that were. The caller commits, or rolls back on an error."""
    todo = pending(known, target.applied())
    for change in todo:
        target.apply(change)
    return len(todo)
