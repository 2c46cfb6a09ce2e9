"""`/sequences/{name}/draft`: what people are making before they publish it; the builder's page edits the same.

Rule: whoever changes a draft says by `If-Match` which one they read; where somebody was faster, nothing is changed.
"""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response
from pydantic import Field

from relance.core.plan_document import plan_from_document
from relance.ports.store import Reader, Transaction
from relance.services import drafts, sequences
from relance.services.drafts import Draft, Publishing
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError
from relance.services.sequence_files import Broken
from relance.services.sequence_files.nodes import FileProblemError
from relance.services.sequence_files.writing import as_json, as_yaml, document_of_text, file_document
from relance.web.api.call import Call, Looks, Works
from relance.web.api.repeating import Repeatable
from relance.web.api.sequence_texts import Format, Text, TextProblem
from relance.web.api.sequences import Name, PublishedShape
from relance.web.api.shapes import CREATED, Given, Shape, Word, tagged

routes = APIRouter(tags=["drafts"], route_class=Repeatable)


async def _revision(
    if_match: Annotated[str, Header(pattern=r'^"?\d{1,18}"?$', description="The ETag of the draft that was read.")],
) -> int:
    return int(if_match.strip('"'))


Revision = Annotated[int, Depends(_revision)]


class NewDraft(Given):
    """A sequence that is to be begun."""

    name: Word


class DraftShape(Shape):
    """A draft as its newest change left it."""

    sequence: str
    revision: int
    base_version: int = Field(description="The version that it began with; 0: none.")
    document: dict[str, Any] = Field(description="A sequence file as values.")
    what: str = Field(description="The change that it shows.")
    by: str
    at: datetime
    undo: str | None = Field(description="What an undo would take back.")
    redo: str | None


class DifferenceShape(Shape):
    """One thing that is said otherwise than in the running version."""

    step: str | None
    key: str | None
    before: str | None
    after: str | None


class PublishingShape(Shape):
    """What publishing a draft would do."""

    running_version: int | None
    problems: list[TextProblem]
    differences: list[DifferenceShape]


class Discarded(Shape):
    """What is left."""

    sequence_stays: bool = Field(description="False: there was nothing but the draft.")


class SequenceText(Shape):
    """A sequence file's text."""

    format: Format
    text: str


@routes.post("/drafts", status_code=CREATED, response_model=DraftShape)
async def begin_sequence(call: Works, wanted: NewDraft, response: Response) -> dict[str, Any]:
    """Begin a sequence that has nothing but a draft."""

    def create(tx: Transaction) -> dict[str, Any]:
        made = drafts.create(tx, workspace_id=call.workspace_id, name=wanted.name, by=call.visitor.actor, now=call.now)
        return _shown(tx, tagged(response, made))

    return await call.write(create)


@routes.get("/sequences/{name}/draft", response_model=DraftShape)
async def get_draft(call: Looks, name: Name, response: Response) -> dict[str, Any]:
    """Return the draft of a sequence."""

    def look(reader: Reader) -> dict[str, Any]:
        return _shown(reader, tagged(response, _draft(reader, call, name)))

    return await call.read(look)


@routes.post("/sequences/{name}/draft", response_model=DraftShape)
async def edit_sequence(call: Works, name: Name, response: Response) -> dict[str, Any]:
    """Return the draft of a sequence, begun now from the running version where there was none."""

    def begin(tx: Transaction) -> dict[str, Any]:
        ids = _ids(tx, call, name)
        return _shown(tx, tagged(response, drafts.edit(tx, **ids, by=call.visitor.actor, now=call.now)))

    return await call.write(begin)


@routes.put("/sequences/{name}/draft", response_model=DraftShape)
async def change_draft(call: Works, name: Name, wanted: Text, revision: Revision, response: Response) -> dict[str, Any]:
    """Say the whole draft anew, as a sequence file's text, sound or not; it can be undone."""
    try:
        document = document_of_text(wanted.text, file=f"text.{wanted.format}")
    except FileProblemError as error:
        raise WrongInputError(f"{error.problem.message}; {error.problem.remedy}") from error

    def change(tx: Transaction) -> dict[str, Any]:
        ids = _ids(tx, call, name)
        changed = drafts.change(
            tx,
            **ids,
            revision=revision,
            edit=lambda _: document,
            what="the text was written anew",
            by=call.visitor.actor,
            now=call.now,
        )
        return _shown(tx, tagged(response, changed))

    return await call.write(change)


