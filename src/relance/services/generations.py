"""Noticing that the database is an older state than the one that was worked on last.

Rule 1: the number grows in the database first and in the file beside it second, so that only an older database is
        behind its file.
Rule 2: a server on another timeline was brought back to an earlier point, or a standby took over: it may lack the last
        writes, whatever the number says.
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
    noticed = _older(found, server, ours) if ours is not None else _lonely(tx, found, worker)
    if noticed is not None:
        recovering.enter(tx, alive_at=found.alive_at, why=noticed, now=now)
    number = max(found.generation, ours.number if ours is not None else 0) + 1
    tx.run("installation.grow", generation=number, now=now)
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
    """Return cluster and timeline of the database server; empty where there is none, or where it may not be asked."""
    if not reader.one(bool, "server.may_be_told_apart"):
        return ""
    return reader.one(str, "server.identity") or ""


def _older(found: Installation, server: str, kept: Generation) -> str | None:
    if found.generation < kept.number:
        return "an older state of the database was put back"
    if server and kept.server and server != kept.server:
        return "the database server was brought back to an earlier point, or a standby took over"
    return None


def _lonely(reader: Reader, found: Installation, worker: str) -> str | None:
    others = [other for other in leasing.workers(reader) if other.name != worker]
    if found.generation == 0 or others:
        return None
    return "the database was worked on before, but not from this data directory"
