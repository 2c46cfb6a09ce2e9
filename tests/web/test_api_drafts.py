"""Drafts, test mails and forecasts through the API: what the builder's page does, for programs."""

from web.house import House
from web.test_api import TEXT, A


async def test_a_draft_is_begun_changed_undone_and_published(house: House):
    """What is published is what was looked at; whoever was slower changes nothing."""
    async with house.program() as client:
        begun = await client.post(f"{A}/drafts", json={"name": "q4"})
        tag = {"If-Match": begun.headers["etag"]}
        changed = await client.put(f"{A}/sequences/q4/draft", json={"text": TEXT}, headers=tag)
        late = await client.put(f"{A}/sequences/q4/draft", json={"text": TEXT}, headers=tag)
        undone = await client.post(f"{A}/sequences/q4/draft/undo", headers={"If-Match": changed.headers["etag"]})
        redone = await client.post(f"{A}/sequences/q4/draft/redo", headers={"If-Match": undone.headers["etag"]})
        looked = await client.get(f"{A}/sequences/q4/draft/publishing")
        unread = await client.post(f"{A}/sequences/q4/draft/publish")
        published = await client.post(f"{A}/sequences/q4/draft/publish", headers={"If-Match": redone.headers["etag"]})
        gone = await client.get(f"{A}/sequences/q4/draft")

    assert (201, 200, 412) == (begun.status_code, changed.status_code, late.status_code)
    assert "changed_meanwhile" == late.json()["code"]
    assert ("q4", "the text was written anew") == (undone.json()["sequence"], undone.json()["redo"])
    assert ([], None) == (looked.json()["problems"], looked.json()["running_version"])
    assert (422, 1, 404) == (unread.status_code, published.json()["version"], gone.status_code)


async def test_a_published_sequence_comes_back_as_the_file_that_says_the_same(house: House):
    """Publishing its own text changes nothing, whatever the format."""
    async with house.program() as client:
        await client.post(f"{A}/sequences", json={"text": TEXT})
        for written in ("yaml", "json"):
            got = (await client.get(f"{A}/sequences/q4/text", params={"format": written})).json()
            again = (await client.post(f"{A}/sequences", json=got)).json()
            assert (1, False) == (again["version"], again["changed"])


async def test_a_test_mail_needs_a_mailbox_and_a_step_that_is_there(house: House):
    """Nothing goes out, and it is said why."""
    async with house.program() as client:
        await client.post(f"{A}/sequences", json={"text": TEXT})
        nobody = await client.post(f"{A}/sequences/q4/test", json={"to": "me@acme.example"})

    assert (409, "refused") == (nobody.status_code, nobody.json()["code"])
    assert "connect a mailbox" in nobody.json()["remedy"].casefold()


async def test_a_forecast_is_asked_for_as_on_the_command_line(house: House):
    """Nobody is on the way, so nothing will be sent; a window that is none is refused."""
    async with house.program("viewer") as client:
        foreseen = await client.post(f"{A}/forecast", json={"days": 3})
        wrong = await client.post(f"{A}/forecast", json={"window": "whenever"})

    assert (200, 0, []) == (foreseen.status_code, foreseen.json()["sends"], foreseen.json()["days"])
    assert 409 == wrong.status_code
