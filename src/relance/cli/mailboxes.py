"""`relance mailbox`: connecting sending inboxes, changing them, pausing and removing them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import click

from relance.app import LOGIN, Installation
from relance.app.connecting import PROVIDER, login_settings, other_servers, prepare
from relance.cli.mailbox_checks import check
from relance.cli.mailbox_files import import_mailboxes
from relance.cli.mailbox_health import health
from relance.cli.mailbox_options import flag, gather, mailbox_options
from relance.cli.session import Group, session
from relance.core.mailbox import Mailbox, Pacing
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import addresses, handing_over, mailboxes, recovering
from relance.services.mailbox_options import WantedMailbox, pacing_of
from relance.services.sending.forgotten import ForgottenSend, all_forgotten

COLUMNS = ("address", "status", "status_reason", "pool", "daily_cap", "hourly_cap", "smtp", "imap", "last_read_at")


@click.group(cls=Group)
def mailbox() -> None:
    """Connect and keep your sending inboxes."""


mailbox.add_command(check)
mailbox.add_command(health)
mailbox.add_command(import_mailboxes)


@mailbox.command()
@click.argument("address")
@click.option("--username", metavar="U", help="Login, where it is not the address.")
@mailbox_options
def add(address: str, username: str | None, **options: Any) -> None:  # noqa: ANN401 - click's values
    """Connect a mailbox; without a --password… option the password is asked for."""
    current = session()
    given = gather(options)
    for server in ("smtp", "imap"):
        if server not in given.servers:
            raise click.UsageError(f"Missing option '--{server}': give HOST:PORT[:tls|starttls|plain]")
    wanted = WantedMailbox(
        address=addresses.clean_address(address),
        username=username,
        smtp_username=given.smtp_username,
        servers=given.servers,
        pacing=given.pacing,
        names=given.names,
        signature=given.signature,
    )
    given.pacing.over(Pacing(), flag)  # nobody is asked for a password of what cannot be
    given.names.columns(flag)

    async def connect(installation: Installation, workspace: Workspace) -> Mailbox:
        _parsed(installation, given.servers)
        prepared = prepare(installation, workspace, wanted, given.source.read(wanted.address), flag)
        return await installation.write(
            mailboxes.add, prepared.mailbox, sealed=prepared.sealed, now=installation.clock.now()
        )

    saved = current.run(connect)
    current.printer.facts(
        mailbox_facts(saved), f"{saved.address} is connected; try it with `relance mailbox check {saved.address}`."
    )


@mailbox.command("set")
@click.argument("address")
@mailbox_options
def change(address: str, **options: Any) -> None:  # noqa: ANN401 - click's values
    """Change what is given and leave the rest; trouble that the old settings caused is forgotten."""
    if all(value in {None, ()} for value in options.values()):
        raise click.UsageError("nothing is given that could be changed: name at least one option")
    current = session()
    given = gather(options)

    async def apply(installation: Installation, workspace: Workspace) -> Mailbox:
        existing = await installation.read(mailboxes.by_address, workspace.id, address)
        changed = replace(
            existing,
            settings=other_servers(installation, existing, given.servers, smtp_username=given.smtp_username),
            **_columns(given.pacing.over(pacing_of(existing), flag)),
            **_columns(given.names.columns(flag)),
            **_columns(given.signature),
        )
        sealed = None
        if given.source.given:
            secret = given.source.read(existing.address)
            sealed = installation.seal(workspace, existing.address, secret)
            login = _login(existing)
            smtp_username = given.smtp_username or login.get("smtp_username")
            changed = replace(changed, settings={**changed.settings, **login_settings(secret, _text(smtp_username))})
        await installation.write(mailboxes.change, changed, sealed=sealed)
        return await installation.read(mailboxes.by_address, workspace.id, address)

    saved = current.run(apply)
    current.printer.facts(mailbox_facts(saved), f"{saved.address} is changed.")


@mailbox.command("list")
def list_mailboxes() -> None:
    """List every connected mailbox, with its health."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Mailbox]:
        return await installation.read(mailboxes.of_workspace, workspace.id)

    current.printer.rows(
        (mailbox_facts(found) for found in current.run(read)),
        COLUMNS,
        empty="There is no mailbox yet; connect one with `relance mailbox add`.",
    )


@mailbox.command()
@click.argument("address")
def pause(address: str) -> None:
    """Keep a mailbox from sending; it is still read."""
    _decide(address, _pause, "is paused; answers are still read")


@mailbox.command()
@click.argument("address")
def resume(address: str) -> None:
    """Let a mailbox send again."""
    _decide(address, mailboxes.resume, "sends again")


