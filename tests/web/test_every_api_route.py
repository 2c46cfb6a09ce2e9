"""Every route of the API, also those that nobody has written yet: who may call it, and whose things it finds.

Rule 1: a role that is too low is told 403, and who has no key 401, before anything else is looked at.
Rule 2: a key finds nothing of another workspace, whatever ids it knows.
"""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from fastapi.routing import APIRoute

from relance.core.people import Role
from relance.core.suppression import SuppressionReason
from relance.services import saved_filters, sequences, suppressions
from relance.services.lead_filters import Filter
from relance.testing import builders
from relance.testing.fake_clock import MONDAY
from relance.web.api.application import PREFIX, RESOURCES
from relance.web.api.call import needed_by
from web.house import House

#: What a route with an id in its path takes beside it, so that it comes to look for the id.
BODIES: dict[str, object] = {
    "change_workspace": {"daily_cap": 1},
    "set_user_role": {"role": "viewer"},
    "change_lead": {"fields": {"first_name": "Bo"}},
    "put_on_list": {"leads": ["ann@lead.example"]},
    "take_off_list": {"leads": ["1"]},
    "save_filter": {"filter": {"list": "autumn"}},
    "change_mailbox": {"daily_cap": 1},
    "set_domain_selectors": {"selectors": ["s1"]},
    "change_draft": {"text": "name: q4"},
    "send_test_mails": {"to": "bo@acme.example"},
    "correct_message": {"kind": "auto_reply"},
    "answer_thread": {"text": "Thank you"},
    "handle_thread": {"do": "finish"},
    "settle_answer": {"sent": True},
    "add_note": {"text": "a note"},
    "approve_sequence": {},
    "archive_sequence": {"stop_active": True},
    "let_mailbox_recover": {},
    "settle_attempt": {"outcome": "sent"},
}
#: What a route takes that changes a draft.
READ = {"If-Match": '"1"'}
#: Routes whose path names what they make, in the caller's own workspace.
MAKING = {"save_filter"}
#: What stands in acme under each name of a path.
THERE = {
    "name": ("acme", "q4", "member", "acme.example"),
    "email": ("member@acme.example",),
    "address": ("bo@acme.example",),
    "lead": ("ann@lead.example", "1"),
    "enrollment": ("1",),
    "attempt": ("1",),
    "version": ("1",),
    "filter_id": ("1",),
    "thread": ("1",),
    "message": ("1",),
    "answer": ("1",),
}


def every_route() -> Iterator[tuple[str, APIRoute]]:
    """Yield each route with each of its methods."""
    for routes in RESOURCES:
        for route in routes.routes:
            assert isinstance(route, APIRoute)
            for method in sorted(route.methods or ()):
                yield method, route


def filled(path: str, position: int = 0) -> str:
    """Return a path with what stands in acme."""

    def there(found: re.Match[str]) -> str:
        names = THERE[found[1]]
        return names[min(position, len(names) - 1)]

    return PREFIX + re.sub(r"\{(\w+)\}", there, path)


def fill(tx, acme):
    """Put one of everything into acme."""
    builders.published(tx, acme, now=MONDAY)
    builders.mailbox(tx, acme, "bo@acme.example")
    saved_filters.save(tx, workspace_id=acme.id, name="q4", asked=Filter(list="autumn"), author="a test", now=MONDAY)
    lead = builders.lead(tx, acme, "ann@lead.example", first_name="Ann")
    builders.enrollment(tx, acme, lead)
    suppressions.suppress_address(
        tx,
        workspace_id=acme.id,
        address="carl@lead.example",
        reason=SuppressionReason.MANUAL,
        source="a test",
        now=MONDAY,
    )


async def test_who_has_no_key_is_told_so_by_every_route(house: House):
    """Also where what is asked for does not exist, and where the request is not as it must be."""
    async with house.stranger() as client:
        answers = {
            (method, route.path): (await client.request(method, filled(route.path))).status_code
            for method, route in every_route()
        }

    assert {} == {route: status for route, status in answers.items() if status != 401}


