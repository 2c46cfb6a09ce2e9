"""The pages about people: found, looked at, changed one by one and many at once."""

import json
import re
from base64 import urlsafe_b64decode
from typing import Any

import httpx
import pytest

from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.lead import Lead
from relance.services import lead_search, leads
from relance.services.lead_filters import Filter
from relance.testing import builders
from relance.web.console.leads import acting
from relance.web.flashes import FLASH_COOKIE
from web.house import House


@pytest.fixture
async def full(house: House) -> House:
    """Return a house whose workspace has a sequence with two people in it and one beside it."""

    def write(tx: Any) -> None:
        acme = house.workspace
        builders.mailbox(tx, acme, "bo@acme.example", now=house.clock.now())
        builders.published(tx, acme, now=house.clock.now())
        people = [
            builders.lead(tx, acme, email, now=house.clock.now(), company="Bikes & <Co>")
            for email in ("ann@lead.example", "bea@lead.example", "cid@other.example")
        ]
        builders.enrollment(tx, acme, people[:2], keys=house.installation.keys, now=house.clock.now())

    await house.installation.write(write)
    return house


async def lead_named(house: House, email: str) -> Lead:
    """Return a lead."""
    return await house.installation.read(leads.by_email, house.workspace.id, email)


async def statuses(house: House) -> dict[str, str]:
    """Return how everybody stands."""

    def read(reader: Any) -> dict[str, str]:
        rows = reader.all(
            Enrollment, "enrollments.chosen", workspace_id=house.workspace.id, sequence_id=None, lead_id=None
        )
        people = {one.id: one.email for one in reader.all(Lead, "leads.of_workspace", workspace_id=house.workspace.id)}
        return {people[row.lead_id].partition("@")[0]: row.status.value for row in rows}

    found: dict[str, str] = await house.installation.read(read)
    return found


def said(answer: httpx.Response) -> str:
    """Return the sentence that the next page begins with."""
    sentence: str = json.loads(urlsafe_b64decode(answer.cookies[FLASH_COOKIE].strip('"')))[1]
    return sentence


def picks(text: str) -> list[str]:
    """Return what the boxes of a list stand for."""
    return re.findall(r'name="pick" value="([^"]+)"', text)


async def test_the_list_shows_who_matches_and_escapes_what_they_say(full: House):
    """A lead's own data never becomes markup."""
    async with full.browser("viewer") as browser:
        everybody = await browser.get(full.path("leads"))
        some = await browser.get(full.path("leads?status=active&text=b"))
        none = await browser.get(full.path("leads?list=nobody"))

    assert all(name in everybody.text for name in ("ann@lead", "bea@lead", "cid@other", "Bikes &amp; &lt;Co&gt;"))
    assert ("bea@lead" in some.text, "ann@lead" in some.text) == (True, False)
    assert "Nobody matches" in none.text
    assert not picks(everybody.text), "a viewer can tick nobody"


@pytest.mark.parametrize("query", ["status=asleep", "after=x", "sequence=unknown", "mailbox=no@acme.example"])
async def test_a_filter_that_can_mean_nothing_is_said_where_it_stands(full: House, query: str):
    """Not on a page of its own: one corrects it there."""
    async with full.browser() as browser:
        answer = await browser.get(full.path(f"leads?{query}"))

    assert 422 == answer.status_code
    assert 'role="alert"' in answer.text


async def test_those_who_are_ticked_are_acted_on_and_nobody_else(full: House):
    """One line is one run."""
    async with full.browser() as browser:
        page = await browser.get(full.path("leads?text=ann"))
        done = await browser.post(full.path("leads/bulk"), data={"action": "pause", "pick": picks(page.text)})

    assert 303 == done.status_code
    assert {"ann": "paused", "bea": "active"} == await statuses(full)


async def test_everybody_who_matches_is_acted_on_some_at_a_time(full: House, monkeypatch: pytest.MonkeyPatch):
    """What one request does not do, the next one does."""
    monkeypatch.setattr(acting, "ONE_REQUEST", 1)
    monkeypatch.setattr(acting, "AT_ONCE", 1)
    words = {"action": "put", "everybody": "yes", "to_list": "friends", "text": ""}
    async with full.browser() as browser:
        answer = await browser.post(full.path("leads/bulk"), data=words)
        for _ in range(5):
            if answer.status_code == 303:
                break
            after = re.search(r'name="after" value="(\d+)"', answer.text)
            assert after
            answer = await browser.post(full.path("leads/bulk"), data={**words, "after": after[1]})

    page = await full.installation.read(
        lead_search.find,
        workspace_id=full.workspace.id,
        asked=Filter(list="friends"),
        now=full.clock.now(),
        limit=10,
    )
    assert 3 == len(page.matches)