@routes.post("/sequences/{name}/draft/undo", response_model=DraftShape)
async def undo_draft(call: Works, name: Name, revision: Revision, response: Response) -> dict[str, Any]:
    """Take the newest change back."""

    def step(tx: Transaction) -> dict[str, Any]:
        return _shown(tx, tagged(response, drafts.undo(tx, **_ids(tx, call, name), revision=revision)))

    return await call.write(step)


@routes.post("/sequences/{name}/draft/redo", response_model=DraftShape)
async def redo_draft(call: Works, name: Name, revision: Revision, response: Response) -> dict[str, Any]:
    """Do again what was taken back last."""

    def step(tx: Transaction) -> dict[str, Any]:
        return _shown(tx, tagged(response, drafts.redo(tx, **_ids(tx, call, name), revision=revision)))

    return await call.write(step)


@routes.get("/sequences/{name}/draft/publishing", response_model=PublishingShape)
async def look_at_publishing(call: Looks, name: Name) -> dict[str, Any]:
    """Say what publishing the draft would change, and what is wrong with it."""

    def look(reader: Reader) -> Publishing:
        return drafts.publishing(reader, _draft(reader, call, name), now=call.now)

    found = await call.read(look)
    problems = found.reading.problems if isinstance(found.reading, Broken) else ()
    return {"running_version": found.running, "problems": problems, "differences": found.differences}


@routes.post("/sequences/{name}/draft/publish", response_model=PublishedShape)
async def publish_draft(call: Works, name: Name, revision: Revision) -> sequences.Published:
    """Publish a draft as the next version, and forget the draft."""

    def publish(tx: Transaction) -> sequences.Published:
        return drafts.publish(tx, **_ids(tx, call, name), revision=revision, now=call.now)

    return await call.write(publish)


@routes.delete("/sequences/{name}/draft", response_model=Discarded)
async def discard_draft(call: Works, name: Name, revision: Revision) -> dict[str, bool]:
    """Forget a draft; a sequence that has nothing else goes with it."""

    def discard(tx: Transaction) -> bool:
        return drafts.discard(tx, **_ids(tx, call, name), revision=revision)

    return {"sequence_stays": await call.write(discard)}


@routes.get("/sequences/{name}/text", response_model=SequenceText, tags=["sequences"])
async def get_sequence_text(
    call: Looks,
    name: Name,
    written: Annotated[Format, Query(alias="format")] = Format.YAML,
    version: Annotated[int | None, Query(ge=1, le=1_000_000, description="Left out: the running one.")] = None,
) -> dict[str, Any]:
    """Return a version as a sequence file: publishing its text changes nothing."""
    found = await call.read(sequences.by_name, call.workspace_id, name)
    wanted = version or found.version
    if not wanted:
        raise RefusedError(f"sequence {name!r} was never published; see its draft")
    frozen = await call.read(sequences.version_of, call.workspace_id, name, wanted)
    document = file_document(plan_from_document(frozen.document))
    return {"format": written, "text": as_yaml(document) if written is Format.YAML else as_json(document)}


def _ids(reader: Reader, call: Call, name: str) -> dict[str, int]:
    return {
        "workspace_id": call.workspace_id,
        "sequence_id": sequences.by_name(reader, call.workspace_id, name).id,
    }


def _draft(reader: Reader, call: Call, name: str) -> Draft:
    found = drafts.of_sequence(reader, **_ids(reader, call, name))
    if found is None:
        raise NotFoundError(f"sequence {name!r} has no draft; begin one with `POST /sequences/{{name}}/draft`")
    return found


def _shown(reader: Reader, draft: Draft) -> dict[str, Any]:
    undo, redo = drafts.beside(reader, draft)
    facts = {name: getattr(draft, name) for name in ("revision", "base_version", "document", "what", "by", "at")}
    return {**facts, "sequence": draft.document.get("name"), "undo": undo, "redo": redo}
