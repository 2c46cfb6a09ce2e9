"""A mapping of the file, read key by key; every slip is noted with its line, and what nobody asked for is unknown.

A key with nothing behind it is a slip too: `daily_cap:` says that a number was meant, and left out it would mean that
there is no cap. Where something *must* stand, whoever reads the key says so (`has`), and the readers keep silent.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeVar

from relance.services.sequence_files.nodes import Entry, Listing, Mapped, Node, Problem, Scalar, kind_of, nothing_in

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
_ELSEWHERE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "signature": "use `relance mailbox set ADDRESS --signature-file FILE`, and {{ sender_signature }} in a text",
        "attachments": "an e-mail step has them, the same for all its variants",
    }
)
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(slots=True)
class Notes:
    """Every problem found so far."""

    found: list[Problem] = field(default_factory=list)

    def add(self, line: int | None, step: str | None, message: str, remedy: str) -> None:
        """Note one."""
        self.found.append(Problem(line=line, step=step, message=message, remedy=remedy))


class Form:
    """Reads one mapping. What is wrong is noted and reads as None (or the default)."""

    def __init__(self, node: Mapped, notes: Notes, *, step: str | None = None, of: str = "") -> None:
        self.node = node
        self.step = step
        self._of = of
        self._notes = notes
        self._entries: dict[str, Entry] = {}
        for entry in node.entries:
            self._entries.setdefault(entry.key, entry)

    def wrong(self, line: int | None, message: str, remedy: str) -> None:
        """Note a problem of this mapping."""
        self._notes.add(line, self.step, message, remedy)

    def check_keys(self, known: Iterable[str], not_built: Mapping[str, str]) -> None:
        """Note every key that is unknown or comes twice; what is not built yet is told apart from a slip of the pen."""
        names = list(known)
        where = f" in {self._of}" if self._of else ""
        for entry in self.node.entries:
            if self._entries[entry.key] is not entry:
                self.wrong(entry.line, f"{entry.key} stands there twice", "keep one of the two")
            if entry.key in names:
                continue
            if entry.key in not_built:
                self.wrong(entry.line, f"{entry.key} is not available yet ({not_built[entry.key]})", "leave it out")
                continue
            near = difflib.get_close_matches(entry.key, names, n=1, cutoff=0.7)
            remedy = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
            remedy = _ELSEWHERE.get(entry.key, remedy)
            self.wrong(entry.line, f"unknown key {entry.key!r}{where}", remedy)

    def line(self, key: str) -> int:
        """Return the line of a key, or of the mapping where the key is missing."""
        entry = self._entries.get(key)
        return entry.line if entry else self.node.line

    def names(self, key: str) -> bool:
        """Whether the key is there, whatever stands behind it."""
        return key in self._entries

    def has(self, key: str) -> bool:
        """Whether the key is there with something behind it."""
        return self.value(key) is not None

    def says_none(self, key: str) -> bool:
        """Whether the key has `[]` behind it: nothing, and on purpose."""
        entry = self._entries.get(key)
        return entry is not None and isinstance(entry.value, Listing) and not entry.value.items

    def value(self, key: str) -> Node | None:
        """Return what stands behind a key, or None where it is missing or empty."""
        entry = self._entries.get(key)
        return None if entry is None or nothing_in(entry.value) else entry.value

    def optional(self, key: str, remedy: str) -> Node | None:
        """Return what stands behind a key that may be left out; one that stands there with nothing behind is noted."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if nothing_in(entry.value):
            self.wrong(entry.line, f"{key} is empty", f"{remedy}, or leave the key out")
            return None
        return entry.value

    def said(self, key: str) -> str | None:
        """Return a text where there is one; nothing is noted."""
        node = self.value(key)
        return node.text if isinstance(node, Scalar) else None

    def scalar(self, key: str, remedy: str) -> Scalar | None:
        """Return a single value."""
        node = self.optional(key, remedy)
        if node is None or isinstance(node, Scalar):
            return node
        self.wrong(node.line, f"{key} is {kind_of(node)}", remedy)
        return None

    def text(self, key: str, remedy: str = "write one text") -> str | None:
        """Return a text."""
        node = self.scalar(key, remedy)
        return node.text if node else None

    def need(self, key: str, remedy: str) -> str | None:
        """Return a text that must be there."""
        if not self.has(key):
            self.wrong(self.line(key), f"{key} is missing", remedy)
            return None
        return self.text(key, remedy)

    def read(self, key: str, reader: Callable[[str], T], remedy: str) -> T | None:
        """Return a value as `reader` reads its text; a ValueError of it is noted."""
        node = self.scalar(key, remedy)
        if node is None:
            return None
        return self.convert(node, key, reader, remedy)

    def convert(self, node: Scalar, key: str, reader: Callable[[str], T], remedy: str) -> T | None:
        """Return one node as `reader` reads its text."""
        try:
            return reader(node.text)
        except ValueError as error:
            said = str(error).partition(";")
            message = f"{key}: {said[0]}" if said[1] else f"{key} is {kind_of(node)}"
            self.wrong(node.line, message, said[2].strip() or remedy)
            return None

    def choice(self, key: str, kind: type[E], default: E) -> E:
        """Return one of an enumeration's words."""
        node = self.scalar(key, f"use one of {', '.join(kind)}")
        if node is None:
            return default
        words = [str(word) for word in kind]
        if node.text in words:
            return kind(node.text)
        near = difflib.get_close_matches(node.text, words, n=1)
        self.wrong(
            node.line,
            f"{key} is {kind_of(node)}",
            f"did you mean {near[0]}?" if near else f"use one of {', '.join(words)}",
        )
        return default

    def number(self, key: str, *, least: int = 0) -> int | None:
        """Return a whole number."""
        remedy = f"write a whole number from {least}"
        node = self.scalar(key, remedy)
        if node is None:
            return None
        if not _NUMBER.fullmatch(node.text) or int(node.text) < least:
            self.wrong(node.line, f"{key} is {kind_of(node)}", remedy)
            return None
        return int(node.text)

    def truth(self, key: str) -> bool | None:
        """Return true or false."""
        node = self.scalar(key, "write true or false")
        if node is None:
            return None
        match node.text.casefold():
            case "true" | "yes" | "on":
                return True
            case "false" | "no" | "off":
                return False
            case _:
                self.wrong(node.line, f"{key} is {kind_of(node)}", "write true or false")
                return None

    def scalars(self, key: str, remedy: str) -> tuple[Scalar, ...] | None:
        """Return a list of single values, never empty; one value alone counts as a list of one."""
        node = self.optional(key, remedy)
        if node is None:
            return None
        if isinstance(node, Scalar):
            return (node,)
        if isinstance(node, Listing):
            good = tuple(item for item in node.items if isinstance(item, Scalar) and not item.empty)
            if len(good) == len(node.items):
                return good
        self.wrong(node.line, f"{key} is not a list of single values", remedy)
        return None

    def form(self, key: str, remedy: str) -> "Form | None":
        """Return the mapping behind a key."""
        node = self.optional(key, remedy)
        if node is None:
            return None
        if isinstance(node, Mapped):
            return Form(node, self._notes, step=self.step, of=key)
        self.wrong(node.line, f"{key} is {kind_of(node)}", remedy)
        return None

    def forms(self, key: str, remedy: str) -> list["Form"]:
        """Return a list of mappings; none where it is written as `[]`."""
        node = None if self.says_none(key) else self.optional(key, remedy)
        if node is None:
            return []
        if not isinstance(node, Listing):
            self.wrong(node.line, f"{key} is {kind_of(node)}", remedy)
            return []
        found = []
        for item in node.items:
            if isinstance(item, Mapped):
                found.append(Form(item, self._notes, step=self.step))
            else:
                self.wrong(item.line, f"{key} holds {kind_of(item)}", remedy)
        return found
