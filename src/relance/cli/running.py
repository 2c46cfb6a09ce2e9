"""`relance run`: the engine in this process, until it is told to stop or has nothing (more) to do."""

import click

from relance.app import Installation
from relance.app.running import Ran, Until
from relance.app.running import run as run_engine
from relance.cli.failures import DONE, NO
from relance.cli.printing import complain, counted, shown
from relance.cli.session import Command, session
from relance.core.workspace import Workspace


@click.command(cls=Command)
@click.option(
    "--until-idle", "until", flag_value=Until.IDLE.value, help="Leave when nothing is ready, on the wire or unread."
)
@click.option("--until-done", "until", flag_value=Until.DONE.value, help="Leave when every enrollment has ended.")
def run(until: str | None) -> int:
    """Send what is due, read every mailbox, stop who answers.

    SIGTERM finishes and records what is being sent; a second one kills.
    """
    current = session()
    wanted = Until(until or Until.STOPPED)

    async def work(installation: Installation, _: Workspace) -> Ran:
        return await run_engine(installation, until=wanted)

    ran = current.run(work)
    standing = ran.standing
    current.printer.facts(
        {
            "unfinished": standing.unfinished,
            "unread": standing.unread,
            "unknown": standing.unknown,
            "next_ready_at": standing.next_at,
        },
        f"{standing.unfinished} unfinished; next ready: {shown(standing.next_at)}",
    )
    if standing.unknown and wanted is not Until.STOPPED:
        complain(f"relance: {counted(standing.unknown, 'outcome is', 'outcomes are')} unknown; see `relance stuck`")
        return NO
    return DONE
