"""`relance forecast`: a table for people, rows for spreadsheets, one object for programs."""

import csv
import io

import pytest

from cli.shell import Shell


@pytest.fixture
def ready(filled: Shell, monkeypatch) -> Shell:
    """Return a shell over an installation with a mailbox, and two people in a sequence."""
    monkeypatch.setenv("BOX_PASSWORD", "secret")
    words = ("--smtp", "127.0.0.1:2525:plain", "--imap", "127.0.0.1:1143:plain", "--password-env", "BOX_PASSWORD")
    filled.ok("mailbox", "add", "kim@ours.example", *words)
    filled.ok("enroll", "autumn", "--list", "autumn")
    return filled


def test_the_facts_add_up(ready: Shell):
    """Sends, days and courses tell of the same messages."""
    facts = ready.ok("forecast", "--json").facts

    assert facts["sends"] == sum(day["sent"] for day in facts["days"])
    assert facts["sends"] == sum(course["sends"] for course in facts["sequences"])
    assert 0 < facts["sends"]
    assert ["autumn"] == [course["sequence"] for course in facts["sequences"]]
    assert facts["done_at"] is not None
    assert [] == facts["bottlenecks"]


def test_each_message_is_a_row(ready: Shell):
    """Who gets which step when and from whom, in order."""
    rows = list(csv.DictReader(io.StringIO(ready.ok("forecast", "autumn", "--csv").out)))

    assert ready.ok("forecast", "--json").facts["sends"] == len(rows)
    assert ["planned_at", "sequence", "email", "step", "mailbox"] == list(rows[0])
    assert {"kim@ours.example"} == {row["mailbox"] for row in rows}
    assert sorted(row["planned_at"] for row in rows) == [row["planned_at"] for row in rows]


def test_people_read_days_and_a_sentence(ready: Shell):
    """A bar a day, and when it is over."""
    said = ready.ok("forecast", "--reply-rate", "5%").out

    assert "\N{FULL BLOCK}" in said
    assert "autumn:" in said
    assert "done on" in said


def test_suppositions_are_taken_as_they_are_written(ready: Shell):
    """A share as a number or per cent, a window as in a sequence file."""
    everybody = ready.ok("forecast", "--bounce-rate", "1", "--json").facts
    always = ready.ok("forecast", "--window", "always", "--daily-cap", "500", "--mailboxes", "3", "--json").facts

    assert 0 == everybody["sends"]
    assert {"bounced": 2} == everybody["sequences"][0]["ended"]
    assert 0 < always["sends"]


@pytest.mark.parametrize(
    "words, told",
    [
        (("--reply-rate", "12"), "write 0.05 or 5%"),
        (("--reply-rate", "often"), "write 0.05 or 5%"),
        (("--window", "{days: [someday]}"), "write always, or"),
        (("--csv", "--json"), "either --csv or --json"),
        (("--daily-cap", "-1"), "--daily-cap"),
    ],
)
def test_wrong_suppositions_are_refused(ready: Shell, words, told):
    """Exit 2, and one sentence that says what to write."""
    said = ready.run("forecast", *words)

    assert (2, "") == (said.code, said.out)
    assert told in said.complaint


def test_nobody_on_the_way_is_said_so(shell: Shell):
    """An installation without people has a future too."""
    said = shell.ok("forecast")

    assert said.out.startswith("Nothing will be sent")


def test_an_unknown_sequence_is_named(ready: Shell):
    """Exit 1: the answer is no."""
    said = ready.run("forecast", "winter")

    assert 1 == said.code
    assert "'winter'" in said.complaint


def test_explain_says_what_comes_next_where_it_is_asked_to(ready: Shell):
    """The rows of the forecast that are this lead's, and nothing is played unless somebody asks."""
    rows = list(csv.DictReader(io.StringIO(ready.ok("forecast", "--csv").out)))
    email = rows[0]["email"]
    (asked,) = ready.ok("explain", email, "--forecast", "--json").facts["enrollments"]
    (plain,) = ready.ok("explain", email, "--json").facts["enrollments"]
    said = ready.ok("explain", email, "--forecast").out

    assert [row["step"] for row in rows if row["email"] == email] == [send["step"] for send in asked["forecast"]]
    assert {"kim@ours.example"} == {send["mailbox"] for send in asked["forecast"]}
    assert [] == plain["forecast"]
    assert "to come, if nobody answers:" in said
