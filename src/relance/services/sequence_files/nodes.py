"""What a file holds, before anyone asks what it means: values that know their line.

Scalars keep their text as written: `NO` is a country and `09:00` a time of day, whatever YAML would make of them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a file, and what to do."""

    line: int | None  #: From 1; None: the file as a whole.
    step: str | None
    message: str
    remedy: str

    def at(self, file: str) -> str:
        """Return the whole sentence: file, line, step, what is wrong, what to do."""
        place = f"{file}:{self.line}" if self.line is not None else file
        step = f" step {self.step}:" if self.step else ""
        return f"{place}:{step} {self.message}; {self.remedy}"


class FileProblemError(Exception):
    """The file cannot be read any further."""

    def __init__(self, message: str, remedy: str, line: int | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(line=line, step=None, message=message, remedy=remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A text, number, date or nothing, as written."""

    line: int
    text: str
    quoted: bool = False  #: In quotation marks or as a block: text, whatever it looks like.
    first_line: int = 0  #: Line of the text's first character; a block begins below its key.

    @property
    def empty(self) -> bool:
        """Whether nothing was written."""
        return not self.quoted and self.text.casefold() in {"", "~", "null"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list."""

    line: int
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One key of a mapping and its value."""

    key: str
    line: int
    value: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """Keys and values, in order; a key may stand there twice."""

    line: int
    entries: tuple[Entry, ...]


Node = Scalar | Listing | Mapped


def nothing_in(node: Node) -> bool:
    """Whether a key has nothing behind it: no value, an empty list or a mapping without keys."""
    match node:
        case Scalar():
            return node.empty
        case Listing(items=inside) | Mapped(entries=inside):
            return not inside


def kind_of(node: Node) -> str:
    """Return what a node is, in words."""
    match node:
        case Scalar():
            return "nothing" if node.empty else f"{node.text[:40]!r}"
        case Listing():
            return "a list"
        case Mapped():
            return "a mapping"
