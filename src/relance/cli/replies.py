"""`relance replies`: what came in."""

from dataclasses import asdict

import click

from relance.app import Installation
from relance.cli.session import Group, session
from relance.core.workspace import Workspace
from relance.services.answers import Incoming, incoming


@click.group(cls=Group)
def replies() -> None:
    """Look at what came in."""


@replies.command("list")
@click.option(
    "--limit", type=click.IntRange(min=1), default=200, show_default=True, metavar="N", help="At most so many."
)
def list_replies(limit: int) -> None:
    """List incoming messages with their class and lead, the newest first."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Incoming]:
        return await installation.read(incoming, workspace_id=workspace.id, limit=limit)

    current.printer.rows(
        (asdict(one) for one in current.run(read)),
        ("received_at", "kind", "lead", "from_address", "mailbox", "subject", "matched_by"),
        empty="Nothing came in yet.",
    )
