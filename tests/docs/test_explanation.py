"""The map of the architecture shows what is there: every part, every loop, every level of tests."""

import re
from pathlib import Path

import pytest

from docs.pages import DOCUMENTS, ROOT

PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "relance"


def first_cells(heading: str) -> set[str]:
    """Return every word in backticks in the first column of the tables below a heading; empty: above all headings."""
    section = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    (text,) = [part for part in section if part.startswith(heading)]
    rows = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def children(folder: Path) -> set[str]:
    """Return the packages and modules of a folder that Python could import."""
    packages = {path.name for path in folder.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    return packages | {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}


def test_every_part_of_the_program_has_its_row():
    """A new folder is argued for, and then explained."""
    assert children(SOURCE) == first_cells("# Architecture")


def test_every_loop_has_its_row():
    """A loop is a file of the engine with a pass."""
    loops = {path.stem for path in (SOURCE / "engine").glob("*.py") if "async def run_once(self)" in path.read_text()}

    assert loops == first_cells("The loops") - {"sender"}, "the sender works one claim at a time and has no pass"


def test_every_level_of_tests_has_its_row():
    """Who looks for the test of something finds the folder."""
    folders = {f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if any(path.rglob("test_*.py"))}

    assert folders == first_cells("How it is tested")


def test_every_file_that_the_map_points_to_is_there():
    """`Look here first` leads somewhere."""
    table = PAGE.partition("| Part | Holds | Look here first |")[2].partition("\n\n")[0]
    named = [
        (re.findall(r"`([^`]+)`", parts), place)
        for parts, _, places in (row.strip("| ").split(" | ") for row in table.splitlines()[2:])
        for place in re.findall(r"`([^`]+)`", places)
    ]

    assert [] == [
        (parts, place)
        for parts, place in named
        if not any((folder / place).exists() for folder in (SOURCE, *(SOURCE / part for part in parts)))
    ]


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_in_a_page_exists(page: Path):
    """`mail/mime.py` in a sentence is a file of the program or of the repository."""
    named = re.findall(r"`([a-z_]+(?:/[a-z_0-9.-]+)*(?:/|\.py|\.sql))`", page.read_text(encoding="utf-8"))

    assert [] == [
        path for path in named if "/" in path[:-1] and not ((SOURCE / path).exists() or (ROOT / path).exists())
    ]
