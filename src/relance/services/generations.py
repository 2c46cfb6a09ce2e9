"""Noticing that the database is an older state than the one that was worked on last.

Rule 1: the number grows in the database first and in the file beside it second, so that only an older database is
        behind its file.
Rule 2: a server on another timeline was brought back to an earlier point, or a standby took over, and another database
        was filled from a dump: each may lack the last writes, whatever the number says. The database itself says where
        it grew last, so that this is noticed without the file too.
Rule 3: a database that was worked on and comes without its file is taken for an older state, unless an engine works on
        it elsewhere.
"""

from dataclasses import dataclass
from datetime import datetime

from relance.ports.generation import Generation
from relance.ports.store import Reader, Transaction
from relance.services import leasing, recovering
from relance.services.workspaces import Installation


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The number has grown. `noticed`: why the state is taken for an older one; its mailboxes recover then."""

    generation: Generation
    noticed: str | None
    started_at: str  #: When the database server came up; empty for a file.


@dataclass(frozen=True, slots=True, kw_only=True)
class Unnamed:
    """The database belongs to no installation yet; there is nothing to compare."""


def count(tx: Transaction, *, kept: Generation | None, worker: str, now: datetime) -> Counted | Unnamed:
    """Compare the database with what was kept of it, enter recovery if it is older, and let its number grow."""
    found = tx.one(Installation, "installation.get")
    if found is None:
        return Unnamed()
    server = server_identity(tx)
    ours = kept if kept is not None and kept.installation == found.uid else None
    noticed = _behind(found, ours) if ours is not None else _lonely(tx, found, worker)
    noticed = noticed or _moved(found, server, ours)
    if noticed is not None:
        recovering.enter(tx, alive_at=found.alive_at, why=noticed, now=now)
    number = max(found.generation, ours.number if ours is not None else 0) + 1
    tx.run("installation.grow", generation=number, server=server, now=now)
    generation = Generation(installation=found.uid, number=number, server=server)
    return Counted(generation=generation, noticed=noticed, started_at=started_at(tx))


def untouched(reader: Reader) -> Generation | None:
    """Return what to keep of a database that nobody has worked on yet; None once somebody has.

    It is kept before the number grows for the first time: a process that died between the two would else leave a
    database that was worked on and has no file.
    """
    found = reader.one(Installation, "installation.get")
    if found is None or found.generation:
        return None
    return Generation(installation=found.uid, number=0, server=server_identity(reader))


def started_at(reader: Reader) -> str:
    """Return when the database server came up; empty for a file."""
    return reader.one(str, "server.started_at") or ""


def server_identity(reader: Reader) -> str:
    """Return cluster, timeline and database; empty where there is no server, or where it may not be asked."""
    if not reader.one(bool, "server.may_be_told_apart"):
        return ""
    return reader.one(str, "server.identity") or ""


def _behind(found: Installation, kept: Generation) -> str | None:
    return "an older state of the database was put back" if found.generation < kept.number else None


def _moved(found: Installation, server: str, kept: Generation | None) -> str | None:
    last_known = {found.server, kept.server if kept is not None else None} - {"", None}
    if server and last_known - {server}:
        return "this is a copy of the database, its server was brought back to an earlier point, or a standby took over"
    return None


def _lonely(reader: Reader, found: Installation, worker: str) -> str | None:
    others = [other for other in leasing.workers(reader) if other.name != worker]
    if found.generation == 0 or others:
        return None
    return "the database was worked on before, but not from this data directory"
