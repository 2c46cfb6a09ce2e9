"""Connecting many mailboxes out of a CSV file; a bad row takes no other along.

The file holds passwords: it lies beside the database for as long as reading it takes, and no row of it is shown again.
"""

import asyncio
import secrets
from dataclasses import dataclass

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services import mailboxes
from relance.services.mailbox_files import COLUMNS, BadMailbox, MailboxRow, read_mailboxes
from relance.services.refusals import RefusedError
from relance.web import importing
from relance.web.forms import FIELDS_MOST, FILES_MOST
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import Surroundings, surroundings_of

FILE_MOST = 4 * 1024 * 1024  #: Bytes of a file, its form included.
ROWS_MOST = 5_000
#: Of what a row may hold: a command would be run on this machine, and the command line alone may name one.
_PASSWORD = "password"
SHOWN_COLUMNS = tuple(name for name in COLUMNS if not name.endswith("_command"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Became:
    """What became of the rows."""

    connected: tuple[str, ...]
    bad: tuple[BadMailbox, ...]
    tried: bool  #: Nothing was connected: it was only asked.


@needs(Role.ADMIN)
async def many(request: Request, visitor: Visitor) -> Response:
    """Ask for a file, or connect what stands in it."""
    around, became, problem = surroundings_of(request), None, None
    if request.method == "POST":
        form = await request.form(max_files=FILES_MOST, max_fields=FIELDS_MOST)
        try:
            rows = await _read(around, _chosen(form.get("file")))
            became = await _connect(around, visitor, rows, tried=form.get("try") == "yes")
        except RefusedError as error:
            problem = str(error)
    return render(
        request,
        "mailboxes/many.html",
        visitor,
        status=422 if problem else 200,
        became=became,
        problem=problem,
        columns=SHOWN_COLUMNS,
    )


def _chosen(file: object) -> UploadFile:
    """Return the file that was sent. Raises RefusedError."""
    if not isinstance(file, UploadFile) or not file.filename:
        raise RefusedError("choose a file first")
    return file


async def _read(around: Surroundings, file: UploadFile) -> list[MailboxRow | BadMailbox]:
    """Return every row. Raises RefusedError for what is no table of mailboxes."""
    token = secrets.token_hex(16)

    def read() -> list[MailboxRow | BadMailbox]:
        importing.keep(around, token, file.file)
        return list(read_mailboxes(importing.path_of(around, token)))

    try:
        rows = await asyncio.to_thread(read)
    except RefusedError as error:
        raise RefusedError(str(error).replace(str(importing.path_of(around, token)), file.filename or "it")) from error
    finally:
        importing.forget(around, token)
    if len(rows) > ROWS_MOST:
        raise RefusedError(f"it has {len(rows)} rows, and {ROWS_MOST} are taken at once: cut it in parts")
    return rows


async def _connect(
    around: Surroundings, visitor: Visitor, rows: list[MailboxRow | BadMailbox], *, tried: bool
) -> Became:
    connected: list[str] = []
    bad = [row for row in rows if isinstance(row, BadMailbox)]
    for row in rows:
        if isinstance(row, BadMailbox):
            continue
        try:
            unborn, sealed = around.hands.mailboxes.prepare(visitor.workspace, row.wanted, _password(row))
            if not tried:
                await around.store.write(mailboxes.add, unborn, sealed=sealed, now=around.clock.now())
            connected.append(unborn.address)
        except RefusedError as error:
            bad.append(BadMailbox(line=row.line, address=row.wanted.address, reason=str(error)))
    return Became(connected=tuple(connected), bad=tuple(sorted(bad, key=lambda one: one.line)), tried=tried)


def _password(row: MailboxRow) -> str:
    """Return a row's password. Raises RefusedError where it names a command instead."""
    if row.secret_kind != _PASSWORD:
        raise RefusedError("a command is named on the command line only: `relance mailbox import`")
    return row.secret


routes = [Route("/w/{workspace}/mailboxes/import", many, methods=["GET", "POST"], max_body_size=FILE_MOST)]
