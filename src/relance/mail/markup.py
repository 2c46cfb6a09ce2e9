"""Cut a template into literal text and what only Liquid or HTML may read.

Rule 1: spintax and brace rules apply to `Literal` tokens alone; an `Opaque` token passes through untouched.
Rule 2: `{{` opens Liquid only when the text up to its `}}` holds no lone brace, so `{{Hi|Hello} Ann|Hey}` is spintax.
Rule 3: in HTML, tags with their attributes, comments, <style> and <script> are opaque; only text nodes are literal.
Rule 4: one pass forward, linear in the length of the source.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """Which part of a message a template becomes."""

    SUBJECT = "subject"  #: One line, plain text.
    TEXT = "text"  #: The text/plain part.
    HTML = "html"  #: The text/html part: values are escaped.


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that the author wrote to be read."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A Liquid output, tag, comment or raw block, or an HTML tag, comment, style or script."""

    start: int
    text: str


Token = Literal | Opaque

_STRING = r"""(?:"(?:[^"}]|\}(?!\}))*+"|'(?:[^'}]|\}(?!\}))*+')"""
_OUTPUT = re.compile(r"\{\{(?:" + _STRING + r"|[^{}\"'])*+\}\}")
_BLOCK = re.compile(r"\{%-?\s*(raw|comment)\s*-?%\}")
_BLOCK_END = {name: re.compile(r"\{%-?\s*end" + name + r"\s*-?%\}") for name in ("raw", "comment")}
_TAG = re.compile(r"\{%(?:(?!\{%|%\}).)*+%\}", re.DOTALL)
_ELEMENT = re.compile(r"<(style|script)\b", re.IGNORECASE)
_ELEMENT_END = {name: re.compile("</" + name, re.IGNORECASE) for name in ("style", "script")}
_HTML_TAG = re.compile(
    r"<[a-zA-Z/!?](?:\"[^\"]*+\"|'[^']*+'|\{\{(?:" + _STRING + r"|[^{}\"'])*+\}\}|\{%(?:(?!%\}).)*+%\}|[^>\"'])*+>",
    re.DOTALL,
)
_INTERESTING = {
    Part.SUBJECT: re.compile(r"\{[{%]"),
    Part.TEXT: re.compile(r"\{[{%]"),
    Part.HTML: re.compile(r"\{[{%]|<[a-zA-Z/!?]"),
}


def scan(source: str, part: Part) -> Iterator[Token]:
    """Cut `source` into tokens whose texts joined give `source` again."""
    position = literal_from = 0
    interesting = _INTERESTING[part]
    while (found := interesting.search(source, position)) is not None:
        end = _opaque_end(source, found.start())
        if end is None:
            position = found.start() + 1
            continue
        if found.start() > literal_from:
            yield Literal(literal_from, source[literal_from : found.start()])
        yield Opaque(found.start(), source[found.start() : end])
        position = literal_from = end
    if literal_from < len(source):
        yield Literal(literal_from, source[literal_from:])


def line_of(source: str, position: int) -> int:
    """Say on which line, from 1, the character at `position` stands."""
    return source.count("\n", 0, position) + 1


def _opaque_end(source: str, start: int) -> int | None:
    """Say where what begins at `start` ends, or None if it is literal after all."""
    if source.startswith("{{", start):
        output = _OUTPUT.match(source, start)
        return output.end() if output else None
    if source.startswith("{%", start):
        return _tag_end(source, start)
    return _html_end(source, start)


def _tag_end(source: str, start: int) -> int | None:
    block = _BLOCK.match(source, start)
    if block is not None:
        closing = _BLOCK_END[block[1]].search(source, block.end())
        return closing.end() if closing else len(source)
    tag = _TAG.match(source, start)
    return tag.end() if tag else None


def _html_end(source: str, start: int) -> int | None:
    if source.startswith("<!--", start):
        end = source.find("-->", start + 4)
        return len(source) if end < 0 else end + 3
    element = _ELEMENT.match(source, start)
    if element is not None:
        closing = _ELEMENT_END[element[1].lower()].search(source, element.end())
        return closing.start() if closing else len(source)
    end = source.find(">", start)
    if end < 0:
        return None
    tag = _HTML_TAG.match(source, start)
    return tag.end() if tag else end + 1
