"""What a lead's page tells: everything that happened, why, once, in its order."""

from typing import Any

from relance.core.lead import Lead
from relance.services import enrollments, lead_changes, leads
from relance.services.timelines import Moment, MomentKind, timeline
from relance.testing import letters


async def story(life, scene) -> list[Moment]:
    """Return the lead's timeline."""

    def read(reader: Any) -> list[Moment]:
        lead = reader.one(Lead, "leads.get", workspace_id=scene.workspace.id, id=scene.lead.id)
        return timeline(reader, lead=lead)

    told: list[Moment] = await life.store.read(read)
    return told


async def test_a_message_its_answer_and_what_that_did_are_one_line_each(life):
    """In the order of cause and effect, each with its reason."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now, text="Tell me more."))

    told = await story(life, scene)

    assert ["came", "came", "sent", "received", "moved"] == [one.kind.value for one in told]
    came, enrolled, sent, received, stopped = told
    assert ("test", "added") == (came.what, came.why)
    assert "enrolled into q4 version 1" == enrolled.why
    assert ("step intro: Question", "sent, variant a", "bo@acme.example") == (sent.what, sent.why, sent.mailbox)
    assert ("human reply: Re: Question", "Tell me more.") == (received.what, received.text)
    assert "matched by In-Reply-To" == received.why
    assert ("active → stopped", "q4") == (stopped.what, stopped.sequence)
    assert sent.message_id is not None


async def test_notes_and_changes_by_hand_are_told_with_who_made_them(life):
    """A note that pauses is a note and a move."""
    scene = await life.scene()
    ids = {"workspace_id": scene.workspace.id, "now": life.now}

    await life.store.write(leads.note, **ids, email=scene.lead.email, text="Met at the fair", author="mia")
    life.later(minutes=1)
    await life.store.write(
        lead_changes.change,
        workspace_id=scene.workspace.id,
        lead_id=scene.lead.id,
        read_revision=scene.lead.revision,
        values={"Company": "Bikes"},
        author="mia",
        now=life.now,
    )
    told = await story(life, scene)

    assert [MomentKind.NOTED, MomentKind.MOVED, MomentKind.HAPPENED] == [one.kind for one in told[-3:]]
    assert "Met at the fair" == told[-3].text
    assert "active → paused" == told[-2].what
    assert "company changed by mia" == told[-1].why


async def test_an_operators_doing_is_told_once(life):
    """The event and the transition are one thing."""
    scene = await life.scene()
    await life.store.write(
        enrollments.stop, workspace_id=scene.workspace.id, enrollment_id=scene.run.id, cause="stop by mia", now=life.now
    )

    told = await story(life, scene)

    assert ["stop by mia"] == [one.why for one in told if one.what == "active → stopped"]
    assert not [one for one in told if one.kind is MomentKind.HAPPENED]
