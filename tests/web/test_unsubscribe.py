"""The public page for opting out: what a browser, a mail program and a stranger get."""

import pytest

from relance.core.suppression import tombstone_of
from relance.core.unsubscribe_link import LETTERS, Link, write_link
from relance.services import suppressions
from web.house import House


def link_of(house: House, email: str = "ann@lead.example") -> str:
    """Return the path of a link."""
    digest = tombstone_of(email, house.installation.keys.tombstone)
    key = house.installation.vault.derive("unsubscribe")
    link = write_link(key, Link(workspace_id=house.workspace.id, attempt_id=1, digest=digest))
    return f"/u/{link}"


async def suppressed(house: House, email: str = "ann@lead.example") -> bool:
    """Whether an address is never written to again."""
    found = await house.installation.read(
        suppressions.binding,
        workspace_id=house.workspace.id,
        email=email,
        phone=None,
        tombstone_key=house.installation.keys.tombstone,
    )
    return bool(found)


async def test_looking_changes_nothing(house: House):
    """Scanners and previews open every link of a message."""
    async with house.stranger() as browser:
        answers = [await browser.request(method, link_of(house)) for method in ("GET", "HEAD", "GET")]

    assert [200, 200, 200] == [answer.status_code for answer in answers]
    assert '<form method="post">' in answers[0].text
    assert not await suppressed(house)


@pytest.mark.parametrize("body", [{"List-Unsubscribe": "One-Click"}, {}, {"other": "x" * 100_000}])
async def test_posting_acts_whatever_the_body(house: House, body: dict[str, str]):
    """RFC 8058 §3.2: no cookie, no redirect, no second question."""
    async with house.stranger() as browser:
        first = await browser.post(link_of(house), data=body)
        second = await browser.post(link_of(house), data=body)

    assert (200, 200, True) == (first.status_code, second.status_code, "unsubscribed" in first.text)
    assert "set-cookie" not in first.headers
    assert await suppressed(house)


async def test_nothing_that_is_no_link_acts(house: House):
    """A link that a mail program cut short says what to do."""
    whole = link_of(house)
    async with house.stranger() as browser:
        answers = [
            await browser.post(path) for path in ("/u/", whole[:-1], whole + "A", "/u/" + "A" * LETTERS, whole + "/x")
        ]

    assert [404] * 5 == [answer.status_code for answer in answers]
    assert "to its last letter" in answers[1].text


async def test_only_looking_and_posting_are_answered(house: House):
    """And the answer says so."""
    async with house.stranger() as browser:
        answer = await browser.delete(link_of(house))

    assert (405, "GET, HEAD, POST") == (answer.status_code, answer.headers["allow"])


async def test_the_page_runs_nothing_and_names_nobody(house: House):
    """A message that was forwarded must not tell who got it."""
    async with house.stranger() as browser:
        page = await browser.get(link_of(house))

    assert "<script" not in page.text
    assert "@" not in page.text
    assert "script" not in page.headers["content-security-policy"]
    assert "noindex" in page.text


async def test_health_says_whether_the_state_can_be_read(house: House):
    """For whoever watches over the machine."""
    async with house.stranger() as browser:
        answer = await browser.get("/health")

    assert (200, "ok\n") == (answer.status_code, answer.text)
