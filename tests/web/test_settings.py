"""Settings in the browser: the workspace, its people, keys and log, one's own account."""

import re

import pytest

from relance.core.people import Role
from relance.services import audit_log, users, workspaces
from relance.web.security import passwords
from web.house import House

#: What a form says that was opened when nobody had changed anything.
FIRST = {"revision": "0", "timezone": "Europe/Berlin"}


async def test_an_admin_changes_the_workspace(house: House):
    """As `relance workspace set` does."""
    async with house.browser("admin") as browser:
        answer = await browser.post(
            house.path("settings"),
            data={**FIRST, "daily_cap": "300", "quiet_hours": "20:00-08:00", "approval": "yes"},
        )
        shown = (await browser.get(house.path("settings"))).text
    saved = await house.installation.read(workspaces.by_name, "acme")

    assert 303 == answer.status_code
    assert ("Europe/Berlin", 300, "20:00-08:00", True) == (
        saved.timezone,
        saved.settings["daily_cap"],
        saved.settings["quiet_hours"],
        saved.settings["approval"],
    )
    assert 'value="300"' in shown


@pytest.mark.parametrize(
    "field, value, words",
    [
        ("timezone", "Mars", "is not a time zone"),
        ("daily_cap", "many", "write a whole number"),
        ("quiet_hours", "always", "quiet hours"),
    ],
)
async def test_what_cannot_be_is_said_and_nothing_is_changed(house: House, field: str, value: str, words: str):
    """What was typed stands in the form still."""
    async with house.browser("admin") as browser:
        answer = await browser.post(house.path("settings"), data={"revision": "0", field: value})

    assert (422, True, True) == (answer.status_code, words in answer.text, f'value="{value}"' in answer.text)
    assert house.workspace == await house.installation.read(workspaces.by_name, "acme")


async def test_who_changes_what_somebody_else_has_changed_meanwhile_is_told(house: House):
    """Two people have the page open: the second one sees what holds now before writing over it."""
    async with house.browser("admin") as one, house.browser("owner") as other:
        first = await one.post(house.path("settings"), data=FIRST)
        second = await other.post(house.path("settings"), data={**FIRST, "timezone": "Europe/Paris"})
        saved = await house.installation.read(workspaces.by_name, "acme")
        again = await other.post(
            house.path("settings"), data={"revision": str(saved.revision), "timezone": "Europe/Paris"}
        )

    assert (303, 409, 303) == (first.status_code, second.status_code, again.status_code)
    assert "Somebody changed the settings" in second.text
    assert "Europe/Berlin" == saved.timezone


async def test_an_owner_makes_a_workspace_and_owns_it(house: House):
    """Nobody else is in it."""
    async with house.browser("owner") as browser, house.browser("admin") as admin:
        refused = await admin.post(house.path("settings/workspaces"), data={"name": "second"})
        made = await browser.post(house.path("settings/workspaces"), data={"name": "second"})
        taken = await browser.post(house.path("settings/workspaces"), data={"name": "second"})
        wrong = await browser.post(house.path("settings/workspaces"), data={"name": "a/b"})
        inside = await browser.get("/w/second/settings/people")
        outside = await admin.get("/w/second/settings")

    assert (403, 303, 409, 422) == (refused.status_code, made.status_code, taken.status_code, wrong.status_code)
    assert (200, 404) == (inside.status_code, outside.status_code)
    assert "member@acme.example" not in inside.text


async def test_an_invited_person_comes_in_by_the_link_that_is_shown(house: House):
    """The link stands on the answer alone."""
    async with house.browser("admin") as browser:
        answer = await browser.post(
            house.path("settings/people"), data={"email": "nina@acme.example", "role": "member"}
        )
        again = await browser.get(house.path("settings/people"))
    found = re.search(r"<code>http://relance\.example(/welcome/[^<]+)</code>", answer.text)
    assert found is not None
    async with house.stranger() as newcomer:
        came = await newcomer.post(found[1], data={"name": "Nina", "password": "four words make it long"})

    assert 303 == came.status_code
    assert found[1] not in again.text


