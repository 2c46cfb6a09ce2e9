"""One command's session: its global options, the installation it opens, and how it runs.

The global options may stand anywhere: `relance --data D lead list` and `relance lead list --data D` are the same.
"""

import asyncio
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click
import uvloop

from relance.cli.failures import NoError
from relance.cli.printing import Printer
from relance.config import Config, read_config

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from relance.app import Installation
    from relance.core.workspace import Workspace
    from relance.ports.clock import Clock

T = TypeVar("T")


@dataclass(slots=True)
class Session:
    """What was given on the command line for all commands."""

    data: str | None = None
    workspace: str | None = None
    bind: str | None = None
    yes: bool = False
    as_json: bool = False
    clock: "Clock | None" = None  #: What tells the time; None: the machine, or the database.

    @property
    def printer(self) -> Printer:
        """Where the command's answer goes."""
        return Printer(as_json=self.as_json)

    def config(self) -> Config:
        """Return the settings. Raises ConfigError."""
        return read_config(environment=os.environ, data=self.data, workspace=self.workspace, bind=self.bind)

    def run(self, work: "Callable[[Installation, Workspace], Awaitable[T]]") -> T:
        """Open the installation, do the work in its workspace, and close it, whatever happens."""

        async def in_workspace(installation: "Installation") -> T:
            await installation.keep_time()
            return await work(installation, await installation.workspace())

        from relance.app import open_installation  # noqa: PLC0415 - what opens nothing should not wait for it

        return self.run_in(open_installation(self.config(), clock=self.clock), in_workspace)

    def run_in(self, installation: "Installation", work: "Callable[[Installation], Awaitable[T]]") -> T:
        """Do work over an installation that is open, and close it."""

        async def whole() -> T:
            try:
                return await work(installation)
            finally:
                await installation.close()

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(whole())

    def confirm(self, question: str) -> None:
        """Ask before something that cannot be undone. Raises NoError unless the person agrees."""
        if self.yes:
            return
        if not sys.stdin.isatty():
            raise NoError(f"{question} Nothing was done: say --yes to agree")
        if not click.confirm(question, err=True):
            raise NoError("Nothing was done")


def session() -> Session:
    """Return the running command's session."""
    found: Session = click.get_current_context().ensure_object(Session)
    return found


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
    found = context.ensure_object(Session)
    if value not in {None, False}:
        setattr(found, str(parameter.name), value)


def _global_options() -> list[click.Option]:
    return [
        click.Option(
            ["--data"], metavar="DIR", callback=_keep, expose_value=False, help="Data directory [RELANCE_DATA]."
        ),
        click.Option(["--workspace"], metavar="NAME", callback=_keep, expose_value=False, help="Workspace to work on."),
        click.Option(["--yes"], is_flag=True, callback=_keep, expose_value=False, help="Do not ask."),
        click.Option(
            ["--json", "as_json"], is_flag=True, callback=_keep, expose_value=False, help="Print facts as JSON."
        ),
    ]


class Command(click.Command):
    """A command that takes the global options too."""

    def __init__(self, *args: object, **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[arg-type]  # handed through as click was given them
        self.params.extend(_global_options())


class Group(click.Group):
    """A noun, or the whole program; its commands take the global options too."""

    command_class = Command

    def __init__(self, *args: object, **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[arg-type]  # handed through as click was given them
        self.params.extend(_global_options())


Group.group_class = Group
