"""Every command that the documents name exists, with the options they give it and the values they give these."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from docs.pages import DOCUMENTS, ROOT, blocks, shown, simple_commands
from relance.cli.main import relance

INLINE = re.compile(r"`relance ([^`\n]+)`")
#: Words that stand for something of the reader's; what follows them is not looked at.
PLACEHOLDER = re.compile(r"[A-Z@+(…\[{'\"]|COMMAND")


def named() -> Iterator[tuple[str, list[str]]]:
    """Yield place and words of every `relance` command in a console block."""
    for page in DOCUMENTS:
        for step in shown(page.read_text(encoding="utf-8")):
            for words in simple_commands(step.command):
                if words[:1] == ["relance"]:
                    yield f"{page.relative_to(ROOT)}:{step.line}", words[1:]


def refusal(words: list[str]) -> str | None:
    """Return why the command line would refuse these words before doing anything, or None."""
    command: click.Command = relance
    context, rest = click.Context(relance, info_name="relance"), words
    try:
        while isinstance(command, click.Group):
            _, rest, _ = command.make_parser(context).parse_args(rest)
            name, found, rest = command.resolve_command(context, rest)
            assert found is not None
            command, context = found, click.Context(found, parent=context, info_name=name)
        command.make_context(context.info_name, rest, parent=context.parent).close()
    except click.exceptions.Exit:
        return None  # --help and --version say what they say
    except click.UsageError as error:
        return error.format_message()
    return None


def unknown_in(text: str) -> str | None:
    """Return what is unknown in a command named in a sentence, where arguments may be left out."""
    command: click.Command = relance
    context = click.Context(relance, info_name="relance")
    for word in text.split():
        if word.startswith("-"):
            option = word.split("=")[0].rstrip(",.")
            if option not in {name for each in command.params for name in (*each.opts, *each.secondary_opts)}:
                return None if option in {"--version", "--help", "-h"} else f"{command.name} has no {option}"
        elif isinstance(command, click.Group) and not PLACEHOLDER.match(word):
            found = command.get_command(context, word)
            if found is None:
                return f"{command.name} has no {word}"
            command, context = found, click.Context(found, parent=context, info_name=word)
    return None


@pytest.mark.parametrize("place,words", [pytest.param(place, words, id=place) for place, words in named()])
def test_a_command_of_a_console_block_is_one_that_the_program_takes(place: str, words: list[str]):
    """Whoever copies a line from a page gets no `No such option`."""
    assert None is refusal(words), place


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_named_in_sentences_exist(page: Path):
    """A command that is not built yet is not recommended."""
    found = INLINE.findall(page.read_text(encoding="utf-8"))

    assert [] == [problem for text in found if (problem := unknown_in(text))]


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_stand_in_console_blocks(page: Path):
    """A command in a block of another kind would escape this test."""
    others = [block for block in blocks(page.read_text(encoding="utf-8")) if block.language != "console"]
    lines = [line for block in others for line in block.text.splitlines() if line.startswith("$ ")]

    assert [] == lines


def test_a_command_that_does_not_exist_is_noticed():
    """The tests above can fail."""
    assert refusal(["mailbox", "conect"]) is not None
    assert refusal(["run", "--until-tomorrow"]) is not None
    assert refusal(["mailbox", "add", "a@b.example", "--preset", "reckless"]) is not None
    assert refusal(["enroll", "autumn", "--list", "autumn"]) is None
    assert unknown_in("forecast --weeks 3") is not None
    assert unknown_in("mailbox check ADDRESS") is None
    assert unknown_in("run --until-tomorrow") is not None
