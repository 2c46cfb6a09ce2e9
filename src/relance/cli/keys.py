"""`relance key`: what lets programs into the API."""

import click

from relance.app import Installation
from relance.app.reaching import real_now
from relance.cli.session import Group, session
from relance.core.people import ApiKey, Role
from relance.core.workspace import Workspace
from relance.services import api_keys
from relance.services.audit_log import COMMAND_LINE
from relance.web.security.tokens import KEY_PREFIX, new_token


@click.group(cls=Group)
def key() -> None:
    """Keep the keys of programs that use the API."""


@key.command("list")
def list_keys() -> None:
    """List the keys of the workspace, without the keys themselves."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[ApiKey]:
        return await installation.read(api_keys.of_workspace, workspace)

    current.printer.rows(
        (
            {
                "name": one.name,
                "shown": f"{one.shown}…",
                "role": one.role,
                "created_by": one.created_by,
                "created_at": one.created_at,
                "used_at": one.used_at,
            }
            for one in current.run(read)
        ),
        ("name", "shown", "role", "created_by", "created_at", "used_at"),
        empty="There is no key yet: make one with `relance key add`.",
    )


@key.command("add")
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in Role]), default=Role.MEMBER.value)
def add(name: str, role: str) -> None:
    """Make a key and print it; it is not shown again."""
    current = session()
    token = new_token(KEY_PREFIX)

    async def write(installation: Installation, workspace: Workspace) -> ApiKey:
        return await installation.write(
            api_keys.add,
            workspace,
            name=name,
            shown=token.shown,
            digest=token.digest,
            role=Role(role),
            by=COMMAND_LINE,
            may=Role.OWNER,
            now=real_now(),
        )

    made = current.run(write)
    current.printer.facts(
        {"name": made.name, "role": made.role, "key": token.text},
        f"The key {made.name}, which is not shown again: {token.text}",
    )


@key.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Let nobody in by this key any more."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> None:
        await installation.write(api_keys.remove, workspace, name, by=COMMAND_LINE, may=Role.OWNER, now=real_now())

    current.run(write)
    current.printer.facts({"name": name}, f"The key {name} opens nothing any more.")
