"""`relance classify`: one JSON object for each message that it reads; none, however broken, ends the run."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from relance.cli.bounded_classifying import BoundedClassifier, other
from relance.cli.failures import DONE, NO
from relance.cli.json_lines import as_line
from relance.cli.printing import complain, print_line
from relance.cli.session import Command, session
from relance.core.words import counted
from relance.mail.classify import as_json

MESSAGE_LIMIT = 64 * 1024 * 1024  #: Bytes of one message that are looked at.
STANDARD_INPUT = "-"


@click.command(cls=Command)
@click.argument("files", metavar="FILE…|-", nargs=-1)
@click.option("--files-from", metavar="F|-", help="File (or - for standard input) with one path a line.")
def classify(files: tuple[str, ...], files_from: str | None) -> int:
    """Read messages and print one JSON object each."""
    session()
    if not files and files_from is None:
        raise click.UsageError("name message files, - for one message on standard input, or --files-from LIST")
    if files_from == STANDARD_INPUT and STANDARD_INPUT in files:
        raise click.UsageError("standard input is either one message or a list of files: give - once")
    unreadable = 0
    with BoundedClassifier() as classifier:
        for path in _paths(files, files_from):
            try:
                raw = _read(path)
            except OSError as error:
                unreadable += 1
                print_line(as_line(as_json(other(f"cannot be read: {error.strerror}"), path)))
                continue
            print_line(classifier.classify(path, raw))
    if unreadable:
        complain(f"relance: {counted(unreadable, 'file')} could not be read; check path and rights")
    return NO if unreadable else DONE


def _paths(files: tuple[str, ...], files_from: str | None) -> Iterator[str]:
    yield from files
    if files_from is None:
        return
    if files_from == STANDARD_INPUT:
        lines: Iterator[bytes] = iter(sys.stdin.buffer)
        yield from _lines(lines)
        return
    with Path(files_from).open("rb") as listed:
        yield from _lines(listed)


def _lines(lines: "Iterator[bytes]") -> Iterator[str]:
    for line in lines:
        path = os.fsdecode(line.rstrip(b"\r\n"))
        if path:
            yield path


def _read(path: str) -> bytes:
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read(MESSAGE_LIMIT)
    with Path(path).open("rb") as file:
        return file.read(MESSAGE_LIMIT)
