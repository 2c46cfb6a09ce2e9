"""Every page of a workspace, asked with the ids and names of another one, in its path and in its form.

Whoever does it owns the one workspace and knows everything of the other. They are shown nothing of it and change
nothing in it, whichever page it is; also those that nobody has written yet.
"""

import re
from typing import Any

import pytest
from starlette.routing import Route

from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import Sequence
from relance.core.suppression import Suppression
from relance.services import event_lines, saved_filters
from relance.services.lead_filters import Filter
from relance.testing.fake_clock import MONDAY
from web.house import House
from web.test_every_route import ROUTES
from web.test_inbox import Post

#: What only the other workspace knows, and what is not asked for by its name; none of it may stand on an answer.
THEIRS = re.compile(r"lead\.example|bo@acme|about the tea|Your offer|Question")
#: Names in paths that are no ids.
NAMES = {"sequence": "q4", "domain": "acme.example", "ending": "yaml", "action": "pause", "what": "open"}
#: What a form may name: an id or a name of theirs under every name that a page of ours might read.
FORM = {
    **dict.fromkeys(
        ("lead", "leads", "lead_id", "id", "ids", "mailbox", "mailboxes", "sequence", "sequence_id", "enrollment"), "1"
    ),
    **dict.fromkeys(("attempt", "thread", "message", "answer", "filter", "import", "version", "revision"), "1"),
    "name": "q4",
    "list": "secret list",
    "outcome": "sent",
    "do": "pause",
    "action": "pause",
    "kind": "auto_reply",
    "role": "viewer",
    "text": "a note",
}


def path_of(route: Route) -> str:
    """Return a route's path in the asker's own workspace, with what stands in the other one."""
    path = route.path.replace("{workspace}", "other")
    return re.sub(r"\{(\w+)(:\w+)?\}", lambda found: NAMES.get(found[1], "1"), path)


@pytest.fixture
async def theirs(house: House) -> House:
    """Return a house in whose first workspace there is one of everything, under the ids that are asked for."""
    await Post(house).begin()
    post = Post(house)
    post.box = (await state_of(house))["mailboxes"][0]
    await post.comes(
        b"From: ann@lead.example\r\nTo: bo@acme.example\r\nSubject: Your offer\r\nMessage-ID: <1@lead.example>\r\n"
        b"Date: Mon, 30 Nov 2026 09:00:00 +0000\r\n\r\nTell me more about the tea.\r\n"
    )
    await house.installation.write(
        saved_filters.save,
        workspace_id=house.workspace.id,
        name="secret list",
        asked=Filter(list="secret list"),
        author="a test",
        now=MONDAY,
    )
    return house


async def state_of(house: House) -> dict[str, Any]:
    """Return what there is in the other workspace."""

    def read(reader):
        ids = {"workspace_id": house.workspace.id}
        return {
            "leads": reader.all(Lead, "leads.of_workspace", **ids),
            "mailboxes": reader.all(Mailbox, "mailboxes.of_workspace", **ids),
            "sequences": reader.all(Sequence, "sequences.of_workspace", **ids),
            "suppressions": reader.all(Suppression, "suppressions.of_workspace", **ids),
            "events": event_lines.page(reader, **ids, after=0, limit=10_000),
        }

    found: dict[str, Any] = await house.installation.read(read)
    return found


async def test_nothing_of_another_workspace_is_shown_or_changed(theirs: House):
    """A page with an id of theirs in its path is not there; a form is refused, or leads on to where that is said."""
    before, shown, there = await state_of(theirs), [], []
    async with theirs.browser("stranger") as browser:
        for method, route in ROUTES:
            if route.path.endswith("/live"):
                continue  # a stream without end; its own tests look at whose events it tells
            answer = await browser.request(
                method, path_of(route), data=FORM if method != "GET" else None, params=FORM if method == "GET" else None
            )
            if THEIRS.search(answer.text.replace(str(answer.url), "")):
                shown.append((method, route.path, THEIRS.search(answer.text)))
            refused = answer.status_code == 404 or (method != "GET" and answer.status_code in {303, 409, 422})
            if ":int}" in route.path and not refused:
                there.append((method, route.path, answer.status_code))

    assert before == await state_of(theirs)
    assert [] == there
    assert [] == shown
