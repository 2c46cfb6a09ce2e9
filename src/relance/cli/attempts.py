"""`relance attempt settle`: a person's answer where nobody could find out whether a message left."""

import click

from relance.app import Installation
from relance.cli.session import Group, session
from relance.core.attempt import Attempt
from relance.core.workspace import Workspace
from relance.services import attempts

_BY = "a person said so"


@click.group(cls=Group)
def attempt() -> None:
    """Decide about attempts to send one step once."""


@attempt.command()
@click.argument("attempt_id", metavar="ID", type=int)
@click.argument("outcome", type=click.Choice(["sent", "failed"]))
def settle(attempt_id: int, outcome: str) -> None:
    """Say whether a message left: `sent` goes on after it, `failed` tries the step again."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> Attempt:
        return await installation.write(
            attempts.settle,
            workspace_id=workspace.id,
            attempt_id=attempt_id,
            sent=outcome == "sent",
            by=_BY,
            now=installation.clock.now(),
        )

    found = current.run(write)
    goes = "goes on after it" if outcome == "sent" else "is tried again"
    current.printer.facts(
        {"id": attempt_id, "step": found.step, "recipient": found.recipient, "settled": outcome},
        f"Attempt {attempt_id} is settled as {outcome}: step {found.step} for {found.recipient} {goes}.",
    )
