"""What commands print: facts as JSON for programs, tables and sentences for people.

Rule 1: stdout holds facts only; sentences about trouble go to stderr.
Rule 2: nothing that came from outside reaches a terminal with its control characters: they could rewrite the screen.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from relance.cli.json_lines import as_line

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_WIDE = 10_000  #: Columns where nobody looks: a pipe gets whole lines.


class Printer:
    """Prints one command's answer in the form that was asked for."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def facts(self, facts: Mapping[str, object], sentence: str) -> None:
        """Print one object, or the sentence that says the same to a person."""
        if self.as_json:
            print_line(as_line(facts))
        else:
            print_line(harmless(sentence))

    def rows(self, rows: Iterable[Mapping[str, object]], columns: Sequence[str], *, empty: str) -> None:
        """Print a list as JSON Lines, or as a table of some columns; `empty` is said when there is nothing."""
        if self.as_json:
            for row in rows:
                print_line(as_line(row))
            return
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column in columns:
            table.add_column(column.replace("_", " "), overflow="fold")
        for row in rows:
            table.add_row(*(Text(shown(row.get(column))) for column in columns))
        if table.row_count:
            console().print(table)
        else:
            print_line(empty)

    def say(self, sentence: str) -> None:
        """Tell a person something; nothing where JSON was asked for."""
        if not self.as_json:
            print_line(harmless(sentence))


def print_line(text: str) -> None:
    """Write one line to stdout."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def complain(sentence: str) -> None:
    """Write one sentence to stderr."""
    sys.stderr.write(f"{harmless(sentence)}\n")
    sys.stderr.flush()


def console() -> Console:
    """Return a console on stdout as it is now."""
    wide = None if sys.stdout.isatty() else _WIDE
    return Console(file=sys.stdout, width=wide, highlight=False, markup=False)


def harmless(text: str) -> str:
    """Return the text without what would steer a terminal; lines and tabs stay."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.encode("utf-8", "replace").decode())


def sized(size: int) -> str:
    """Return a number of bytes as a person reads it: `14 KB`, `1.2 MB`."""
    return f"{size / 1024**2:.1f} MB" if size >= 1024**2 else f"{max(1, round(size / 1024))} KB"


def shown(value: object) -> str:
    """Return one value as a person reads it in a table."""
    match value:
        case None | "":
            return "–"
        case True:
            return "yes"
        case False:
            return "no"
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
        case list() | tuple():
            return ", ".join(shown(item) for item in value) or "–"
        case Mapping():
            return ", ".join(f"{key}={shown(item)}" for key, item in value.items()) or "–"
        case _:
            return " ".join(harmless(str(value)).split())
