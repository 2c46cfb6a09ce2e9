"""`relance suppress`: whom never to write to."""

import pytest


def test_addresses_domains_and_numbers_are_suppressed_checked_and_taken_back(shell):
    """In one spelling, however they are written; exit 1 where the answer to a check is no."""
    shell.ok("suppress", "add", "Anna@Example.org")
    shell.ok("suppress", "add", "@Evil.example", "--scope", "global")
    shell.ok("suppress", "add", "+49 30 1234")
    values = [row["value"] for row in shell.ok("suppress", "list", "--json").rows]
    checked = [
        shell.run("suppress", "check", target).code
        for target in ("anna@example.ORG", "bob@evil.example", "bob@mail.evil.example", "+49301234", "b@example.org")
    ]
    removed = [shell.run("suppress", "remove", "anna@example.org").code for _ in range(2)]

    assert ["anna@example.org", "evil.example", "+49301234"] == values
    assert [0, 0, 0, 0, 1] == checked
    assert [0, 1] == removed
    assert 1 == shell.run("suppress", "check", "anna@example.org").code


def test_a_file_is_imported_line_by_line(shell, tmp_path):
    """Bad lines are named with their number; the good ones count."""
    path = tmp_path / "never.txt"
    path.write_text("email\nanna@example.org\n# a comment\n@evil.example\nnobody\nanna@example.org\n", encoding="utf-8")
    said = shell.run("suppress", "import", path, "--json")

    assert 1 == said.code
    assert (4, 2, 1, 1) == tuple(said.facts[name] for name in ("rows", "added", "known", "invalid"))
    assert [5] == [error["line"] for error in said.facts["errors"]]
    assert "line 5" in said.complaint


@pytest.mark.parametrize("target", ["nobody", "@", "+", "a b@example.org", "@nodot"])
def test_what_names_nobody_is_refused(shell, target):
    """One sentence with the three forms."""
    said = shell.run("suppress", "add", target)

    assert 2 == said.code
    assert [] == shell.ok("suppress", "list", "--json").rows


def test_a_file_that_is_missing_is_named(shell, tmp_path):
    """Exit 3."""
    said = shell.run("suppress", "import", tmp_path / "missing")

    assert 3 == said.code
    assert "missing cannot be read" in said.complaint
