"""The house's own rules about files, as functions from a file to the sentences it breaks.

Linters check what a line does; these check what no linter knows: how long a file may be, what it may be called, and
that nothing of one machine gets into the product.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("src", "tests", "scripts", "bench")
TEXT_SUFFIXES = {
    ".py",
    ".sql",
    ".md",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
    ".csv",
    ".json",
    ".html",
    ".css",
    ".js",
    ".cfg",
}
TEXT_FOLDERS = (*CODE_FOLDERS, "docs", "requirements", ".ci")

SPLIT_AT = 400
"""Lines from which a file ought to be split."""

REFUSED_AT = 600
"""Lines that no file of the product may exceed."""

VAGUE = frozenset({"utils", "util", "helpers", "helper", "common", "base", "models", "manager", "misc"})
"""Words that say nothing about what a thing is for."""

# Written in two halves, so that this file does not break its own rules.
SECOND_SQLITE = "sqlite" + "3"
OF_ONE_MACHINE = ("/" + "work/", "/" + "tmp/", "/" + "root/", "/" + "home/", "." + "library")
REGISTRIES = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "deb." + "debian")

SQL = re.compile(
    r"^\s*(SELECT\s.+\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(TABLE|INDEX)\s|WITH\s+\w+\s+AS\s*\()",
    re.IGNORECASE | re.DOTALL,
)


def python_files(*folders: str) -> Iterator[Path]:
    """Yield the Python files below folders of the repository."""
    for folder in folders:
        yield from sorted(path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


def text_files() -> Iterator[Path]:
    """Yield every file of the repository that a person wrote or that is committed as text."""
    yield from sorted(path for path in ROOT.iterdir() if path.is_file() and path.suffix in TEXT_SUFFIXES)
    yield ROOT / "Makefile"
    for folder in TEXT_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            hidden = any(
                part.startswith(".") or part == "__pycache__" for part in path.relative_to(ROOT / folder).parts
            )
            if path.is_file() and not hidden and (path.suffix in TEXT_SUFFIXES or path.name == "run"):
                yield path


def too_long(source: str, limit: int = REFUSED_AT) -> list[str]:
    """Refuse a file that nobody can read whole."""
    lines = source.count("\n")
    return [f"{lines} lines, and {limit} is the limit: split it by responsibility"] if lines > limit else []


def vague_path(relative: Path) -> list[str]:
    """Refuse a file or folder whose name does not say what it is for."""
    words = {word for part in relative.with_suffix("").parts for word in part.lower().split("_")}
    return [f"the name says nothing: {word}" for word in sorted(words & VAGUE)]


def vague_classes(source: str) -> list[str]:
    """Refuse a class whose name does not say what it is."""
    names = [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    words = [(name, word.lower()) for name in names for word in re.findall(r"[A-Z][a-z0-9]*", name)]
    return [f"class {name}: the word {word} says nothing" for name, word in words if word in VAGUE]


def second_sqlite(source: str) -> list[str]:
    """Refuse a second SQLite: two copies in one process corrupt a database that both have open."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                names = [alias.name for alias in aliases]
            case ast.ImportFrom(module=str(module)):
                names = [module]
            case ast.Call(args=[ast.Constant(value=str(argument)), *_]):  # import_module("…"), importorskip("…")
                names = [argument]
            case _:
                continue
        found += [f"line {node.lineno}: use apsw" for name in names if name.split(".")[0] == SECOND_SQLITE]
    return found


def foreign_to_the_product(text: str) -> list[str]:
    """Refuse a path of one machine and the host of a package registry."""
    return [f"it names {word}" for word in (*OF_ONE_MACHINE, *REGISTRIES) if word in text]


def sql_in_python(source: str) -> list[str]:
    """Refuse a statement outside a .sql file, where it would stand below a comment with its promise."""
    texts = [
        (node.lineno, node.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [f"line {line}: a statement belongs into a .sql file" for line, text in texts if SQL.match(text)]


def statements_nobody_asks_for(sql: str, python: str) -> list[str]:
    """Refuse a named statement whose name no string of the product says."""
    names = re.findall(r"^-- name: (\S+)$", sql, re.MULTILINE)
    return [f"nobody asks for {name}" for name in names if f'"{name}"' not in python]


def names_nobody_says(sources: Mapping[str, str], templates: Iterable[str] = ()) -> list[str]:
    """Refuse a function, class or constant that no file of the product reads; `sources` maps paths to their texts.

    `templates`: texts of pages, which read names between {{ and }} or {% and %}.

    A function with a decorator is known to whoever decorated it. Methods are left to their readers, because a library
    may call them.
    """
    trees = {path: ast.parse(text) for path, text in sources.items()}
    said = {name for tree in trees.values() for node in ast.walk(tree) for name in _names_read(node)}
    for text in templates:
        said.update(
            word for part in re.findall(r"\{[{%].*?[%}]\}", text, re.DOTALL) for word in re.findall(r"\w+", part)
        )
    return [
        f"{path}: nobody uses {name}"
        for path, tree in trees.items()
        for node in tree.body
        for name in _names_made(node)
        if name not in said and not name.startswith("__")
    ]


def _names_read(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
            return [name]
        case ast.Constant(value=str(text)):  # a quoted annotation, an entry point such as "leads:lead"
            return re.findall(r"\w+", text) if " " not in text.strip() else re.findall(r"\b[A-Z]\w+(?=[,\]\[])", text)
        case _:
            return []


def _names_made(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name, decorator_list=[]) | ast.AsyncFunctionDef(name=name, decorator_list=[]):
            return [name]
        case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            return []
