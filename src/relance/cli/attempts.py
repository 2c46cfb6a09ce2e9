"""`relance attempt settle`: a person's answer where nobody could find out whether a message left."""

import click

from relance.app import Installation
from relance.cli.session import Group, session
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.sending.settle import settle_failed, settle_sent

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

    def decide(tx: Transaction, workspace_id: int, found: Attempt, installation: Installation) -> None:
        now = installation.clock.now()
        settle_it = settle_sent if outcome == "sent" else settle_failed
        if not settle_it(tx, workspace_id=workspace_id, attempt_id=found.id, by=_BY, now=now):
            raise RefusedError(f"attempt {found.id} is {found.status}; it cannot be settled now")

    async def write(installation: Installation, workspace: Workspace) -> Attempt:
        found = await installation.read(_unknown, workspace.id, attempt_id)
        await installation.write(decide, workspace.id, found, installation)
        return found

    found = current.run(write)
    goes = "goes on after it" if outcome == "sent" else "is tried again"
    current.printer.facts(
        {"id": attempt_id, "step": found.step, "recipient": found.recipient, "settled": outcome},
        f"Attempt {attempt_id} is settled as {outcome}: step {found.step} for {found.recipient} {goes}.",
    )


def _unknown(reader: Reader, workspace_id: int, attempt_id: int) -> Attempt:
    found = reader.one(Attempt, "attempts.get", workspace_id=workspace_id, id=attempt_id)
    if found is None:
        raise NotFoundError(f"there is no attempt {attempt_id}; see `relance stuck`")
    if found.status is not AttemptStatus.UNKNOWN:
        raise RefusedError(f"attempt {attempt_id} is {found.status}, not unknown: there is nothing to settle")
    return found
