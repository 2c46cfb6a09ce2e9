"""People and keys by the command line: whoever holds the directory may let anybody in."""

import pytest


def test_a_person_is_let_in_by_a_link_and_listed(shell):
    """Who has not come yet is named as invited."""
    made = shell.ok("user", "add", "Ann@Acme.example", "--role", "owner", "--json").facts
    listed = shell.ok("user", "list", "--json").rows

    assert made["link"].startswith("http://127.0.0.1:8025/welcome/")
    assert [("ann@acme.example", "owner", True)] == [(one["email"], one["role"], one["invited"]) for one in listed]


def test_a_role_is_changed_and_a_person_taken_out(shell):
    """The next command shows it."""
    shell.ok("user", "add", "ann@acme.example")
    shell.ok("user", "role", "ann@acme.example", "viewer")
    roles = [one["role"] for one in shell.ok("user", "list", "--json").rows]
    shell.ok("user", "remove", "ann@acme.example")

    assert (["viewer"], []) == (roles, shell.ok("user", "list", "--json").rows)


def test_a_new_password_is_chosen_by_a_link(shell):
    """Only who holds the directory makes one for somebody who has a password."""
    shell.ok("user", "add", "ann@acme.example")

    assert "/welcome/" in shell.ok("user", "link", "ann@acme.example", "--json").facts["link"]


def test_who_did_what_is_listed(shell):
    """Newest first, and without any token."""
    shell.ok("user", "add", "ann@acme.example")
    key = shell.ok("key", "add", "crm", "--json").facts["key"]
    said = shell.ok("user", "log", "--json")

    assert ["key.added", "user.added"] == [one["action"] for one in said.rows]
    assert {"the command line"} == {one["actor"] for one in said.rows}
    assert key not in said.out


def test_a_key_is_shown_once(shell):
    """The list tells it by its first letters."""
    made = shell.ok("key", "add", "crm", "--role", "viewer", "--json").facts
    listed = shell.ok("key", "list", "--json").rows
    shell.ok("key", "remove", "crm")

    assert [("crm", "viewer", made["key"][:10] + "…")] == [(one["name"], one["role"], one["shown"]) for one in listed]
    assert made["key"] not in str(listed)
    assert [] == shell.ok("key", "list", "--json").rows


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["user", "add", "nonsense"], "is not an e-mail address"),
        (["user", "role", "nobody@acme.example", "admin"], "is not in this workspace"),
        (["user", "link", "nobody@acme.example"], "nobody here has the address"),
        (["key", "remove", "crm"], "there is no key 'crm'"),
    ],
)
def test_what_is_not_there_is_said(shell, arguments, words):
    """One sentence that says what to do."""
    said = shell.run(*arguments)

    assert words in said.complaint
    assert 0 != said.code
