"""Files of leads in the web: kept beside the database, read in a thread, imported in the background batch by batch.

The engine shares this process: nothing here holds the loop for longer than one batch's transaction.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from relance.ports.store import StoreError
from relance.services import lead_imports
from relance.services.lead_files import (
    BadRow,
    BatchResult,
    EmptyRow,
    LeadFile,
    LeadRow,
    match_headers,
    open_lead_file,
    preview_batch,
)
from relance.services.lead_files.records import find_dialect, read_records
from relance.services.lead_imports import Choices, LeadImport
from relance.services.refusals import RefusedError
from relance.web.surroundings import Surroundings

BATCH = 250  #: Rows of one transaction.
TRIED = 100_000  #: Rows that a dry run looks at.
SHOWN = 50  #: Bad rows that it shows.
SAMPLES = 4  #: Rows from which a column shows values.
_CHUNK = 1_048_576
_running: set[asyncio.Task[None]] = set()

Row = LeadRow | BadRow | EmptyRow


@dataclass(slots=True)
class Tried:
    """What importing would do."""

    counts: dict[str, int] = field(default_factory=dict)
    first: list[BadRow] = field(default_factory=list)
    whole: bool = True  #: Whether the file was looked at to its end.


def path_of(around: Surroundings, token: str) -> Path:
    """Return where an upload's file lies."""
    return around.hands.uploads / f"{token}.csv"


def keep(around: Surroundings, token: str, source: IO[bytes]) -> int:
    """Write an upload beside the database, for nobody else's eyes; return its bytes. Raises OSError."""
    folder, size = around.hands.uploads, 0
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path_of(around, token).open("xb") as file:
        path_of(around, token).chmod(0o600)
        source.seek(0)
        while chunk := source.read(_CHUNK):
            size += file.write(chunk)
    return size


def forget(around: Surroundings, token: str) -> None:
    """Delete an upload's file, where it is still there."""
    with contextlib.suppress(OSError):
        path_of(around, token).unlink(missing_ok=True)


async def opened(around: Surroundings, wanted: LeadImport, chosen: Choices) -> LeadFile:
    """Find out how the file is written. Raises RefusedError, also where the file is gone."""
    try:
        return await asyncio.to_thread(open_lead_file, path_of(around, wanted.token), chosen.columns)
    except OSError as error:
        raise RefusedError(f"the file is not there any more ({error.strerror}): upload it again") from error
    except RefusedError as error:
        raise RefusedError(str(error).replace(str(path_of(around, wanted.token)), wanted.file_name)) from error


async def headers_of(around: Surroundings, wanted: LeadImport) -> tuple[str, ...]:
    """Return what stands in the first line, whatever it means; nothing where that cannot be read."""

    def read() -> tuple[str, ...]:
        path = path_of(around, wanted.token)
        first = next(read_records(path, find_dialect(path)), None)
        return match_headers(("email", *first.values), {}).headers[1:] if first else ()

    try:
        return await asyncio.to_thread(read)
    except (OSError, RefusedError):
        return ()


async def samples(found: LeadFile) -> list[tuple[str, ...]]:
    """Return the first rows as they stand."""

    def read() -> list[tuple[str, ...]]:
        return [row.raw for row in itertools.islice(found.rows(), 5 * SAMPLES) if not isinstance(row, EmptyRow)]

    return (await asyncio.to_thread(read))[:SAMPLES]


async def try_out(around: Surroundings, wanted: LeadImport, found: LeadFile, chosen: Choices) -> Tried:
    """Say what importing would do, and write nothing."""
    tried, seen, looked = Tried(), set[str](), 0
    rows = found.rows()
    while batch := await asyncio.to_thread(_next, rows):
        good = [row for row in batch if isinstance(row, LeadRow)]
        bad = [row for row in batch if isinstance(row, BadRow)]
        done: BatchResult = await around.store.read(
            preview_batch, good, workspace_id=wanted.workspace_id, seen=seen, skip_known=chosen.skip_known
        )
        tried.counts = lead_imports.counted(tried.counts, batch, done, invalid=len(bad))
        tried.first += bad[: SHOWN - len(tried.first)]
        looked += len(batch)
        if looked >= TRIED:
            tried.whole = False
            break
    return tried


def start(around: Surroundings, running: LeadImport) -> None:
    """Import in the background; its row says how far it is."""
    task = asyncio.create_task(_import(around, running), name=f"import {running.id}")
    _running.add(task)
    task.add_done_callback(_running.discard)


async def stop() -> None:
    """Leave off behind the batch in hand; a person goes on from there."""
    running = list(_running)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def _import(around: Surroundings, running: LeadImport) -> None:
    """Import everything behind what is done, and say how it ended.

    Where the database fails the row stays as it is: a person goes on with it from there.
    """
    try:
        try:
            found = await opened(around, running, running.chosen)
            rows = found.rows()
            await asyncio.to_thread(_skip, rows, running.rows_done)
            while batch := await asyncio.to_thread(_next, rows):
                running = await around.store.write(
                    lead_imports.advance, running, batch, keys=around.keys, now=around.clock.now()
                )
            await around.store.write(lead_imports.finish, running, now=around.clock.now())
            forget(around, running.token)
        except (RefusedError, OSError) as error:
            problem = str(error)
            await around.store.write(lead_imports.fail, running, problem=problem, now=around.clock.now())
    except StoreError as error:
        around.log.error("import.stands_still", file=running.file_name, rows=running.rows_done, error=str(error))


def _next(rows: Iterator[Row]) -> tuple[Row, ...]:
    return tuple(itertools.islice(rows, BATCH))


def _skip(rows: Iterator[Row], number: int) -> None:
    for _ in itertools.islice(rows, number):
        pass
