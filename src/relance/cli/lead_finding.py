"""`relance lead find` and `relance lead bulk`: who matches a filter, and one action on all of them."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import click

from relance.app import Installation
from relance.cli.session import Command, session
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.services import lead_bulk, lead_lists, saved_filters
from relance.services.lead_bulk import AT_ONCE, NAMED, NOTHING, BulkAction, Done
from relance.services.lead_filters import Filter, from_words
from relance.services.lead_lines import Line, lines_of
from relance.services.lead_search import Match, find

F = TypeVar("F", bound=Callable[..., Any])
COLUMNS = ("email", "sequence", "status", "step", "reason", "next_due_at", "replied_at", "mailbox")
_AUTHOR = "the command line"

_OPTIONS = (
    click.option("--status", metavar="STATUS", help="Of the run; none: in no sequence."),
    click.option("--sequence", metavar="NAME", help="In this sequence."),
    click.option("--step", metavar="ID", help="Standing at this step."),
    click.option("--reason", metavar="REASON", help="Of stopping, being held or waiting, such as daily_cap."),
    click.option("--list", metavar="NAME", help="On this list."),
    click.option("--mailbox", metavar="ADDRESS", help="Written to from this mailbox."),
    click.option("--replied", type=click.Choice(["yes", "no"]), help="Whether they answered."),
    click.option("--text", metavar="TEXT", help="How the address begins; @COMPANY.COM: everybody there."),
    click.option("--saved", metavar="NAME", help="As a saved filter asks; options beside it ask more."),
)


def filter_options(command: F) -> F:
    """Give a command the options of a filter."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("find", cls=Command)
@filter_options
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="So many at most.")
@click.option("--save", "save_as", metavar="NAME", help="Keep this filter under a name.")
def find_leads(limit: int, save_as: str | None, **words: str | None) -> None:
    """Find leads by where they stand; newest first."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Line]:
        asked = await _asked(installation, workspace, words)
        now = installation.clock.now()
        if save_as is not None:
            await installation.write(
                saved_filters.save, workspace_id=workspace.id, name=save_as, asked=asked, author=_AUTHOR, now=now
            )
        lines: list[Line] = []
        async for matches in _pages(installation, workspace, asked, limit):
            lines += await installation.read(lines_of, workspace_id=workspace.id, matches=matches, now=now)
            if len(lines) >= limit:
                break
        return lines[:limit]

    rows = (_row(line) for line in current.run(read))
    current.printer.rows(rows, COLUMNS, empty="Nobody matches.")


@click.command("lists", cls=Command)
def list_lists() -> None:
    """List the lists that somebody is on."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[str]:
        return await installation.read(lead_lists.names, workspace.id)

    rows = ({"list": name} for name in current.run(read))
    current.printer.rows(rows, ("list",), empty="There is no list yet; see `relance lead bulk put`.")


@click.command("filters", cls=Command)
@click.option("--forget", metavar="NAME", help="Delete this one first.")
def list_filters(forget: str | None) -> None:
    """List saved filters."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[saved_filters.SavedFilter]:
        if forget is not None:
            gone = await installation.read(saved_filters.named, workspace.id, forget)
            await installation.write(saved_filters.forget, workspace_id=workspace.id, filter_id=gone.id)
        return await installation.read(saved_filters.of_workspace, workspace.id)

    rows = ({"name": one.name, "asks": one.words, "author": one.author} for one in current.run(read))
    current.printer.rows(rows, ("name", "asks", "author"), empty="No filter is saved; see `relance lead find --save`.")


@click.command("bulk", cls=Command)
@click.argument("action", type=click.Choice([one.value for one in BulkAction]))
@click.option("--to", "name", metavar="NAME", help="The sequence or list, for enroll, put and take-off.")
@filter_options
def bulk(action: str, name: str | None, **words: str | None) -> None:
    """Do one thing to everybody who matches; asks first."""
    current = session()
    wanted = lead_bulk.action_named(action)
    if wanted in NAMED and not name:
        raise click.UsageError(f"{action} needs --to NAME: say which sequence or list")
    current.confirm(f"{action} everybody who matches?")

    async def write(installation: Installation, workspace: Workspace) -> Done:
        asked = await _asked(installation, workspace, words)
        done = NOTHING
        async for matches in _pages(installation, workspace, asked, AT_ONCE):
            done += await installation.write(
                lead_bulk.apply,
                workspace_id=workspace.id,
                action=wanted,
                matches=matches,
                name=name,
                author=_AUTHOR,
                keys=installation.keys,
                now=installation.clock.now(),
            )
        return done

    done = current.run(write)
    current.printer.facts(
        {"action": action, "changed": done.changed, "unchanged": done.unchanged},
        f"{counted(done.changed, 'is', 'are')} changed, {done.unchanged} left as they were.",
    )


async def _pages(
    installation: Installation, workspace: Workspace, asked: Filter, size: int
) -> AsyncIterator[tuple[Match, ...]]:
    """Yield everybody who matches, some at a time."""
    after: int | None = None
    while True:
        page = await installation.read(
            find, workspace_id=workspace.id, asked=asked, now=installation.clock.now(), limit=size, after=after
        )
        if page.matches:
            yield page.matches
        after = page.after
        if after is None:
            return


async def _asked(installation: Installation, workspace: Workspace, words: Mapping[str, str | None]) -> Filter:
    given = {name: word for name, word in words.items() if word is not None and name != "saved"}
    if words.get("saved") is None:
        return from_words(given)
    saved = await installation.read(saved_filters.named, workspace.id, str(words["saved"]))
    return from_words({**saved.words, **given})


def _row(line: Line) -> Mapping[str, object]:
    run = line.run
    facts: dict[str, object] = {"id": line.person.id, "email": line.person.email, "fields": line.person.fields}
    if run is not None:
        facts |= {field.name: getattr(run, field.name) for field in fields(run) if field.name not in {"id", "lead_id"}}
        facts["reason"] = run.stop_reason or run.hold_reason or run.waits_for
    return facts
