"""Who is in two sequences at once (B13): a person may be written to by both, unless a frequency cap says otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from relance.core.enrollment import EnrollmentStatus
from relance.ports.store import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One unfinished run of somebody who has others."""

    email: str
    sequence: str
    status: EnrollmentStatus
    last_sent_at: datetime | None
    next_due_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """One person and all of their unfinished runs, by the name of the sequence."""

    email: str
    runs: tuple[Run, ...]


def overlaps(reader: Reader, *, workspace_id: int) -> list[Overlap]:
    """Return everyone who is in two or more sequences and has not ended there, by their address."""
    return list(_by_person(reader.all(Run, "enrollments.overlapping", workspace_id=workspace_id)))


def _by_person(rows: list[Run]) -> Iterator[Overlap]:
    for email, runs in groupby(rows, key=lambda run: run.email):
        yield Overlap(email=email, runs=tuple(runs))
