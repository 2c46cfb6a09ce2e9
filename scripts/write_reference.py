"""Write the pages of docs/reference that the code already knows, so that page and code cannot disagree.

.venv/bin/python scripts/write_reference.py            write them
.venv/bin/python scripts/write_reference.py --check    exit 1 if one is out of date
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from itertools import groupby
from pathlib import Path

import click
from api_page import api_page
from classification_page import classification_page
from pacing_page import pacing_page

from relance.cli.main import relance
from relance.core import gates
from relance.core.ceilings import CEILINGS, HOSTS
from relance.core.mailbox import Pacing
from relance.core.pacing import PRESETS
from relance.core.plan_document import document_of
from relance.core.sequence import Plan
from relance.services.default_values import all_defaults, in_words

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
WIDTH = 100
GLOBAL = ("--data", "--workspace", "--yes", "--json")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: Of a frozen plan: what is no setting, or is derived from one.
NOT_KEYS = frozenset({"name", "steps", "mailboxes", "window.always", "window.holiday_dates", "reply_sequence"})
NAMES = {"pool": "mailboxes"}
RULE_NUMBER = re.compile(r" \([A-Z]\d+\)")
FIELD = re.compile(r"^\s+(?P<name>\w+): [\w| ]+ = .+?(?:\s+#: (?P<meaning>.+))?$", re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them with what would be written."""
    stale = []
    for name, write in PAGES.items():
        page, text = FOLDER / name, write()
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            page.write_text(text, encoding="utf-8")
    if stale and "--check" in arguments:
        print(f"out of date: {', '.join(stale)}; run: make reference", file=sys.stderr)
        return 1
    return 0


# --- the command line ---


CLI_OPENING = """\
# The command line

Written by `make reference` from the commands themselves; do not edit.

Every command takes these, at any place: `--data DIR` (the data directory, `./relance-data` unless
[set otherwise](settings.md)), `--workspace NAME`, `--yes` (do not ask), `--json` (facts as JSON; lists as one object a
line), and `-h` or `--help`. They are not repeated below.

| Exit code | Meaning |
|---|---|
| 0 | done |
| 1 | no: a refused login, an invalid file, rows that were not imported, something that waits for a person |
| 2 | wrong use: an unknown option, options that exclude each other, a value or a setting that can never be right |
| 3 | could not: a server out of reach, a full disk, another engine's lock |
| 130 | interrupted from the keyboard |

Facts go to standard output, trouble to standard error in one sentence that says what to do. `RELANCE_TRACEBACK=1` adds
the place in the code, for a report."""


def cli_page() -> str:
    """Return every command with its arguments and options."""
    parts = [CLI_OPENING]
    for path, command in _commands("relance", relance):
        parts.append(f"## {path}" if path.count(" ") == 1 else f"### {path}")
        parts.append(inspect.cleandoc(command.help or ""))
        if not isinstance(command, click.Group):
            usage = " ".join([path, *_arguments(command), *(["[OPTIONS]"] if _options(command) else [])])
            parts.append(f"```\n{usage}\n```")
        options = _options(command)
        if options and not isinstance(command, click.Group):
            parts.append("\n".join(["| Option | |", "|---|---|", *options]))
    return "\n\n".join(parts) + "\n"


