"""The builder: a sequence made and changed by hand, step by step, each change of which can be undone.

Rule 1: every button of a step's form saves its fields too, so that one click is one change and nothing typed is lost.
Rule 2: whoever was slower sees both: what they typed stays in the form, and what the other has changed stands above it.
Rule 3: the page works without scripts; where they run, only the page's content is exchanged and the focus stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from relance.core import defaults
from relance.core.people import Role
from relance.core.sequence import EmailStep, Sequence
from relance.ports.store import Reader, Transaction
from relance.services import drafts
from relance.services.drafts import Draft, StaleDraftError
from relance.services.refusals import NotFoundError, WrongInputError
from relance.services.sequence_files import Reading
from relance.services.sequence_files import editing as edits
from relance.services.sequence_files.differences import differences
from relance.services.sequence_files.editing import KINDS, steps_of
from relance.services.sequence_files.parsing import MAX_BYTES
from relance.web.console.sequences import cards, diagram, places, words
from relance.web.console.sequences.forms import DAYS, policies_of, step_of, text_of
from relance.web.console.sequences.listing import read_upload
from relance.web.console.sequences.options import OPTIONS
from relance.web.console.sequences.problems import placed
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import SEE_OTHER, needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

_CONFLICT: Final = 409


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What the builder shows."""

    sequence: Sequence
    draft: Draft
    reading: Reading
    undo: str | None
    redo: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One change that a form asks for: what the document becomes, and which step is shown afterwards."""

    document: Mapping[str, Any]
    what: str
    shown: int | None  #: From 0; None: the part above the steps.


@needs(Role.MEMBER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show the builder, or how to open it where there is no draft."""
    around = surroundings_of(request)
    found = await around.store.read(_built, visitor.workspace.id, places.asked_for(request), around.clock.now())
    if isinstance(found, Sequence):
        return render(request, "sequences/closed.html", visitor, sequence=found, base=places.base(visitor, found.id))
    return _page(request, visitor, found, shown=_shown(request, found.draft))


@needs(Role.MEMBER)
async def open_draft(request: Request, visitor: Visitor) -> Response:
    """Begin a draft from the running version, or go on with the one that there is."""
    around = surroundings_of(request)
    sequence_id = places.asked_for(request)
    await around.store.write(
        drafts.edit,
        workspace_id=visitor.workspace.id,
        sequence_id=sequence_id,
        by=visitor.actor,
        now=around.clock.now(),
    )
    return RedirectResponse(f"{places.base(visitor, sequence_id)}/edit", status_code=SEE_OTHER)


@needs(Role.MEMBER)
async def change(request: Request, visitor: Visitor) -> Response:
    """Make one change of a draft."""
    form = await request.form()
    around = surroundings_of(request)
    workspace_id, sequence_id, now = visitor.workspace.id, places.asked_for(request), around.clock.now()
    try:
        shown = await around.store.write(
            _change,
            form=form,
            files=await _attached(form),
            revision=_number(form, "revision"),
            workspace_id=workspace_id,
            sequence_id=sequence_id,
            by=visitor.actor,
            now=now,
        )
    except StaleDraftError as error:
        found = await around.store.read(_built, workspace_id, sequence_id, now)
        if isinstance(found, Sequence):
            raise
        return _conflict(request, visitor, found, form, str(error))
    here = f"{places.base(visitor, sequence_id)}/edit"
    if text_of(form, "go"):
        shown = _number(form, "go") - 1
    return RedirectResponse(here if shown is None or shown < 0 else f"{here}?step={shown + 1}", status_code=SEE_OTHER)


