"""What nobody notices by itself: people who are in two sequences at once, and sequences that were forgotten."""

from datetime import timedelta

import click

from relance.app import Installation
from relance.cli.session import Command, session
from relance.core.workspace import Workspace
from relance.services.overlaps import Overlap, overlaps
from relance.services.stale_sequences import Stale, stale_sequences

_QUIET_DAYS = 14


@click.command("overlaps", cls=Command)
def list_overlaps() -> None:
    """List everyone who is in two or more sequences at once."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Overlap]:
        return await installation.read(overlaps, workspace_id=workspace.id)

    current.printer.rows(
        (
            {
                "lead": found.email,
                "sequences": [run.sequence for run in found.runs],
                "last_sent_at": max((run.last_sent_at for run in found.runs if run.last_sent_at), default=None),
                "next_due_at": min((run.next_due_at for run in found.runs if run.next_due_at), default=None),
            }
            for found in current.run(read)
        ),
        ("lead", "sequences", "last_sent_at", "next_due_at"),
        empty="Nobody is in two sequences at once.",
    )


@click.command("stale", cls=Command)
@click.option(
    "--days", type=click.IntRange(min=1), default=_QUIET_DAYS, show_default=True, help="Nothing left it for so long."
)
def list_stale(days: int) -> None:
    """List live and paused sequences that were forgotten, each with what to do."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Stale]:
        return await installation.read(
            stale_sequences, workspace_id=workspace.id, quiet_for=timedelta(days=days), now=installation.clock.now()
        )

    names = ("sequence", "status", "last_sent_at", "newest_at", "unfinished", "remedy")
    current.printer.rows(
        ({name: getattr(found, name) for name in names} for found in current.run(read)),
        names,
        empty="No sequence was forgotten.",
    )
