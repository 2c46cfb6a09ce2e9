"""The inbox in the browser: what came in, answering it with time to think again, and mail that means harm."""

import re
from datetime import timedelta
from typing import Any

import pytest

from relance.mail.classify import classify
from relance.mail.parse import parse
from relance.ports.connector import Cursor, FetchedMessage, FolderBatch, FolderRole
from relance.services import ingestion
from relance.testing import builders, letters
from web.house import House

LETTER = "<p>Hello <b>Bo</b></p><script>alert(1)</script><img src='https://spy.example/p.gif' alt='logo'>"


class Post:
    """Lets people write to the workspace."""

    def __init__(self, house: House) -> None:
        self.house, self.installation = house, house.installation
        self._uids = 0

    async def begin(self):
        """Connect a mailbox and publish a sequence with one lead in it."""
        now = self.house.clock.now()
        self.box = await self.installation.write(builders.mailbox, self.house.workspace, "bo@acme.example", now=now)
        await self.installation.write(builders.published, self.house.workspace, builders.plan(), now=now)
        lead = await self.installation.write(builders.lead, self.house.workspace, "ann@lead.example", now=now)
        await self.installation.write(builders.enrollment, self.house.workspace, lead, now=now)

    async def comes(self, raw):
        """Fetch one message and understand it."""
        self._uids += 1
        at = self.house.clock.now()
        place: dict[str, Any] = {"folder": "INBOX", "role": FolderRole.INBOX, "uid_validity": 1}
        message = FetchedMessage(**place, uid=self._uids, internal_date=at, raw=raw)
        batch = FolderBatch(messages=(message,), cursor=Cursor(**place, last_uid=self._uids))
        ids = {"workspace_id": self.box.workspace_id, "mailbox_id": self.box.id}
        await self.installation.write(ingestion.stage_batch, **ids, batch=batch, now=at)
        (staged,) = await self.installation.read(ingestion.staged_of, **ids, limit=10)
        read = parse(raw)
        meaning = classify(read, own_addresses=frozenset({"bo@acme.example"}), received_at=at)
        keys = self.installation.keys
        await self.installation.write(
            ingestion.ingest, staged=staged, message=read, classification=meaning, keys=keys, now=at
        )


@pytest.fixture
async def post(house: House) -> Post:
    """Return the post office, with one letter of a lead in the inbox."""
    post = Post(house)
    await post.begin()
    await post.comes(
        letters.write(
            sender="ann@lead.example",
            to="bo@acme.example",
            subject="Your offer",
            text="Tell me more about the tea.",
            at=house.clock.now(),
        )
    )
    return post


def found(pattern, page):
    """Return what a pattern catches on a page."""
    match = re.search(pattern, page)
    assert match is not None, page
    return match.groups()


def conversation_in(page):
    """Return the path of the first conversation that a list links to."""
    (path,) = found(r'href="(/w/acme/inbox/\d+)"', page)
    return path


@pytest.mark.usefixtures("post")
async def test_who_has_written_stands_in_the_inbox(house):
    """With the words, and a way in; a viewer may read."""
    async with house.browser("viewer") as browser:
        page = await browser.get(house.path("inbox"))
        there = await browser.get(conversation_in(page.text))

    assert "ann@lead.example" in page.text
    assert "Tell me more about the tea." in there.text
    assert "Your answer" not in there.text


async def test_an_inbox_in_which_nobody_waits_says_what_will_stand_here(house):
    """An empty page is no error."""
    async with house.browser() as browser:
        page = await browser.get(house.path("inbox"))

    assert "Nobody waits for an answer" in page.text


@pytest.mark.parametrize(
    "query", ["q=tea", "q=TE", "kind=ordinary", "state=all", "mailbox=1", "state=all&before=nonsense"]
)
@pytest.mark.usefixtures("post")
async def test_conversations_are_found(house, query):
    """By words and by what they are; nonsense in the address is no error."""
    async with house.browser() as browser:
        page = await browser.get(f"{house.path('inbox')}?{query}")

    assert (200, True) == (page.status_code, "ann@lead.example" in page.text)


