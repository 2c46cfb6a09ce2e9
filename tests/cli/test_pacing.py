"""The commands about pacing: a mailbox's day and ceiling, its health, the workspace's limits, and two reports."""

import pytest

SERVERS = ("--smtp", "127.0.0.1:2525:plain", "--imap", "127.0.0.1:1143:plain")
ANNA = "anna@example.com"


@pytest.fixture(autouse=True)
def password(monkeypatch) -> None:
    """Let the variable PASSWORD hold one."""
    monkeypatch.setenv("PASSWORD", "s3cret-of-anna")


def add(shell, *more):
    """Connect a mailbox."""
    return shell.run("mailbox", "add", ANNA, *SERVERS, "--password-env", "PASSWORD", "--json", *more)


def test_the_preset_human_keeps_a_working_day_that_can_be_changed_and_taken_away(shell):
    """Every part of it is an option as well."""
    human = add(shell, "--preset", "human", "--ramp-start", 5, "--ramp-step", 2).facts
    changed = shell.ok("mailbox", "set", ANNA, "--workday", "09:00-16:00  jitter 5", "--json").facts
    without = shell.ok("mailbox", "set", ANNA, "--workday", "none", "--json").facts

    assert ("08:30-17:30 lunch 12:00-13:00 jitter 20", 5, 2) == tuple(
        human[name] for name in ("workday", "ramp_start", "ramp_step")
    )
    assert ("09:00-16:00 jitter 5", None) == (changed["workday"], without["workday"])


def test_a_working_day_that_cannot_be_is_wrong_use(shell):
    """And says how one is written."""
    said = add(shell, "--workday", "nine to five")

    assert 2 == said.code
    assert "write it as '08:30-17:30 lunch 12:00-13:00 jitter 20'" in said.err


def test_a_ceiling_is_named_or_recognised(shell):
    """`auto` takes back what was said."""
    add(shell, "--ceiling", "google_trial")
    said = shell.ok("mailbox", "list", "--json").rows[0]["ceiling"]
    auto = shell.ok("mailbox", "set", ANNA, "--ceiling", "auto", "--json").facts["ceiling"]

    assert ("google_trial", None) == (said, auto)


def test_a_new_mailbox_has_no_score_but_a_reason(shell):
    """And its cap of today is its ramp's first day."""
    add(shell)
    (row,) = shell.ok("mailbox", "health", "--json").rows

    assert (None, "healthy", 10) == (row["score"], row["verdict"], row["cap_today"])
    assert ["0 messages in 7 days; judged from 50 on"] == row["reasons"]


def test_the_limits_of_a_workspace_are_set_shown_and_taken_away(shell):
    """What is not given stays."""
    shell.ok("workspace", "set", "--daily-cap", 500, "--quiet-hours", "20:00-08:00")
    shell.ok("workspace", "set", "--recipient-domain-daily-cap", 3, "--daily-cap", 0)
    (row,) = shell.ok("workspace", "list", "--json").rows
    wrong = shell.run("workspace", "set", "--quiet-hours", "evening")

    assert (None, 3, "20:00-08:00") == (row["daily_cap"], row["recipient_domain_daily_cap"], row["quiet_hours"])
    assert 2 == wrong.code
    assert "write it like 09:00-17:00" in wrong.complaint


def test_the_reports_say_when_there_is_nothing(shell):
    """In a sentence, and in JSON with no line."""
    assert "Nobody is in two sequences at once.\n" == shell.ok("enrollment", "overlaps").out
    assert "No sequence was forgotten.\n" == shell.ok("sequence", "stale").out
    assert [] == shell.ok("sequence", "stale", "--json").rows


def test_only_a_removed_mailbox_is_handed_over(shell):
    """Before that, the command says what comes first."""
    add(shell)
    early = shell.run("mailbox", "hand-over", ANNA)
    shell.ok("mailbox", "remove", ANNA)
    done = shell.ok("mailbox", "hand-over", ANNA, "--json").facts

    assert 1 == early.code
    assert "`relance mailbox remove` comes first" in early.complaint
    assert 0 == done["handed_over"]
