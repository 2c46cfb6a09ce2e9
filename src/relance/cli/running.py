"""`relance run` and `relance worker`: the engine in this process, until it is told to stop or has nothing to do."""

from contextlib import AbstractAsyncContextManager

import click

from relance.app import Installation
from relance.app.running import Ran, Until
from relance.app.running import run as run_engine
from relance.cli.failures import DONE, NO
from relance.cli.printing import complain, shown
from relance.cli.session import Command, Session, session
from relance.core.words import counted
from relance.core.workspace import Workspace


@click.command(cls=Command)
@click.option("--until-idle", is_flag=True, help="Leave when nothing is ready, on the wire or unread.")
@click.option("--until-done", is_flag=True, help="Leave when every enrollment has ended.")
@click.option("--no-web", is_flag=True, help="Serve no web pages.")
@click.option("--bind", metavar="HOST:PORT", help="Where the console listens [RELANCE_BIND; 127.0.0.1:8025].")
def run(*, until_idle: bool, until_done: bool, no_web: bool, bind: str | None) -> int:
    """Send what is due, read every mailbox, stop who answers; and serve the console.

    SIGTERM finishes and records what is being sent; a second one kills. With --until-idle nothing is served.
    """
    if until_idle and until_done:
        raise click.UsageError(
            "--until-idle and --until-done exclude each other: give --until-idle to leave as soon as nothing is ready, "
            "--until-done to wait until everybody's run has ended"
        )
    until = Until.IDLE if until_idle else Until.DONE if until_done else Until.STOPPED
    current = session()
    current.bind = bind
    return _run(current, until, web=not no_web and until is not Until.IDLE)


@click.command(cls=Command)
def worker() -> int:
    """Share the work with others over PostgreSQL.

    Start as many as you like, on any host: each takes its part of the mailboxes, and the part of one that leaves or
    dies. SIGTERM as with `run`.
    """
    current = session()
    if current.config().database_url is None:
        raise click.UsageError(
            "Several workers share a PostgreSQL database, and this is a SQLite file: one `relance run` does everything"
            " there. To have more, set RELANCE_DATABASE_URL"
        )
    return _run(current, Until.STOPPED)


def _run(current: Session, wanted: Until, *, web: bool = False) -> int:
    async def work(installation: Installation, _: Workspace) -> Ran:
        if not web:
            return await run_engine(installation, until=wanted)
        from relance.app.serving import console  # noqa: PLC0415 - a worker serves nothing

        def beside() -> AbstractAsyncContextManager[None]:
            return console(installation, say=lambda sentence: complain(f"relance: {sentence}"))

        return await run_engine(installation, until=wanted, beside=beside)

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
