"""What is next: for an engine that wants to leave when idle, and for virtual time."""

from dataclasses import dataclass
from datetime import datetime

from relance.ports.store import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How much there is to do, over the installation."""

    unfinished: int  #: Enrollments that have not ended.
    walking: int  #: Of these: will move by themselves.
    unread: int  #: Fetched messages that are not understood yet.
    unknown: int  #: Outcomes that are unknown.
    uncopied: int  #: Messages sent whose copy is still to be put into Sent, or not known to be there.
    next_at: datetime | None  #: When something becomes ready next.


@dataclass(frozen=True, slots=True, kw_only=True)
class Upcoming:
    """When something becomes ready next, by whose business it is; None where nothing will by itself."""

    rows: datetime | None  #: A row of a live sequence: to be sent, or to be walked.
    mailboxes: datetime | None  #: A mailbox whose gap, cap or trouble is over.
    sequences: datetime | None  #: A sequence whose limit is.
    workspaces: datetime | None  #: A workspace whose limit is.
    looks: datetime | None  #: A lost outcome that is looked for again, or one in flight that nobody finished.
    answers: datetime | None  #: An answer by hand that may leave, or that is looked for.
    recoveries: datetime | None  #: A mailbox that could not be read back, and is tried again.

    @property
    def senders(self) -> datetime | None:
        """The next of which something can be sent."""
        return _first(self.mailboxes, self.sequences, self.workspaces)

    @property
    def earliest(self) -> datetime | None:
        """The next of all."""
        return _first(self.rows, self.senders, self.looks, self.answers, self.recoveries)


def _first(*moments: datetime | None) -> datetime | None:
    return min((at for at in moments if at is not None), default=None)


def upcoming(reader: Reader, *, now: datetime) -> Upcoming:
    """Return what becomes ready next after `now`."""
    found = reader.one(Upcoming, "scheduling.upcoming", now=now)
    assert found is not None  # noqa: S101  # a SELECT without FROM has one row
    return found


def is_anybody_walking(reader: Reader) -> bool:
    """Whether anybody is left who will move by themselves."""
    return reader.one(int, "enrollments.any_walking") is not None


def standing(reader: Reader, *, now: datetime) -> Standing:
    """Count what is left to do."""
    return Standing(
        unfinished=reader.one(int, "enrollments.count_unfinished") or 0,
        walking=reader.one(int, "enrollments.count_walking") or 0,
        unread=reader.one(int, "raw_messages.count") or 0,
        unknown=reader.one(int, "attempts.count_unknown") or 0,
        uncopied=reader.one(int, "attempts.count_uncopied") or 0,
        next_at=_next_ready_at(reader, now),
    )


def _next_ready_at(reader: Reader, now: datetime) -> datetime | None:
    """Return when something can be sent next: a row that is due already waits for its mailbox or its sequence."""
    if reader.one(int, "enrollments.count_ready", now=now):
        return upcoming(reader, now=now).earliest
    return reader.one(datetime, "enrollments.next_ready_at", now=now)
