"""`relance attempt settle`: a person's answer where nobody could find out."""

import asyncio
from datetime import timedelta

import pytest

from cli.shell import Shell
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.ports.store import Transaction
from relance.services.records import columns
from relance.storage.opening import open_store


@pytest.fixture
def lost(filled: Shell, monkeypatch) -> tuple[Shell, int]:
    """Return an installation where the outcome of one message was lost, and its attempt's id."""
    monkeypatch.setenv("PASSWORD", "x")
    servers = ("--smtp", "127.0.0.1:25:plain", "--imap", "127.0.0.1:143:plain", "--password-env", "PASSWORD")
    filled.ok("mailbox", "add", "anna@example.com", *servers)
    filled.ok("enroll", "autumn", "--lead", "carol@example.org")

    async def lose() -> int:
        store = open_store(filled.data / "relance.db")
        try:
            return await store.write(_lose)
        finally:
            await store.close()

    return filled, asyncio.run(lose())


def _lose(tx: Transaction) -> int:
    [mailbox] = tx.all(Mailbox, "mailboxes.of_workspace", workspace_id=1)
    [enrollment] = tx.all(Enrollment, "enrollments.chosen", workspace_id=1, sequence_id=None, lead_id=None)
    began = enrollment.created_at - timedelta(hours=1)
    attempt = Attempt(
        workspace_id=1,
        id=0,
        enrollment_id=enrollment.id,
        lead_id=enrollment.lead_id,
        sequence_id=enrollment.sequence_id,
        mailbox_id=mailbox.id,
        step="intro",
        version=1,
        step_counter=1,
        variant="a",
        status=AttemptStatus.UNKNOWN,
        message_id="<1@example.com>",
        trace="t",
        recipient="carol@example.org",
        subject="A question",
        opens_thread=True,
        planned_at=began,
        holds_slot=True,
        slot_day=began.date().isoformat(),
        slot_hour=began.strftime("%Y-%m-%dT%H+0000"),
        release_by=began + timedelta(seconds=20),
        began_at=began,
        created_at=began,
    )
    values = columns(attempt)
    del values["id"]
    made = tx.one(int, "attempts.insert", **values)
    assert made is not None
    return made


def test_stuck_lists_a_lost_outcome_with_the_command_that_settles_it(lost):
    """The sentence can be pasted."""
    shell, attempt_id = lost
    rows = shell.run("stuck", "--json").rows

    assert any(f"relance attempt settle {attempt_id} sent" in row["remedy"] for row in rows)


@pytest.mark.parametrize("answer,status,step", [("sent", "sent", "bump"), ("failed", "failed", "intro")])
def test_a_person_settles_it_once(lost, answer, status, step):
    """`sent` goes on after it, `failed` tries it again; a second answer is refused."""
    shell, attempt_id = lost
    facts = shell.ok("attempt", "settle", attempt_id, answer, "--json").facts
    again = shell.run("attempt", "settle", attempt_id, answer)
    [enrollment] = shell.ok("explain", "carol@example.org", "--json").facts["enrollments"]

    assert (answer, "carol@example.org") == (facts["settled"], facts["recipient"])
    assert 1 == again.code
    assert f"is {status}, not unknown" in again.complaint
    assert (status, step) == (enrollment["attempts"][0]["status"], enrollment["step"])
