"""Guards: what nobody uses is not kept."""

import pytest

import house.house_rules as rules

#: Made for tests and for whoever writes a store or a connector of their own: the product itself does not need them.
FOR_OTHERS = ("testing", "sandbox/faults.py")
#: Waits for the command or the page that uses it.
AWAITED: set[str] = set()


def test_guard_against_statements_that_nobody_asks_for():
    """A statement that is planned, tested and never run is a promise without anybody who keeps it."""
    python = "".join(path.read_text(encoding="utf-8") for path in rules.python_files("src"))
    sql = [path.read_text(encoding="utf-8") for path in (rules.ROOT / "src").rglob("queries/**/*.sql")]

    assert sql
    assert [] == [sentence for text in sql for sentence in rules.statements_nobody_asks_for(text, python)]


def test_guard_against_names_that_nobody_says():
    """Whatever only its own test calls is a burden to every reader."""
    sources = {
        str(path.relative_to(rules.ROOT)): path.read_text(encoding="utf-8") for path in rules.python_files("src")
    }
    templates = [path.read_text(encoding="utf-8") for path in (rules.ROOT / "src").rglob("templates/**/*.html")]
    found = {
        sentence
        for sentence in rules.names_nobody_says(sources, templates)
        if not sentence.startswith(tuple(f"src/relance/{part}" for part in FOR_OTHERS))
    }

    assert AWAITED == found


@pytest.mark.parametrize(
    "source",
    ["def lost(): ...", "async def lost(): ...", "class lost: ...", "lost = 1", "lost: int = 1", "def lost(): lose()"],
)
def test_the_guard_finds_what_is_lost(source: str):
    """A guard that lets everything pass guards nothing."""
    assert ["a.py: nobody uses lost"] == rules.names_nobody_says({"a.py": source, "b.py": "def __main__(): pass"})


@pytest.mark.parametrize("use", ["a.lost()", "from a import lost\nlost", "x: 'list[lost]'", "USED = {'x': 'a:lost'}"])
def test_the_guard_knows_every_way_to_use_a_thing(use: str):
    """By attribute, by import, in quotation marks."""
    assert [] == [one for one in rules.names_nobody_says({"a.py": "def lost(): ...", "b.py": use}) if "lost" in one]


def test_the_guard_finds_a_statement_that_nobody_asks_for():
    """Its name has to stand in a string."""
    assert ["nobody asks for a.b"] == rules.statements_nobody_asks_for("-- name: a.b\nSELECT 1", 'one("a.c")')
