"""`relance mailbox health`: what came back of what each mailbox sent, the score of it, and what it may send today."""

from collections.abc import Mapping
from datetime import datetime

import click

from relance.app import Installation
from relance.cli.session import Command, session
from relance.core.health import Healthy, factor
from relance.core.pacing import cap_today
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import mailboxes
from relance.services.health import Examined, examine
from relance.services.limits import mailbox_zone

COLUMNS = ("address", "score", "verdict", "sends", "bounces", "blocks", "complaints", "cap_today", "reasons")


@click.command(cls=Command)
def health() -> None:
    """Show each mailbox's score of the last 7 days, with its reasons, and its cap of today."""
    current = session()

    def look(reader: Reader, workspace: Workspace, now: datetime) -> list[Mapping[str, object]]:
        found = mailboxes.of_workspace(reader, workspace.id)
        return [_facts(examine(reader, each, now=now), workspace, now) for each in found]

    async def read(installation: Installation, workspace: Workspace) -> list[Mapping[str, object]]:
        return await installation.read(look, workspace, installation.clock.now())

    current.printer.rows(
        current.run(read), COLUMNS, empty="There is no mailbox yet; connect one with `relance mailbox add`."
    )


def _facts(found: Examined, workspace: Workspace, now: datetime) -> Mapping[str, object]:
    today = now.astimezone(mailbox_zone(found.mailbox, workspace)).date()
    verdict = found.verdict
    why = [] if isinstance(verdict, Healthy) else [f"{type(verdict).__name__.lower()}: {verdict.reason}"]
    return {
        "address": found.mailbox.address,
        "score": found.score.points,
        "verdict": type(verdict).__name__.lower(),
        "sends": found.record.sends,
        "bounces": found.record.bounces,
        "blocks": found.record.blocks,
        "complaints": found.record.complaints,
        "cap_today": cap_today(found.mailbox, today=today, factor=factor(verdict)),
        "reasons": list(dict.fromkeys([*why, *found.score.reasons])),
    }
