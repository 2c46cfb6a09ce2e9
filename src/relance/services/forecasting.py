"""Reading what a forecast came to, from the copy that it was played over."""

from dataclasses import dataclass
from datetime import datetime

from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.sequence import Plan, Sequence
from relance.ports.generation import Generation
from relance.ports.store import Reader
from relance.services.generations import server_identity
from relance.services.situations import plan_of
from relance.services.workspaces import Installation


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """One message that is forecast to leave."""

    sequence: str
    email: str
    step: str
    planned_at: datetime
    mailbox: str
    pool: str
    day: str  #: ISO date, in the mailbox's zone.


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Who of a sequence had been due and had not had a turn, at the end of a day."""

    workspace_id: int
    sequence_id: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """The end of a day on which something was sent."""

    waiting: tuple[Waiting, ...]
    capped: frozenset[str]  #: Addresses of mailboxes that have sent all they may that day, and have more to send.


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How many of a sequence ended, or stand, in one way, and when the last of them ended."""

    status: EnrollmentStatus
    stop_reason: StopReason | None
    hold_reason: str | None
    people: int
    last_at: datetime | None


def generation(reader: Reader) -> Generation | None:
    """Return the copy's own number, so that nobody takes it for an older state."""
    found = reader.one(Installation, "installation.get")
    if found is None:
        return None
    return Generation(installation=found.uid, number=found.generation, server=server_identity(reader))


def evening(reader: Reader, *, since: datetime) -> Evening:
    """Return who was due before the last message since then left, and is still due; nobody if none left."""
    return Evening(
        waiting=tuple(reader.all(Waiting, "forecast.waiting", since=since)),
        capped=frozenset(reader.all(str, "forecast.capped", since=since)),
    )


def sends(reader: Reader, *, workspace_id: int, since: datetime) -> list[Send]:
    """Return every message that left, in the order of their slots."""
    return reader.all(Send, "forecast.sends", workspace_id=workspace_id, since=since)


def endings(reader: Reader, *, workspace_id: int, sequence_id: int) -> list[Ending]:
    """Return how a sequence's people ended, or stand."""
    return reader.all(Ending, "forecast.ended", workspace_id=workspace_id, sequence_id=sequence_id)


def planned(reader: Reader, *, workspace_id: int) -> list[tuple[Sequence, Plan]]:
    """Return every sequence that was published, with its newest plan."""
    found = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    return [(each, plan_of(reader, workspace_id, each.id, each.version)) for each in found if each.version]
