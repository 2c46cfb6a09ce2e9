"""`relance init`: the data directory, its key, the schema and the first workspace."""

import click

from relance import app
from relance.app import Installation
from relance.cli.session import Command, Session, session
from relance.core.workspace import Workspace
from relance.services import workspace_settings


@click.command(cls=Command)
@click.option("--timezone", metavar="TZ", help="Zone of the workspace, such as Europe/Berlin; else UTC.")
def init(timezone: str | None) -> None:
    """Make the data directory with database, key and first workspace; doing it again changes nothing."""
    current: Session = session()
    if timezone is not None:
        workspace_settings.check_timezone(timezone)
    config = current.config()

    async def settle(installation: Installation) -> Workspace:
        await installation.keep_time()
        made = await app.settle_installation(installation, timezone=timezone)
        if timezone is not None and made.timezone != timezone:
            await installation.write(workspace_settings.set_timezone, made, timezone)
        return await installation.workspace()

    workspace = current.run_in(app.init_installation(config), settle)
    key = config.master_key_file
    facts = {
        "data": str(config.data),
        "database": "postgresql" if config.database_url else str(config.database_path),
        "master_key_file": str(key),
        "workspace": workspace.name,
        "timezone": workspace.timezone,
    }
    current.printer.facts(
        facts,
        f"Ready: {config.data}, workspace {workspace.name}. Keep a copy of {key} elsewhere: no backup contains it.",
    )