@pytest.mark.parametrize(
    "query", ["q=coffee", "kind=auto_reply", "state=done", "mailbox=99", "sequence=99", "assignee=me"]
)
@pytest.mark.usefixtures("post")
async def test_what_does_not_fit_is_not_shown(house, query):
    """A filter filters."""
    async with house.browser() as browser:
        page = await browser.get(f"{house.path('inbox')}?{query}")

    assert (200, False) == (page.status_code, "/inbox/1" in page.text)


@pytest.mark.usefixtures("post")
async def test_an_answer_can_be_taken_back(house):
    """It waits, says so, and offers it; then it is gone from what waits."""
    async with house.browser() as browser:
        path = conversation_in((await browser.get(house.path("inbox"))).text)
        wrote = await browser.post(f"{path}/answers", data={"text": "With pleasure", "uid": "one", "quote": "yes"})
        waiting = (await browser.get(path)).text
        took = await browser.post(f"{path}/answers/1", data={"do": "withdraw"})
        after = (await browser.get(path)).text

    assert (303, 303) == (wrote.status_code, took.status_code)
    assert "Take it back" in waiting
    assert "&gt; Tell me more about the tea." in waiting
    assert "Take it back" not in after


@pytest.mark.usefixtures("post")
async def test_what_is_refused_keeps_what_was_written(house):
    """Nobody writes an answer twice because the first one was refused."""
    async with house.browser() as browser:
        path = conversation_in((await browser.get(house.path("inbox"))).text)
        await browser.post(f"{path}/answers", data={"text": "The first", "uid": "one"})
        second = await browser.post(f"{path}/answers", data={"text": "The second one", "uid": "two"})

    assert 409 == second.status_code
    assert "The second one" in second.text
    assert "on its way" in second.text


@pytest.mark.parametrize(
    "wish, seen",
    [
        ({"do": "snooze", "days": "3"}, "It sleeps until"),
        ({"do": "snooze", "days": "0"}, "a time to come"),
        ({"do": "finish"}, "Done"),
        ({"do": "reopen"}, "It is open again"),
        ({"do": "mark", "interest": "positive"}, "Marked as positive"),
        ({"do": "note", "text": "Likes tea"}, "Likes tea"),
        ({"do": "note", "text": ""}, "the note is empty"),
        ({"do": "assign", "assignee": ""}, "Nobody is in charge"),
        ({"do": "assign", "assignee": "999"}, "not in this workspace"),
        ({"do": "dance"}, "say what to do"),
    ],
)
@pytest.mark.usefixtures("post")
async def test_the_small_things_say_what_they_did(house, wish, seen):
    """Or why not."""
    async with house.browser() as browser:
        path = conversation_in((await browser.get(house.path("inbox"))).text)
        did = await browser.post(path, data=wish)
        page = await browser.get(path)

    assert 303 == did.status_code
    assert seen in page.text


@pytest.mark.usefixtures("post")
async def test_a_class_is_corrected_on_the_page(house):
    """And the list follows."""
    async with house.browser() as browser:
        path = conversation_in((await browser.get(house.path("inbox"))).text)
        (number,) = found(r"/messages/(\d+)", (await browser.get(path)).text)
        did = await browser.post(f"{path}/messages/{number}", data={"kind": "auto_reply"})
        page = await browser.get(house.path("inbox"))

    assert 303 == did.status_code
    assert "Nobody waits for an answer" in page.text


async def test_mail_that_means_harm_is_shown_in_a_frame_without_rights(house, post):
    """Sanitised, and under a policy under which nothing runs or loads."""
    head, _, _ = letters.write(
        sender="ann@lead.example",
        to="bo@acme.example",
        subject="Hi",
        text="",
        at=house.clock.now() + timedelta(hours=1),
    ).partition(b"Content-Type")
    await post.comes(head + b"Content-Type: text/html; charset=utf-8\r\n\r\n" + LETTER.encode())
    async with house.browser() as browser:
        path = conversation_in((await browser.get(house.path("inbox"))).text)
        page = (await browser.get(path)).text
        rights, source = found(r'<iframe sandbox="([^"]*)"[^>]* src="([^"]+)"', page)
        shown = await browser.get(source)
    policy = shown.headers["content-security-policy"]

    assert "allow-scripts" not in rights
    assert "allow-same-origin" not in rights
    assert "<p>Hello <b>Bo</b></p>" in shown.text
    assert "[logo]" in shown.text
    assert "script" not in shown.text.replace("noscript", "")
    assert "spy.example" not in shown.text
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
