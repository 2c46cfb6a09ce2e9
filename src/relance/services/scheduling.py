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
    next_at: datetime | None  #: When something becomes ready next.


def next_event(reader: Reader, *, now: datetime) -> datetime | None:
    """Return the next time after `now` at which a row, a mailbox, a sequence or a lost outcome becomes ready."""
    names = ("enrollments.next_ready_at", "mailboxes.next_free_at", "sequences.next_free_at", "attempts.next_look_at")
    found = [at for name in names for at in reader.all(datetime, name, now=now)]
    return min(found, default=None)


def standing(reader: Reader, *, now: datetime) -> Standing:
    """Count what is left to do."""
    return Standing(
        unfinished=reader.one(int, "enrollments.count_unfinished") or 0,
        walking=reader.one(int, "enrollments.count_walking") or 0,
        unread=reader.one(int, "raw_messages.count") or 0,
        unknown=reader.one(int, "attempts.count_unknown") or 0,
        next_at=_next_ready_at(reader, now),
    )


def _next_ready_at(reader: Reader, now: datetime) -> datetime | None:
    """Return when something can be sent next: a row that is due already waits for its mailbox or its sequence."""
    if reader.one(int, "enrollments.count_ready", now=now):
        return next_event(reader, now=now)
    return reader.one(datetime, "enrollments.next_ready_at", now=now)
