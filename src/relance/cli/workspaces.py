"""`relance workspace`: the installation's tenants."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict

import click

from relance.app import Installation
from relance.cli.session import Group, session
from relance.core.people import AuditEntry
from relance.core.workspace import Workspace
from relance.services import audit_log, workspace_settings, workspaces

FACTS = ("timezone", "daily_cap", "recipient_domain_daily_cap", "quiet_hours", "approval")


@click.group(cls=Group)
def workspace() -> None:
    """Keep the tenants of this installation."""


@workspace.command()
@click.argument("name")
@click.option("--timezone", metavar="TZ", help="Zone of windows, caps and quiet hours that name none of their own.")
def add(name: str, timezone: str | None) -> None:
    """Make a workspace: its mailboxes, leads and sequences are nobody else's."""
    current = session()
    zone = None if timezone is None else workspace_settings.check_timezone(timezone)

    async def write(installation: Installation, _: Workspace) -> Workspace:
        return await installation.write(
            workspaces.add,
            name=name,
            uid=uuid.uuid4().hex,
            wrapped_key=installation.vault.new_workspace_key(),
            timezone=zone,
            now=installation.clock.now(),
        )

    made = current.run(write)
    current.printer.facts(_facts(made), f"Workspace {made.name} is made; work in it with `--workspace {made.name}`.")


@workspace.command("set")
@click.option("--timezone", metavar="TZ", help="Zone of windows, caps and quiet hours that name none of their own.")
@click.option(
    "--daily-cap", type=click.IntRange(min=0), metavar="N", help="Messages a day, over everything; 0: no cap."
)
@click.option(
    "--recipient-domain-daily-cap",
    type=click.IntRange(min=0),
    metavar="N",
    help="Messages a day to the people of one company's domain; 0: no cap. Domains that strangers share do not count.",
)
@click.option("--quiet-hours", metavar="HH:MM-HH:MM", help="For sequences without quiet hours of their own, or none.")
@click.option("--approval/--no-approval", default=None, help="What is published waits for `sequence approve`.")
def change(
    timezone: str | None,
    daily_cap: int | None,
    recipient_domain_daily_cap: int | None,
    quiet_hours: str | None,
    *,
    approval: bool | None,
) -> None:
    """Change what is given of this workspace and leave the rest."""
    if all(one is None for one in (timezone, daily_cap, recipient_domain_daily_cap, quiet_hours, approval)):
        raise click.UsageError("nothing is given that could be changed: name at least one option")
    current = session()
    wanted = workspace_settings.Wanted(
        timezone=timezone,
        daily_cap=daily_cap,
        recipient_domain_daily_cap=recipient_domain_daily_cap,
        approval=approval,
        quiet_hours="" if quiet_hours == "none" else quiet_hours,
    )

    async def write(installation: Installation, found: Workspace) -> Workspace:
        await installation.write(workspace_settings.change, found, wanted)
        return await installation.read(workspaces.by_name, found.name)

    saved = current.run(write)
    current.printer.facts(_facts(saved), f"Workspace {saved.name} is changed.")


@workspace.command("list")
def list_workspaces() -> None:
    """List every workspace."""
    current = session()

    async def read(installation: Installation, _: Workspace) -> list[Workspace]:
        return await installation.read(workspaces.everyone)

    found = current.run(read)
    current.printer.rows(
        (_facts(w) for w in found),
        ("name", *FACTS, "created_at"),
        empty="There is no workspace yet.",
    )


@workspace.command("log")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, metavar="N")
def show_log(limit: int) -> None:
    """List who did what through the console and the API, the newest first."""
    current = session()

    async def read(installation: Installation, found: Workspace) -> list[AuditEntry]:
        return await installation.read(audit_log.page, workspace_id=found.id, limit=limit)

    current.printer.rows(
        (asdict(one) for one in current.run(read)),
        ("at", "actor", "action", "subject"),
        empty="Nobody has changed anything through the console or the API yet.",
    )


def _facts(found: Workspace) -> Mapping[str, object]:
    settings = {name: found.settings.get(name) for name in FACTS if name != "timezone"}
    return {"name": found.name, "timezone": found.timezone, **settings, "created_at": found.created_at}
