"""Guards: what a file may be, in words that no linter knows."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import house.house_rules as rules

SAMPLES: list[tuple[Callable[[str], list[str]], str]] = [
    (rules.too_long, "x = 1\n" * 601),
    (rules.vague_classes, "class BaseThing: ..."),
    (rules.vague_classes, "class ThingManager: ..."),
    (rules.second_sqlite, f"import {rules.SECOND_SQLITE}"),
    (rules.second_sqlite, f"from {rules.SECOND_SQLITE}.dbapi2 import connect"),
    (rules.second_sqlite, f"pytest.importorskip('{rules.SECOND_SQLITE}')"),
    (rules.foreign_to_the_product, "see " + "/" + "work/main"),
    (rules.foreign_to_the_product, "--index-url x.py" + "pi.org"),
    (rules.sql_in_python, "run('SELECT id FROM leads')"),
    (rules.sql_in_python, "run('''\n  update leads set name = :name''')"),
]


def offences(paths, rule: Callable[[str], list[str]]) -> list[str]:
    """Apply a rule to files and name each sentence's file."""
    return [
        f"{path.relative_to(rules.ROOT)}: {sentence}"
        for path in paths
        for sentence in rule(path.read_text(encoding="utf-8", errors="replace"))
    ]


@pytest.mark.parametrize("rule,sample", SAMPLES)
def test_each_guard_refuses_its_sample(rule, sample):
    """A guard that lets everything pass guards nothing."""
    assert [] != rule(sample)


def test_guard_against_long_files():
    """Nobody reads a file that does not fit into the head: 600 lines are refused."""
    assert [] == offences(rules.python_files(*rules.CODE_FOLDERS), rules.too_long)


def test_guard_names_the_files_to_split_next():
    """From 400 lines on a file is named in every run's warnings."""
    for sentence in offences(rules.python_files("src"), lambda text: rules.too_long(text, rules.SPLIT_AT)):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn(sentence, stacklevel=1)

    assert rules.SPLIT_AT < rules.REFUSED_AT


def test_guard_against_names_that_say_nothing():
    """A file or class is called by what it is for."""
    found = [
        f"{path.relative_to(rules.ROOT)}: {sentence}"
        for path in rules.python_files(*rules.CODE_FOLDERS)
        for sentence in rules.vague_path(path.relative_to(rules.ROOT))
    ]

    assert [] == found
    assert [] == offences(rules.python_files("src"), rules.vague_classes)
    assert ["the name says nothing: helpers"] == rules.vague_path(Path("src/relance/mail_helpers.py"))


def test_guard_against_a_second_sqlite():
    """Apsw brings the only SQLite of the process, in tests too."""
    assert [] == offences(rules.python_files(*rules.CODE_FOLDERS), rules.second_sqlite)


def test_guard_against_traces_of_one_machine():
    """A fresh clone works anywhere: no path and no registry host of ours is in it."""
    files = list(rules.text_files())

    assert rules.ROOT / "pyproject.toml" in files
    assert [] == offences(files, rules.foreign_to_the_product)


def test_guard_against_sql_in_python():
    """Statements stand in .sql files, where each has a comment with its promise; two files copy whole tables."""
    files = [path for path in rules.python_files("src") if path.name not in {"scratch.py", "state_copy.py"}]

    assert [] == offences(files, rules.sql_in_python)
