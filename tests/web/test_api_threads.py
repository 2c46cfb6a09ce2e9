"""Conversations through the API: found, answered with time to think again, handled, and a class corrected by hand."""

import pytest

from relance.testing import letters
from web.house import House
from web.test_inbox import Post

A = "/api/v1"


@pytest.fixture
async def post(house: House) -> Post:
    """Return the post office, with one letter of a lead in the inbox."""
    post = Post(house)
    await post.begin()
    at = house.clock.now()
    letter = letters.write(
        sender="ann@lead.example", to="bo@acme.example", subject="Your offer", text="Tell me more of tea.", at=at
    )
    await post.comes(letter)
    return post


@pytest.mark.usefixtures("post")
async def test_a_conversation_is_found_read_and_answered_once(house: House):
    """The answer waits for ten seconds, in which it can be taken back; its key makes it one answer."""
    key = {"Idempotency-Key": "a1"}
    async with house.program() as client:
        (thread,) = (await client.get(f"{A}/threads", params={"mailbox": "bo@acme.example"})).json()["items"]
        (hit,) = (await client.get(f"{A}/messages/search", params={"words": "more tea"})).json()["items"]
        read = (await client.get(f"{A}/threads/{thread['id']}")).json()
        path, wanted = f"{A}/threads/{thread['id']}/answers", {"text": "Gladly", "quote": False}
        answer = await client.post(path, json=wanted, headers=key)
        again = await client.post(path, json=wanted, headers=key)
        withdrawn = await client.post(f"{A}/answers/{answer.json()['id']}/withdraw")
        settled = await client.post(f"{A}/answers/{answer.json()['id']}/settle", json={"sent": True})
        after = (await client.get(f"{A}/threads/{thread['id']}")).json()

    assert ("ann@lead.example", thread["id"]) == (thread["lead"], hit["thread_id"])
    assert ["Tell me more of tea."] == [message["text"].strip() for message in read["messages"]]
    assert (201, answer.json()) == (answer.status_code, again.json())
    assert ("waiting", "ann@lead.example") == (answer.json()["status"], answer.json()["recipient"])
    assert ("withdrawn", 409) == (withdrawn.json()["status"], settled.status_code)
    assert ["withdrawn"] == [one["status"] for one in after["answers"]]


@pytest.mark.usefixtures("post")
async def test_a_conversation_is_assigned_snoozed_finished_marked_and_opened_again(house: House):
    """As on the page; whoever is not in the workspace is put in charge of nothing."""
    async with house.program() as client:
        (thread,) = (await client.get(f"{A}/threads")).json()["items"]
        path = f"{A}/threads/{thread['id']}/handle"
        assigned = await client.post(path, json={"do": "assign", "assignee": "member@acme.example"})
        mine = (await client.get(f"{A}/threads", params={"assignee": "member@acme.example"})).json()["items"]
        stranger = await client.post(path, json={"do": "assign", "assignee": "stranger@other.example"})
        asleep = await client.post(path, json={"do": "snooze", "until": "2026-12-24T08:00:00+01:00"})
        forgot = await client.post(path, json={"do": "snooze"})
        marked = await client.post(path, json={"do": "mark", "interest": "positive"})
        finished = await client.post(path, json={"do": "finish"})
        none = (await client.get(f"{A}/threads")).json()["items"]
        opened = await client.post(path, json={"do": "reopen"})

    assert (200, 404, 422) == (assigned.status_code, stranger.status_code, forgot.status_code)
    assert [thread["id"]] == [one["id"] for one in mine]
    assert "2026-12-24T07:00:00Z" == asleep.json()["snoozed_until"]
    assert ("positive", False, True) == (marked.json()["interest"], finished.json()["open"], opened.json()["open"])
    assert [] == none


@pytest.mark.usefixtures("post")
async def test_a_class_is_corrected_by_hand_and_back(house: House):
    """By the service that the page uses; what is no class of a person's is refused."""
    async with house.program() as client:
        (thread,) = (await client.get(f"{A}/threads")).json()["items"]
        (message,) = (await client.get(f"{A}/threads/{thread['id']}")).json()["messages"]
        path = f"{A}/messages/{message['id']}/kind"
        corrected = await client.post(path, json={"kind": "auto_reply"})
        (read,) = (await client.get(f"{A}/threads/{thread['id']}")).json()["messages"]
        back = await client.post(path, json={"kind": "human_reply"})
        wrong = await client.post(path, json={"kind": "warmup"})

    assert {"before": "ordinary", "after": "auto_reply", "undone": 0} == corrected.json()
    assert "auto_reply" == read["kind"]
    assert ("auto_reply", "human_reply") == (back.json()["before"], back.json()["after"])
    assert (422, "wrong_input") == (wrong.status_code, wrong.json()["code"])