def _commands(path: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            raise LookupError(name)
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from _commands(f"{path} {name}", command)


def _arguments(command: click.Command) -> list[str]:
    context = click.Context(command)
    return [each.make_metavar(context) for each in command.params if isinstance(each, click.Argument)]


def _options(command: click.Command) -> list[str]:
    context = click.Context(command)
    rows = []
    for each in command.params:
        if isinstance(each, click.Option) and each.opts[0] not in GLOBAL and not each.hidden:
            names, meaning = each.get_help_record(context) or ("", "")
            rows.append(f"| `{_cell(names)}` | {_cell(meaning)} |")
    return rows


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# --- gates ---


GATES_OPENING = """\
# Gates

Written by `make reference` from `relance.core.gates`; do not edit.

Before a step is acted on, every gate is asked, in this order. `relance explain` prints those that do not pass. A gate
passes, puts off until a named time, leaves the row alone (somebody else has it, or it is not its turn), or ends the
enrollment. Of several gates that put a lead off, the latest counts; what holds a whole mailbox or sequence is written
there once and not on each lead.

*Asked again* is what the last look repeats, in the transaction after which the message leaves. Gates for messages only
are not asked for waits and branches."""


def gates_page() -> str:
    """Return the list of gates with what each lets pass."""
    again = {gate.name for gate in gates.LAST_LOOK}
    rows = [
        f"| `{gate.name}` | {_cell(RULE_NUMBER.sub('', inspect.getdoc(gate.judge) or ''))} "
        f"| {'messages' if gate.messages_only else 'all'} | {'yes' if gate.name in again else ''} |"
        for gate in gates.GATES
    ]
    return "\n".join([GATES_OPENING, "", "| Gate | | Steps | Asked again |", "|---|---|---|---|", *rows]) + "\n"


# --- defaults ---


DEFAULTS_OPENING = """\
# Defaults

Written by `make reference` from `relance.core.defaults`, `Pacing` and `Plan`; do not edit. Where settings of an
installation come from is told in [settings](settings.md)."""


def defaults_page() -> str:
    """Return every default with its reason."""
    parts = [DEFAULTS_OPENING, "## A mailbox", *_pacing(), "## A sequence", _plan(), "## The engine", *_constants()]
    return "\n\n".join(parts) + "\n"


def _pacing() -> Iterator[str]:
    meanings = {match["name"]: match["meaning"] or "" for match in FIELD.finditer(inspect.getsource(Pacing))}
    names = [field.name for field in fields(Pacing)]
    yield "\n".join(
        [
            f"| | {' | '.join(f'preset `{name}`' for name in PRESETS)} | |",
            f"|---|{'---|' * (len(PRESETS) + 1)}",
            *(f"| `{name}` | {_of_presets(name)} | {meanings[name]} |" for name in names),
        ]
    )
    rows = [f"| `{name}` | {ceiling.daily} | {_value(ceiling.per_minute)} |" for name, ceiling in CEILINGS.items()]
    hosts = ", ".join(f"`{host}` ({provider})" for host, provider in HOSTS.items())
    yield (
        "No cap goes above what a provider takes in any 24 hours. Whose ceiling holds is recognised by the server that "
        f"sends: {hosts}; `--ceiling` says otherwise."
    )
    yield "\n".join(["| Provider | a day | a minute |", "|---|---|---|", *rows])


def _of_presets(name: str) -> str:
    return " | ".join(_value(getattr(preset, name)) for preset in PRESETS.values())


def _plan() -> str:
    document = document_of(Plan(name="", steps=()))
    rows = [
        f"| `{NAMES.get(key, key)}` | {_value(_in_words(key, value))} |"
        for key, value in _flat(document)
        if key not in NOT_KEYS
    ]
    return "\n".join(["| Key | Default |", "|---|---|", *rows])


def _in_words(key: str, value: object) -> object:
    """Return a value of the frozen plan as a file would say it."""
    match key, value:
        case "window.days", list():
            return [DAYS[number] for number in value]
        case "window.timezone", None:
            return "the workspace's, else UTC"
        case "pool", name:
            return f"{{pool: {name}}}"
        case _:
            return value


def _flat(document: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in document.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
        else:
            yield key, value


def _constants() -> Iterator[str]:
    for section, found in groupby(all_defaults(), key=lambda one: one.section):
        yield f"### {section}"
        rows = [f"| `{one.name}` | {one.value} | {_cell(one.reason)} |" for one in found]
        yield "\n".join(["| | | |", "|---|---|---|", *rows])


def _value(value: object) -> str:
    match value:
        case None | [] | ():
            return "–"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(str, value))
        case _:
            return in_words(value)


PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "gates.md": gates_page,
    "defaults.md": defaults_page,
    "pacing.md": lambda: pacing_page(_value),
    "classification.md": classification_page,
    "api.md": api_page,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
