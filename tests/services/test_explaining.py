"""`explain`, as far as it is read from the database."""

from datetime import timedelta

from relance.services import explaining
from relance.testing import letters
from relance.testing.builders import KEYS


async def test_an_answer_is_shown_when_it_was_there_whatever_its_date_says(life):
    """A clock that is wrong at the other end turns no conversation round."""
    scene = await life.scene()
    raw = await life.send()
    life.later(minutes=10)
    await life.receive(scene.box, letters.reply(raw, at=life.now - timedelta(days=900)))
    ids = {"workspace_id": scene.workspace.id, "email": scene.lead.email, "sequence_name": None}
    facts = await life.store.read(explaining.explain, **ids, keys=KEYS, now=life.now)
    (run,) = facts["enrollments"]

    assert ["out", "in"] == [message["direction"] for message in run["messages"]]
    assert run["last_inbound_at"] == run["messages"][1]["at"]
    assert f"{life.now:%b %Y %H:%M}" in run["summary"]


async def test_an_answer_within_the_second_stands_behind_what_it_answers(life):
    """Mail servers know whole seconds only, so by their clocks it came before our message left."""
    scene = await life.scene()
    life.later(seconds=0.7)
    reserved, _ = await life.begun()
    raw = await life.confirm(reserved)
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    ids = {"workspace_id": scene.workspace.id, "email": scene.lead.email, "sequence_name": None}
    facts = await life.store.read(explaining.explain, **ids, keys=KEYS, now=life.now)
    (run,) = facts["enrollments"]

    assert ["out", "in"] == [message["direction"] for message in run["messages"]]
    assert run["messages"][1]["at"] <= run["attempts"][0]["sent_at"]
