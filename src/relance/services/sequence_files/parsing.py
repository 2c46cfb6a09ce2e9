"""YAML and JSON into nodes, with guards against files that are made to harm.

Rule 1: size, depth and number of values are limited before anything is built.
Rule 2: anchors and aliases are refused: a sequence has no use for them, and nine lines of them can fill a memory.
"""

import re
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # there, and not in the stubs

import yaml

from relance.services.sequence_files.nodes import Entry, FileProblemError, Listing, Mapped, Node, Scalar

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 30
MAX_VALUES = 20_000
_LOADER: "type[yaml.SafeLoader | yaml.CSafeLoader]" = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BLOCKS = frozenset({"|", ">"})
_JSON_SPACE = re.compile(r"[ \t\r\n]*")
_JSON_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")


def parse_yaml(text: str) -> Node:
    """Return the file's only document. Raises FileProblemError."""
    try:
        _guard(text)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise _yaml_problem(error) from error
    if node is None:
        raise FileProblemError("the file is empty", "write at least name: and steps:")
    return _from_yaml(node)


def _guard(text: str) -> None:
    depth = values = documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = event.start_mark.line + 1 if event.start_mark else None
        match event:
            case yaml.AliasEvent() | yaml.NodeEvent(anchor=str()):
                raise FileProblemError("anchors and aliases (& and *) are not used here", "write the value out", line)
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise FileProblemError("the file holds a second document", "write one sequence per file", line)
            case yaml.CollectionStartEvent():
                depth += 1
            case yaml.CollectionEndEvent():
                depth -= 1
            case _:
                pass
        values += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH:
            raise _too_deep(line)
        if values > MAX_VALUES:
            raise FileProblemError(f"it holds more than {MAX_VALUES} values", "write fewer steps", line)


def _yaml_problem(error: yaml.YAMLError) -> FileProblemError:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else None
    said = " ".join(
        str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read").split()
    )
    if "nesting depth" in said:
        return _too_deep(line)
    hints = {
        "could not find expected ':'": "every line is `key: value`; check the indentation",
        "mapping values are not allowed": "put a text that holds `: ` into quotation marks",
        "found character '\\t'": "indent with spaces, not tabs",
        "cannot start any token": "indent with spaces, and put a text that begins with %, @ or ` into quotation marks",
        "special characters are not allowed": "take the control characters out, and save the file as UTF-8",
        "did not find expected key": "check the indentation of this line and the quotation marks before it",
        "unexpected end of stream": "close the quotation mark that was opened",
        "found unexpected end": "close the quotation mark that was opened",
        "did not find expected ',' or": "close the bracket that was opened",
    }
    hint = next((hint for part, hint in hints.items() if part in said), "check the indentation and quotation marks")
    return FileProblemError(f"this is not YAML: {said}", hint, line)


def _too_deep(line: int | None) -> FileProblemError:
    return FileProblemError(f"it is nested more than {MAX_DEPTH} deep", "a sequence needs four levels", line)


def _from_yaml(node: yaml.Node) -> Node:
    line = node.start_mark.line + 1
    match node:
        case yaml.ScalarNode():
            block = node.style in _BLOCKS
            return Scalar(
                line=line,
                text=str(node.value),
                quoted=node.style is not None and node.style != "",
                first_line=line + 1 if block else line,
            )
        case yaml.SequenceNode():
            return Listing(line=line, items=tuple(_from_yaml(item) for item in node.value))
        case yaml.MappingNode():
            return Mapped(line=line, entries=tuple(_entry(key, value) for key, value in node.value))
        case _:
            raise FileProblemError("this value is of no known kind", "write a text, a list or keys and values", line)


def _entry(key: yaml.Node, value: yaml.Node) -> Entry:
    line = key.start_mark.line + 1
    if not isinstance(key, yaml.ScalarNode):
        raise FileProblemError("a key is a list or a mapping", "a key is a word, such as subject", line)
    return Entry(key=str(key.value), line=line, value=_from_yaml(value))


def parse_json(text: str) -> Node:
    """Return the file's only value. Raises FileProblemError."""
    if not text.strip():
        raise FileProblemError("the file is empty", "write at least name and steps")
    reader = _JsonReader(text)
    try:
        node = reader.value(0)
        reader.skip_space()
    except JSONDecodeError as error:
        raise FileProblemError(
            f"this is not JSON: {error.msg}", "check commas and quotation marks", error.lineno
        ) from error
    if reader.position < len(text):
        raise FileProblemError("something follows after the end", "take it out", reader.line())
    return node


class _JsonReader:
    """Reads JSON (RFC 8259) with line numbers, which the standard library's reader forgets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._values = 0
        self._counted, self._line = 0, 1
        self.position = 0

    def line(self) -> int:
        """Return the line that is being read; counts on from the last time it was asked."""
        self._line += self._text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line

    def skip_space(self) -> str:
        """Move to the next sign and return it; nothing at the end."""
        found = _JSON_SPACE.match(self._text, self.position)
        self.position = found.end() if found else self.position
        return self._text[self.position : self.position + 1]

    def value(self, depth: int) -> Node:
        """Read one value."""
        sign = self.skip_space()
        line = self.line()
        self._values += 1
        if depth > MAX_DEPTH:
            raise _too_deep(line)
        if self._values > MAX_VALUES:
            raise FileProblemError(f"it holds more than {MAX_VALUES} values", "write fewer steps", line)
        match sign:
            case "{":
                return Mapped(line=line, entries=tuple(self._entries(depth)))
            case "[":
                return Listing(line=line, items=tuple(self._items(depth)))
            case '"':
                return Scalar(line=line, text=self._string(), quoted=True, first_line=line)
            case _:
                found = _JSON_PLAIN.match(self._text, self.position)
                if not found:
                    self._fail("a value was expected")
                    raise AssertionError  # pragma: no cover - _fail raises
                self.position = found.end()
                return Scalar(line=line, text=found[0], first_line=line)

    def _entries(self, depth: int) -> list[Entry]:
        self.position += 1
        entries: list[Entry] = []
        if self.skip_space() == "}":
            self.position += 1
            return entries
        while True:
            if self.skip_space() != '"':
                self._fail("a key in quotation marks was expected")
            line = self.line()
            key = self._string()
            if self.skip_space() != ":":
                self._fail("a colon was expected")
            self.position += 1
            entries.append(Entry(key=key, line=line, value=self.value(depth + 1)))
            if self._ends("}"):
                return entries

    def _items(self, depth: int) -> list[Node]:
        self.position += 1
        items: list[Node] = []
        if self.skip_space() == "]":
            self.position += 1
            return items
        while True:
            items.append(self.value(depth + 1))
            if self._ends("]"):
                return items

    def _ends(self, closing: str) -> bool:
        sign = self.skip_space()
        if sign not in {",", closing}:
            self._fail(f"a comma or {closing} was expected")
        self.position += 1
        return sign == closing

    def _string(self) -> str:
        value, self.position = scanstring(self._text, self.position + 1, True)  # noqa: FBT003 - strict, as RFC 8259 is
        return str(value)

    def _fail(self, message: str) -> None:
        raise JSONDecodeError(message, self._text, self.position)
