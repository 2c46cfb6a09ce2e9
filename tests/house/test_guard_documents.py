"""Guards: the documents keep up with the code."""

import re
import tomllib
from pathlib import Path

import pytest

from house.house_rules import ROOT

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")


def test_guard_the_changelog_knows_the_version():
    """Whoever installs a version finds what it changes."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_guard_a_decision_names_its_context_choice_and_cost(page: Path):
    """A decision without its cost is an advertisement."""
    headings = re.findall(r"^## (.+)$", page.read_text(), re.MULTILINE)

    assert ["Context", "Choice", "Cost"] == headings


def test_guard_decisions_are_numbered_without_gaps_and_listed():
    """Nobody has to search for the page that explains a line."""
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text()

    assert list(range(1, len(DECISIONS) + 1)) == [int(page.name[:4]) for page in DECISIONS]
    assert [] == [page.name for page in DECISIONS if f"({page.name})" not in listed]


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_guard_links_inside_the_repository_lead_somewhere(page: Path):
    """A page that points to another points to one that exists."""
    targets = [match[1] for match in LINK.finditer(page.read_text()) if "://" not in match[1]]

    assert [] == [target for target in targets if not (page.parent / target).exists()]


def test_guard_the_readme_names_only_commands_that_exist():
    """A `make` command of the README is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)\b", (ROOT / "README.md").read_text()))

    assert {"demo", "test"} <= named <= targets
