"""Importing a file: uploaded, its columns mapped by guess, tried, imported, and the rows that were wrong as a file."""

import asyncio
import csv
import io
import secrets
from collections.abc import AsyncIterator

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from relance.core.people import Role
from relance.core.sequence import Sequence, SequenceStatus
from relance.ports.store import Reader
from relance.services import enrollments, lead_imports, lead_lists
from relance.services.lead_files.headers import ERROR_HEADERS
from relance.services.lead_imports import Choices, ImportStatus, LeadImport
from relance.services.refusals import RefusedError
from relance.web import importing
from relance.web.flashes import Tone, done
from relance.web.forms import FIELDS_MOST, FILES_MOST, words_of
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import Surroundings, surroundings_of

UPLOAD_MOST = 64 * 1024 * 1024  #: Bytes of a file, its form included.
SHOWN = 10  #: Imports that the first page lists.
_ERRORS_AT_ONCE = 1_000
#: What many columns are, to choose from.
FIELDS = (
    "email", "first_name", "last_name", "full_name", "company", "title", "phone", "website", "linkedin_url",
    "external_id", "timezone", "city", "country",
)  # fmt: skip


@needs(Role.MEMBER)
async def imports(request: Request, visitor: Visitor) -> Response:
    """Ask for a file, and show the newest imports."""
    found = await surroundings_of(request).store.read(lead_imports.newest, visitor.workspace.id, limit=SHOWN)
    return render(request, "leads/import.html", visitor, imports=found, most=UPLOAD_MOST)


@needs(Role.MEMBER)
async def upload(request: Request, visitor: Visitor) -> Response:
    """Keep the file and go on to its columns; what is no table is said at once."""
    around, back = surroundings_of(request), f"/w/{visitor.workspace.name}/leads/import"
    form = await request.form(max_files=FILES_MOST, max_fields=FIELDS_MOST)
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return done(request, back, "Choose a file first.", Tone.BAD)
    token, now = secrets.token_hex(16), around.clock.now()
    size = await asyncio.to_thread(importing.keep, around, token, file.file)
    import_id = await around.store.write(
        lead_imports.add,
        workspace_id=visitor.workspace.id,
        token=token,
        file_name=file.filename,
        size=size,
        author=visitor.actor,
        now=now,
    )
    for old in await around.store.write(lead_imports.forget_old, workspace_id=visitor.workspace.id, now=now):
        importing.forget(around, old)
    return done(request, f"{back}/{import_id}", "Uploaded; nothing is imported yet.")


@needs(Role.MEMBER)
async def one(request: Request, visitor: Visitor) -> Response:
    """Show an import as far as it is."""
    around, wanted = surroundings_of(request), await _wanted(request, visitor)
    if wanted.status is ImportStatus.UPLOADED:
        return await _mapping(request, visitor, wanted, wanted.chosen)
    errors = await around.store.read(lead_imports.errors, wanted, after=0, limit=importing.SHOWN)
    still = wanted.moved_at is not None and wanted.moved_at < around.clock.now() - lead_imports.STILL
    return render(request, "leads/imported.html", visitor, wanted=wanted, errors=errors, still=still)


@needs(Role.MEMBER)
async def try_it(request: Request, visitor: Visitor) -> Response:
    """Keep what was chosen, and say what importing would do."""
    around, wanted, words = surroundings_of(request), await _wanted(request, visitor), await words_of(request)
    chosen = Choices()
    try:
        chosen = await _chosen(around, visitor, wanted, words)
        found = await importing.opened(around, wanted, chosen)
        await around.store.write(lead_imports.choose, wanted, chosen)
        tried = await importing.try_out(around, wanted, found, chosen)
    except RefusedError as error:
        return await _mapping(request, visitor, wanted, chosen, problem=str(error), words=words)
    return render(request, "leads/tried.html", visitor, wanted=wanted, chosen=chosen, tried=tried, found=found)


@needs(Role.MEMBER)
async def start(request: Request, visitor: Visitor) -> Response:
    """Import it, or go on with an import that stands still."""
    around, wanted = surroundings_of(request), await _wanted(request, visitor)
    there = f"/w/{visitor.workspace.name}/leads/import/{wanted.id}"
    try:
        await importing.opened(around, wanted, wanted.chosen)
        running = await around.store.write(lead_imports.begin, wanted, now=around.clock.now())
    except RefusedError as error:
        return done(request, there, f"Not started: {error}.", Tone.BAD)
    importing.start(request.app.state.surroundings, running)
    return done(request, there, "It is being imported; you may leave this page.")


