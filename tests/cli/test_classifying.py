"""`relance classify`: one JSON object per message, whatever the message is."""

import json
import os

import pytest

from relance.cli.bounded_classifying import BoundedClassifier
from relance.mail import classify

REPLY = b"From: carol@example.org\r\nSubject: Re: hello\r\nIn-Reply-To: <1@example.com>\r\n\r\nYes, please.\r\n"
KEYS = [
    "path", "kind", "confidence", "recipients", "original_message_id", "in_reply_to", "new_text", "return_date",
    "evidence", "rules_version",
]  # fmt: skip


@pytest.fixture
def message(tmp_path):
    """Return a file with a reply."""
    path = tmp_path / "reply.eml"
    path.write_bytes(REPLY)
    return path


def test_files_standard_input_and_lists_of_files_are_read(bare, message, tmp_path):
    """Needs no installation; every way gives the same object."""
    listed = tmp_path / "list"
    listed.write_text(f"{message}\n{message}\n", encoding="utf-8")
    by_name = bare.process("classify", message)
    by_input = bare.process("classify", "-", stdin=REPLY)
    by_list = bare.process("classify", "--files-from", listed)
    by_piped_list = bare.process("classify", "--files-from", "-", stdin=f"{message}\n".encode())

    assert set(KEYS) <= set(by_name.facts)
    assert ("human_reply", ["<1@example.com>"]) == (by_name.facts["kind"], by_name.facts["in_reply_to"])
    assert {**by_name.facts, "path": "-"} == by_input.facts
    assert [by_name.facts, by_name.facts, by_name.facts] == [*by_list.rows, *by_piped_list.rows]
    assert [0, 0, 0, 0] == [said.code for said in (by_name, by_input, by_list, by_piped_list)]


def test_a_file_that_cannot_be_read_does_not_end_the_run(bare, message, tmp_path):
    """It is `other` with the reason, the rest goes on, and the exit code says that a person is needed."""
    said = bare.process("classify", tmp_path / "missing.eml", tmp_path, message)

    assert 1 == said.code
    assert ["other", "other", "human_reply"] == [row["kind"] for row in said.rows]
    assert "No such file" in said.rows[0]["evidence"][0]
    assert "2 files" in said.complaint


def test_hostile_bytes_get_an_object_each(bare, tmp_path):
    """Nothing, noise, a million parts: never an exception."""
    cases = {
        "empty": b"",
        "noise": os.urandom(200_000),
        "nested": b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(20_000)),
        "headers": b"X: y\n" * 300_000,
        "brackets": b"From: " + b"<" * 500_000 + b"\n\nx",
        "html": b"Content-Type: text/html\n\n" + b"<div>" * 300_000,
    }
    for name, raw in cases.items():
        (tmp_path / name).write_bytes(raw)
    said = bare.process("classify", *(tmp_path / name for name in cases))

    assert (0, "") == (said.code, said.err)
    assert [str(tmp_path / name) for name in cases] == [row["path"] for row in said.rows]


@pytest.mark.parametrize("arguments", [[], ["--files-from", "-", "-"]])
def test_wrong_use_is_said(bare, arguments):
    """Exit 2."""
    said = bare.run("classify", *arguments)

    assert 2 == said.code
    assert "classify --help" in said.complaint


def test_a_message_that_takes_too_long_is_other_and_the_next_one_is_read():
    """The limit is the message's own processor time."""
    slow = b"Content-Type: text/html\n\n" + b"<p>x</p>" * 50_000
    with BoundedClassifier(time_limit=0.001) as classifier:
        first = json.loads(classifier.classify("slow", slow))
        second = json.loads(classifier.classify("slow", slow))

    assert ["other", "other"] == [first["kind"], second["kind"]]
    assert "processor time" in first["evidence"][0]


def test_a_process_that_dies_is_replaced():
    """Too little memory to hold the message at all."""
    with BoundedClassifier(memory_limit=32 * 1024 * 1024) as classifier:
        first = json.loads(classifier.classify("large", b"x" * 60_000_000))
        second = json.loads(classifier.classify("small", REPLY))

    assert ("other", "guess") == (first["kind"], first["confidence"])
    assert "memory" in first["evidence"][0]
    assert ("human_reply", classify.RULES_VERSION) == (second["kind"], second["rules_version"])
