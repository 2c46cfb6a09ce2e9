"""What is going on in a workspace: what leaves now, what left last and what is next, and what waits for a person.

Rule 1: every read takes the first few rows of an index: the page costs the same however much there is.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from relance.core.enrollment import EnrollmentStatus
from relance.core.sequence import Sequence, SequenceStatus
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import mailbox_days, numbers
from relance.services.mailbox_days import MailboxDay

LINES: Final = 6
MAILBOXES: Final = 24
_LOOKED_AT: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message: on the wire, gone, or to come."""

    lead_id: int
    email: str
    sequence_id: int
    sequence: str
    step: str
    mailbox: str | None  #: None: whichever is free.
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """People of one sequence who wait for a person."""

    sequence: Sequence
    held: int
    paused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What the page shows."""

    on_the_wire: list[Line]
    just_sent: list[Line]
    next_up: list[Line]
    aside: list[Aside]
    waits_for_approval: list[Sequence]
    mailboxes: list[MailboxDay]  #: By address, the first of them.
    live: int  #: Sequences.
    sequences: int
    on_the_way: int  #: People.


def look(reader: Reader, workspace: Workspace, *, now: datetime) -> Today:
    """Return what is going on."""
    ids = {"workspace_id": workspace.id, "limit": LINES}
    found = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace.id)
    in_use = [one for one in found if one.status is not SequenceStatus.ARCHIVED]
    standing: dict[int, Counter[str]] = {one.id: Counter() for one in found}
    for each in numbers.on_the_way(reader, workspace_id=workspace.id):
        standing[each.sequence_id][each.status] += each.people
    aside = [
        Aside(
            sequence=one,
            held=standing[one.id][EnrollmentStatus.HELD],
            paused=standing[one.id][EnrollmentStatus.PAUSED],
        )
        for one in in_use
    ]
    walking = (EnrollmentStatus.ACTIVE, EnrollmentStatus.WAITING)
    return Today(
        on_the_wire=reader.all(Line, "today.on_the_wire", **ids, looked_at=_LOOKED_AT),
        just_sent=reader.all(Line, "today.just_sent", **ids, looked_at=_LOOKED_AT),
        next_up=reader.all(Line, "today.next_up", **ids, looked_at=_LOOKED_AT),
        aside=[one for one in aside if one.held or one.paused],
        waits_for_approval=[one for one in in_use if one.proposed_version or one.status == "awaiting_approval"],
        mailboxes=mailbox_days.page(reader, workspace, after="", limit=MAILBOXES, now=now),
        live=sum(one.status is SequenceStatus.LIVE for one in in_use),
        sequences=len(in_use),
        on_the_way=sum(counts[status] for counts in standing.values() for status in walking),
    )
