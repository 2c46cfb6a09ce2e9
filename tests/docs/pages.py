"""The documents as tests read them: fenced blocks, and the commands in them with what they are said to print."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROMPT = "$ "
#: What a shell ends a command with.
_ENDS = frozenset({"&&", "||", "|", ";", ">", ">>", "<", "&"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: its language, the line of its first line in the file (from 1), and its text."""

    language: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One command of a console block and the output that the page shows for it."""

    line: int
    command: str
    output: str


def blocks(page: str) -> Iterator[Block]:
    """Yield every fenced block."""
    language: str | None = None
    begun, lines = 0, list[str]()
    for number, line in enumerate(page.splitlines(), start=1):
        if not line.startswith("```"):
            lines.append(line)
        elif language is None:
            language, begun, lines = line.removeprefix("```"), number + 1, []
        else:
            yield Block(language=language, line=begun, text="\n".join(lines) + "\n")
            language = None


def shown(page: str) -> Iterator[Shown]:
    """Yield every command of the console blocks; one that ends in a backslash goes on in the next line."""
    for block in blocks(page):
        if block.language != "console":
            continue
        parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        line = block.line + parts[0].count("\n")
        for part in parts[1:]:
            command, _, output = part.replace("\\\n", " ").partition("\n")
            yield Shown(line=line, command=command, output=output)
            line += part.count("\n")


def simple_commands(command: str) -> Iterator[list[str]]:
    """Yield the words of each program that a line of a shell runs; a comment is left out."""
    words: list[str] = []
    for word in shlex.split(command, comments=True):
        if word in _ENDS:
            yield words
            words = []
        else:
            words.append(word)
    yield words
