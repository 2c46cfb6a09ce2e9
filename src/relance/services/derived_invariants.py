"""Contradictions that SQL alone cannot see: they show when something is computed once more and comes out otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from relance.core import identifiers, plan_document
from relance.core.enrollment import EnrollmentStatus
from relance.core.events import EventName
from relance.core.lead import ERASED_DOMAIN
from relance.core.transitions import allowed
from relance.ports.store import Reader
from relance.services import mailboxes
from relance.services.leasing import ALL_SHARDS
from relance.services.situations import Keys, workspace_of

MOST_ROWS = 20
#: Longer than any lease: they last seconds, by the database's own clock.
_NO_LEASE = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One row in which something is wrong."""

    id: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One entry of an enrollment's history; `id` is the enrollment's."""

    id: int
    from_status: str | None
    to_status: str
    event: str
    step: str
    step_counter: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frozen:
    id: int
    name: str
    version: int
    document: Mapping[str, object]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marked:
    id: int
    uid: str
    step_counter: int
    message_id: str
    trace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    id: int
    uid: str
    sequence: str
    email: str


def illegal_moves(reader: Reader, *, workspace_id: int, after: int, upto: int, keys: Keys) -> Iterator[Found]:
    """Yield enrollments whose history has a move that no table of the rules allows."""
    del keys
    moves = reader.all(Move, "invariants.moves", workspace_id=workspace_id, after=after, upto=upto)
    wrong = (move for move in moves if not _is_legal(move))
    for move in islice(wrong, MOST_ROWS):
        detail = f"{move.from_status or 'new'} to {move.to_status} by {move.event}"
        yield Found(id=move.id, detail=detail)


def _is_legal(move: Move) -> bool:
    try:
        before = EnrollmentStatus(move.from_status) if move.from_status else None
        return move.to_status in allowed(before, EventName(move.event))
    except ValueError:
        return False


def altered_versions(reader: Reader, *, workspace_id: int, keys: Keys) -> Iterator[Found]:
    """Yield frozen versions whose content is no longer what was frozen."""
    del keys
    for row in reader.all(_Frozen, "invariants.versions", workspace_id=workspace_id):
        if plan_document.digest(row.document) != row.digest:
            yield Found(id=row.id, detail=f"{row.name} version {row.version}")


def foreign_marks(reader: Reader, *, workspace_id: int, after: int, upto: int, keys: Keys) -> Iterator[Found]:
    """Yield attempts whose Message-ID or trace is not that of their enrollment and step."""
    rows = reader.all(_Marked, "invariants.marks", workspace_id=workspace_id, after=after, upto=upto)
    for row in islice((row for row in rows if not _is_own(row, keys)), MOST_ROWS):
        yield Found(id=row.id, detail=row.message_id)


def _is_own(row: _Marked, keys: Keys) -> bool:
    domain = row.message_id.rpartition("@")[2].removesuffix(">")  # its mailbox may have another address since
    try:
        own_id = identifiers.message_id(keys.message_id, row.uid, row.step_counter, domain)
    except ValueError:
        return False
    return (row.message_id, row.trace) == (
        own_id,
        identifiers.trace_header(keys.trace, row.uid, row.step_counter)[1],
    )


def foreign_uids(reader: Reader, *, workspace_id: int, after: int, upto: int, keys: Keys) -> Iterator[Found]:
    """Yield enrollments whose name is not made of their workspace, sequence and address."""
    workspace = workspace_of(reader, workspace_id)
    rows = reader.all(
        _Named,
        "invariants.names",
        workspace_id=workspace_id,
        after=after,
        upto=upto,
        erased_domain=ERASED_DOMAIN,
    )
    wrong = (
        row
        for row in rows
        if row.uid != identifiers.enrollment_uid(keys.message_id, workspace.uid, row.sequence, row.email)
    )
    for row in islice(wrong, MOST_ROWS):
        yield Found(id=row.id, detail=f"{row.email} in {row.sequence}")


def missing_shards(reader: Reader, *, workspace_id: int, keys: Keys) -> Iterator[Found]:
    """Yield shards without a row, which no worker can own."""
    del workspace_id, keys
    there = set(reader.all(int, "invariants.shards"))
    for shard in islice(sorted(set(ALL_SHARDS) - there), MOST_ROWS):
        yield Found(id=shard, detail="its row is missing")


def shards_far_ahead(reader: Reader, *, workspace_id: int, keys: Keys) -> Iterator[Found]:
    """Yield shards that are leased for longer than any lease lasts: when their owner dies, nobody takes them over."""
    del workspace_id, keys
    return iter(reader.all(Found, "invariants.shard_far_ahead", lease_seconds=_NO_LEASE))


def workers_far_ahead(reader: Reader, *, workspace_id: int, keys: Keys) -> Iterator[Found]:
    """Yield workers that take part for longer than any lease lasts: their share stays theirs when they die."""
    del workspace_id, keys
    return iter(reader.all(Found, "invariants.worker_far_ahead", lease_seconds=_NO_LEASE))


def wrong_shards(reader: Reader, *, workspace_id: int, keys: Keys) -> Iterator[Found]:
    """Yield mailboxes that stand in another shard than their login's."""
    del keys
    for box in mailboxes.of_workspace(reader, workspace_id):
        if box.shard != mailboxes.shard_of(box.provider, box.login):
            yield Found(id=box.id, detail=box.address)
