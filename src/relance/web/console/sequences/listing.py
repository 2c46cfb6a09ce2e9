"""Every sequence of a workspace with its state and numbers; beginning a new one, from nothing or from a file."""

from collections import Counter
from dataclasses import dataclass
from functools import partial

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.core.sequence import Sequence, SequenceStatus
from relance.ports.store import Reader, Transaction
from relance.services import drafts, numbers
from relance.services.drafts import Draft
from relance.services.numbers import SequenceNumbers
from relance.services.refusals import WrongInputError
from relance.services.sequence_files.nodes import FileProblemError
from relance.services.sequence_files.parsing import MAX_BYTES
from relance.services.sequence_files.writing import document_of_text
from relance.web.console.sequences import places
from relance.web.console.sequences.forms import text_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One sequence of the list."""

    sequence: Sequence
    on_the_way: int
    numbers: SequenceNumbers | None
    drafted: bool


@needs(Role.VIEWER)
async def index(request: Request, visitor: Visitor) -> Response:
    """Show every sequence; archived ones only when they are asked for."""
    rows = await surroundings_of(request).store.read(_rows, visitor.workspace.id)
    archived = "archived" in request.query_params
    shown = [row for row in rows if (row.sequence.status is SequenceStatus.ARCHIVED) is archived]
    return render(request, "sequences/list.html", visitor, rows=shown, archived=archived, hidden=len(rows) - len(shown))


@needs(Role.MEMBER)
async def begin(request: Request, visitor: Visitor) -> Response:
    """Make a sequence that has nothing but a draft, and go on to the builder."""
    form = await request.form()
    around = surroundings_of(request)
    document = None
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        document = await read_upload(file)
    name = text_of(form, "name") or str((document or {}).get("name") or "")
    make = partial(
        _begin,
        workspace_id=visitor.workspace.id,
        name=name,
        document=document,
        by=visitor.actor,
        now=around.clock.now(),
    )
    draft = await around.store.write(make)
    return done(request, f"{places.base(visitor, draft.sequence_id)}/edit", f"{draft.document.get('name')} is begun.")


async def read_upload(file: UploadFile) -> dict[str, object]:
    """Return an uploaded sequence file as values. Raises WrongInputError with its place and remedy."""
    name = file.filename or "the file"
    raw = await file.read(MAX_BYTES + 1)
    await file.close()
    if len(raw) > MAX_BYTES:
        raise WrongInputError(f"{name} has more than {MAX_BYTES} bytes; write a shorter sequence")
    try:
        return document_of_text(raw.decode("utf-8-sig"), file=name)
    except UnicodeDecodeError:
        raise WrongInputError(f"{name} is not text in UTF-8; save it as UTF-8") from None
    except FileProblemError as error:
        raise WrongInputError(error.problem.at(name)) from error


def _begin(
    tx: Transaction, *, workspace_id: int, name: str, document: dict[str, object] | None, **who: object
) -> Draft:
    made = drafts.create(tx, workspace_id=workspace_id, name=name, **who)  # type: ignore[arg-type]  # by and now, as given above
    if document is None:
        return made
    named = {**document, "name": made.document["name"]}
    return drafts.change(
        tx,
        workspace_id=workspace_id,
        sequence_id=made.sequence_id,
        revision=made.revision,
        edit=lambda _: named,
        what="a file was read in",
        **who,  # type: ignore[arg-type]  # as above
    )


def _rows(reader: Reader, workspace_id: int) -> list[Row]:
    drafted = set(reader.all(int, "drafts.with_drafts", workspace_id=workspace_id))
    known = {one.sequence_id: one for one in numbers.by_sequence(reader, workspace_id=workspace_id)}
    walking: Counter[int] = Counter()
    for one in numbers.on_the_way(reader, workspace_id=workspace_id):
        walking[one.sequence_id] += one.people
    return [
        Row(
            sequence=sequence,
            on_the_way=walking[sequence.id],
            numbers=known.get(sequence.id),
            drafted=sequence.id in drafted,
        )
        for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    ]


routes = [
    Route(places.LIST, index, methods=["GET"]),
    Route(f"{places.LIST}/new", begin, methods=["POST"], max_body_size=2 * MAX_BYTES),
]
