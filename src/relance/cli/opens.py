"""`relance opens import`: what a tracking source tells of messages that were opened."""

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from relance.app import Installation
from relance.cli.failures import DONE, NO, unreadable
from relance.cli.printing import complain
from relance.cli.session import Group, session
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.services.open_files import BadOpen, read_opens
from relance.services.opens import Open, Recorded, record_opens

BATCH = 500  #: Opens of one transaction.
SHOWN = 20


@click.group(cls=Group)
def opens() -> None:
    """Record when messages were opened; `send_time: opens` goes by it."""


@opens.command("import")
@click.argument("file", type=click.Path(path_type=Path))
def import_file(file: Path) -> int:
    """Record the opens of a file of JSON lines: {"message_id": "<…>", "at": "2026-11-30T09:14:00Z"}.

    "user_agent" and "machine": true may stand beside; what was recorded before is not recorded twice.
    """
    current = session()
    counts, bad = Counter[Recorded](), list[BadOpen]()

    async def write(installation: Installation, workspace: Workspace) -> None:
        rows = read_opens(file)
        while batch := list(itertools.islice(rows, BATCH)):
            bad.extend(row for row in batch if isinstance(row, BadOpen))
            counts.update(
                await installation.write(
                    record_opens,
                    [row for row in batch if isinstance(row, Open)],
                    workspace_id=workspace.id,
                    source=f"import of {file.name}",
                    now=installation.clock.now(),
                )
            )

    try:
        current.run(write)
    except OSError as error:
        raise unreadable(file, error) from error
    facts = {"file": str(file), **{name.value: counts[name] for name in Recorded}, "invalid": len(bad)}
    errors = [{"line": one.line, "reason": one.reason} for one in bad]
    current.printer.facts({**facts, "errors": errors}, _sentence(counts, bad))
    if bad:
        found = counted(len(bad), "line tells", "lines tell")
        complain(f"relance: {found} no open, the first is line {bad[0].line}: correct and import again")
    return NO if bad else DONE


def _sentence(counts: Counter[Recorded], bad: Sequence[BadOpen]) -> str:
    lines = [f"line {one.line}: {one.reason}" for one in bad[:SHOWN]]
    total = sum(counts.values()) + len(bad)
    lines.append(
        f"{counted(total, 'line')}: {counts[Recorded.OPENED]} opened by people, {counts[Recorded.FETCHED]} fetched by "
        f"programs, {counts[Recorded.KNOWN]} known, {counts[Recorded.UNMATCHED]} of no message of ours, "
        f"{counts[Recorded.AHEAD]} in the future, {len(bad)} invalid."
    )
    return "\n".join(lines)
