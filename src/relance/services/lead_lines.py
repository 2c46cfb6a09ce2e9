"""Leads as a list shows them: who they are, and where their run stands and what it waits for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from relance.core.enrollment import EnrollmentStatus
from relance.ports.store import Reader
from relance.services.lead_search import Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who somebody is."""

    id: int
    email: str
    fields: Mapping[str, str]
    hold_until: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one run stands."""

    id: int
    lead_id: int
    sequence: str
    status: EnrollmentStatus
    step: str
    stop_reason: str | None
    hold_reason: str | None
    next_due_at: datetime | None
    replied_at: datetime | None
    last_sent_at: datetime | None
    mailbox: str | None
    waits_until: datetime | None  #: For its own reason, its mailbox's or its sequence's, whichever is asked first.
    waits_for: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the list."""

    person: Person
    run: Standing | None  #: None: in no sequence.


def lines_of(reader: Reader, *, workspace_id: int, matches: Iterable[Match], now: datetime) -> list[Line]:
    """Return the lines of what was found, in its order."""
    found = list(matches)
    lead_ids = [one.lead_id for one in found]
    run_ids = [one.enrollment_id for one in found if one.enrollment_id is not None]
    ids = {"workspace_id": workspace_id}
    people = {one.id: one for one in reader.all(Person, "lead_search.people", **ids, id_list=lead_ids)}
    runs = {one.id: one for one in reader.all(Standing, "lead_search.standings", **ids, id_list=run_ids, now=now)}
    return [Line(person=people[one.lead_id], run=runs.get(one.enrollment_id or 0)) for one in found]
