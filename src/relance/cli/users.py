"""`relance user`: who may use the console, and what they may do. Whoever runs it holds the directory, and may all."""

import click

from relance.app import Installation
from relance.app.reaching import reached_at, real_now
from relance.cli.session import Group, session
from relance.core.people import AuditEntry, Member, Role
from relance.core.workspace import Workspace
from relance.services import audit_log, inviting, users
from relance.services.audit_log import COMMAND_LINE
from relance.web.security.tokens import new_token

ROLE = click.option("--role", type=click.Choice([role.value for role in Role]), default=Role.MEMBER.value)


@click.group(cls=Group)
def user() -> None:
    """Keep the people who may use the console."""


@user.command("list")
def list_users() -> None:
    """List everybody in the workspace, with their roles."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Member]:
        return await installation.read(users.members, workspace)

    current.printer.rows(
        (
            {"email": one.email, "name": one.name, "role": one.role, "invited": one.invited, "since": one.created_at}
            for one in current.run(read)
        ),
        ("email", "name", "role", "invited", "since"),
        empty="Nobody is in this workspace yet: `relance run` prints a link for the first owner.",
    )


@user.command("add")
@click.argument("email")
@ROLE
def add(email: str, role: str) -> None:
    """Let a person into the workspace; who has no password yet comes in by the link that is printed."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> str | None:
        token = new_token()
        counts = await installation.write(
            inviting.invite,
            workspace,
            email=email,
            role=Role(role),
            digest=token.digest,
            by=COMMAND_LINE,
            may=Role.OWNER,
            real_now=real_now(),
        )
        return f"{reached_at(installation)}/welcome/{token.text}" if counts else None

    link = current.run(write)
    said = f"They come in by this link, once, within three days: {link}" if link else "They log in as ever."
    current.printer.facts({"email": email, "role": role, "link": link}, f"{email} is in, as {role}. {said}")


@user.command("role")
@click.argument("email")
@click.argument("role", type=click.Choice([role.value for role in Role]))
def change_role(email: str, role: str) -> None:
    """Change what a person may do."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> None:
        await installation.write(
            users.set_role, workspace, email, Role(role), by=COMMAND_LINE, may=Role.OWNER, now=real_now()
        )

    current.run(write)
    current.printer.facts({"email": email, "role": role}, f"{email} is {role} now.")


@user.command("remove")
@click.argument("email")
def remove(email: str) -> None:
    """Take a person out of the workspace."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> None:
        await installation.write(users.put_out, workspace, email, by=COMMAND_LINE, may=Role.OWNER, now=real_now())

    current.run(write)
    current.printer.facts({"email": email}, f"{email} is out.")


@user.command("link")
@click.argument("email")
def link_for(email: str) -> None:
    """Print a link by which a person chooses a new password, once."""
    current = session()

    async def write(installation: Installation, _: Workspace) -> str:
        token = new_token()
        await installation.write(inviting.link_for, email, digest=token.digest, by=COMMAND_LINE, real_now=real_now())
        return f"{reached_at(installation)}/welcome/{token.text}"

    link = current.run(write)
    current.printer.facts({"email": email, "link": link}, f"{email} chooses a new password here, once: {link}")


@user.command("log")
@click.option("--most", type=click.IntRange(1, 10_000), default=100, show_default=True, help="How many lines.")
def show_log(most: int) -> None:
    """List who did what through the console, the API and these commands, newest first."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[AuditEntry]:
        return await installation.read(audit_log.page, workspace_id=workspace.id, limit=most)

    current.printer.rows(
        ({"at": one.at, "actor": one.actor, "action": one.action, "subject": one.subject} for one in current.run(read)),
        ("at", "actor", "action", "subject"),
        empty="Nobody did anything yet that is written here.",
    )
