"""`relance lead import`: a CSV file in, every row counted, bad rows into a file of their own."""

import csv
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import click

from relance.app import Installation
from relance.cli.failures import DONE, NO, CouldNotError, unreadable
from relance.cli.printing import complain
from relance.cli.session import Command, session
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import enrollments
from relance.services.lead_files import (
    BadRow,
    BatchResult,
    EmptyRow,
    LeadFile,
    LeadRow,
    import_batch,
    open_lead_file,
    preview_batch,
)
from relance.services.lead_files.headers import ERROR_HEADERS

BATCH = 500  #: Rows of one transaction.
SHOWN = 20  #: Bad rows that are printed; all of them are in the file.


class _Writer(Protocol):
    def writerow(self, row: Sequence[object], /) -> object: ...


@dataclass(slots=True)
class Errors:
    """Bad rows: written to `path` from the first one on (None: nowhere), the first few kept for printing."""

    path: Path | None
    headers: Sequence[str]
    first: list[BadRow] = field(default_factory=list)
    count: int = 0
    _files: ExitStack = field(default_factory=ExitStack)
    _writer: _Writer | None = None

    def add(self, row: BadRow) -> None:
        """Keep one. Raises CouldNotError if the file cannot be written."""
        self.count += 1
        if len(self.first) < SHOWN:
            self.first.append(row)
        if self.path is None:
            return
        try:
            if self._writer is None:
                file = self._files.enter_context(self.path.open("w", encoding="utf-8", newline=""))
                self._writer = csv.writer(file)
                self._writer.writerow([*ERROR_HEADERS, *self.headers])
            clean = [value.encode("utf-8", "replace").decode() for value in row.raw]
            self._writer.writerow([row.line, row.reason, *clean])
        except OSError as error:
            raise CouldNotError(_not_written(self.path, row.line, error)) from error

    def close(self) -> None:
        """Finish the file, or take away the one that an earlier import left, now that nothing is wrong."""
        try:
            self._files.close()
            if self.path is not None and self._writer is None:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            if self._writer is not None and self.path is not None:
                raise CouldNotError(_not_written(self.path, 0, error)) from error


def _not_written(path: Path, line: int, error: OSError) -> str:
    return (
        f"{path} cannot be written ({error.strerror}), so bad rows from line {line} on would be lost: "
        "make it writable and import the file again; what was imported is merged, not doubled"
    )


@dataclass(slots=True)
class Counts:
    """What became of the rows so far."""

    rows: int = 0
    imported: int = 0
    merged: int = 0
    skipped: int = 0
    enrolled: int = 0
    already_enrolled: int = 0

    def add(self, done: BatchResult) -> None:
        """Count one batch."""
        self.imported += done.imported
        self.merged += done.merged
        self.skipped += done.skipped
        self.enrolled += done.enrolled
        self.already_enrolled += done.already_enrolled


