"""The `relance` command: every noun in one list, and every error turned into one sentence and an exit code."""

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from relance.cli.failures import DONE, TRACEBACK_VARIABLE, WRONG_USE, explain_failure
from relance.cli.printing import complain
from relance.cli.session import Group, Session

if TYPE_CHECKING:
    from relance.ports.clock import Clock

_BROKEN_PIPE = 141  #: What a shell reports for a program that a closed pipe ended.
#: Every command and where it is; only the one that is called is loaded.
COMMANDS: Mapping[str, str] = {
    "init": "initializing:init",
    "workspace": "workspaces:workspace",
    "mailbox": "mailboxes:mailbox",
    "domain": "domains:domain",
    "lead": "leads:lead",
    "sequence": "sequences:sequence",
    "enroll": "enrollments:enroll",
    "enrollment": "enrollments:enrollment",
    "replies": "replies:replies",
    "thread": "threads:thread",
    "opens": "opens:opens",
    "run": "running:run",
    "worker": "running:worker",
    "explain": "explaining:explain",
    "audit": "explaining:audit",
    "forecast": "forecasting:forecast",
    "stuck": "explaining:stuck",
    "suppress": "suppressions:suppress",
    "classify": "classifying:classify",
    "attempt": "attempts:attempt",
    "user": "users:user",
    "key": "keys:key",
    "doctor": "doctoring:doctor",
    "demo": "demo:demo",
    "backup": "doctoring:backup",
    "restore": "restoring:restore",
}


class Program(Group):
    """The whole program; its commands are loaded when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return every command, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Load one command, or say that there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(f"relance.cli.{module}"), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name]} is not a command")
        return command


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(version("relance"), prog_name="relance")
@click.pass_context
def relance(context: click.Context) -> None:
    """Send e-mail sequences from your own mailboxes, and stop when someone answers."""
    context.ensure_object(Session)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str], *, clock: "Clock | None" = None) -> int:
    """Run one command and return its exit code; every error is one sentence on stderr.

    `clock`: what tells the time; None: the machine, or the database where several hosts share one.
    """
    try:
        session = Session(clock=clock)
        result = relance.main(args=list(arguments), prog_name="relance", standalone_mode=False, obj=session)
    except click.exceptions.NoArgsIsHelpError as error:
        complain(error.format_message())
        return WRONG_USE
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except BrokenPipeError:
        # Whoever read us has left; writing more at exit would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last net: a person never sees a traceback
        if os.environ.get(TRACEBACK_VARIABLE):
            traceback.print_exception(error)
        code, sentence = explain_failure(error)
        complain(f"relance: {sentence}")
        return code
    return result if isinstance(result, int) and not isinstance(result, bool) else DONE