@needs(Role.MEMBER)
async def errors(request: Request, visitor: Visitor) -> Response:
    """Return the rows that were wrong, with line and reason, to be corrected and imported again."""
    around, wanted = surroundings_of(request), await _wanted(request, visitor)
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in wanted.file_name)
    return StreamingResponse(
        _error_lines(around, wanted),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}.errors.csv"'},
    )


async def _error_lines(around: Surroundings, wanted: LeadImport) -> AsyncIterator[str]:
    yield _line([*ERROR_HEADERS, *wanted.chosen.headers])
    after = 0
    while True:
        rows = await around.store.read(lead_imports.errors, wanted, after=after, limit=_ERRORS_AT_ONCE)
        if not rows:
            return
        yield "".join(_line([str(row.line), row.reason, *row.raw]) for row in rows)
        after = rows[-1].line


def _line(values: list[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow([value.encode("utf-8", "replace").decode() for value in values])
    return written.getvalue()


async def _wanted(request: Request, visitor: Visitor) -> LeadImport:
    return await surroundings_of(request).store.read(
        lead_imports.by_id, visitor.workspace.id, request.path_params["import"]
    )


async def _chosen(around: Surroundings, visitor: Visitor, wanted: LeadImport, words: dict[str, str]) -> Choices:
    """Read what was chosen. Raises RefusedError."""
    headers = await importing.headers_of(around, wanted)
    columns: dict[str, str] = {}
    for position, header in enumerate(headers):
        word = words.get(f"column.{position}")
        if word is not None and header and header not in columns:
            columns[header] = word.strip()
    sequence_name = words.get("sequence", "").strip() or None
    if sequence_name is not None:
        await around.store.read(_check_live, visitor.workspace.id, sequence_name)
    list_name = words.get("list", "").strip()
    return Choices(
        columns=columns,
        headers=headers,
        list_name=lead_lists.clean_name(list_name) if list_name else None,
        sequence_name=sequence_name,
        skip_known=words.get("known") == "skip",
    )


async def _mapping(
    request: Request,
    visitor: Visitor,
    wanted: LeadImport,
    chosen: Choices,
    *,
    problem: str | None = None,
    words: dict[str, str] | None = None,
) -> Response:
    around, found, guessed = surroundings_of(request), None, Choices()
    try:
        found = await importing.opened(around, wanted, chosen)
    except RefusedError as error:
        problem = problem or str(error)
        guessed = Choices(columns=await _without_address(around, wanted))
        try:
            found = await importing.opened(around, wanted, guessed)
        except RefusedError:
            found = None
    rows = await importing.samples(found) if found else []
    guesses = (
        [
            "" if header in guessed.columns else field or ""
            for header, field in zip(found.columns.headers, found.columns.fields, strict=True)
        ]
        if found
        else []
    )
    sequences, lists = await around.store.read(_places, visitor.workspace.id)
    return render(
        request,
        "leads/mapping.html",
        visitor,
        status=422 if problem else 200,
        wanted=wanted,
        chosen=chosen,
        words=words or {},
        found=found,
        rows=rows,
        guesses=guesses,
        fields=FIELDS,
        sequences=sequences,
        lists=lists,
        problem=problem,
    )


async def _without_address(around: Surroundings, wanted: LeadImport) -> dict[str, str]:
    """Return a map with which a file shows its columns although none of them is known to hold addresses."""
    headers = [header for header in await importing.headers_of(around, wanted) if header]
    return dict.fromkeys(headers[:1], "email")


def _check_live(reader: Reader, workspace_id: int, name: str) -> None:
    enrollments.live_sequence(reader, workspace_id, name)


def _places(reader: Reader, workspace_id: int) -> tuple[list[str], list[str]]:
    every = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    return [s.name for s in every if s.status is SequenceStatus.LIVE], lead_lists.names(reader, workspace_id)


_IMPORT = "/w/{workspace}/leads/import"
routes = [
    Route(_IMPORT, imports),
    Route(_IMPORT, upload, methods=["POST"], max_body_size=UPLOAD_MOST),
    Route(f"{_IMPORT}/{{import:int}}", one),
    Route(f"{_IMPORT}/{{import:int}}/try", try_it, methods=["POST"]),
    Route(f"{_IMPORT}/{{import:int}}/start", start, methods=["POST"]),
    Route(f"{_IMPORT}/{{import:int}}/errors.csv", errors),
]
