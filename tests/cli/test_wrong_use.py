"""Wrong use: exit 2 and one sentence, whatever the command, and nothing is changed. What is not there is a no."""

import pytest

from cli.test_mailboxes import SERVERS

ANNA = ("mailbox", "add", "anna@example.com", *SERVERS, "--password-env", "PASSWORD")


@pytest.mark.parametrize(
    "arguments,words",
    [
        (["init", "--timezone", "Mars"], "'Mars' is not a time zone; write an IANA name"),
        (["workspace", "set", "--timezone", "Mars"], "'Mars' is not a time zone; write an IANA name"),
        (["workspace", "set", "--quiet-hours", "night"], "quiet hours: 'night' is no interval; write it like"),
        (["workspace", "set", "--quiet-hours", "20:00-20:00"], "the quiet hours never end; write them from"),
        (["workspace", "set"], "nothing is given that could be changed"),
        ([*ANNA, "--timezone", "Mars"], "'Mars' is not a time zone; write an IANA name"),
        ([*ANNA, "--alias", "nonsense"], "'nonsense' is not an e-mail address"),
        ([*ANNA, "--workday", "whenever"], "--workday"),
        (["mailbox", "add", "nonsense", *SERVERS, "--password-env", "PASSWORD"], "is not an e-mail address"),
        (["mailbox", "set", "anna@example.com"], "nothing is given that could be changed"),
        (["lead", "add", "nonsense"], "'nonsense' is not an e-mail address"),
        (["lead", "add", "erin@example.org", "timezone=Mars"], "'Mars' is not a time zone; write an IANA name"),
        (["lead", "import", "LEADS", "--map", "Mail=email"], "--map names the column 'Mail', and the file has: email"),
        (["lead", "import", "LEADS", "--map", "company=!"], "a field has a name such as first_name"),
        (["lead", "import", "LEADS", "--map", "email=x", "--map", "company=x"], "gives the field x to two columns"),
        (["suppress", "add", "nonsense"], "'nonsense' is neither an address (a@example.com), a @domain nor"),
        (["suppress", "remove", "@nonsense"], "is neither an address"),
        (["suppress", "check", "+nonsense"], "is neither an address"),
        (["sequence", "test", "autumn", "--to", "nonsense"], "'nonsense' is not an e-mail address"),
        (["run", "--until-idle", "--until-done"], "--until-idle and --until-done exclude each other"),
        (["run", "--until-idle", "--bind", "somewhere"], "bind (--bind) is 'somewhere': write HOST:PORT"),
        (["worker"], "set RELANCE_DATABASE_URL"),
    ],
)
def test_a_value_that_can_never_be_right_is_wrong_use(filled, tmp_path, monkeypatch, arguments, words):
    """Exit 2, so that a script can tell its own slip from an answer; and nobody is added or suppressed by it."""
    monkeypatch.setenv("PASSWORD", "s3cret-of-anna")
    leads = str(tmp_path / "leads.csv")
    said = filled.run(*(leads if word == "LEADS" else word for word in arguments))

    assert (2, "") == (said.code, said.out)
    assert words in said.complaint
    assert 2 == len(filled.ok("lead", "list", "--json").rows)
    assert [] == filled.ok("mailbox", "list", "--json").rows + filled.ok("suppress", "list", "--json").rows


@pytest.mark.parametrize(
    "arguments",
    [
        ["lead", "show", "nobody@example.org"],
        ["lead", "list", "--list", "spring"],
        ["mailbox", "check", "anna@example.com"],
        ["sequence", "show", "spring"],
        ["explain", "nobody@example.org"],
        ["forecast", "spring"],
        ["attempt", "settle", "7", "sent"],
        ["suppress", "check", "carol@example.org"],
    ],
)
def test_what_is_not_there_is_a_no(filled, arguments):
    """Exit 1: the same command may be right tomorrow."""
    said = filled.run(*arguments)

    assert 1 == said.code


def test_an_engine_without_web_can_be_asked_for_already(filled):
    """There are no pages in this version; a script that wants none need not change when there are."""
    assert 0 == filled.run("run", "--until-idle", "--no-web").code
