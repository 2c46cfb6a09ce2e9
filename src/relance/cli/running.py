"""`relance run` and `relance worker`: the engine in this process, until it is told to stop or has nothing to do."""

import click

from relance.app import Installation
from relance.app.running import Ran, Until
from relance.app.running import run as run_engine
from relance.cli.failures import DONE, NO
from relance.cli.printing import complain, counted, shown
from relance.cli.session import Command, Session, session
from relance.core.workspace import Workspace
from relance.services.refusals import RefusedError


@click.command(cls=Command)
@click.option(
    "--until-idle", "until", flag_value=Until.IDLE.value, help="Leave when nothing is ready, on the wire or unread."
)
@click.option("--until-done", "until", flag_value=Until.DONE.value, help="Leave when every enrollment has ended.")
def run(until: str | None) -> int:
    """Send what is due, read every mailbox, stop who answers.

    SIGTERM finishes and records what is being sent; a second one kills.
    """
    return _run(session(), Until(until or Until.STOPPED))


@click.command(cls=Command)
def worker() -> int:
    """Share the work with others over PostgreSQL.

    Start as many as you like, on any host: each takes its part of the mailboxes, and the part of one that leaves or
    dies. SIGTERM as with `run`.
    """
    current = session()
    if current.config().database_url is None:
        raise RefusedError(
            "Several workers share a PostgreSQL database, and this is a SQLite file: one `relance run` does everything"
            " there. To have more, set RELANCE_DATABASE_URL"
        )
    return _run(current, Until.STOPPED)


def _run(current: Session, wanted: Until) -> int:
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
    if standing.uncopied and wanted is not Until.STOPPED:
        complain(
            f"relance: {counted(standing.uncopied, 'message has', 'messages have')} no copy in Sent yet: the next run "
            "files what the server has not"
        )
    if standing.unknown and wanted is not Until.STOPPED:
        complain(f"relance: {counted(standing.unknown, 'outcome is', 'outcomes are')} unknown; see `relance stuck`")
        return NO
    return DONE
