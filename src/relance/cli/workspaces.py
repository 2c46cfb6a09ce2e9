"""`relance workspace`: the installation's tenants."""

import click

from relance.app import Installation
from relance.cli.session import Group, session
from relance.core.workspace import Workspace
from relance.services import workspaces


@click.group(cls=Group)
def workspace() -> None:
    """Keep the tenants of this installation."""


@workspace.command("list")
def list_workspaces() -> None:
    """List every workspace."""
    current = session()

    async def read(installation: Installation, _: Workspace) -> list[Workspace]:
        return await installation.read(workspaces.everyone)

    found = current.run(read)
    current.printer.rows(
        ({"name": w.name, "timezone": w.timezone, "created_at": w.created_at} for w in found),
        ("name", "timezone", "created_at"),
        empty="There is no workspace yet.",
    )
