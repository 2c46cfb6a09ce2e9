"""Where an https address to opt out at stands in a message, and where only the one for mail does."""

from datetime import UTC, datetime
from email import message_from_bytes
from typing import Any

import pytest

from relance.app.running import unsubscribe_links
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.suppression import tombstone_of
from relance.core.unsubscribe_link import PATH, read_link
from relance.mail.compose import Draft, compose
from relance.storage.vault import LocalVault

VAULT = LocalVault(b"k" * 32)


def attempt() -> Attempt:
    """Return an attempt to write to Ann."""
    at = datetime(2026, 11, 30, tzinfo=UTC)
    facts: dict[str, Any] = dict.fromkeys(("sequence_id", "mailbox_id", "enrollment_id", "lead_id"), 1)
    return Attempt(
        **facts,
        workspace_id=1,
        id=7,
        step="intro",
        version=1,
        step_counter=1,
        variant="a",
        status=AttemptStatus.RESERVED,
        message_id="<a@ours.example>",
        trace="t",
        recipient="ann@lead.example",
        opens_thread=True,
        planned_at=at,
        holds_slot=True,
        slot_day="2026-11-30",
        slot_hour="2026-11-30T09",
        created_at=at,
    )


ATTEMPT = attempt()


@pytest.mark.parametrize("base_url", [None, "http://127.0.0.1:8025"])
def test_without_https_there_is_no_such_address(base_url):
    """RFC 8058 §3.1 asks for https, and a mail program cannot reach somebody's own machine."""
    assert unsubscribe_links(VAULT, base_url)(ATTEMPT) is None


def test_an_https_address_names_the_message_and_the_person():
    """As the public page reads it."""
    address = unsubscribe_links(VAULT, "https://relance.example")(ATTEMPT)
    link = read_link(VAULT.derive("unsubscribe"), str(address).removeprefix(f"https://relance.example{PATH}"))

    assert link is not None
    assert (1, 7) == (link.workspace_id, link.attempt_id)
    assert tombstone_of("ann@lead.example", VAULT.derive("tombstone")) == link.digest


def test_it_stands_whole_in_the_header():
    """A header that was folded inside the address, or encoded, would be no header to a mail program."""
    address = str(unsubscribe_links(VAULT, "https://relance.example")(ATTEMPT))
    draft = Draft(
        from_address="bo@ours.example",
        to_address="ann@lead.example",
        subject="Hi",
        text="Hi",
        message_id="<a@ours.example>",
        date=datetime(2026, 11, 30, tzinfo=UTC),
        list_unsubscribe=(address, "mailto:bo@ours.example?subject=unsubscribe"),
        list_unsubscribe_post=True,
    )
    read = message_from_bytes(compose(draft))

    assert f"<{address}>, <mailto:bo@ours.example?subject=unsubscribe>" == " ".join(read["List-Unsubscribe"].split())
    assert "List-Unsubscribe=One-Click" == read["List-Unsubscribe-Post"]
