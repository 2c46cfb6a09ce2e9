"""Suppression: whom nobody here writes to, ever; looking somebody up, adding, taking back, a file of them."""

import asyncio
import tempfile
from itertools import islice
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.core.suppression import Suppression, SuppressionReason, SuppressionScope
from relance.core.words import counted
from relance.services import suppressions
from relance.services.refusals import WrongInputError
from relance.services.suppression_files import BadTarget, Target, import_targets, read_target, read_targets
from relance.web.console.forms import Form, form_of
from relance.web.flashes import Tone, done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PATH = "/w/{workspace}/suppressions"
SHOWN = 100
FILE_MOST = 16 * 1024 * 1024
_BATCH = 1_000
_FAULTS_SHOWN = 50


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show a page of them, and what binds whoever was asked for."""
    return await _shown(request, visitor, asked=request.query_params.get("q", "").strip()[:320])


async def _shown(  # what a form has to say
    request: Request,
    visitor: Visitor,
    *,
    asked: str = "",
    problem: str | None = None,
    faults: list[BadTarget] | None = None,
    status: int = 200,
) -> Response:
    around = surroundings_of(request)
    ids = {"workspace_id": visitor.workspace.id}
    after = request.query_params.get("after", "0")
    listed = await around.store.read(
        suppressions.page, **ids, after=int(after) if after.isdecimal() and len(after) < 19 else 0, limit=SHOWN + 1
    )
    found: list[Suppression] = []
    if asked:
        try:
            kind, value = read_target(asked)
        except WrongInputError as error:
            problem = str(error)
        else:
            found = await around.store.read(
                suppressions.of_target, **ids, kind=kind, value=value, tombstone_key=around.keys.tombstone
            )
    return render(
        request,
        "suppressions/suppressions.html",
        visitor,
        status=status,
        listed=listed[:SHOWN],
        next_after=listed[SHOWN - 1].id if len(listed) > SHOWN else None,
        asked=asked,
        found=found,
        problem=problem,
        faults=(faults or [])[:_FAULTS_SHOWN],
        faulty=len(faults or []),
    )


@needs(Role.MEMBER)
async def add(request: Request, visitor: Visitor) -> Response:
    """Suppress one target, or all of a file."""
    form = await form_of(request)
    scope = _scope(form, visitor)
    file = form.file("file")
    if file is not None:
        return await _add_file(request, visitor, file, scope)
    around = surroundings_of(request)
    try:
        kind, value = read_target(form.text("target"))
    except WrongInputError as error:
        return await _shown(request, visitor, problem=str(error), status=422)
    added = await around.store.write(
        suppressions.suppress,
        workspace_id=visitor.workspace.id,
        kind=kind,
        value=value,
        scope=scope,
        reason=SuppressionReason.MANUAL,
        source=visitor.actor,
        now=around.clock.now(),
        tombstone_key=around.keys.tombstone,
    )
    said = f"{value} is never written to again." if added else f"{value} was suppressed before."
    return done(request, request.url.path, said)


async def _add_file(request: Request, visitor: Visitor, file: UploadFile, scope: SuppressionScope) -> Response:
    around = surroundings_of(request)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suppressions"
        await asyncio.to_thread(path.write_bytes, await file.read())
        read = await asyncio.to_thread(lambda: list(read_targets(path)))
    good = [row for row in read if isinstance(row, Target)]
    bad = [row for row in read if isinstance(row, BadTarget)]
    added, rest = 0, iter(good)
    while batch := list(islice(rest, _BATCH)):
        added += await around.store.write(
            import_targets,
            batch,
            workspace_id=visitor.workspace.id,
            scope=scope,
            source=f"import of {file.filename}",
            now=around.clock.now(),
        )
    said = f"{counted(len(read), 'row')}: {added} added, {len(good) - added} known, {len(bad)} invalid."
    if bad:
        return await _shown(request, visitor, problem=said, faults=bad, status=200)
    return done(request, request.url.path, said)


@needs(Role.ADMIN)
async def remove(request: Request, visitor: Visitor) -> Response:
    """Take a suppression back, by a person's decision."""
    form = await form_of(request)
    around, scope = surroundings_of(request), _scope(form, visitor)
    kind, value = read_target(form.text("target"))
    removed = await around.store.write(
        suppressions.unsuppress,
        workspace_id=visitor.workspace.id,
        kind=kind,
        value=value,
        scope=scope,
        tombstone_key=around.keys.tombstone,
        now=around.clock.now(),
    )
    back = request.url.path.removesuffix("/remove")
    if removed:
        return done(request, back, f"{value} may be written to again.")
    return done(request, back, f"{value} was not suppressed.", Tone.BAD)


def _scope(form: Form, visitor: Visitor) -> SuppressionScope:
    """Return whom it binds. Raises HTTPException where that takes a higher role."""
    scope = SuppressionScope.GLOBAL if form.text("scope") == SuppressionScope.GLOBAL else SuppressionScope.WORKSPACE
    if scope is SuppressionScope.GLOBAL and not visitor.may(Role.OWNER):
        raise HTTPException(403, "A global suppression binds every workspace, which takes the role owner")
    return scope


routes = [
    Route(PATH, page),
    Route(PATH, add, methods=["POST"], max_body_size=FILE_MOST),
    Route(f"{PATH}/remove", remove, methods=["POST"]),
]
