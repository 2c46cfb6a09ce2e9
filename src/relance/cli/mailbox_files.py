"""`relance mailbox import`: many mailboxes out of a CSV file; a bad row takes no other along."""

from collections.abc import Mapping
from pathlib import Path

import click

from relance.app import Installation, Secret, SecretKind
from relance.app.connecting import prepare
from relance.cli.failures import DONE, NO, unreadable
from relance.cli.printing import complain
from relance.cli.session import Command, session
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.services import mailboxes
from relance.services.mailbox_files import BadMailbox, MailboxRow, read_mailboxes
from relance.services.refusals import RefusedError

_KINDS: Mapping[str, SecretKind] = {kind.value: kind for kind in SecretKind}


@click.command("import", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Say what is wrong with the file and connect nothing.")
def import_mailboxes(file: Path, *, dry_run: bool) -> int:
    """Connect a mailbox for each row of a CSV file.

    Columns are called as the options of `mailbox add`: address, smtp, imap, username, password, daily_cap, pool ….
    """
    current = session()
    connected: list[str] = []
    bad: list[BadMailbox] = []

    async def connect(installation: Installation, workspace: Workspace) -> None:
        for row in read_mailboxes(file):
            if isinstance(row, BadMailbox):
                bad.append(row)
                continue
            try:
                connected.append(await _connect(installation, workspace, row, dry_run=dry_run))
            except RefusedError as error:
                bad.append(BadMailbox(line=row.line, address=row.wanted.address, reason=str(error)))

    try:
        current.run(connect)
    except OSError as error:
        raise unreadable(file, error) from error
    errors = [{"line": one.line, "address": one.address, "reason": one.reason} for one in bad]
    rows = len(connected) + len(bad)
    facts = {"file": str(file), "rows": rows, "connected": connected, "invalid": len(bad)}
    did = "could be connected" if dry_run else "connected"
    current.printer.facts(
        {**facts, "dry_run": dry_run, "errors": errors},
        "\n".join(
            [
                *(f"line {one.line}: {one.address or 'no address'}: {one.reason}" for one in bad),
                f"{counted(rows, 'row')}: {len(connected)} {did}, {len(bad)} not.",
            ]
        ),
    )
    if bad:
        which = counted(len(bad), "row was", "rows were")
        complain(f"relance: {which} not connected, the first is line {bad[0].line}: correct and import again")
    return NO if bad else DONE


async def _connect(installation: Installation, workspace: Workspace, row: MailboxRow, *, dry_run: bool) -> str:
    secret = Secret(kind=_KINDS[row.secret_kind], value=row.secret)
    prepared = prepare(installation, workspace, row.wanted, secret)
    if not dry_run:
        now = installation.clock.now()
        await installation.write(mailboxes.add, prepared.mailbox, sealed=prepared.sealed, now=now)
    return prepared.mailbox.address
