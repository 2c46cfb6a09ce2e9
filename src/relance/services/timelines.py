"""Everything that happened to one person and why, oldest first: what came in, what went out, how their runs moved.

What is told twice in the database is told once here: a message and what it did are one line each, and an event that
only says so again is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment, HistoryEntry
from relance.core.events import EventName
from relance.core.lead import Lead, Touch
from relance.core.mailbox import Mailbox
from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.services import leads

EVENTS_MOST: Final = 500  #: The newest; older ones are in the export.
_EXCERPT: Final = 600  #: Characters of what somebody wrote.
#: Told by the message, the attempt or the note itself.
_TOLD: Final = frozenset(
    {
        EventName.STEP_ACCEPTED,
        EventName.STEP_RECORDED,
        EventName.STEP_ENTERED,
        EventName.REPLY_RECEIVED,
        EventName.AUTO_REPLY_RECEIVED,
        EventName.BOUNCE_RECEIVED,
        EventName.SOFT_BOUNCE_RECEIVED,
        EventName.BLOCK_RECEIVED,
        EventName.DELAY_RECEIVED,
        EventName.COMPLAINT_RECEIVED,
        EventName.UNSUBSCRIBE_RECEIVED,
        EventName.CHALLENGE_RECEIVED,
        EventName.MANUAL_REPLY_SEEN,
        EventName.NOTE_ADDED,
    }
)


class MomentKind(StrEnum):
    """What sort of thing happened."""

    CAME = "came"  #: The person came in by an import or an entry, or into a sequence.
    SENT = "sent"  #: A message left, or may have.
    RECEIVED = "received"
    MOVED = "moved"  #: A run is in another state.
    NOTED = "noted"
    HAPPENED = "happened"  #: Anything else.


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One line of the story."""

    at: datetime
    kind: MomentKind
    what: str  #: In a word or a few: `reply`, `step intro`, `active → stopped`.
    why: str  #: The cause, the evidence, the words.
    sequence: str | None = None
    mailbox: str | None = None
    text: str | None = None  #: What somebody wrote.
    message_id: int | None = None  #: Of the message as we keep it.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Letter:
    """A message of the person's."""

    id: int
    at: datetime
    direction: str
    kind: str
    subject: str | None
    excerpt: str | None
    matched_by: str | None
    enrollment_id: int | None
    attempt_id: int | None
    mailbox: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    """What somebody noted."""

    at: datetime
    author: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happening:
    """An event, as far as it is shown."""

    at: datetime
    name: str
    detail: str
    enrollment_id: int | None


def timeline(reader: Reader, *, lead: Lead) -> list[Moment]:
    """Return what happened to one lead, oldest first."""
    ids = {"workspace_id": lead.workspace_id, "lead_id": lead.id}
    runs = leads.enrollments_of(reader, lead)
    letters = reader.all(_Letter, "messages.letters_of_lead", **ids, characters=_EXCERPT, limit=EVENTS_MOST)
    found = [
        *(Moment(at=t.at, kind=MomentKind.CAME, what=t.source, why=t.detail) for t in _touches(reader, ids)),
        *(
            Moment(at=note.at, kind=MomentKind.NOTED, what="note", why=f"by {note.author}", text=note.text)
            for note in reader.all(_Note, "leads.notes", **ids, limit=EVENTS_MOST)
        ),
    ]
    moved: set[tuple[datetime, str]] = set()
    names: dict[int, str] = {}
    for run in runs:
        sequence = reader.one(Sequence, "sequences.get", workspace_id=run.workspace_id, id=run.sequence_id)
        names[run.id] = sequence.name if sequence else ""
        history = reader.all(HistoryEntry, "enrollments.history", workspace_id=run.workspace_id, enrollment_id=run.id)
        moved |= {(entry.at, entry.event) for entry in history}
        found += _moves(history, names[run.id])
        found += _sends(reader, run, names[run.id], letters)
    found += _came_in(letters, names)
    for event in reader.all(_Happening, "events.of_lead", **ids, limit=EVENTS_MOST):
        if event.name not in _TOLD and (event.at, event.name) not in moved:
            sequence_name = names.get(event.enrollment_id) if event.enrollment_id is not None else None
            found.append(
                Moment(
                    at=event.at,
                    kind=MomentKind.HAPPENED,
                    what=event.name.replace(".", " ").replace("_", " "),
                    why=event.detail,
                    sequence=sequence_name,
                )
            )
    return sorted(found, key=lambda one: (one.at, _ORDER.index(one.kind)))


#: What happens in one instant, in the order of cause and effect.
_ORDER: Final = (
    MomentKind.CAME,
    MomentKind.SENT,
    MomentKind.RECEIVED,
    MomentKind.NOTED,
    MomentKind.HAPPENED,
    MomentKind.MOVED,
)


def _touches(reader: Reader, ids: dict[str, int]) -> list[Touch]:
    return reader.all(Touch, "leads.touches", **ids)


def _moves(history: Iterable[HistoryEntry], sequence: str) -> Iterator[Moment]:
    for entry in history:
        if entry.from_status is entry.to_status:
            continue
        if entry.from_status is None:
            yield Moment(at=entry.at, kind=MomentKind.CAME, what="enrolled", why=entry.cause, sequence=sequence)
            continue
        what = f"{entry.from_status} → {entry.to_status}"
        yield Moment(at=entry.at, kind=MomentKind.MOVED, what=what, why=entry.cause, sequence=sequence)


def _sends(reader: Reader, run: Enrollment, sequence: str, letters: list[_Letter]) -> Iterator[Moment]:
    kept = {letter.attempt_id: letter.id for letter in letters if letter.direction == "out"}
    boxes: dict[int, str] = {}
    for attempt in reader.all(Attempt, "attempts.of_enrollment", workspace_id=run.workspace_id, enrollment_id=run.id):
        if attempt.status in {AttemptStatus.RESERVED, AttemptStatus.VOIDED} and not attempt.error:
            continue
        if attempt.mailbox_id is not None and attempt.mailbox_id not in boxes:
            box = reader.one(Mailbox, "mailboxes.get", workspace_id=run.workspace_id, id=attempt.mailbox_id)
            boxes[attempt.mailbox_id] = box.address if box else ""
        settled = f"; settled: {attempt.settled_by}" if attempt.settled_by else ""
        why = f"{attempt.status}, variant {attempt.variant}{settled}" + (f": {attempt.error}" if attempt.error else "")
        yield Moment(
            at=attempt.sent_at or attempt.planned_at,
            kind=MomentKind.SENT,
            what=f"step {attempt.step}" + (f": {attempt.subject}" if attempt.subject else ""),
            why=why,
            sequence=sequence,
            mailbox=boxes.get(attempt.mailbox_id) if attempt.mailbox_id is not None else None,
            message_id=kept.get(attempt.id),
        )


def _came_in(letters: Iterable[_Letter], names: dict[int, str]) -> Iterator[Moment]:
    for letter in letters:
        if letter.direction == "out" and letter.kind == "sequence":
            continue  # told by its attempt
        matched = f"matched by {letter.matched_by}" if letter.matched_by else "matched to no message of ours"
        yield Moment(
            at=letter.at,
            kind=MomentKind.RECEIVED if letter.direction == "in" else MomentKind.SENT,
            what=letter.kind.replace("_", " ") + (f": {letter.subject}" if letter.subject else ""),
            why=matched if letter.direction == "in" else "written by hand",
            sequence=names.get(letter.enrollment_id) if letter.enrollment_id is not None else None,
            mailbox=letter.mailbox,
            text=letter.excerpt,
            message_id=letter.id,
        )