@click.command("import", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--map", "maps", metavar="COLUMN=FIELD", multiple=True, help="What a column is; an empty FIELD leaves it out."
)
@click.option("--list", "list_name", metavar="NAME", help="Put the leads on this list.")
@click.option("--sequence", "sequence_name", metavar="NAME", help="Enroll the leads into this sequence.")
@click.option("--skip-known", is_flag=True, help="Leave who is a lead already as they are, off the list and out of it.")
@click.option("--dry-run", is_flag=True, help="Say what would happen and write nothing.")
def import_leads(
    file: Path, maps: tuple[str, ...], list_name: str | None, sequence_name: str | None, skip_known: bool, dry_run: bool
) -> int:
    """Import leads from a CSV file; known ones are merged, bad rows go to FILE.errors.csv."""
    current = session()
    mapped = _read_maps(maps)
    try:
        opened = open_lead_file(file, mapped)
    except OSError as error:
        raise unreadable(file, error) from error
    errors_path = file.with_name(f"{file.name}.errors.csv")
    errors = Errors(path=None if dry_run else errors_path, headers=opened.columns.headers)
    counts = Counts()

    async def run(installation: Installation, workspace: Workspace) -> None:
        if sequence_name is not None:
            await installation.read(_check_live, workspace.id, sequence_name)
        seen: set[str] = set()
        began = installation.clock.now()
        for batch in _batches(opened):
            counts.rows += len(batch)
            counts.skipped += sum(isinstance(row, EmptyRow) for row in batch)
            for row in batch:
                if isinstance(row, BadRow):
                    errors.add(row)
            good = [row for row in batch if isinstance(row, LeadRow)]
            if dry_run:
                done = await installation.read(
                    preview_batch, good, workspace_id=workspace.id, seen=seen, skip_known=skip_known
                )
            else:
                done = await installation.write(
                    import_batch,
                    good,
                    workspace_id=workspace.id,
                    source=f"import of {file.name}",
                    list_name=list_name,
                    sequence_name=sequence_name,
                    keys=installation.keys,
                    now=installation.clock.now(),
                    skip_known_before=began if skip_known else None,
                )
            counts.add(done)
            for row in done.refused:
                errors.add(row)

    try:
        current.run(run)
    finally:
        errors.close()
    facts = _facts(opened, counts, errors, dry_run=dry_run)
    current.printer.facts(facts, _sentence(opened, counts, errors, dry_run=dry_run))
    if not errors.count:
        return DONE
    where = f"see {errors_path}" if not dry_run else "import without --dry-run to get them as a file"
    complain(f"relance: {counted(errors.count, 'row is', 'rows are')} invalid; {where}, correct it and import it again")
    return NO


def _batches(opened: LeadFile) -> Iterator[tuple[LeadRow | BadRow | EmptyRow, ...]]:
    rows = opened.rows()
    try:
        while batch := tuple(itertools.islice(rows, BATCH)):
            yield batch
    except OSError as error:
        raise CouldNotError(f"{opened.path} cannot be read to its end: {error.strerror}; import it again") from error


def _check_live(reader: Reader, workspace_id: int, name: str) -> None:
    enrollments.live_sequence(reader, workspace_id, name)


def _read_maps(maps: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for text in maps:
        column, equals, name = text.rpartition("=")
        if not equals or not column.strip():
            raise click.UsageError(f"--map {text!r} is not COLUMN=FIELD, such as --map 'Mail (work)=email'")
        if column in found:
            raise click.UsageError(f"--map names the column {column!r} twice: give it one field")
        found[column] = name.strip()
    return found


def _facts(opened: LeadFile, counts: Counts, errors: Errors, *, dry_run: bool) -> Mapping[str, object]:
    return {
        "file": str(opened.path),
        "rows": counts.rows,
        "imported": counts.imported,
        "merged": counts.merged,
        "invalid": errors.count,
        "skipped": counts.skipped,
        "enrolled": counts.enrolled,
        "already_enrolled": counts.already_enrolled,
        "errors_file": str(errors.path) if errors.path and errors.count else None,
        "errors": [{"line": row.line, "reason": row.reason} for row in errors.first],
        "dry_run": dry_run,
        "encoding": opened.dialect.encoding.removesuffix("-sig"),
        "separator": opened.dialect.separator,
        "columns": opened.columns.mapping,
        "notes": opened.columns.notes,
    }


def _sentence(opened: LeadFile, counts: Counts, errors: Errors, *, dry_run: bool) -> str:
    lines = [f"note: {note}" for note in opened.columns.notes]
    lines += [f"line {row.line}: {row.reason}" for row in errors.first]
    if errors.count > len(errors.first):
        lines.append(f"… and {errors.count - len(errors.first)} more")
    would = "would be " if dry_run else ""
    lines.append(
        f"{counted(counts.rows, 'row')}: {counts.imported} {would}imported, {counts.merged} {would}merged, "
        f"{errors.count} invalid, {counts.skipped} skipped."
    )
    if counts.enrolled or counts.already_enrolled:
        lines.append(f"{counts.enrolled} were enrolled, {counts.already_enrolled} had been before.")
    return "\n".join(lines)
