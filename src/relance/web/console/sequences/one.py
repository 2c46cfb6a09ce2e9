"""One sequence: its flow with everybody's place, why people wait, its rates, and what may be done with all of it."""

from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from relance.core.explaining import REASONS
from relance.core.people import Role
from relance.core.plan_document import plan_from_document
from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.services import approving, drafts, numbers, sequences, waiting
from relance.services.drafts import Draft
from relance.services.numbers import Standing, StepNumbers
from relance.services.refusals import NotFoundError
from relance.services.sequence_files.editing import steps_of
from relance.services.sequence_files.writing import Document, as_json, as_yaml, file_document
from relance.services.waiting import Waiting
from relance.web.console.sequences import cards, diagram, places, words
from relance.web.console.sequences.forms import text_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the page shows."""

    sequence: Sequence
    document: Document | None  #: Of the running version; None: never published.
    published_at: datetime | None
    standing: list[Standing]
    numbers: list[StepNumbers]
    waiting: Waiting
    draft: Draft | None
    waits: int | None  #: The version that waits for approval.


@needs(Role.VIEWER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show one sequence."""
    around = surroundings_of(request)
    found = await around.store.read(_facts, visitor.workspace.id, places.asked_for(request), around.clock.now())
    steps = steps_of(found.document or {})
    drawn = cards.of_numbers(found.document or {}, found.standing, found.numbers)
    return render(
        request,
        "sequences/one.html",
        visitor,
        facts=found,
        base=places.base(visitor, found.sequence.id),
        diagram=diagram.drawn(steps, drawn),
        steps=words.soft(steps),
        words=words,
        rate=cards.rate,
        reasons=REASONS,
        older=_on_older(found),
    )


@needs(Role.MEMBER)
async def act(request: Request, visitor: Visitor) -> Response:
    """Pause, resume or archive a sequence."""
    form = await request.form()
    around = surroundings_of(request)
    sequence = await around.store.read(places.sequence_of, visitor.workspace.id, places.asked_for(request))
    workspace_id, name, now = visitor.workspace.id, sequence.name, around.clock.now()
    match request.path_params["action"]:
        case "pause":
            moved = await around.store.write(sequences.pause, workspace_id=workspace_id, name=name, now=now)
            said = f"{name} is paused: everybody stays in place." if moved else f"{name} was not live."
        case "resume":
            moved = await around.store.write(sequences.resume, workspace_id=workspace_id, name=name, now=now)
            said = f"{name} is live." if moved else f"{name} was live already."
        case "archive":
            stop = bool(text_of(form, "stop_active"))
            stopped = await around.store.write(
                sequences.archive, workspace_id=workspace_id, name=name, stop_active=stop, now=now
            )
            said = f"{name} is archived; {stopped} were stopped."
        case _:
            raise NotFoundError("there is no such action")
    return done(request, places.base(visitor, sequence.id), said)


@needs(Role.ADMIN)
async def approve(request: Request, visitor: Visitor) -> Response:
    """Let the version that was looked at go."""
    form = await request.form()
    around = surroundings_of(request)
    sequence = await around.store.read(places.sequence_of, visitor.workspace.id, places.asked_for(request))
    approved = await around.store.write(
        approving.approve,
        workspace_id=visitor.workspace.id,
        name=sequence.name,
        by=visitor.actor,
        version=int(version) if (version := text_of(form, "version")).isdecimal() else None,
        now=around.clock.now(),
    )
    return done(request, places.base(visitor, sequence.id), f"{sequence.name} version {approved.version} is approved.")


@needs(Role.VIEWER)
async def file(request: Request, visitor: Visitor) -> Response:
    """Give the sequence as its file: the draft where one is asked for, else the running version."""
    of_draft = request.query_params.get("of") == "draft"
    name, document = await surroundings_of(request).store.read(
        _document, visitor.workspace.id, places.asked_for(request), of_draft=of_draft
    )
    ending = request.path_params["ending"]
    text = as_json(document) if ending == "json" else as_yaml(document)
    safe = "".join(character if character.isalnum() or character in "-_." else "-" for character in name)
    ascii_name = safe.encode("ascii", "replace").decode().replace("?", "-")
    headers = {"content-disposition": f'attachment; filename="{ascii_name}.{ending}"'}
    kind = "application/json" if ending == "json" else "application/yaml"
    return PlainTextResponse(text, headers=headers, media_type=kind)


def _facts(reader: Reader, workspace_id: int, sequence_id: int, now: datetime) -> Facts:
    sequence = places.sequence_of(reader, workspace_id, sequence_id)
    ids = {"workspace_id": workspace_id, "sequence_id": sequence_id}
    running = sequences.running_version(reader, sequence)
    return Facts(
        sequence=sequence,
        document=file_document(plan_from_document(running.document)) if running else None,
        published_at=running.created_at if running else None,
        standing=numbers.standing(reader, **ids),
        numbers=numbers.by_step(reader, workspace_id=workspace_id, sequence_id=sequence_id),
        waiting=waiting.reasons(reader, workspace_id=workspace_id, sequence_id=sequence_id, now=now),
        draft=drafts.of_sequence(reader, **ids),
        waits=(sequence.proposed_version or sequence.version) if sequences.awaits_approval(sequence) else None,
    )


def _on_older(found: Facts) -> int:
    """Return how many people are on the way through an older version."""
    walking = {"active", "waiting", "paused", "held"}
    older = (one for one in found.standing if one.version != found.sequence.version and one.status in walking)
    return sum(one.people for one in older)


def _document(reader: Reader, workspace_id: int, sequence_id: int, *, of_draft: bool) -> tuple[str, Document]:
    sequence = places.sequence_of(reader, workspace_id, sequence_id)
    draft = drafts.of_sequence(reader, workspace_id=workspace_id, sequence_id=sequence_id)
    running = sequences.running_version(reader, sequence)
    if draft is not None and (of_draft or running is None):
        return sequence.name, draft.document
    if running is None:
        raise NotFoundError("this sequence was never published and has no draft; open it in the builder first")
    return sequence.name, file_document(plan_from_document(running.document))


routes = [
    Route(places.ONE, show, methods=["GET"]),
    Route(f"{places.ONE}/file.{{ending}}", file, methods=["GET"]),
    Route(f"{places.ONE}/approve", approve, methods=["POST"]),
    Route(f"{places.ONE}/do/{{action}}", act, methods=["POST"]),
]
