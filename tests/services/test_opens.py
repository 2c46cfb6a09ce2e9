"""Opens that a tracking source tells: each recorded once, and a step that waits for its person's hour."""

from datetime import datetime, timedelta

import pytest

from relance.core.sequence import SendTime
from relance.services import sending
from relance.services.open_files import BadOpen, read_open, read_opens
from relance.services.opens import Open, Recorded, record_opens
from relance.testing.builders import email
from services.life import Life, Scene

INTRO = email("intro", subject="Hello")


async def told(life: Life, scene: Scene, *opens: Open) -> dict[Recorded, int]:
    """Record opens of a workspace."""
    return dict(
        await life.store.write(record_opens, opens, workspace_id=scene.workspace.id, source="a test", now=life.now)
    )


async def sent_and_left_alone(life: Life) -> tuple[Scene, str]:
    """Send somebody a message, let ten days pass, and return its Message-ID."""
    scene = await life.scene(INTRO)
    await life.send()
    (attempt,) = await life.attempts(scene.run)
    life.later(days=10)
    return scene, attempt.message_id


async def opens_known(life: Life, scene: Scene) -> list[datetime]:
    """Return what a gate would go by."""
    ids = {"workspace_id": scene.workspace.id, "lead_id": scene.lead.id}
    since = life.now - timedelta(days=90)
    return await life.store.read(lambda reader: reader.all(datetime, "events.opens", **ids, since=since, limit=50))


async def test_an_open_is_recorded_once_however_often_it_is_told(life):
    """Tracking sources repeat their webhooks, and a file is imported twice."""
    scene, message_id = await sent_and_left_alone(life)
    opened = Open(message_id=message_id, at=life.now - timedelta(days=2))
    first, second = await told(life, scene, opened, opened), await told(life, scene, opened)

    assert {Recorded.OPENED: 1, Recorded.KNOWN: 1} == first
    assert {Recorded.KNOWN: 1} == second
    assert [opened.at] == await opens_known(life, scene)


async def test_what_a_program_fetched_tells_nothing_of_a_person(life):
    """By the source's own word, else by its haste and its name."""
    scene, message_id = await sent_and_left_alone(life)
    later = life.now - timedelta(days=2)
    outcome = await told(
        life,
        scene,
        Open(message_id=message_id, at=later, machine=True),
        Open(message_id=message_id, at=later + timedelta(hours=1), user_agent="Mozilla/5.0"),
        Open(message_id=message_id, at=later + timedelta(hours=2), user_agent="Mozilla/5.0", machine=False),
    )

    assert {Recorded.FETCHED: 2, Recorded.OPENED: 1} == outcome
    assert [later + timedelta(hours=2)] == await opens_known(life, scene)


async def test_an_open_of_nothing_or_of_the_future_is_not_recorded(life):
    """A source that tells of other mail, or whose clock is wrong."""
    scene, message_id = await sent_and_left_alone(life)
    outcome = await told(
        life,
        scene,
        Open(message_id="<of@somebody.example>", at=life.now),
        Open(message_id=message_id, at=life.now + timedelta(minutes=1)),
    )

    assert {Recorded.UNMATCHED: 1, Recorded.AHEAD: 1} == outcome
    assert [] == await opens_known(life, scene)


async def test_the_next_sequence_waits_for_the_hour_at_which_the_person_read_the_last(life):
    """The opens of every sequence count, and the reason stands on the row."""
    scene, message_id = await sent_and_left_alone(life)
    afternoon = life.now.replace(hour=15, minute=5)
    await told(life, scene, *(Open(message_id=message_id, at=afternoon - timedelta(days=day)) for day in (1, 2, 3)))
    run = (await life.scene(INTRO, name="next", send_time=SendTime.OPENS)).run
    outcome = await life.attempt_to_reserve()
    waiting = await life.again(run)

    assert isinstance(outcome, sending.Deferred)
    assert ("send_time", afternoon.replace(minute=0)) == (waiting.last_skip_reason, waiting.skip_until)
    assert [] == await life.claim(), "who waits for an hour is claimed again and again"

    life.later(hours=24)

    assert isinstance(await life.attempt_to_reserve(), sending.Reserved), "a day after it was due nobody waits"


@pytest.mark.parametrize(
    "line, said",
    [
        ("opened", "no JSON"),
        ("[1]", "no JSON object"),
        ('{"at": "2026-11-30T09:00:00Z"}', "no message_id"),
        ('{"message_id": "<a@b>"}', "no at"),
        ('{"message_id": "<a@b>", "at": "2026-11-30T09:00:00"}', "unknown zone"),
        ('{"message_id": "<a@b>", "at": "yesterday"}', "no moment"),
        ('{"message_id": "<a@b>", "at": 1e99}', "no moment"),
        ('{"message_id": "<a@b>", "at": 1, "machine": "yes"}', "true or false"),
        ('{"message_id": "<a@b>", "at": 1, "opened": 1}', "no key of an open"),
    ],
)
def test_a_line_that_tells_no_open_says_what_to_write(line, said):
    """One sentence each."""
    with pytest.raises(ValueError, match=said):
        read_open(line)


def test_a_file_is_read_line_by_line(tmp_path):
    """ISO 8601 or seconds, angle brackets or none; empty lines count for nothing but their number."""
    path = tmp_path / "opens.jsonl"
    path.write_text(
        '\ufeff{"message_id": "a@b", "at": 1764493200}\n\n'
        '{"message_id": "<a@b>", "at": "2025-11-30T10:00:00+01:00", "machine": false}\nnothing\n',
        encoding="utf-8",
    )
    first, second, third = read_opens(path)

    assert isinstance(first, Open)
    assert isinstance(second, Open)
    assert ("<a@b>", first.at) == (second.message_id, second.at)
    assert isinstance(third, BadOpen)
    assert 4 == third.line
