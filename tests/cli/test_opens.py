"""`relance opens import`: what a tracking source tells."""


def test_a_file_of_opens_is_recorded_line_by_line(shell, tmp_path):
    """Bad lines are named with their number; what belongs to no message of ours is counted."""
    path = tmp_path / "opens.jsonl"
    path.write_text('{"message_id": "<of@somebody.example>", "at": "2026-01-05T09:14:00Z"}\nopened\n', encoding="utf-8")
    said = shell.run("opens", "import", path, "--json")

    assert 1 == said.code
    assert (0, 1, 1) == tuple(said.facts[name] for name in ("opened", "unmatched", "invalid"))
    assert [2] == [error["line"] for error in said.facts["errors"]]
    assert "line 2" in said.complaint
    assert "2 lines: 0 opened by people" in shell.run("opens", "import", path).out


def test_a_file_of_opens_that_is_missing_is_named(shell, tmp_path):
    """Exit 3."""
    said = shell.run("opens", "import", tmp_path / "missing")

    assert 3 == said.code
    assert "missing cannot be read" in said.complaint