@needs(Role.MEMBER)
async def turn_back(request: Request, visitor: Visitor) -> Response:
    """Undo, redo, discard, or read a file in."""
    form = await request.form()
    around = surroundings_of(request)
    workspace_id, sequence_id = visitor.workspace.id, places.asked_for(request)
    revision = _number(form, "revision")
    here = f"{places.base(visitor, sequence_id)}/edit"
    match request.path_params["what"]:
        case "file":
            name, read = await _uploaded(form)
            await around.store.write(
                drafts.change,
                workspace_id=workspace_id,
                sequence_id=sequence_id,
                revision=revision,
                edit=lambda document: {**read, "name": document.get("name")},
                what=f"{name} was read in",
                by=visitor.actor,
                now=around.clock.now(),
            )
            return done(request, here, "The file is read in.")
        case "discard":
            stays = await around.store.write(
                drafts.discard, workspace_id=workspace_id, sequence_id=sequence_id, revision=revision
            )
            left = places.base(visitor, sequence_id) if stays else f"{places.root(visitor)}/sequences"
            return done(request, left, "The draft is discarded.")
        case "undo" | "redo" as what:
            turn = drafts.undo if what == "undo" else drafts.redo
            await around.store.write(turn, workspace_id=workspace_id, sequence_id=sequence_id, revision=revision)
        case _:
            raise NotFoundError("there is no such action")
    step = _number(form, "step")
    return RedirectResponse(f"{here}?step={step}" if step > 0 else here, status_code=SEE_OTHER)


async def _uploaded(form: FormData) -> tuple[str, dict[str, object]]:
    """Return the name of an uploaded sequence file, and what it says. Raises WrongInputError."""
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        raise WrongInputError("no file was chosen; choose a YAML or JSON file first")
    return file.filename, await read_upload(file)


async def _attached(form: FormData) -> list[tuple[str, bytes]]:
    """Return the name and content of every file that is to be attached."""
    files = [file for file in form.getlist("upload") if isinstance(file, UploadFile)]
    read = [(file.filename or "", await file.read(defaults.ATTACHMENTS_TOTAL + 1)) for file in files]
    for file in files:
        await file.close()
    return [(name, content) for name, content in read if name]


def _change(
    tx: Transaction,
    *,
    form: FormData,
    files: list[tuple[str, bytes]],
    revision: int,
    workspace_id: int,
    sequence_id: int,
    by: str,
    now: datetime,
) -> int | None:
    """Make the change that a form asks for, and return which step to show."""
    draft = drafts.as_read(tx, workspace_id=workspace_id, sequence_id=sequence_id, revision=revision)
    uploaded = [drafts.upload(tx, draft, name=name, content=content).name for name, content in files]
    wanted = wanted_by(form, draft.document, uploaded)
    drafts.change(
        tx,
        workspace_id=workspace_id,
        sequence_id=sequence_id,
        revision=revision,
        edit=lambda _: wanted.document,
        what=wanted.what,
        by=by,
        now=now,
    )
    return wanted.shown


def wanted_by(form: FormData, document: Mapping[str, Any], uploaded: list[str]) -> Wanted:
    """Return the change that a form asks for. Raises WrongInputError for what no button sends."""
    do, _, with_what = text_of(form, "do").partition(":")
    position = _number(form, "position")
    if do == "settings":
        return Wanted(
            document=edits.change_policies(document, policies_of(form)), what="the settings were changed", shown=None
        )
    if do == "append":
        return _inserted(document, with_what, len(steps_of(document)))
    if do == "drop":
        at = position if text_of(form, "position") else None
        return Wanted(document=edits.drop_key(document, at, with_what), what=f"{with_what} was taken out", shown=at)
    return _of_step(form, document, position, uploaded)


def _of_step(form: FormData, document: Mapping[str, Any], position: int, uploaded: list[str]) -> Wanted:
    """Return the change that a button of a step's form asks for, with what was typed into it."""
    do, _, with_what = text_of(form, "do").partition(":")
    saved = edits.replace_step(document, position, _typed(form, document, position, uploaded))
    name = edits.name_of(saved, position)
    made, what, shown = saved, f"step {name} was changed", position
    match do:
        case "save" | "":  # Enter in a field, where a browser names no button
            pass
        case "up" | "down":
            shown = max(0, min(position + (1 if do == "down" else -1), len(steps_of(saved)) - 1))
            made, what = edits.move_step(saved, position, shown), f"step {name} was moved"
        case "copy":
            made, what, shown = edits.copy_step(saved, position), f"step {name} was copied", position + 1
        case "remove":
            made, what = edits.remove_step(document, position), f"step {name} was removed"
            shown = min(position, len(steps_of(made)) - 1)
        case "insert":
            return _inserted(saved, with_what, position + 1)
        case "variant":
            made, what = edits.add_variant(saved, position), f"step {name} got a wording more"
        case "unvariant" if with_what.isdigit():
            made, what = edits.remove_variant(saved, position, int(with_what)), f"step {name} has a wording less"
        case _:
            raise WrongInputError("this button is not known any more; load the page again")
    return Wanted(document=made, what=what, shown=shown if shown >= 0 else None)


