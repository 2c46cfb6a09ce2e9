"""Where the problems of a draft are shown: at the field they are about, at its step, or above the steps."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from relance.services.sequence_files import Broken, Problem, Reading
from relance.services.sequence_files.editing import steps_of
from relance.services.sequence_files.writing import Document

_FIRST_WORD: Final = re.compile(r"[a-z_]+")
#: What a problem's first words are about, where they are not a key themselves.
_ABOUT: Final[Mapping[str, str]] = {
    "the e-mail has no text": "text",
    "the first e-mail": "subject",
    "the wait says": "for",
    "the branch": "if",
    "a branch asks": "if",
    "replied": "if",
    "within": "if",
    "field": "if",
    "equals": "if",
    "then leads": "then",
    "else leads": "else",
    "two steps have": "id",
    "the id": "id",
    "a step has no id": "id",
    "unknown kind": "kind",
    "the window": "window",
    "the quiet hours": "quiet_hours",
    "the sequence has no name": "name",
    "the sequence names no mailboxes": "mailboxes",
    "mailboxes": "mailboxes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A problem, and where it belongs."""

    position: int | None  #: Of the step, from 0; None: above the steps.
    key: str | None  #: The key it is about, where that is known.
    unknown: bool  #: The key is none: taking it out is the remedy.
    message: str
    remedy: str

    @property
    def sentence(self) -> str:
        """The whole of it."""
        return f"{self.message}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Problems:
    """Every problem of a draft."""

    all: tuple[Placed, ...]

    def at(self, position: int | None, key: str) -> str | None:
        """Return what is wrong with one field, as one text."""
        return self._joined(one for one in self.all if one.position == position and one.key == key)

    def of(self, position: int | None) -> tuple[Placed, ...]:
        """Return what is wrong with one step, or above the steps."""
        return tuple(one for one in self.all if one.position == position)

    @staticmethod
    def _joined(found: Iterable[Placed]) -> str | None:
        return " · ".join(one.sentence for one in found) or None


def placed(reading: Reading, document: Document) -> Problems:
    """Return the problems of a draft's reading, each at its place."""
    found = reading.problems if isinstance(reading, Broken) else ()
    steps = steps_of(document)
    positions: dict[str, int] = {}
    for number, step in enumerate(steps):
        positions.setdefault(str(step.get("id") or f"number {number + 1}"), number)
    return Problems(tuple(_placed(problem, positions, document, steps) for problem in found))


def _placed(
    problem: Problem, positions: Mapping[str, int], document: Document, steps: list[dict[str, object]]
) -> Placed:
    position = positions.get(problem.step) if problem.step is not None else None
    place = document if position is None else steps[position]
    unknown = re.match(r"unknown key '([^']+)'|(\w+) is not available yet", problem.message)
    key = next((about for words, about in _ABOUT.items() if problem.message.startswith(words)), None)
    if key is None and (word := _FIRST_WORD.match(problem.message)) is not None and word[0] in place:
        key = word[0]
    named = (unknown[1] or unknown[2]) if unknown else None
    return Placed(
        position=position,
        key=named if named in place else key,
        unknown=named is not None and named in place,
        message=problem.message,
        remedy=problem.remedy,
    )
