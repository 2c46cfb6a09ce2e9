"""Opt-outs stand twice: in the suppression list, which binds, and in the log by keyed hash, which outlasts a restore.

Rule 1: what stands in only one of them is found; but a suppression that a person took back is gone by right.
Rule 2: hashes tell nothing, so whoever is known here is named by the address that yields the hash.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from relance.core.suppression import SuppressionKind, tombstone_of
from relance.ports.store import Reader
from relance.services.derived_invariants import MOST_ROWS, Found
from relance.services.situations import Keys
from relance.services.workspaces import everyone

_PAGE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    id: int
    kind: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Logged:
    id: int
    digest: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _TakenBack:
    at: datetime
    data: Mapping[str, object]


def unjournalled(reader: Reader, *, workspace_id: int, after: int, upto: int, keys: Keys) -> Iterator[Found]:
    """Yield opt-outs that stand in the suppression list only: after a restored backup they would be forgotten."""
    rows = reader.all(_Listed, "invariants.opted_out", workspace_id=workspace_id, after=after, upto=upto)
    digests = {row.id: _digest(row, keys) for row in rows}
    known = set(
        reader.all(str, "opt_outs.known", workspace_id=workspace_id, digests_list=sorted(set(digests.values())))
    )
    for row in islice((row for row in rows if digests[row.id] not in known), MOST_ROWS):
        yield Found(id=row.id, detail="(erased)" if row.kind == SuppressionKind.TOMBSTONE else row.value)


def unbound(reader: Reader, *, workspace_id: int, after: int, upto: int, keys: Keys) -> Iterator[Found]:
    """Yield opt-outs that stand in the log only, though nobody took them back: they may be written to again."""
    rows = reader.all(_Logged, "invariants.opt_outs", workspace_id=workspace_id, after=after, upto=upto)
    wanted = {row.digest for row in rows}
    for page in _suppressed(reader, workspace_id):
        wanted -= {_digest(row, keys) for row in page}
        if not wanted:
            return
    taken_back = _taken_back(reader, since=min(row.at for row in rows if row.digest in wanted))
    gone = {row.digest: row for row in rows if row.digest in wanted and not _by_right(row, taken_back)}
    found = list(gone.values())[:MOST_ROWS]
    names = _names(reader, workspace_id, {row.digest for row in found}, keys)
    for row in found:
        yield Found(id=row.id, detail=names.get(row.digest, f"of {row.at:%Y-%m-%d}, an address that is no lead's"))


def _by_right(row: _Logged, taken_back: Mapping[str, datetime]) -> bool:
    return row.digest in taken_back and row.at <= taken_back[row.digest]


def _suppressed(reader: Reader, workspace_id: int) -> Iterator[list[_Listed]]:
    last = 0
    while page := reader.all(_Listed, "invariants.suppressed", workspace_id=workspace_id, last=last, size=_PAGE):
        yield page
        last = page[-1].id


def _taken_back(reader: Reader, *, since: datetime) -> dict[str, datetime]:
    """Return when each was last taken back; a global one may have been by another workspace."""
    rows = [
        row
        for workspace in everyone(reader)
        for row in reader.all(_TakenBack, "invariants.unsuppressed", workspace_id=workspace.id, since=since)
    ]
    rows.sort(key=lambda row: row.at)
    return {str(row.data.get("digest", "")): row.at for row in rows}


def _names(reader: Reader, workspace_id: int, digests: set[str], keys: Keys) -> dict[str, str]:
    names: dict[str, str] = {}
    last = ""
    while len(names) < len(digests) and (
        page := reader.all(str, "invariants.addresses", workspace_id=workspace_id, last=last, size=_PAGE)
    ):
        last = page[-1]
        names |= {digest: email for email in page if (digest := tombstone_of(email, keys.tombstone)) in digests}
    return names


def _digest(row: _Listed, keys: Keys) -> str:
    return row.value if row.kind == SuppressionKind.TOMBSTONE else tombstone_of(row.value, keys.tombstone)
