"""Coming in by password or by a link, and leaving."""

from datetime import timedelta

import httpx
import pytest

from relance.core.people import Role
from relance.services import audit_log, inviting, sessions, users
from relance.web.security import passwords
from relance.web.security.needs import TOKEN_FIELD
from relance.web.security.tokens import form_token, new_token
from relance.web.security.who import COOKIE
from web.house import House

PASSWORD = "four words make it long"


@pytest.fixture
async def ann(house: House) -> str:
    """Return the address of an admin who has a password."""
    kept = await passwords.hashed(PASSWORD)

    def add(tx):
        user = users.add(tx, email="ann@acme.example", name="Ann", password_hash=kept, now=house.real.now())
        users.let_in(tx, house.workspace, user, Role.ADMIN, by="a test", may=Role.OWNER, now=house.real.now())

    await house.installation.write(add)
    return "ann@acme.example"


async def login(browser: httpx.AsyncClient, email: str, password: str, **fields: str) -> httpx.Response:
    """Send the form."""
    return await browser.post("/login", data={"email": email, "password": password, **fields})


async def test_the_right_password_lets_in_and_leads_back(house: House, ann: str):
    """The cookie cannot be read by scripts, and the next page is the one that was asked for."""
    async with house.stranger() as browser:
        answer = await login(browser, f" {ann.upper()} ", PASSWORD, next="/w/acme/leads")
        cookie = answer.headers["set-cookie"].lower()

        assert (303, "/w/acme/leads") == (answer.status_code, answer.headers["location"])
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "/w/acme/today" == (await browser.get("/")).headers["location"]


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"])
async def test_a_login_never_leads_to_another_site(house: House, ann: str, elsewhere: str):
    """A link to our login must not be a link to anywhere."""
    async with house.stranger() as browser:
        answer = await login(browser, ann, PASSWORD, next=elsewhere)

    assert "/" == answer.headers["location"]


@pytest.mark.usefixtures("ann")
@pytest.mark.parametrize("email", ["ann@acme.example", "nobody@acme.example", "owner@acme.example"])
async def test_a_wrong_password_says_the_same_for_everybody(house: House, email: str):
    """Nobody learns who has an account here."""
    async with house.stranger() as browser:
        answer = await login(browser, email, "not the right one")

    assert 422 == answer.status_code
    assert "No person with this address has this password" in answer.text
    assert "set-cookie" not in answer.headers


async def test_guessing_is_slowed_down_and_the_right_password_waits_too(house: House, ann: str):
    """Eight tries at once, then one a minute; the answer says after how long."""
    async with house.stranger() as browser:
        tries = [(await login(browser, ann, "not the right one")).status_code for _ in range(8)]
        held = await login(browser, ann, PASSWORD)
        house.real.advance(timedelta(minutes=1))
        later = await login(browser, ann, PASSWORD)

    assert [422] * 8 == tries
    assert (429, "60") == (held.status_code, held.headers["retry-after"])
    assert 303 == later.status_code


async def test_another_sites_form_logs_nobody_in(house: House):
    """Else somebody could be made to work in an account that is not theirs."""
    async with house.stranger() as browser:
        by_fetch = await browser.post("/login", headers={"Sec-Fetch-Site": "cross-site"})
        by_origin = await browser.post("/login", headers={"Origin": "https://evil.example"})

    assert (403, 403) == (by_fetch.status_code, by_origin.status_code)


async def test_who_leaves_is_out(house: House):
    """The token is worthless, not only forgotten by the browser."""
    token = house.sessions["viewer"]
    async with house.browser("viewer") as browser:
        left = await browser.post("/logout", data={TOKEN_FIELD: form_token(token)})
        browser.cookies.set(COOKIE, token)
        after = await browser.get("/")

    assert (303, "/login") == (left.status_code, after.headers["location"].partition("?")[0])


async def test_a_session_lasts_while_it_is_used(house: House):
    """Two weeks after the last look it is over."""
    async with house.browser("viewer") as browser:
        house.real.advance(sessions.SESSION_LASTS - timedelta(days=1))
        used = (await browser.get("/")).headers["location"]
        house.real.advance(sessions.SESSION_LASTS - timedelta(days=1))
        again = (await browser.get("/")).headers["location"]
        house.real.advance(sessions.SESSION_LASTS)
        late = (await browser.get("/")).headers["location"]

    assert ("/w/acme/today", "/w/acme/today") == (used, again)
    assert late.startswith("/login")


async def invited(house: House, email: str = "new@acme.example", role: Role = Role.MEMBER) -> str:
    """Invite somebody and return the link's path."""
    token = new_token()
    now = house.real.now()
    await house.installation.write(
        inviting.invite,
        house.workspace,
        email=email,
        role=role,
        digest=token.digest,
        by="a test",
        may=Role.OWNER,
        real_now=now,
    )
    return f"/welcome/{token.text}"


async def test_an_invitation_lets_in_once(house: House):
    """The invited person chooses a password; the link is worthless then."""
    link = await invited(house)
    async with house.stranger() as browser:
        shown = await browser.get(link)
        short = await browser.post(link, data={"password": "short"})
        came = await browser.post(link, data={"name": "Nina", "password": PASSWORD})
        start = await browser.get("/")
    async with house.stranger() as other:
        again = await other.get(link)
        by_password = await login(other, "new@acme.example", PASSWORD)

    assert "new@acme.example" in shown.text
    assert (422, 303, 404, 303) == (
        short.status_code,
        came.status_code,
        again.status_code,
        by_password.status_code,
    )
    assert "/w/acme/today" == start.headers["location"]


async def test_an_invitation_ends(house: House):
    """A link that lies in a mailbox for months opens nothing."""
    link = await invited(house)
    house.real.advance(sessions.LINK_LASTS)
    async with house.stranger() as browser:
        answer = await browser.get(link)

    assert 404 == answer.status_code


async def test_a_person_of_another_workspace_gets_no_link_from_here(house: House):
    """Whoever holds a link becomes that person, with all that they may do elsewhere."""
    await invited(house)

    def elsewhere(tx):
        return inviting.invite(
            tx,
            house.other,
            email="new@acme.example",
            role=Role.VIEWER,
            digest=b"d",
            by="a test",
            may=Role.OWNER,
            real_now=house.real.now(),
        )

    assert not await house.installation.write(elsewhere)


async def test_the_first_link_counts_only_while_nobody_can_log_in(house: House):
    """An old terminal's scroll-back must not make an owner."""
    token = new_token()
    await house.installation.write(sessions.add_link, None, digest=token.digest, now=house.real.now())
    async with house.stranger() as browser:
        answer = await browser.post(f"/welcome/{token.text}", data={"email": "late@acme.example", "password": PASSWORD})

    assert 404 == answer.status_code


async def test_every_answer_forbids_scripts_of_others(house: House):
    """Also answers that nobody thought of."""
    async with house.stranger() as browser:
        answers = [await browser.get(path) for path in ("/login", "/", "/nothing", "/static/relance.css")]

    assert [] == [a.url.path for a in answers if "script-src 'self'" not in a.headers["content-security-policy"]]
    assert [] == [a.url.path for a in answers if "unsafe" in a.headers["content-security-policy"]]


async def test_letting_people_in_stands_in_the_audit_log(house: House):
    """Who did it, to whom, with which role; and no token."""
    await invited(house)
    lines = await house.installation.read(audit_log.page, workspace_id=house.workspace.id)

    assert ("a test", "user.added", "new@acme.example as member") == (
        lines[0].actor,
        lines[0].action,
        lines[0].subject,
    )
