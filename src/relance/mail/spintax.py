"""Spintax, `{Hi|Hello}`: options of which one is chosen before Liquid sees the template.

Rule 1: only literal text of the template is spun; never Liquid, never lead data, in HTML only text nodes.
Rule 2: the choice follows from the seed, the group's own text and its occurrence among equal groups, so that the
        subject, the text and the HTML part choose alike, and so does every retry.
Rule 3: braces without `|` and unbalanced braces stay as they are; `check` reports what looks like a slip.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from relance.mail.markup import Literal, Opaque, Part, line_of, scan

MAX_DEPTH = 32  #: Groups nested deeper stay literal.
MAX_PROBLEMS = 20  #: One slip early in a text can unbalance all the rest; nobody reads more.

_BRACE = re.compile(r"[{|}]")
_FIELD_IN_SINGLE_BRACES = re.compile(r"\s*[A-Za-z][A-Za-z0-9_]{0,60}(?: [A-Za-z0-9_]{1,60}){0,2}\s*")
_HTML_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that would go out differently from what its author probably meant."""

    line: int  #: From 1.
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """`{one|two}`: at least two options, of which any may be empty."""

    key: str  #: The group's text as a reader sees it, the same in every part.
    occurrence: int  #: How many equal groups opened before this one.
    options: tuple[tuple["Node", ...], ...]


Node = Literal | Opaque | Group


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template cut into text and groups, with what looks wrong about it."""

    nodes: tuple[Node, ...]
    problems: tuple[Problem, ...]


def parse(source: str, part: Part) -> Parsed:
    """Read the groups of `source`. Any text can be parsed."""
    reader = _Reader(source=source, part=part)
    for token in scan(source, part):
        match token:
            case Opaque():
                reader.add(token)
            case Literal():
                reader.read(token)
    nodes = reader.finish()
    return Parsed(_numbered(nodes), tuple(sorted(reader.problems, key=lambda problem: problem.line)))


def chosen(nodes: Sequence[Node], seed: bytes) -> Iterator[Literal | Opaque]:
    """Walk `nodes` through the option that `seed` chooses in every group."""
    return _walk(nodes, lambda group: (group.options[_choice(group, seed)],))


def every_option(nodes: Sequence[Node]) -> Iterator[Literal | Opaque]:
    """Walk `nodes` through all options of all groups, in the order of the source."""
    return _walk(nodes, lambda group: group.options)


def groups(nodes: Sequence[Node]) -> Iterator[Group]:
    """Walk all groups, an outer one before those inside it."""
    waiting = [node for node in reversed(nodes) if isinstance(node, Group)]
    while waiting:
        group = waiting.pop()
        yield group
        inner = [node for option in group.options for node in option if isinstance(node, Group)]
        waiting.extend(reversed(inner))


def _walk(nodes: Sequence[Node], take: Callable[[Group], tuple[tuple[Node, ...], ...]]) -> Iterator[Literal | Opaque]:
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        match node:
            case Group():
                for option in reversed(take(node)):
                    waiting.extend(reversed(option))
            case Literal() | Opaque():
                yield node


def _choice(group: Group, seed: bytes) -> int:
    digest = blake2b(digest_size=8, person=b"spintax")
    for piece in (seed, group.key.encode(errors="surrogatepass"), group.occurrence.to_bytes(4, "big")):
        digest.update(len(piece).to_bytes(4, "big"))
        digest.update(piece)
    return int.from_bytes(digest.digest(), "big") * len(group.options) >> 64


@dataclass(slots=True)
class _Frame:
    """A brace that is open while the source is read."""

    start: int
    options: list[list[Node]] = field(default_factory=lambda: [[]])
    pipes: list[int] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads tokens in order, holding the braces that are open."""

    source: str
    part: Part
    problems: list[Problem] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=lambda: [_Frame(start=-1)])
    too_deep: int = 0  #: Braces open beyond MAX_DEPTH: text, but they must find their partners.

    def add(self, node: Node) -> None:
        self.frames[-1].options[-1].append(node)

    def read(self, token: Literal) -> None:
        done = 0
        for brace in _BRACE.finditer(token.text):
            if not self._is_markup(brace[0]):
                continue
            at = token.start + brace.start()
            if brace.start() > done:
                self.add(Literal(token.start + done, token.text[done : brace.start()]))
            done = brace.end()
            match brace[0]:
                case "{":
                    self.frames.append(_Frame(start=at))
                case "|":
                    self.frames[-1].pipes.append(at)
                    self.frames[-1].options.append([])
                case _ if len(self.frames) == 1:
                    self._report(at, "this } closes nothing and goes out as it stands")
                    self.add(Literal(at, "}"))
                case _:
                    self._close(self.frames.pop(), at)
        if done < len(token.text):
            self.add(Literal(token.start + done, token.text[done:]))

    def finish(self) -> tuple[Node, ...]:
        while len(self.frames) > 1:
            frame = self.frames.pop()
            self._report(frame.start, "this { is never closed and goes out as it stands")
            self.frames[-1].options[-1].extend(_as_text(frame, closed_at=None))
        return tuple(self.frames[0].options[0])

    def _is_markup(self, brace: str) -> bool:
        """Tell whether a brace opens, divides or closes something; keep count of those that are too deep."""
        open_braces = len(self.frames) - 1
        if brace == "|":
            return open_braces > 0 and not self.too_deep
        if brace == "{" and open_braces >= MAX_DEPTH:
            self.too_deep += 1
            return False
        if brace == "}" and self.too_deep:
            self.too_deep -= 1
            return False
        return True

    def _close(self, frame: _Frame, end: int) -> None:
        """Make a group of a frame that closes at `end`, or text if it has no options."""
        if frame.pipes:
            key = _reader_text(self.source[frame.start : end + 1], self.part)
            options = tuple(tuple(option) for option in frame.options)
            self.add(Group(key=key, occurrence=0, options=options))
            return
        inner = self.source[frame.start + 1 : end]
        if len(frame.options[0]) <= 1 and _FIELD_IN_SINGLE_BRACES.fullmatch(inner):
            name = "_".join(inner.lower().split())
            self._report(frame.start, f"{{{inner}}} goes out as it stands: for the field write {{{{ {name} }}}}")
        self.frames[-1].options[-1].extend(_as_text(frame, closed_at=end))

    def _report(self, at: int, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(line_of(self.source, at), message))


def _as_text(frame: _Frame, *, closed_at: int | None) -> Iterator[Node]:
    yield Literal(frame.start, "{")
    for index, option in enumerate(frame.options):
        if index:
            yield Literal(frame.pipes[index - 1], "|")
        yield from option
    if closed_at is not None:
        yield Literal(closed_at, "}")


def _reader_text(text: str, part: Part) -> str:
    """Reduce a group to what a reader sees, so that it equals its twin in another part."""
    if part is Part.HTML:
        text = html.unescape(_HTML_TAG.sub("", text))
    return " ".join(text.split())


def _numbered(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Give equal groups their numbers, in the order in which they open."""
    seen: Counter[str] = Counter()

    def numbered(node: Node) -> Node:
        if not isinstance(node, Group):
            return node
        occurrence = seen[node.key]
        seen[node.key] += 1
        options = tuple(tuple(numbered(inner) for inner in option) for option in node.options)
        return replace(node, occurrence=occurrence, options=options)

    return tuple(numbered(node) for node in nodes)
