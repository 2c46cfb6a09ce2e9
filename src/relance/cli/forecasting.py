"""`relance forecast`: what will be sent when, played by the engine itself over a copy of the state."""

import csv
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

import click
from rich.table import Table
from rich.text import Text

from relance.app import Installation
from relance.cli.failures import DONE
from relance.cli.json_lines import as_line, stamp
from relance.cli.printing import console, print_line
from relance.cli.session import Command, session
from relance.core.sequence import Window
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.forecast.answer import Bottleneck, Course, Forecast, Limit
from relance.forecast.asking import Relief, ask, relief
from relance.forecast.question import Question
from relance.sandbox.clock import SandboxClock
from relance.services.sequence_files import Sound, read_sequence_text

_BAR = 40  #: Characters of the longest bar.
_LIMITS: Mapping[Limit, str] = {
    Limit.DAILY_CAP: "every mailbox of {pool} sends all it may in a day",
    Limit.SEQUENCE: "the sequence's own cap is used up each day",
    Limit.HOURS: "the hours of the window, with gaps and hourly caps, hold no more",
}


class Share(click.ParamType[float]):
    """A share of people, written `0.05` or `5%`."""

    name = "share"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return it as a number from 0 to 1."""
        text = str(value).strip()
        try:
            share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"{text!r} is no share of people: write 0.05 or 5%", param, ctx)
        return share


class WindowWords(click.ParamType[Window]):
    """A window in the words of a sequence file, on one line."""

    name = "window"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Window:
        """Return the window, or say what is wrong with it."""
        if isinstance(value, Window):
            return value
        step = "{id: a, kind: email, subject: a, text: a}"
        text = f"name: a\nwindow: {value}\nsteps: [{step}]\n"
        reading = read_sequence_text(text, file="--window", today=datetime.now(UTC).date())
        if not isinstance(reading, Sound):
            remedy = "write always, or '{timezone: Europe/Berlin, days: [mon, tue], intervals: [\"09:00-17:00\"]}'"
            self.fail(f"{reading.problems[0].message}; {remedy}", param, ctx)
        return reading.plan.window


class Moment(click.ParamType[datetime]):
    """A moment as ISO 8601 writes it, in UTC where it names no zone."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the moment, or say how to write one."""
        try:
            at = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no moment: write it as 2026-12-01T09:00", param, ctx)
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)


@click.command(cls=Command)
@click.argument("sequence", required=False)
@click.option("--days", type=click.IntRange(1, 3650), default=365, show_default=True, help="How far to look at most.")
@click.option("--mailboxes", type=click.IntRange(1, 10_000), help="As if so many mailboxes were connected in all.")
@click.option("--daily-cap", type=click.IntRange(0, 10_000), help="As if every mailbox had this cap.")
@click.option("--window", type=WindowWords(), help="As if the sequence had this window; words as in a sequence file.")
@click.option("--reply-rate", type=Share(), default="0", help="Share of people supposed to answer, such as 5%.")
@click.option("--bounce-rate", type=Share(), default="0", help="Share of addresses supposed not to exist.")
@click.option("--from", "since", type=Moment(), metavar="TIME", help="As if it were this moment, in UTC.")
@click.option("--csv", "as_csv", is_flag=True, help="One row for each message, in the order in which they leave.")
def forecast(  # noqa: PLR0917 - click gives the question's fields by their names
    sequence: str | None,
    days: int,
    mailboxes: int | None,
    daily_cap: int | None,
    window: Window | None,
    reply_rate: float,
    bounce_rate: float,
    since: datetime | None,
    *,
    as_csv: bool,
) -> int:
    """Say what will be sent when, when the last lead is done, and what holds it up. Nothing is changed or sent."""
    current = session()
    if as_csv and current.as_json:
        raise click.UsageError("Say either --csv or --json.")

    async def look(installation: Installation, workspace: Workspace) -> tuple[Forecast, Relief | None]:
        question = Question(
            workspace_id=workspace.id,
            sequence=sequence,
            days=days,
            mailboxes=mailboxes,
            daily_cap=daily_cap,
            window=window,
            reply_rate=reply_rate,
            bounce_rate=bounce_rate,
        )
        if since is not None:
            installation.clock = SandboxClock(since)
        found = await ask(installation, question)
        return found, None if as_csv else await relief(installation, question, found)

    found, more = current.run(look)
    if as_csv:
        _write_csv(found)
    elif current.as_json:
        print_line(as_line(_facts(found, more)))
    else:
        _show(found, more)
    return DONE


def _write_csv(found: Forecast) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["planned_at", "sequence", "email", "step", "mailbox"])
    for send in found.sends:
        writer.writerow([stamp(send.planned_at), send.sequence, send.email, send.step, send.mailbox])


def _facts(found: Forecast, more: Relief | None) -> Mapping[str, object]:
    return {
        "since": found.since,
        "until": found.until,
        "done_at": found.done_at,
        "sends": len(found.sends),
        "days": [{"day": day, "sent": used.total(), "mailboxes": dict(used)} for day, used in found.days.items()],
        "sequences": [
            {
                "sequence": course.sequence,
                "sends": course.sends,
                "ended": dict(course.ended),
                "unfinished": dict(course.unfinished),
                "done_at": course.done_at,
            }
            for course in found.courses
        ],
        "bottlenecks": [
            {
                "sequence": each.sequence,
                "pool": each.pool,
                "limit": each.limit,
                "until": each.until,
                "days": each.days,
                "most": each.most,
            }
            for each in found.bottlenecks
        ],
        "relief": None if more is None else {"mailboxes": more.mailboxes, "done_at": more.done_at},
    }


def _show(found: Forecast, more: Relief | None) -> None:
    if not found.sends:
        print_line("Nothing will be sent: nobody is on the way whom a live sequence and a mailbox could write to.")
    else:
        console().print(_plot(found))
    for course in found.courses:
        print_line(_course_sentence(course))
    for each in found.bottlenecks:
        print_line(_bottleneck_sentence(each))
    if more is not None:
        print_line(f"{counted(more.mailboxes, 'mailbox', 'mailboxes')} more would end it on {more.done_at:%d %b %Y}.")


def _plot(found: Forecast) -> Table:
    """Draw a line a day: how many leave, and from how many mailboxes."""
    days = found.days
    longest = max(used.total() for used in days.values())
    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "left", "left"):
        table.add_column(justify=justify)
    for day, used in days.items():
        bar = "\N{FULL BLOCK}" * max(1, round(_BAR * used.total() / longest))
        busiest, most = used.most_common(1)[0]
        from_where = f"{counted(len(used), 'mailbox', 'mailboxes')}, most from {busiest} ({most})"
        table.add_row(day, str(used.total()), Text(bar), Text(from_where))
    return table


def _course_sentence(course: Course) -> str:
    ended = _tally(course.ended)
    if course.done_at is not None:
        return f"{course.sequence}: {counted(course.sends, 'message')}; done on {course.done_at:%d %b %Y}: {ended}."
    left = _tally(course.unfinished) or "nobody is in it"
    return f"{course.sequence}: {counted(course.sends, 'message')}; {ended or 'nobody has ended'}; left: {left}."


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in counts.items())


def _bottleneck_sentence(each: Bottleneck) -> str:
    pool = f"the pool {each.pool!r}" if each.pool else "the sequence"
    why = _LIMITS[each.limit].format(pool=pool)
    return (
        f"{each.sequence}: people wait for their turn until {each.until:%d %b %Y}, at most {each.most} at once: {why}."
    )