@pytest.mark.parametrize(
    "who, email, role, status",
    [
        ("admin", "owner@acme.example", "viewer", 409),  # above their own role
        ("admin", "member@acme.example", "owner", 409),  # would give more than they have
        ("owner", "owner@acme.example", "admin", 409),  # the only owner
        ("admin", "stranger@other.example", "viewer", 404),  # of another workspace
        ("admin", "member@acme.example", "king", 422),
        ("owner", "member@acme.example", "owner", 303),
    ],
)
async def test_nobody_gives_or_takes_more_than_they_have(house: House, who: str, email: str, role: str, status: int):
    """And a workspace keeps an owner."""
    async with house.browser(who) as browser:
        answer = await browser.post(house.path("settings/people/role"), data={"email": email, "role": role})
    roles = {one.email: one.role for one in await house.installation.read(users.members, house.workspace)}

    assert status == answer.status_code
    assert Role.OWNER is roles["owner@acme.example"]


async def test_whoever_is_put_out_sees_nothing_any_more(house: House):
    """At once: their session is of no use here."""
    async with house.browser("admin") as browser, house.browser("member") as gone:
        before = await gone.get(house.path("stuck"))
        await browser.post(house.path("settings/people/remove"), data={"email": "member@acme.example"})
        after = await gone.get(house.path("stuck"))

    assert (200, 404) == (before.status_code, after.status_code)


async def test_a_key_is_shown_once_and_opens_until_it_is_removed(house: House):
    """And the log says who made it, without the key."""
    async with house.browser("admin") as browser:
        made = await browser.post(house.path("settings/keys"), data={"name": "crm", "role": "member"})
        found = re.search(r"<code>(rel_[^<]+)</code>", made.text)
        assert found is not None
        shown = await browser.get(house.path("settings/keys"))
        log = await browser.get(house.path("settings/audit"))
        bearer = {"Authorization": f"Bearer {found[1]}"}
        async with house.stranger() as program:
            opened = await program.get("/api/v1/stuck", headers=bearer)
            await browser.post(house.path("settings/keys/remove"), data={"name": "crm"})
            closed = await program.get("/api/v1/stuck", headers=bearer)

    assert (200, 401) == (opened.status_code, closed.status_code)
    assert found[1] not in shown.text + log.text
    assert "key.added" in log.text


@pytest.mark.parametrize("role, status", [("owner", 422), ("king", 422), ("admin", 200)])
async def test_a_key_does_no_more_than_its_maker(house: House, role: str, status: int):
    """An admin makes no owner's key."""
    async with house.browser("admin") as browser:
        answer = await browser.post(house.path("settings/keys"), data={"name": "crm", "role": role})

    assert status == answer.status_code


async def test_a_new_password_needs_the_present_one_and_ends_other_sessions(house: House):
    """A session left open on another machine is not enough to take an account over."""
    kept = await passwords.hashed("the present password")

    def give(tx):
        user = users.by_email(tx, "viewer@acme.example")
        assert user is not None
        users.change(tx, user, name="", password_hash=kept)

    await house.installation.write(give)
    wanted = {"name": "V", "new_password": "another long password"}
    async with house.browser("viewer") as browser:
        refused = await browser.post(house.path("settings/account"), data={**wanted, "password": "a wrong one"})
        changed = await browser.post(
            house.path("settings/account"), data={**wanted, "password": "the present password"}
        )
        still = await browser.get(house.path("settings/account"))

    assert (422, 303, 200) == (refused.status_code, changed.status_code, still.status_code)


async def test_a_change_by_form_stands_in_the_log_with_its_author(house: House):
    """Unasked, in the same transaction; looking does not."""
    async with house.browser("admin") as browser:
        await browser.get(house.path("settings"))
        await browser.post(house.path("settings"), data=FIRST)
        await browser.post(house.path("settings"), data={"revision": "1", "timezone": "Mars"})
    lines = await house.installation.read(audit_log.page, workspace_id=house.workspace.id)

    assert [("admin@acme.example", "settings.change", "/w/acme/settings")] == [
        (one.actor, one.action, one.subject) for one in lines if one.action.startswith("settings")
    ]


async def test_the_defaults_are_all_there(house: House):
    """With their reasons."""
    async with house.browser("viewer") as browser:
        page = (await browser.get(house.path("settings/defaults"))).text

    assert "15 min" in page
    assert "A follow-up leaves only if the mailboxes that wrote to the person were read within this time." in page
