"""Drafts of sequences: what people are making before they publish it, change by change, each of which can be undone.

Rule 1: a sequence has one draft, which everybody edits; every change names the revision that it was made of, and one
        that another person was faster with raises `StaleDraftError` and changes nothing.
Rule 2: a draft is a sequence file as values, sound or not; publishing reads it as it would read the file.
Rule 3: nobody who is enrolled notices a draft.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from relance.core.plan_document import plan_from_document
from relance.core.sequence import AttachedFile, EmailStep, Plan, Sequence, SequenceStatus
from relance.ports.store import Reader, Transaction
from relance.services import sequences
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.services.sequence_files import Reading, Sound, read_sequence_text
from relance.services.sequence_files.differences import Difference, differences
from relance.services.sequence_files.editing import new_document
from relance.services.sequence_files.folder import Kept, described
from relance.services.sequence_files.writing import as_json, file_document

Edit = Callable[[Mapping[str, Any]], Mapping[str, Any]]
#: How many changes can be undone.
KEPT_CHANGES: Final = 200
_FILE: Final = "draft.json"


class StaleDraftError(RefusedError):
    """Somebody else changed the draft since it was read. Nothing was changed: look at theirs and decide again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft as the change that it shows left it."""

    workspace_id: int
    id: int
    sequence_id: int
    base_version: int  #: The version that it began with; 0: none.
    position: int
    revision: int  #: Grows with every change, undo and redo.
    document: Mapping[str, object]  #: A sequence file as values.
    what: str  #: The change that it shows.
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """One change beside the one that is shown."""

    position: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """What publishing a draft would do."""

    reading: Reading
    running: int | None  #: The running version; None: the sequence was never published.
    differences: tuple[Difference, ...]


def create(tx: Transaction, *, workspace_id: int, name: str, by: str, now: datetime) -> Draft:
    """Make a sequence that has nothing but a draft. Raises WrongInputError and RefusedError."""
    name = _clean_name(name)
    if tx.one(Sequence, "sequences.by_name", workspace_id=workspace_id, name=name) is not None:
        raise RefusedError(f"there is a sequence {name!r} already; choose another name, or edit that one")
    tx.run("sequences.create", workspace_id=workspace_id, name=name, now=now)
    made = sequences.by_name(tx, workspace_id, name)
    return _begin(tx, made, new_document(name), f"{name} was begun", by, now)


def of_sequence(reader: Reader, *, workspace_id: int, sequence_id: int) -> Draft | None:
    """Return the draft of a sequence, or None where nobody began one."""
    return reader.one(Draft, "drafts.of_sequence", workspace_id=workspace_id, sequence_id=sequence_id)


def as_read(reader: Reader, *, workspace_id: int, sequence_id: int, revision: int) -> Draft:
    """Return a draft that is still as it was read. Raises StaleDraftError and NotFoundError."""
    return _read(reader, workspace_id, sequence_id, revision)


def edit(tx: Transaction, *, workspace_id: int, sequence_id: int, by: str, now: datetime) -> Draft:
    """Return the draft of a sequence, begun now from the running version where there was none. Raises RefusedError."""
    sequence = _sequence(tx, workspace_id, sequence_id)
    found = of_sequence(tx, workspace_id=workspace_id, sequence_id=sequence_id)
    if found is not None:
        return found
    if sequence.status is SequenceStatus.ARCHIVED:
        raise RefusedError(f"sequence {sequence.name!r} is archived; make a new one, which may begin with its file")
    return _begin(tx, sequence, _published_document(tx, sequence), f"{sequence.name} was opened", by, now)


def change(
    tx: Transaction,
    *,
    workspace_id: int,
    sequence_id: int,
    revision: int,
    edit: Edit,
    what: str,
    by: str,
    now: datetime,
) -> Draft:
    """Change a draft; what was undone before is forgotten. Raises StaleDraftError, NotFoundError, WrongInputError."""
    draft = _read(tx, workspace_id, sequence_id, revision)
    document = edit(draft.document)
    if document == draft.document:
        return draft
    name = str(document.get("name") or "")
    if name != draft.document.get("name"):
        _rename(tx, _sequence(tx, workspace_id, sequence_id), name)
    position = draft.position + 1
    ids = {"workspace_id": workspace_id, "draft_id": draft.id}
    _move(tx, draft, position)
    tx.run("drafts.forget_undone", **ids, position=position)
    tx.run("drafts.append", **ids, position=position, document=document, what=what, by=by, at=now)
    tx.run("drafts.forget_old", **ids, position=position - KEPT_CHANGES)
    return _read(tx, workspace_id, sequence_id, revision + 1)


def undo(tx: Transaction, *, workspace_id: int, sequence_id: int, revision: int) -> Draft:
    """Show the change before. Raises StaleDraftError, and RefusedError where there is none."""
    return _step(tx, workspace_id, sequence_id, revision, by=-1, none="there is nothing to undo")


def redo(tx: Transaction, *, workspace_id: int, sequence_id: int, revision: int) -> Draft:
    """Show the change that was undone last. Raises StaleDraftError, and RefusedError where there is none."""
    return _step(tx, workspace_id, sequence_id, revision, by=1, none="there is nothing to do again")


def beside(reader: Reader, draft: Draft) -> tuple[str | None, str | None]:
    """Return what an undo would take back and what a redo would do again, each None where there is nothing."""
    found = reader.all(
        Nearby, "drafts.nearby", workspace_id=draft.workspace_id, draft_id=draft.id, position=draft.position
    )
    by_position = {one.position: one.what for one in found}
    undone = draft.what if draft.position - 1 in by_position else None
    return undone, by_position.get(draft.position + 1)


def discard(tx: Transaction, *, workspace_id: int, sequence_id: int, revision: int) -> bool:
    """Forget a draft; a sequence that has nothing else goes with it. Return whether the sequence stays."""
    draft = _read(tx, workspace_id, sequence_id, revision)
    _forget(tx, draft)
    return tx.run("sequences.delete_draft", workspace_id=workspace_id, id=sequence_id) != 1


def reading_of(reader: Reader, draft: Draft, *, now: datetime, with_contents: bool = False) -> Reading:
    """Read a draft as its file would be read: a plan, or everything that is wrong.

    `with_contents`: with what was uploaded, which publishing and sending need.
    """
    uploads = reader.all(AttachedFile, "drafts.files", workspace_id=draft.workspace_id, draft_id=draft.id)
    newest = _newest_plan(reader, _sequence(reader, draft.workspace_id, draft.sequence_id))
    files = {file.name: file for file in _attached(newest)} | {file.name: file for file in uploads}
    ids = {"workspace_id": draft.workspace_id, "draft_id": draft.id}
    contents = {}
    if with_contents:
        each = {file.sha256: reader.one(bytes, "drafts.file", **ids, name=file.name) for file in uploads}
        contents = {sha256: content for sha256, content in each.items() if content is not None}
    return read_sequence_text(as_json(draft.document), file=_FILE, today=now.date(), folder=Kept(files, contents))


def upload(tx: Transaction, draft: Draft, *, name: str, content: bytes) -> AttachedFile:
    """Keep a file that steps of a draft may attach. Raises WrongInputError."""
    try:
        file = described(name, content)
    except ValueError as error:
        raise WrongInputError(str(error)) from error
    tx.run(
        "drafts.keep_file",
        workspace_id=draft.workspace_id,
        draft_id=draft.id,
        name=file.name,
        content_type=file.content_type,
        sha256=file.sha256,
        content=content,
    )
    return file


def publishing(reader: Reader, draft: Draft, *, now: datetime) -> Publishing:
    """Say what publishing would change against the running version."""
    running = _running_plan(reader, draft.workspace_id, draft.sequence_id)
    reading = reading_of(reader, draft, now=now)
    after = file_document(reading.plan) if isinstance(reading, Sound) else draft.document
    before = file_document(running) if running is not None else None
    sequence = _sequence(reader, draft.workspace_id, draft.sequence_id)
    return Publishing(
        reading=reading,
        running=sequence.version if running is not None else None,
        differences=differences(before, after),
    )


def publish(
    tx: Transaction, *, workspace_id: int, sequence_id: int, revision: int, now: datetime
) -> sequences.Published:
    """Publish a draft as the next version and forget it. Raises RefusedError and StaleDraftError."""
    draft = _read(tx, workspace_id, sequence_id, revision)
    reading = reading_of(tx, draft, now=now, with_contents=True)
    if not isinstance(reading, Sound):
        first = reading.problems[0]
        raise RefusedError(f"{first.message}; {first.remedy}")
    done = sequences.publish(tx, workspace_id=workspace_id, plan=reading.plan, contents=reading.contents, now=now)
    _forget(tx, draft)
    return done


def _begin(
    tx: Transaction, sequence: Sequence, document: Mapping[str, Any], what: str, by: str, now: datetime
) -> Draft:
    ids = {"workspace_id": sequence.workspace_id, "sequence_id": sequence.id}
    draft_id = tx.one(int, "drafts.open", **ids, base_version=sequence.version)
    if draft_id is not None:
        named = {"workspace_id": sequence.workspace_id, "draft_id": draft_id}
        tx.run("drafts.append", **named, position=0, document=document, what=what, by=by, at=now)
    found = of_sequence(tx, **ids)
    assert found is not None  # noqa: S101  # it was there, or was made above
    return found


def _step(tx: Transaction, workspace_id: int, sequence_id: int, revision: int, *, by: int, none: str) -> Draft:
    draft = _read(tx, workspace_id, sequence_id, revision)
    _move(tx, draft, draft.position + by)
    found = of_sequence(tx, workspace_id=workspace_id, sequence_id=sequence_id)
    if found is None:  # no such change: the row is not joined
        raise RefusedError(none)
    name = str(found.document.get("name") or "")
    if name != draft.document.get("name"):
        _rename(tx, _sequence(tx, workspace_id, sequence_id), name)
    return found


def _forget(tx: Transaction, draft: Draft) -> None:
    ids = {"workspace_id": draft.workspace_id, "draft_id": draft.id}
    tx.run("drafts.forget_changes", **ids)
    tx.run("drafts.forget_files", **ids)
    if tx.run("drafts.discard", workspace_id=draft.workspace_id, id=draft.id, read_revision=draft.revision) != 1:
        raise _stale(draft)


def _move(tx: Transaction, draft: Draft, position: int) -> None:
    if position < 0:
        raise RefusedError("there is nothing to undo")
    ids = {"workspace_id": draft.workspace_id, "id": draft.id}
    if tx.run("drafts.move", **ids, position=position, read_revision=draft.revision) != 1:
        raise _stale(draft)


def _read(reader: Reader, workspace_id: int, sequence_id: int, revision: int) -> Draft:
    draft = of_sequence(reader, workspace_id=workspace_id, sequence_id=sequence_id)
    if draft is None:
        raise NotFoundError(
            "this sequence has no draft any more: it was published or discarded meanwhile; open it anew"
        )
    if draft.revision != revision:
        raise _stale(draft)
    return draft


def _stale(draft: Draft) -> StaleDraftError:
    return StaleDraftError(f"{draft.by} changed this draft meanwhile ({draft.what}); nothing of yours was saved yet")


def _sequence(reader: Reader, workspace_id: int, sequence_id: int) -> Sequence:
    found = reader.one(Sequence, "sequences.get", workspace_id=workspace_id, id=sequence_id)
    if found is None:
        raise NotFoundError("there is no such sequence in this workspace; look at the list of sequences")
    return found


def _running_plan(reader: Reader, workspace_id: int, sequence_id: int) -> Plan | None:
    running = sequences.running_version(reader, _sequence(reader, workspace_id, sequence_id))
    return plan_from_document(running.document) if running is not None else None


def _newest_plan(reader: Reader, sequence: Sequence) -> Plan | None:
    """Return what was published last, be it approved or not."""
    newest = replace(sequence, version=sequence.proposed_version or sequence.version)
    found = sequences.running_version(reader, newest)
    return plan_from_document(found.document) if found is not None else None


def _published_document(reader: Reader, sequence: Sequence) -> Mapping[str, Any]:
    plan = _newest_plan(reader, sequence)
    return file_document(plan) if plan is not None else new_document(sequence.name)


def _attached(plan: Plan | None) -> tuple[AttachedFile, ...]:
    steps = plan.steps if plan is not None else ()
    return tuple(file for step in steps if isinstance(step, EmailStep) for file in step.attachments)


def _rename(tx: Transaction, sequence: Sequence, name: str) -> None:
    name = _clean_name(name)
    if sequence.name == name:
        return
    if sequence.version or sequence.status is not SequenceStatus.DRAFT:
        raise RefusedError(f"{sequence.name} was published and keeps its name; make a new sequence from its file")
    if tx.one(Sequence, "sequences.by_name", workspace_id=sequence.workspace_id, name=name) is not None:
        raise RefusedError(f"there is a sequence {name!r} already; choose another name")
    if tx.run("sequences.rename", workspace_id=sequence.workspace_id, id=sequence.id, name=name) != 1:
        raise RefusedError(f"{sequence.name} was published meanwhile and keeps its name; look at it anew")


def _clean_name(name: str) -> str:
    clean = " ".join(name.split())
    if not clean:
        raise WrongInputError("a sequence needs a name, such as founders-q4")
    return clean
