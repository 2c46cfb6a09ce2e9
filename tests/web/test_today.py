"""Today and the forecast: what is going on, and what will be; over both stores."""

from dataclasses import replace
from typing import Any, cast

from relance.app.serving import surroundings
from relance.services import enrollments, leads
from relance.testing import builders
from relance.web.console.forecast import plotted
from relance.web.server import application
from web.house import BASE_URL, House


async def enrolled(house: House) -> None:
    """Let one lead wait for their first message."""
    write = house.installation.write
    await write(builders.mailbox, house.workspace, "bo@acme.example", daily_cap=40)
    await write(builders.published, house.workspace, builders.plan(builders.email("intro", subject="Hello")))
    lead = await write(builders.lead, house.workspace, "ann@lead.example")
    await write(builders.enrollment, house.workspace, lead, "q4")


async def test_a_newcomer_is_told_what_to_do_first(house):
    """Connect a mailbox; everything else follows from it."""
    answer = await house.browser().get(house.path("today"))

    assert "Connect a mailbox first" in answer.text


async def test_what_is_next_and_each_mailboxs_day_is_shown(house):
    """Who is first, of which sequence, and what each mailbox has sent of what it may."""
    await enrolled(house)
    answer = await house.browser("viewer").get(house.path("today"))

    assert "ann@lead.example" in answer.text
    assert "0 of 40" in answer.text
    assert "Nothing is on the wire this moment." in answer.text


async def test_who_waits_for_a_person_is_counted(house):
    """Held and paused people, by sequence."""
    await enrolled(house)
    lead = await house.installation.read(leads.by_email, house.workspace.id, "ann@lead.example")
    run = await house.installation.read(builders.enrollment_of, house.workspace, lead)
    await house.installation.write(
        enrollments.pause,
        workspace_id=house.workspace.id,
        enrollment_id=run.id,
        cause="a test",
        now=house.clock.now(),
    )
    answer = await house.browser().get(house.path("today"))

    assert "1 paused" in answer.text


async def test_the_forecast_is_asked_with_what_was_typed(house):
    """Only what was typed: an empty field means as it is."""
    asked = {}

    async def foresee(workspace, question):
        asked[workspace] = dict(question)
        return {
            "sends": 3,
            "done_at": "2026-12-03T10:00:00Z",
            "until": "2027-11-30T06:00:00Z",
            "days": [
                {"day": "2026-12-01", "sent": 2, "mailboxes": {}},
                {"day": "2026-12-03", "sent": 1, "mailboxes": {}},
            ],
            "sequences": [],
            "bottlenecks": [],
            "relief": None,
        }

    around = surroundings(house.installation, base_url=BASE_URL, real=house.real)
    hands = replace(around.hands, foresee=cast("Any", foresee))
    other = replace(house, app=application(replace(around, hands=hands, stream_seconds=0)))
    answer = await other.browser().get(house.path("forecast?ask=yes&days=30&sequence=&reply-rate=5%25"))

    assert {"acme": {"days": "30", "reply-rate": "5%"}} == asked
    assert "3 messages" in answer.text
    assert "done on 2026-12-03" in answer.text


def test_days_without_a_message_leave_a_gap():
    """The picture is of the calendar."""
    first, second = plotted([{"day": "2026-12-01", "sent": 4}, {"day": "2026-12-03", "sent": 2}])["bars"]

    assert (0, 2 * 22) == (first["x"], second["x"])
    assert first["height"] == 2 * second["height"]
