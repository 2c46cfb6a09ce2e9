"""`relance thread`: everything that the inbox can do, from the command line."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from relance.app import open_installation
from relance.config import read_config
from relance.mail.classify import classify
from relance.mail.parse import parse
from relance.ports.connector import Cursor, FetchedMessage, FolderBatch, FolderRole
from relance.services import ingestion
from relance.testing import builders, letters

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


async def one_has_answered(shell):
    """Connect a mailbox to which Carol writes."""
    installation = open_installation(read_config(environment={}, data=str(shell.data)))
    workspace = await installation.workspace()
    box = await installation.write(builders.mailbox, workspace, "bo@ours.example", now=NOW)
    raw = letters.write(sender="carol@example.org", to="bo@ours.example", subject="Travel", text="Call me.", at=NOW)
    place: dict[str, Any] = {"folder": "INBOX", "role": FolderRole.INBOX, "uid_validity": 1}
    message = FetchedMessage(**place, uid=1, internal_date=NOW, raw=raw)
    batch = FolderBatch(messages=(message,), cursor=Cursor(**place, last_uid=1))
    ids = {"workspace_id": workspace.id, "mailbox_id": box.id}
    await installation.write(ingestion.stage_batch, **ids, batch=batch, now=NOW)
    (staged,) = await installation.read(ingestion.staged_of, **ids, limit=1)
    read = parse(raw)
    meaning = classify(read, own_addresses=frozenset({"bo@ours.example"}), received_at=NOW)
    keys = installation.keys
    await installation.write(ingestion.ingest, staged=staged, message=read, classification=meaning, keys=keys, now=NOW)
    await installation.close()


@pytest.fixture
def answered(filled):
    """Return a shell over an installation in which one lead has written."""
    asyncio.run(one_has_answered(filled))
    return filled


def test_a_conversation_is_listed_found_and_shown(answered):
    """By what it is and by its words."""
    (line,) = answered.ok("thread", "list", "--json").rows
    (hit,) = answered.ok("thread", "find", "call", "--json").rows
    shown = answered.ok("thread", "show", line["id"]).out

    assert ("carol@example.org", "bo@ours.example", True) == (line["lead"], line["mailbox"], line["open"])
    assert line["id"] == hit["thread_id"]
    assert "Call me." in shown
    assert [] == answered.ok("thread", "list", "--class", "auto_reply", "--json").rows
    assert "No conversation" in answered.ok("thread", "list", "--state", "done").out


def test_an_answer_is_written_and_taken_back(answered):
    """Once it is taken back another one can be written, and what is not unknown is not settled."""
    made = answered.ok("thread", "answer", 1, "--text", "I will.", "--json").facts
    second = answered.run("thread", "answer", 1, "--text", "I really will.")
    answered.ok("thread", "withdraw", made["id"])
    third = answered.ok("thread", "answer", 1, "--text", "I will call.", "--no-quote", "--json").facts

    assert "carol@example.org" == made["recipient"]
    assert "on its way" in second.complaint
    assert made["id"] != third["id"]
    assert "nothing is unknown" in answered.run("thread", "settle", third["id"], "sent").complaint
    assert "only one that was given up" in answered.run("thread", "send-again", third["id"]).complaint


@pytest.mark.parametrize(
    "does, state",
    [
        (("snooze", 1, "--days", 3), "snoozed"),
        (("finish", 1), "done"),
        (("note", 1, "Likes trains"), "open"),
        (("mark", 1, "positive"), "open"),
        (("assign", 1, "nobody"), "open"),
    ],
)
def test_the_small_things_are_done(answered, does, state):
    """And the lists follow."""
    answered.ok("thread", *does)

    assert 1 == len(answered.ok("thread", "list", "--state", state, "--json").rows)


def test_what_is_done_is_opened_again(answered):
    """By a person, not only by a message."""
    answered.ok("thread", "finish", 1)
    answered.ok("thread", "reopen", 1)

    assert 1 == len(answered.ok("thread", "list", "--json").rows)


def test_a_class_is_corrected(answered):
    """And said back."""
    (hit,) = answered.ok("thread", "find", "call", "--json").rows
    done = answered.ok("thread", "class", hit["id"], "auto_reply", "--json").facts

    assert ("ordinary", "auto_reply") == (done["before"], done["after"])


@pytest.mark.parametrize("command", ["show", "finish", "reopen"])
def test_what_does_not_exist_is_named(answered, command):
    """With exit code 1 and no traceback."""
    said = answered.run("thread", command, 99)

    assert 1 == said.code
    assert "there is no conversation 99" in said.complaint


def test_nobody_unknown_is_put_in_charge(answered):
    """Only who is in the workspace."""
    assert "is not in this workspace" in answered.run("thread", "assign", 1, "eve@else.example").complaint
