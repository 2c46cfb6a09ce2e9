"""`relance demo`: two weeks of sending, answering and stopping in under a minute, on this machine alone."""

import asyncio
import shutil
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Self

import click
import uvloop
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from relance.cli.explaining import explain_lines
from relance.cli.failures import DONE, NO, CouldNotError
from relance.cli.json_lines import as_line
from relance.cli.printing import complain, console, print_line
from relance.cli.session import Command, session
from relance.core.enrollment import StopReason
from relance.demo.outcome import Outcome, outcome_of
from relance.demo.preparing import START, Demo, Wanted, data_directory, prepare
from relance.demo.turning import Moment, turn
from relance.ports.store import Reader
from relance.sandbox import verdict
from relance.services import explaining

#: Real seconds between two pictures of the progress.
_PICTURE = 0.2


@click.command(cls=Command)
@click.option("--leads", type=click.IntRange(1, 100_000), default=300, show_default=True, help="How many people.")
@click.option("--days", type=click.IntRange(1, 365), default=21, show_default=True, help="Virtual days at most.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, other people and other faults.")
@click.option("--keep", is_flag=True, help="Keep the data directory, to look into it with the other commands.")
@click.option("--serve", is_flag=True, help="Open the console over it, with time going on, until Ctrl-C.")
@click.option("--bind", metavar="HOST:PORT", help="Where the console listens; only with --serve [127.0.0.1:8025].")
def demo(leads: int, days: int, seed: int, *, keep: bool, serve: bool, bind: str | None) -> int:
    """Show the real engine at work in a mail world of its own: servers, people who answer, a clock that jumps."""
    if bind is not None and not serve:
        raise click.UsageError("--bind says where --serve listens: give both")
    if session().data is not None:
        raise click.UsageError("A demo works in a data directory of its own: leave --data out; --keep keeps it.")
    as_json = session().as_json
    directory = Path(tempfile.mkdtemp(prefix="relance-demo-"))
    try:
        wanted = Wanted(leads=leads, days=days, seed=seed, directory=directory)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            outcome = runner.run(_serve(wanted, bind) if serve else _play(wanted, as_json=as_json))
    finally:
        if not keep:
            shutil.rmtree(directory, ignore_errors=True)
    if keep:
        tell = complain if as_json else print_line
        tell(f"Kept: relance --data {data_directory(directory)} lead list")
    if outcome is None:
        return DONE
    print_line(as_line(asdict(outcome)))
    return DONE if outcome.kept else NO


async def _serve(wanted: Wanted, bind: str | None) -> None:
    from relance.demo.showing import show  # noqa: PLC0415 - a demo in the terminal needs no web

    played = await prepare(wanted)
    try:
        await show(played, bind=bind, say=lambda sentence: complain(f"relance: {sentence}"))
    finally:
        await played.close()


async def _play(wanted: Wanted, *, as_json: bool) -> Outcome:
    began = time.monotonic()
    played = await prepare(wanted)
    try:
        progress = _Progress(played, quiet=as_json)
        with progress:
            try:
                moment = await turn(played, progress)
            except TimeoutError as error:
                raise CouldNotError(
                    "the demo's servers did not come to rest: please report this, with --seed"
                ) from error
        outcome = await outcome_of(played, moment, seconds=time.monotonic() - began)
        if not as_json:
            console().print(_summary(outcome))
            await _explain_one(played)
        return outcome
    finally:
        await played.close()


class _Progress:
    """Shows what happens while it happens, a few times a second."""

    def __init__(self, played: Demo, *, quiet: bool) -> None:
        self._played = played
        self._next = 0.0
        self._live: Live | None = None
        if not quiet:
            self._live = Live(console=Console(stderr=True), refresh_per_second=8, transient=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.__exit__(None, None, None)

    def wants_to_see(self) -> bool:
        """Whether anybody looks, and the last picture is not too fresh."""
        return self._live is not None and time.monotonic() >= self._next

    def show(self, moment: Moment) -> None:
        """Draw the moment."""
        if self._live is not None:
            self._next = time.monotonic() + _PICTURE
            self._live.update(self._picture(moment))

    def _picture(self, moment: Moment) -> Panel:
        leads = self._played.wanted.leads
        totals = verdict.totals(self._played.world.journal)
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right")
        table.add_column(justify="left")
        ended = leads - moment.standing.unfinished
        table.add_row("virtual time", f"{moment.now:%a %d %b %H:%M} UTC, day {(moment.now - START).days + 1}")
        table.add_row("accepted by the servers", str(totals.accepted))
        table.add_row("answered / auto / opted out", _three(totals))
        table.add_row("bounced", str(totals.people_bounced))
        table.add_row("dropped, refused for now", f"{totals.lost}, {totals.refused_for_now}")
        table.add_row("outcomes being looked up", str(moment.standing.unknown))
        table.add_row("ended", f"{ended} of {leads}")
        return Panel(Group(table, ProgressBar(total=leads, completed=ended)), title="relance demo", width=72)


def _three(totals: verdict.Totals) -> str:
    return f"{totals.people_who_answered} / {totals.people_with_auto_reply} / {totals.people_who_opted_out}"


def _summary(outcome: Outcome) -> Table:
    table = Table(title="What happened", show_header=False, width=72)
    table.add_column()
    table.add_column(justify="right")
    rows = (
        ("people / mailboxes", f"{outcome.leads} / {outcome.mailboxes}"),
        ("messages accepted by the servers", outcome.sent),
        ("stopped because they replied", outcome.replied),
        ("out of office, and went on", outcome.auto_replied),
        ("bounced", outcome.bounced),
        ("opted out by mail", outcome.unsubscribed),
        ("walked every step", outcome.completed),
        ("lost outcomes that were settled", outcome.ambiguous_settled),
        ("virtual days / real seconds", f"{outcome.virtual_days} / {outcome.seconds}"),
    )
    for name, value in rows:
        table.add_row(name, str(value))
    table.add_section()
    promises = (
        ("written to twice (by the servers' logs)", outcome.double_sends),
        ("written to after they answered (same)", outcome.sent_after_answer),
        ("left behind", outcome.unfinished),
    )
    for name, count in promises:
        table.add_row(name, Text(str(count), style="green" if count == 0 else "bold red"))
    return table


async def _explain_one(played: Demo) -> None:
    """Print `explain` of the first person who replied."""
    email = await played.installation.read(_first_who_replied, played.workspace.id)
    if email is None:
        return
    facts = await played.installation.read(
        explaining.explain,
        workspace_id=played.workspace.id,
        email=email,
        sequence_name=None,
        keys=played.installation.keys,
        now=played.clock.now(),
    )
    print_line(f"\n$ relance explain {email}")
    for line in explain_lines(facts):
        print_line(line)
    print_line("")


def _first_who_replied(reader: Reader, workspace_id: int) -> str | None:
    return reader.one(str, "enrollments.first_stopped", workspace_id=workspace_id, stop_reason=StopReason.REPLIED)
