"""Conversations to choose from: by class, sequence, mailbox, person in charge and state, and by words.

Rule 1: a page looks at no more than `LOOKED_AT` conversations, whatever the filters; where too few of them fit, it says
        from where to look on.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from relance.core.search_words import asked_for
from relance.core.thread import Interest
from relance.ports.store import Reader
from relance.services.records import columns
from relance.services.refusals import NotFoundError

LOOKED_AT = 2_000
MOST = 200
#: More than this nobody counts.
COUNTED_AT_MOST = 1_000
_BEGINNING, _END = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


class State(StrEnum):
    """Which conversations are wanted."""

    OPEN = "open"  #: Somebody ought to look at it now.
    SNOOZED = "snoozed"  #: Somebody ought to look at it later.
    DONE = "done"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a conversation has to be; None: whatever it is."""

    state: State = State.OPEN
    kind: str | None = None
    mailbox_id: int | None = None
    sequence_id: int | None = None
    assignee_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Behind which conversation a page begins."""

    at: datetime = _END
    id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLine:
    """One conversation in a list."""

    id: int
    mailbox_id: int
    mailbox: str
    lead_id: int
    lead: str
    sequence_id: int | None
    sequence: str | None
    kind: str
    from_address: str | None
    subject: str | None
    preview: str | None
    last_in_at: datetime
    last_out_at: datetime | None
    open: bool
    snoozed_until: datetime | None
    assignee_id: int | None
    interest: Interest
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some conversations, newest first, and where the next page begins; None: there is no more."""

    lines: tuple[ThreadLine, ...]
    next: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One message that has the words."""

    id: int
    thread_id: int
    received_at: datetime
    direction: str
    kind: str
    from_address: str | None
    subject: str | None
    new_text: str | None
    lead: str
    mailbox: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    id: int
    at: datetime


def page(
    reader: Reader,
    *,
    workspace_id: int,
    wanted: Filter,
    now: datetime,
    before: Place = Place(),  # a frozen value
    size: int = 50,
) -> Page:
    """Return the newest conversations behind a place that fit, `size` at most."""
    size = max(1, min(size, MOST))
    name, end, key = _narrowest(wanted)
    place = {"workspace_id": workspace_id, "before": before.at, "before_id": before.id, **key}
    last = reader.one(_Looked, end, **place, skipped=LOOKED_AT - 1)
    back_to = {"last": last.at if last is not None else _BEGINNING, "last_id": last.id if last is not None else 0}
    lines = reader.all(ThreadLine, name, **{**place, **columns(wanted), **back_to, "now": now, "size": size})
    if len(lines) == size:
        return Page(lines=tuple(lines), next=Place(at=lines[-1].last_in_at, id=lines[-1].id))
    return Page(lines=tuple(lines), next=Place(at=last.at, id=last.id) if last is not None else None)


def _narrowest(wanted: Filter) -> tuple[str, str, dict[str, object]]:
    """Return the statements that walk the index with the fewest entries for this filter: the page's and its end's."""
    if wanted.assignee_id is not None:
        key: dict[str, object] = {"assignee_id": wanted.assignee_id}
        return "threads.page_of_assignee", "threads.page_of_assignee_end", key
    if wanted.sequence_id is not None:
        return "threads.page_of_sequence", "threads.page_of_sequence_end", {"sequence_id": wanted.sequence_id}
    if wanted.mailbox_id is not None:
        return "threads.page_of_mailbox", "threads.page_of_mailbox_end", {"mailbox_id": wanted.mailbox_id}
    if wanted.state in {State.OPEN, State.SNOOZED}:
        return "threads.page_of_open", "threads.page_of_open_end", {}
    if wanted.kind is not None:
        return "threads.page_of_kind", "threads.page_of_kind_end", {"kind": wanted.kind}
    return "threads.page", "threads.page_end", {}


def shown(reader: Reader, *, workspace_id: int, thread_id: int) -> ThreadLine:
    """Return one conversation with its names. Raises NotFoundError."""
    found = reader.one(ThreadLine, "threads.get_line", workspace_id=workspace_id, id=thread_id)
    if found is None:
        raise NotFoundError(f"there is no conversation {thread_id}")
    return found


def count_open(reader: Reader, *, workspace_id: int, now: datetime) -> int:
    """Return how many conversations want somebody now; `COUNTED_AT_MOST` stands for that many or more."""
    ids = {"workspace_id": workspace_id}
    return reader.one(int, "threads.count_open", **ids, now=now, most=COUNTED_AT_MOST) or 0


def find(reader: Reader, *, workspace_id: int, question: str, before: int | None = None, size: int = 50) -> list[Hit]:
    """Return the newest messages that have every word of the question.

    Where none has the last word whole, it is taken for the beginning of one: looking for a beginning costs what all its
    words have, and is asked only then.
    """
    words = asked_for(question)
    if not words:
        return []
    place = {"before": before if before is not None else 2**62, "size": max(1, min(size, MOST))}
    asked = {"workspace_id": workspace_id, "words": " ".join(words), **place}
    whole = reader.all(Hit, "message_words.find", **asked, ending="")
    return whole or reader.all(Hit, "message_words.find", **asked, ending="*")