async def test_nobody_acts_on_another_workspaces_people(full: House):
    """Whatever ids they send."""
    lead = await lead_named(full, "ann@lead.example")
    ticked = {"action": "stop", "pick": [f"{lead.id}:1", str(lead.id)]}
    async with full.browser("stranger") as browser:
        await browser.post("/w/other/leads/bulk", data=ticked)
        await browser.post("/w/other/leads/bulk", data={**ticked, "action": "suppress"})
        put = await browser.post("/w/other/leads/bulk", data={**ticked, "action": "put", "to_list": "x"})
        page = await browser.get(f"/w/other/leads/{lead.id}")

    assert (303, 404) == (put.status_code, page.status_code)
    assert {"ann": "active", "bea": "active"} == await statuses(full)


async def test_a_filter_is_saved_for_everybody_and_deleted(full: House):
    """Under its name, by its words."""
    async with full.browser() as browser:
        await browser.post(full.path("leads/filters"), data={"name": "Moving", "status": "active", "text": "b c+d"})
        page = await browser.get(full.path("leads?status=active&text=b+c%2Bd"))
        forget = re.search(r'action="([^"]+/forget)"', page.text)
        assert forget
        await browser.post(forget[1])
        after = await browser.get(full.path("leads"))

    assert "Moving" in page.text
    assert "Moving" not in after.text


async def test_a_persons_page_explains(full: House):
    """Where they stand, which gate holds them, what happened."""
    lead = await lead_named(full, "ann@lead.example")
    async with full.browser("viewer") as browser:
        page = await browser.get(full.path(f"leads/{lead.id}"))

    assert 200 == page.status_code
    for words in ("ann@lead.example", "q4", "step intro", "enrolled into q4 version 1", "Bikes &amp; &lt;Co&gt;"):
        assert words in page.text
    assert "/move" not in page.text, "a viewer can move nobody"


async def test_what_is_known_is_changed_unless_somebody_else_did(full: House):
    """Two people editing one lead: the second is told."""
    lead = await lead_named(full, "ann@lead.example")
    words = {"revision": str(lead.revision), "field.company": "Boats", "new_name": "Job Title", "new_value": "CEO"}
    async with full.browser() as browser:
        await browser.post(full.path(f"leads/{lead.id}/fields"), data=words)
        second = await browser.post(full.path(f"leads/{lead.id}/fields"), data={**words, "field.company": "Cars"})

    fields = (await lead_named(full, "ann@lead.example")).fields
    assert ("Boats", "CEO") == (fields["company"], fields["job_title"])
    assert "changed since you looked" in said(second)


async def test_a_note_pauses_and_a_run_is_resumed_and_stopped(full: House):
    """The same services as on the command line."""
    lead = await lead_named(full, "ann@lead.example")
    there = full.path(f"leads/{lead.id}")
    async with full.browser() as browser:
        await browser.post(f"{there}/note", data={"text": "Met at the fair"})
        noted = await statuses(full)
        run = re.search(r'name="run" value="(\d+)"', (await browser.get(there)).text)
        assert run
        await browser.post(f"{there}/move", data={"run": run[1], "action": "resume"})
        resumed = await statuses(full)
        await browser.post(f"{there}/move", data={"run": run[1], "action": "stop"})
        page = await browser.get(there)

    assert ("paused", "active") == (noted["ann"], resumed["ann"])
    assert EnrollmentStatus.STOPPED == (await statuses(full))["ann"]
    assert "Met at the fair" in page.text
    assert "stop by member@acme.example" in page.text


async def test_erasing_takes_an_admin_and_the_address_typed(full: House):
    """It cannot be taken back; outside the database a hash is kept too."""
    lead = await lead_named(full, "ann@lead.example")
    there = full.path(f"leads/{lead.id}")
    async with full.browser("member") as browser:
        forbidden = await browser.post(f"{there}/erase", data={"email": lead.email})
    async with full.browser("admin") as browser:
        await browser.post(f"{there}/erase", data={"email": "somebody else"})
        still = await browser.get(there)
        await browser.post(f"{there}/erase", data={"email": lead.email.upper()})
        gone = await browser.get(there)

    assert (403, 200, 404) == (forbidden.status_code, still.status_code, gone.status_code)
    assert (full.installation.config.data / "optouts.log").exists()


async def test_a_lead_is_added_by_hand(full: House):
    """What is no address is said beside what was typed."""
    async with full.browser() as browser:
        wrong = await browser.post(full.path("leads/new"), data={"email": "nobody", "field.company": "Boats"})
        right = await browser.post(full.path("leads/new"), data={"email": "Dan@Lead.example", "list": "new"})
        page = await browser.get(right.headers["location"])

    assert 422 == wrong.status_code
    assert 'value="Boats"' in wrong.text
    assert "dan@lead.example" in page.text


async def test_what_comes_next_is_foreseen_where_nobody_answers(full: House):
    """Every step that is left, from which mailbox; nothing is changed by looking."""
    lead = await lead_named(full, "ann@lead.example")
    async with full.browser("viewer") as browser:
        page = await browser.post(full.path(f"leads/{lead.id}/to-come"))

    assert 200 == page.status_code
    assert ["intro", "bump", "last"] == re.findall(r"<td>(intro|bump|last)</td>", page.text)
    assert {"ann": "active", "bea": "active"} == await statuses(full)