def _inserted(document: Mapping[str, Any], kind: str, position: int) -> Wanted:
    made = edits.add_step(document, kind, position)
    return Wanted(document=made, what=f"step {edits.name_of(made, position)} was added", shown=position)


def _typed(form: FormData, document: Mapping[str, Any], position: int, uploaded: list[str]) -> dict[str, Any]:
    """Return the step as the form has it."""
    steps = steps_of(document)
    known = steps[position] if 0 <= position < len(steps) else {}
    step = step_of(form, text_of(form, "kind") or str(known.get("kind")), known)
    if uploaded and step.get("kind") == EmailStep.kind:
        step["attachments"] = list(dict.fromkeys([*step.get("attachments", []), *uploaded]))
    return step


def _conflict(request: Request, visitor: Visitor, found: Built, form: FormData, sentence: str) -> Response:
    """Show the draft as somebody else left it, with what this person typed still in the form."""
    document = found.draft.document
    steps = steps_of(document)
    do = text_of(form, "do").partition(":")[0]
    named = text_of(form, "step_id")
    position = next((number for number, step in enumerate(steps) if step.get("id") == named), None)
    if do == "settings":
        mine = edits.change_policies(document, policies_of(form))
        return _page(request, visitor, found, shown=None, mine=mine, sentence=sentence)
    if position is not None and text_of(form, "kind"):
        mine = edits.replace_step(document, position, _typed(form, document, position, []))
        return _page(request, visitor, found, shown=position, mine=mine, sentence=sentence)
    return _page(request, visitor, found, shown=None, mine=document, sentence=sentence)


def _page(
    request: Request,
    visitor: Visitor,
    found: Built,
    *,
    shown: int | None,
    mine: Mapping[str, Any] | None = None,
    sentence: str | None = None,
) -> Response:
    document = found.draft.document if mine is None else mine
    steps = steps_of(document)
    base = places.base(visitor, found.sequence.id)
    problems = placed(found.reading, found.draft.document)
    drawn = cards.of_problems(document, problems, base=f"{base}/edit", shown=shown)
    return render(
        request,
        "sequences/builder.html",
        visitor,
        status=_CONFLICT if sentence else 200,
        built=found,
        base=base,
        document=document,
        steps=words.soft(steps),
        shown=shown,
        step=words.soft(steps[shown]) if shown is not None and shown < len(steps) else None,
        kinds=KINDS,
        problems=problems,
        diagram=diagram.drawn(steps, drawn),
        words=words,
        options=OPTIONS,
        days=DAYS,
        sentence=sentence,
        theirs=differences(found.draft.document, document) if mine is not None else (),
    )


def _built(reader: Reader, workspace_id: int, sequence_id: int, now: datetime) -> Built | Sequence:
    """Return what the builder shows; the sequence alone where it has no draft."""
    sequence = places.sequence_of(reader, workspace_id, sequence_id)
    draft = drafts.of_sequence(reader, workspace_id=workspace_id, sequence_id=sequence_id)
    if draft is None:
        return sequence
    undo, redo = drafts.beside(reader, draft)
    reading = drafts.reading_of(reader, draft, now=now)
    return Built(sequence=sequence, draft=draft, reading=reading, undo=undo, redo=redo)


def _shown(request: Request, draft: Draft) -> int | None:
    asked = request.query_params.get("step", "")
    steps = len(steps_of(draft.document))
    return int(asked) - 1 if asked.isascii() and asked.isdigit() and 0 < int(asked) <= steps else None


def _number(form: FormData, key: str) -> int:
    text = text_of(form, key)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


routes = [
    Route(f"{places.ONE}/edit", show, methods=["GET"]),
    Route(f"{places.ONE}/edit", change, methods=["POST"], max_body_size=2 * defaults.ATTACHMENTS_TOTAL),
    Route(f"{places.ONE}/edit/open", open_draft, methods=["POST"]),
    Route(f"{places.ONE}/edit/{{what}}", turn_back, methods=["POST"], max_body_size=2 * MAX_BYTES),
]