@pytest.mark.parametrize("role", Role)
async def test_a_role_that_is_too_low_is_told_so_by_every_route_and_no_other_is(house: House, role: Role):
    """The answer to a role that is enough is anything else but 403, and never that something broke."""
    wrong = []
    async with house.program(role) as client:
        for method, route in every_route():
            house.real.advance(timedelta(seconds=10))
            answer = await client.request(method, filled(route.path), json=BODIES.get(route.name))
            needed = needed_by(route)
            assert needed is not None
            if role.may(needed) == (answer.status_code == 403) or answer.status_code >= 500:
                wrong.append((method, route.path, answer.status_code, answer.text))

    assert [] == wrong


async def test_a_key_of_another_workspace_finds_nothing_of_this_one(house: House):
    """Its owner knows every id, and every name; and what they do changes nothing here."""
    await house.installation.write(fill, house.workspace)
    before = await house.installation.read(sequences.by_name, house.workspace.id, "q4")
    found = []
    async with house.program("stranger") as client:
        for method, route in every_route():
            if "{" not in route.path or route.name in MAKING:
                continue
            for position in range(max(map(len, THERE.values()))):
                house.real.advance(timedelta(seconds=10))
                path, body = filled(route.path, position), BODIES.get(route.name)
                answer = await client.request(method, path, json=body, headers=READ)
                if answer.status_code != 404:
                    found.append((method, route.path, answer.status_code, answer.text))
        lists = [
            (route.path, (await client.get(PREFIX + route.path)).text)
            for method, route in every_route()
            if method == "GET" and "{" not in route.path
        ]

    assert [] == found
    assert [] == [path for path, text in lists if re.search(r"lead\.example|acme|q4", text)]
    assert before == await house.installation.read(sequences.by_name, house.workspace.id, "q4")


def test_every_route_with_an_id_and_a_body_is_walked_with_one():
    """Without a body it would be refused before it looks for the id."""
    lacking = [
        route.path
        for _, route in every_route()
        if "{" in route.path and route.body_field is not None and route.name not in BODIES
    ]

    assert [] == lacking


async def test_ids_of_another_workspace_in_bodies_and_questions_find_nothing(house: House):
    """Beside the paths: whoever is named in what is sent must be there too."""
    await house.installation.write(fill, house.workspace)
    text = "name: own\nwindow: always\nsteps:\n  - {id: intro, kind: email, subject: Hi, text: Hello}\n"
    async with house.program("stranger") as client:
        await client.post(f"{PREFIX}/sequences", json={"text": text})
        answers = [
            await client.post(f"{PREFIX}/enrollments", json={"sequence": "own", "leads": ["1"]}),
            await client.post(f"{PREFIX}/enrollments", json={"sequence": "own", "leads": ["ann@lead.example"]}),
            await client.post(f"{PREFIX}/leads/actions", json={"action": "put", "name": "mine", "leads": [1]}),
            await client.post(f"{PREFIX}/leads/bulk", json={"rows": [{"email": "x@y.example"}], "sequence": "q4"}),
            await client.post(f"{PREFIX}/sequences/preview", json={"text": text, "lead": "1"}),
            await client.post(f"{PREFIX}/sequences/own/test", json={"to": "me@other.example", "lead": "1"}),
            await client.post(f"{PREFIX}/forecast", json={"sequence": "q4"}),
            await client.get(f"{PREFIX}/enrollments", params={"lead": "1"}),
            await client.get(f"{PREFIX}/enrollments", params={"sequence": "q4"}),
            await client.get(f"{PREFIX}/threads", params={"mailbox": "bo@acme.example"}),
        ]
        events = await client.get(f"{PREFIX}/events", params={"lead": 1})
        found = await client.post(f"{PREFIX}/leads/actions", json={"action": "suppress", "filter": {"text": "ann"}})

    assert {404, 409} >= {answer.status_code for answer in answers}
    assert ([], 0) == (events.json()["items"], found.json()["changed"])
    assert not any(re.search(r"ann@lead|Ann", answer.text.replace("'ann@lead.example'", "")) for answer in answers)
