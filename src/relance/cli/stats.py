"""`relance sequence stats`: what a sequence came to, by step and wording, and who stands where."""

from collections.abc import Mapping
from typing import Any

import click

from relance.app import Installation
from relance.cli.session import Command, session
from relance.core.counts import rate
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import numbers, sequences

Rows = list[Mapping[str, Any]]
_COLUMNS = ("step", "variant", "sent", "contacted", "replied", "reply_rate", "positive", "auto", "bounced", "opted_out")
_COUNTS = ("sent", "contacted", "replied", "positive", "auto", "bounced", "opted_out")


@click.command(cls=Command)
@click.argument("name")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="The first day (UTC) that counts [ever]."
)
@click.option("--standing", is_flag=True, help="Show how many people stand on which step instead.")
def stats(name: str, since: Any, *, standing: bool) -> None:  # noqa: ANN401 - click's value
    """Show what each wording of each step came to: messages sent, people who answered, bounces, opt-outs."""
    current = session()
    day = since.date() if since is not None else None

    def look(reader: Reader, workspace_id: int) -> Rows:
        found = sequences.by_name(reader, workspace_id, name)
        ids = {"workspace_id": workspace_id, "sequence_id": found.id}
        if standing:
            return [
                {"version": row.version, "step": row.step, "status": row.status, "people": row.people}
                for row in numbers.standing(reader, **ids)
            ]
        return [_facts(row) for row in numbers.by_step(reader, **ids, since=day)]

    async def read(installation: Installation, workspace: Workspace) -> Rows:
        return await installation.read(look, workspace.id)

    columns = ("version", "step", "status", "people") if standing else _COLUMNS
    current.printer.rows(
        current.run(read), columns, empty="Nobody is in it yet." if standing else "Nothing was sent yet."
    )


def _facts(row: numbers.StepNumbers) -> Mapping[str, Any]:
    share = rate(row.replied, row.sent)
    interval = None if share is None else f"{share.share:.1%} ({share.low:.1%} to {share.high:.1%})"
    counts = {name: getattr(row, name) for name in _COUNTS}
    return {"step": row.step, "variant": row.variant, **counts, "reply_rate": interval}
