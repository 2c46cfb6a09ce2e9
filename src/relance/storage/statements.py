"""Named SQL: every statement of the product, read from `queries/` and put into one database's dialect.

Rule 1: a file per noun, `queries/noun.sql`; a statement is `-- name: noun.verb_phrase`, its promise as a comment, then
        the SQL. `-- part: noun.word` names a piece of text that `{noun.word}` inserts, in any file.
Rule 2: a statement or part of the same name in `queries/postgres/` or `queries/sqlite/` shadows the common one there.
Rule 3: a parameter is `:name`. Its name ends in `_list` exactly if it is an array.

So that most statements need no shadow, the common files are written for PostgreSQL and read for SQLite like this:

    :due_at::timestamptz             SQLite drops the cast; PostgreSQL needs one where it cannot infer the type
    = ANY (:ids_list::bigint[])      becomes IN (SELECT value FROM json_each(:ids_list))
    --postgres FOR UPDATE            the rest of the line stands for PostgreSQL only (`--sqlite` the other way)
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any


class Dialect(StrEnum):
    """Whose SQL it is; the name of a folder in `queries/` and `migrations/`."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


class StatementError(Exception):
    """A query file is not written as this module's rules say, or a statement is used with the wrong parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement, ready for one driver."""

    name: str
    promise: str  #: The comment: what holds when it returns.
    sql: str
    parameters: frozenset[str]
    #: How a row of it becomes a value, by the value's type; its columns are always the same.
    builders: dict[object, Callable[[Sequence[Any]], Any]] = field(default_factory=dict, compare=False, repr=False)

    def check(self, given: Mapping[str, object]) -> None:
        """Raise StatementError unless exactly its parameters are given."""
        if given.keys() != self.parameters:
            missing = ", ".join(sorted(self.parameters - given.keys())) or "nothing"
            extra = ", ".join(sorted(given.keys() - self.parameters)) or "nothing"
            raise StatementError(f"{self.name} misses {missing}, and was given {extra} that it does not take")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    kind: str
    name: str
    comment: str
    text: str


_HEADING = re.compile(r"^--\s*(name|part):\s*(\S+)\s*$")
_NAME = re.compile(r"^[a-z_]+\.[a-z0-9_]+$")
_PART = re.compile(r"\{([a-z_]+\.[a-z0-9_]+)\}")
_ANY = re.compile(r"=\s*ANY\s*\(\s*(:\w+_list)(?:::\w+\[\])?\s*\)", re.IGNORECASE)
_STRING = re.compile(r"'(?:[^']|'')*'")
_TOKEN = re.compile(
    r"""(?P<kept>'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
      | (?P<comment>--[^\n]*|/\*.*?\*/)
      | (?P<cast>::\s*[a-z_]\w*(?:\s+precision)?(?:\[\])?)
      | :(?P<parameter>[a-z_]\w*)
      | (?P<percent>%)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


@cache
def load_statements(dialect: Dialect) -> Mapping[str, Statement]:
    """Read every statement in the files of the package, for one database. Raises StatementError."""
    return read_folder(files("relance.storage") / "queries", dialect)


def read_folder(folder: Traversable, dialect: Dialect) -> Mapping[str, Statement]:
    """Read every statement in a folder of query files, for one database. Raises StatementError."""
    common = _read_files(folder)
    shadows = _read_files(folder / dialect.value)
    entries = {**common, **shadows}
    parts = {entry.name: entry.text for entry in entries.values() if entry.kind == "part"}
    return {entry.name: _statement(entry, parts, dialect) for entry in entries.values() if entry.kind == "name"}


def translate(text: str, dialect: Dialect) -> tuple[str, frozenset[str]]:
    """Return the text in the driver's own form, and its parameters."""
    other = Dialect.POSTGRES if dialect is Dialect.SQLITE else Dialect.SQLITE
    text = re.sub(rf"^(\s*)--{dialect.value}\s", r"\1", text, flags=re.MULTILINE)
    text = re.sub(rf"^\s*--{other.value}\s[^\n]*", "", text, flags=re.MULTILINE)
    if dialect is Dialect.SQLITE:
        text = _ANY.sub(r"IN (SELECT value FROM json_each(\1))", text)
    parameters: set[str] = set()

    def write(match: re.Match[str]) -> str:
        if match["parameter"]:
            parameters.add(match["parameter"])
            return match[0] if dialect is Dialect.SQLITE else f"%({match['parameter']})s"
        if match["comment"]:
            return " "
        if dialect is Dialect.SQLITE:
            return "" if match["cast"] else match[0]
        return match[0].replace("%", "%%")

    sql = _TOKEN.sub(write, text)
    lines = (line.rstrip() for line in sql.splitlines())
    return "\n".join(line for line in lines if line).strip().removesuffix(";"), frozenset(parameters)


def _read_files(folder: Traversable) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    if not folder.is_dir():
        return entries
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".sql"):
            continue
        noun = file.name.removesuffix(".sql")
        for entry in _split(file.read_text(encoding="utf-8"), file.name):
            if not _NAME.match(entry.name) or entry.name.partition(".")[0] != noun:
                raise StatementError(f"{file.name}: {entry.name} must be named {noun}.verb_phrase")
            if entry.name in entries:
                raise StatementError(f"{file.name}: {entry.name} stands there twice")
            entries[entry.name] = entry
    return entries


def _split(text: str, file: str) -> Iterator[_Entry]:
    heading: tuple[str, str] | None = None
    lines: list[str] = []
    for line in [*text.splitlines(), "-- name: end.of_file"]:
        found = _HEADING.match(line)
        if not found:
            lines.append(line)
            continue
        if heading:
            yield _entry(heading[0], heading[1], lines, file)
        heading, lines = (found[1], found[2]), []


def _entry(kind: str, name: str, lines: list[str], file: str) -> _Entry:
    comment: list[str] = []
    body = list(lines)
    while body and (not body[0].strip() or re.match(r"--(?!postgres\s|sqlite\s)", body[0])):
        comment.append(body.pop(0).removeprefix("--").strip())
    text = "\n".join(body).strip()
    if not text:
        raise StatementError(f"{file}: {name} has no SQL")
    promise = " ".join(comment).strip()
    if kind == "name" and not promise:
        raise StatementError(f"{file}: {name} needs its promise as a comment above the SQL")
    return _Entry(kind=kind, name=name, comment=promise, text=text)


def _statement(entry: _Entry, parts: Mapping[str, str], dialect: Dialect) -> Statement:
    text = entry.text
    for _ in range(3):  # a part may name parts; deeper than this nobody can read it

        def insert(match: re.Match[str]) -> str:
            if match[1] not in parts:
                raise StatementError(f"{entry.name} names the part {match[1]}, which does not exist")
            return parts[match[1]]

        text = _PART.sub(insert, text)
    sql, parameters = translate(text, dialect)
    if ";" in _STRING.sub("", sql):
        raise StatementError(f"{entry.name} is more than one statement")
    return Statement(name=entry.name, promise=entry.comment, sql=sql, parameters=parameters)