@mailbox.command()
@click.argument("address")
def remove(address: str) -> None:
    """Disconnect a mailbox and forget its secret; its history stays."""
    _decide(address, mailboxes.remove, "is removed; its history stays")


@mailbox.command("hand-over")
@click.argument("address")
def hand_over(address: str) -> None:
    """Let other mailboxes go on, in new threads, with the people of a removed one; its answers are not waited for."""
    current = session()

    def decide(tx: Transaction, workspace_id: int, now: datetime) -> int:
        return handing_over.hand_over(tx, handing_over.removed(tx, workspace_id, address), now=now)

    async def write(installation: Installation, workspace: Workspace) -> int:
        return await installation.write(decide, workspace.id, installation.clock.now())

    freed = current.run(write)
    current.printer.facts(
        {"address": address, "handed_over": freed}, f"{counted(freed, 'enrollment goes', 'enrollments go')} on."
    )


@mailbox.command()
@click.argument("address")
@click.option(
    "--nothing-unknown",
    is_flag=True,
    help="You have looked: it sent nothing since the backup that is not known. Else whoever it may have written to is "
    "held.",
)
def recovered(address: str, *, nothing_unknown: bool) -> None:
    """Let a mailbox go on that cannot be read back after a restore."""
    current = session()

    def decide(tx: Transaction, workspace_id: int, now: datetime) -> tuple[Mailbox, int]:
        found = mailboxes.by_address(tx, workspace_id, address)
        held = recovering.decide(tx, found, hold=not nothing_unknown, now=now)
        return mailboxes.by_address(tx, workspace_id, address), held

    async def write(installation: Installation, workspace: Workspace) -> tuple[Mailbox, int]:
        return await installation.write(decide, workspace.id, installation.clock.now())

    changed, held = current.run(write)
    said = f"; {counted(held, 'enrollment is', 'enrollments are')} held: see `relance enrollment list`" if held else ""
    current.printer.facts({**mailbox_facts(changed), "held": held}, f"{changed.address} goes on{said}.")


@mailbox.command()
def forgotten() -> None:
    """List what was sent after a backup that was put back, as the Sent folders tell."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[ForgottenSend]:
        return await installation.read(all_forgotten, workspace.id)

    current.printer.rows(
        (_forgotten_facts(found) for found in current.run(read)),
        ("recipient", "left_at", "subject", "answered_at", "folder"),
        empty="No message is known to have been forgotten by a restore.",
    )


def _forgotten_facts(found: ForgottenSend) -> Mapping[str, object]:
    names = ("recipient", "left_at", "subject", "answered_at", "folder", "wire_message_id", "seen_at")
    return {name: getattr(found, name) for name in names}


def _decide(address: str, decision: Callable[..., None], sentence: str) -> None:
    current = session()

    def decide(tx: Transaction, workspace_id: int, now: datetime) -> Mailbox:
        found = mailboxes.by_address(tx, workspace_id, address)
        decision(tx, found, now=now)
        return tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=found.id) or found

    async def write(installation: Installation, workspace: Workspace) -> Mailbox:
        return await installation.write(decide, workspace.id, installation.clock.now())

    changed = current.run(write)
    current.printer.facts(mailbox_facts(changed), f"{changed.address} {sentence}.")


def _pause(tx: Transaction, found: Mailbox, *, now: datetime) -> None:
    mailboxes.pause(tx, found, reason="paused by an operator", now=now)


def mailbox_facts(found: Mailbox) -> Mapping[str, object]:
    """Return what may be said about a mailbox; never its secret."""
    settings = found.settings
    servers = {
        server: ":".join(str(settings.get(f"{server}_{part}")) for part in ("host", "port", "security"))
        for server in ("smtp", "imap")
    }
    names = (
        "address", "status", "status_reason", "login", "display_name", "aliases", "pool", "timezone", "daily_cap",
        "hourly_cap", "min_gap", "max_gap", "ramp", "signature_text", "signature_html",
        "ramp_start", "ramp_step", "workday", "weight", "ceiling",
        "skip_until", "last_skip_reason", "saves_sent", "ids_survive",
        "fresh_at", "last_read_at", "recover_since", "created_at",
    )  # fmt: skip
    return {name: getattr(found, name) for name in names} | servers | {"ca_file": settings.get("ca_file")}


def _parsed(installation: Installation, servers: Mapping[str, object]) -> Mapping[str, object]:
    try:
        return installation.factory(PROVIDER).parse_settings(servers)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _login(existing: Mailbox) -> Mapping[str, object]:
    login = existing.settings.get(LOGIN)
    return login if isinstance(login, Mapping) else {}


def _columns(values: Mapping[str, object]) -> dict[str, Any]:
    return dict(values)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
