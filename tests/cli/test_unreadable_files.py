"""Files that a person names and we cannot read: one sentence, with what to do."""

import errno
import os
from pathlib import Path

import pytest

from relance.cli.failures import unreadable

COMMANDS = {
    "lead import": ["lead", "import", "FILE"],
    "suppress import": ["suppress", "import", "FILE"],
    "validate": ["sequence", "validate", "FILE"],
    "publish": ["sequence", "publish", "FILE"],
    "diff": ["sequence", "diff", "FILE"],
    "preview": ["sequence", "preview", "FILE", "--lead", "carol@example.org"],
}
every_command = pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)


@every_command
@pytest.mark.parametrize(
    "name,why,remedy",
    [
        ("missing.yaml", "No such file or directory", "correct the name, or the folder that it starts from"),
        ("a-file/leads.yaml", "Not a directory", "correct the name, or the folder that it starts from"),
        ("a-folder.yaml", "Is a directory", "name a file in it"),
    ],
)
def test_a_file_that_is_not_there_is_named_with_what_to_do(filled, tmp_path, words, name, why, remedy):
    """Exit 3, the same sentence everywhere."""
    (tmp_path / "a-file").write_text("email\n", encoding="utf-8")
    (tmp_path / "a-folder.yaml").mkdir()
    path = tmp_path / name
    said = filled.run(*(str(path) if word == "FILE" else word for word in words))

    assert (3, f"relance: {path} cannot be read: {why}; {remedy}") == (said.code, said.complaint)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_file_that_may_not_be_read_is_named_with_what_to_do(number):
    """Made up here: the tests may run as somebody who may read everything."""
    error = unreadable(Path("leads.csv"), OSError(number, os.strerror(number), "leads.csv"))

    assert str(error) == (
        f"leads.csv cannot be read: {os.strerror(number)}; let this user read it, or name a copy that may be read"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04\x14\x00\x06\x00\x08\x00",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 40,
        b"%PDF-1.7\n%\xe2\xe3\n",
        b"\xfd\x00\x81\x90\x8d" * 50,
    ],
)
@pytest.mark.parametrize("command", ["lead import", "suppress import"])
def test_a_list_that_is_no_text_is_named_with_what_to_do(filled, tmp_path, command, content):
    """Such as a spreadsheet in its own format: nothing of it comes in, and nothing of it is printed."""
    path = tmp_path / "list.csv"
    path.write_bytes(content)
    said = filled.run(*(str(path) if word == "FILE" else word for word in COMMANDS[command]))

    sentence = f"relance: {path} is no text file (a spreadsheet's own format?): save it as CSV in UTF-8"
    assert (1, sentence) == (said.code, said.complaint)
    assert 2 == len(filled.ok("lead", "list", "--json").rows)
    assert [] == filled.ok("suppress", "list", "--json").rows


def test_a_sequence_file_that_is_not_utf8_is_named_with_its_line(filled, tmp_path):
    """As an editor saves it that keeps to an old code page."""
    path = tmp_path / "autumn.yaml"
    path.write_bytes(path.read_bytes() + "# Grüße\n".encode("cp1252"))
    said = filled.run("sequence", "publish", path)

    assert (1, f"{path}:9: it is not text in UTF-8; save the file as UTF-8") == (said.code, said.complaint)
