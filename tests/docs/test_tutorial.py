"""The tutorial is lived through: its files are written, its commands run in order, their output is what the page shows.

In place of the reader's provider stands a sandbox server. Its addresses are put where the page's table of placeholders
says so, and taken out of what is printed.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs.pages import ROOT, Shown, blocks, shown
from docs.tutorial_world import TutorialWorld

PAGE = (ROOT / "docs" / "tutorial" / "first-sequence.md").read_text(encoding="utf-8")
MAILBOXES = {"anna@example.com": "Anna Berg", "ben@example.com": "Ben Holm"}
LIMIT = 30.0  #: Real seconds for one command.
pytestmark = pytest.mark.timeout(180)  # Two dozen commands: 20 s, and many times that on a machine that is busy.
NEXT_FILE = re.compile(r"^Save this as `([^`]+)`:\n\n(?=```)", re.MULTILINE)

#: What differs from one time to the next, and the word that stands for it.
VOLATILE = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\dZ?"), "INSTANT"),
    (re.compile(r"\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d UTC"), "INSTANT"),
    (re.compile(r"(?:anna|ben)@example\.com"), "MAILBOX"),  # either may be the one that takes a lead
    (re.compile(r"(?:Anna Berg|Ben Holm)"), "NAME"),
    (re.compile(r"Best wishes|Kind regards"), "REGARDS"),
    (re.compile(r"\[attempt \d+\]"), "[attempt N]"),
    (re.compile(r"─+|[ \t]+"), " "),  # a table is as wide as its widest cell
)


def plain(text: str) -> list[str]:
    """Return the lines of an output without what differs."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return [line.rstrip() for line in text.rstrip().splitlines()]


def agrees(expected: list[str], found: list[str]) -> bool:
    """Say whether an output is what the page shows; a line `…` stands for any number of lines."""
    if not expected:
        return not found
    if expected[0] == "…":
        return any(agrees(expected[1:], found[skipped:]) for skipped in range(len(found) + 1))
    return bool(found) and found[0] == expected[0] and agrees(expected[1:], found[1:])


class Reader:
    """Somebody who does what the page says, in a folder of their own."""

    def __init__(self, folder: Path, world: TutorialWorld) -> None:
        self._folder = folder
        self._world = world
        self._places = {
            "smtp.example.com:465": f"127.0.0.1:{world.smtp_port}",
            "imap.example.com:993": f"127.0.0.1:{world.imap_port}",
        }
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("RELANCE_")}
        self._environment |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "SSL_CERT_FILE": str(world.ca_file),  # the reader's provider has a certificate that everybody knows
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(folder.parent / "pycache"),
        }
        folder.mkdir()

    def save_files(self) -> None:
        """Save every file that the page shows."""
        for match in NEXT_FILE.finditer(PAGE):
            block = next(blocks(PAGE[match.end() :]))
            (self._folder / match[1]).write_text(block.text, encoding="utf-8")

    def do(self, step: Shown) -> tuple[int, str]:
        """Run one command, typing the password where one is asked for; return its exit code and all it printed."""
        command = _with(self._places, step.command)
        password = next((self._world.password(each) for each in MAILBOXES if each in command), "")
        done = subprocess.run(
            ["/bin/sh", "-c", command],  # the page's own line, as a reader types it
            cwd=self._folder,
            env=self._environment,
            input=f"{password}\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        return done.returncode, _with({mine: shown for shown, mine in self._places.items()}, done.stdout)


def _with(places: Mapping[str, str], text: str) -> str:
    for old, new in places.items():
        text = text.replace(old, new)
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """What came of doing everything on the page, one after the other."""

    seen: tuple[tuple[Shown, int, str], ...]  #: Each command with its exit code and what it printed.
    recipients: tuple[str, ...]
    explained: object  #: What `explain --json` says of Carol in the end.


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """Live through the page once."""
    folder = tmp_path_factory.mktemp("tutorial")
    with TutorialWorld(folder / "provider", MAILBOXES) as world:
        reader = Reader(folder / "desk", world)
        reader.save_files()
        seen = []
        for step in shown(PAGE):
            if "--until-done" in step.command:
                world.answer("carol@example.org", "Please ask Mia.")
            seen.append((step, *reader.do(step)))
        _, facts = reader.do(Shown(line=0, command="relance explain carol@example.org --json", output=""))
        return Lived(seen=tuple(seen), recipients=tuple(world.recipients()), explained=json.loads(facts))


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(lived: Lived):
    """A newcomer who types what stands there sees what stands there; and who answered got no second mail."""
    for step, code, printed in lived.seen:
        assert 0 == code, f"line {step.line}: {step.command}\n{printed}"
        assert agrees(plain(step.output), plain(printed)), f"line {step.line}: {step.command}\n{printed}"

    assert ("carol@example.org", *["dave@example.org"] * 2, *["erin@example.org"] * 2) == lived.recipients


def shape(value: object) -> object:
    """Return an object's keys and the shape of each value, the shape of a list's last item, or the type of the rest."""
    match value:
        case dict():
            return {key: shape(each) for key, each in value.items()}
        case [*_, last]:
            return [shape(last)]
        case _:
            return type(value).__name__


@pytest.mark.slow
def test_explain_has_the_shape_of_its_page(lived: Lived):
    """A script that was written from the page reads what the command prints."""
    page = (ROOT / "docs" / "reference" / "explain.md").read_text(encoding="utf-8")
    (example,) = [block for block in blocks(page) if block.language == "json"]

    assert shape(json.loads(example.text)) == shape(lived.explained)


def test_an_output_agrees_only_with_itself():
    """The comparison can fail: a line too many, too few or another one is noticed, and `…` is the only joker."""
    assert agrees(["a", "…", "d"], ["a", "b", "c", "d"])
    assert agrees(["…"], [])
    assert not agrees(["a"], ["a", "b"])
    assert not agrees(["a", "b"], ["a"])
    assert not agrees(["a", "…", "d"], ["a", "b", "c"])
    assert plain("sent at 2026-11-30 08:00:34") == plain("sent at 2027-01-02 11:12:13")
    assert plain("3 unfinished") != plain("2 unfinished")
