"""Sequences that were forgotten (B13): live or paused, and nothing has left them for long.

Rule 1: whoever waits for a step that is due later is no reason to call a sequence stale.
Rule 2: what ought to move now and does not is `stuck`'s to explain; here it is only named.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.core.sequence import Sequence, SequenceStatus
from relance.ports.store import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """One of them."""

    sequence: str
    status: SequenceStatus
    last_sent_at: datetime | None  #: When it last had a turn; None: never.
    newest_at: datetime | None  #: When somebody last came in.
    unfinished: int
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """How the people of one sequence stand."""

    sequence_id: int
    unfinished: int
    walking: int
    newest_at: datetime | None
    next_due_at: datetime | None


def stale_sequences(reader: Reader, *, workspace_id: int, quiet_for: timedelta, now: datetime) -> list[Stale]:
    """Return every live or paused sequence that has sent nothing for so long and has no reason to wait."""
    standings = {
        row.sequence_id: row
        for row in reader.all(_Standing, "enrollments.standing_by_sequence", workspace_id=workspace_id)
    }
    found = []
    for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id):
        nobody = _Standing(sequence_id=sequence.id, unfinished=0, walking=0, newest_at=None, next_due_at=None)
        standing = standings.get(sequence.id, nobody)
        latest = max(filter(None, (sequence.last_served_at, sequence.created_at, standing.newest_at)))
        remedy = _remedy(sequence, standing, now) if latest <= now - quiet_for else None
        if remedy is not None:
            found.append(
                Stale(
                    sequence=sequence.name,
                    status=sequence.status,
                    last_sent_at=sequence.last_served_at,
                    newest_at=standing.newest_at,
                    unfinished=standing.unfinished,
                    remedy=remedy,
                )
            )
    return found


def _remedy(sequence: Sequence, standing: _Standing, now: datetime) -> str | None:
    if sequence.status not in {SequenceStatus.LIVE, SequenceStatus.PAUSED}:
        return None
    if standing.newest_at is None:
        return "nobody was ever enrolled; `relance enroll` somebody, or `relance sequence archive` it"
    if not standing.unfinished:
        return "everyone in it has ended; `relance enroll` others, or `relance sequence archive` it"
    if sequence.status is SequenceStatus.PAUSED:
        return "it is paused and people are frozen in it; `relance sequence resume` or `archive --stop-active` it"
    if not standing.walking:
        return "everyone left in it is paused or held; `relance enrollment list`, then `resume` or `stop` them"
    if standing.next_due_at is not None and standing.next_due_at > now:
        return None
    return "somebody is due and nothing leaves; `relance stuck` says why"
