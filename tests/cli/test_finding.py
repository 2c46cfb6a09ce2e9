"""Finding leads, one action on all of them, changing one; and the domains that are sent from."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from connectors.name_server import name_server
from relance.cli.failures import NO, WRONG_USE


def found(shell, *options) -> list[str]:
    """Return who matches."""
    return [row["email"] for row in shell.ok("lead", "find", "--json", *options).rows]


@pytest.fixture
def enrolled(filled):
    """Return a shell where carol is in a sequence and dave is not."""
    filled.ok("enroll", "autumn", "--lead", "carol@example.org")
    return filled


def test_leads_are_found_by_where_they_stand_and_a_filter_can_be_kept(enrolled):
    """With what a list shows of them."""
    assert ["carol@example.org"] == found(enrolled, "--status", "active", "--save", "Moving")
    assert ["dave@example.org"] == found(enrolled, "--status", "none")
    assert ["carol@example.org"] == found(enrolled, "--saved", "Moving", "--list", "autumn")
    assert [] == found(enrolled, "--saved", "Moving", "--list", "spring")
    assert {"status": "active"} == enrolled.ok("lead", "filters", "--json").rows[0]["asks"]
    assert [] == enrolled.ok("lead", "filters", "--forget", "Moving", "--json").rows
    assert [{"list": "autumn"}] == enrolled.ok("lead", "lists", "--json").rows
    assert "carol@example.org" in enrolled.ok("lead", "find", "--sequence", "autumn").out


def test_one_action_is_done_to_everybody_who_matches(enrolled):
    """And it says what became of them."""
    paused = enrolled.ok("lead", "bulk", "pause", "--sequence", "autumn", "--yes", "--json").facts
    again = enrolled.ok("lead", "bulk", "pause", "--sequence", "autumn", "--yes", "--json").facts
    put = enrolled.ok("lead", "bulk", "put", "--to", "friends", "--yes", "--json").facts

    assert [(1, 0), (0, 1), (2, 0)] == [(one["changed"], one["unchanged"]) for one in (paused, again, put)]
    assert ["dave@example.org", "carol@example.org"] == found(enrolled, "--list", "friends")
    assert ["carol@example.org"] == found(enrolled, "--status", "paused")


def test_an_action_that_needs_a_name_says_so(enrolled):
    """Before it asks."""
    assert WRONG_USE == enrolled.run("lead", "bulk", "enroll", "--yes").code


def test_a_lead_is_changed_field_by_field(filled):
    """A blank value takes its field away."""
    assert filled.ok("lead", "change", "carol@example.org", "first_name=", "role=CEO", "--json").facts["changed"]
    shown = filled.ok("lead", "show", "carol@example.org", "--json").facts
    assert {"company": "Acme", "role": "CEO"} == shown["fields"]
    assert not filled.ok("lead", "change", "carol@example.org", "role=CEO", "--json").facts["changed"]


@pytest.fixture
def place(shell, monkeypatch) -> Iterator[str]:
    """Return a shell with a mailbox, and the name server that it asks."""
    monkeypatch.setenv("PASSWORD", "s3cret-of-anna")
    servers = ("--smtp", "127.0.0.1:2525:plain", "--imap", "127.0.0.1:1143:plain", "--password-env", "PASSWORD")
    shell.ok("mailbox", "add", "anna@example.com", *servers)
    loop = asyncio.new_event_loop()
    zones: dict[str, dict[str, list[str]] | str] = {"example.com": {"MX": ["10 mx.example.com."]}}
    serving = name_server(zones)
    _, address = loop.run_until_complete(serving.__aenter__())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield address
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(serving.__aexit__(None, None, None))
    loop.close()


def test_a_domain_is_looked_at_and_what_to_add_is_said(shell, place, monkeypatch):
    """Exit 1: something is wanting."""
    monkeypatch.setenv("RELANCE_NAME_SERVER", place)

    before = shell.ok("domain", "list", "--json").rows
    said = shell.run("domain", "check", "--json")
    shell.ok("domain", "selectors", "example.com", "k7")

    assert ["never looked at"] == [row["why"] for row in before]
    assert NO == said.code
    assert {"spf": "wanting", "dkim": "wanting", "dmarc": "wanting", "mx": "good"} == {
        row["record"]: row["status"] for row in said.rows
    }
    assert 'example.com TXT "v=spf1 mx ~all"' == said.rows[0]["add"]
    assert said.rows == shell.ok("domain", "list", "--json").rows


def test_who_is_known_is_left_alone_where_an_import_says_so(filled, tmp_path):
    """Neither changed nor put on the list."""
    (tmp_path / "more.csv").write_text(
        "email,company\ncarol@example.org,Other\nzoe@example.org,New\n", encoding="utf-8"
    )
    options = ("--list", "fair", "--skip-known", "--json")

    tried = filled.ok("lead", "import", tmp_path / "more.csv", *options, "--dry-run").facts
    done = filled.ok("lead", "import", tmp_path / "more.csv", *options).facts

    assert [(1, 0, 1)] * 2 == [(one["imported"], one["merged"], one["skipped"]) for one in (tried, done)]
    assert ["zoe@example.org"] == found(filled, "--list", "fair")
    assert "Acme" == filled.ok("lead", "show", "carol@example.org", "--json").facts["fields"]["company"]
