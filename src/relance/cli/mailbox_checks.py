"""`relance mailbox check`: try every part of a mailbox, write to itself, and keep what was learned."""

import click

from relance.app import Installation, connecting
from relance.cli.failures import COULD_NOT, DONE, NO
from relance.cli.printing import complain
from relance.cli.session import Command, session
from relance.core.mailbox import Mailbox
from relance.core.workspace import Workspace
from relance.ports.connector import CheckReport
from relance.services import mailbox_checks, mailboxes

_PERSON = ("login", "password", "folders", "probe")  #: Steps whose failure needs a person rather than a server.


@click.command(cls=Command)
@click.argument("address")
def check(address: str) -> int:
    """Log in to both servers, write to the mailbox itself, and learn how its server treats what it sends."""
    current = session()

    async def try_all(installation: Installation, workspace: Workspace) -> tuple[Mailbox, CheckReport]:
        found = await installation.read(mailboxes.by_address, workspace.id, address)
        report = await connecting.check(installation, found)
        await installation.write(mailbox_checks.learn, found, report, installation.clock.now())
        return found, report

    found, report = current.run(try_all)
    facts = {
        "address": found.address,
        "ok": report.ok,
        "steps": [{"name": step.name, "ok": step.ok, "detail": step.detail} for step in report.steps],
        "saves_sent": report.saves_sent,
        "ids_survive": report.ids_survive,
    }
    current.printer.facts(facts, "\n".join(_lines(report)))
    failed = next((step for step in report.steps if not step.ok), None)
    if failed is None:
        current.printer.say(f"{found.address} works.")
        return DONE
    complain(f"relance: {found.address} does not work yet ({failed.name}): {failed.detail}")
    return NO if any(word in failed.name for word in _PERSON) else COULD_NOT


def _lines(report: CheckReport) -> list[str]:
    lines = [f"{'ok' if step.ok else 'NO':<4}{step.name}: {step.detail}" for step in report.steps]
    learned = {
        True: "Its server keeps a copy of what it sends.",
        False: "Its server keeps no copy of what it sends: Relance puts one into Sent.",
        None: "Whether its server keeps a copy of what it sends could not be learned.",
    }
    survive = {
        True: "Message-IDs stay as they are.",
        False: "Message-IDs are rewritten on the way: Relance recognises its mail by other marks too.",
        None: "Whether Message-IDs stay as they are could not be learned.",
    }
    return [*lines, learned[report.saves_sent], survive[report.ids_survive]] if report.ok else lines
