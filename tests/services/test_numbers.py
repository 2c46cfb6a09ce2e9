"""What is counted: messages and people, by step, wording, mailbox and day, and who stands where."""

from datetime import timedelta

from relance.core.enrollment import EnrollmentStatus
from relance.services import enrollments, numbers
from relance.testing import letters


async def folded(life):
    """Let the housekeeper add up."""
    return await life.store.write(numbers.fold, limit=1_000)


async def everything(life, scene):
    """Return what every question about one sequence and its mailbox answers."""
    ids = {"workspace_id": scene.workspace.id}
    pair = {**ids, "sequence_id": scene.run.sequence_id}
    box = {"mailbox_id": scene.box.id}
    return [
        await life.store.read(numbers.standing, **pair),
        await life.store.read(numbers.by_step, **pair),
        await life.store.read(numbers.by_sequence, **ids),
        await life.store.read(numbers.by_mailbox, **ids),
        await life.store.read(numbers.by_mailbox, **pair),
        await life.store.read(numbers.by_day, **ids),
        await life.store.read(numbers.by_day, **pair),
        await life.store.read(numbers.by_day, **ids, **box),
        await life.store.read(numbers.by_day, **pair, **box),
    ]


async def of_steps(life, scene, since=None):
    """Return what each step came to, without what is nought."""
    pair = {"workspace_id": scene.workspace.id, "sequence_id": scene.run.sequence_id}
    rows = await life.store.read(numbers.by_step, **pair, since=since)
    named = ("contacted", "sent", "replied", "positive", "auto", "bounced", "opted_out")
    return {row.step: {name: n for name in named if (n := getattr(row, name))} for row in rows}


async def standing(life, scene):
    """Return how many people stand where."""
    pair = {"workspace_id": scene.workspace.id, "sequence_id": scene.run.sequence_id}
    return {(row.step, row.status): row.people for row in await life.store.read(numbers.standing, **pair)}


async def test_a_person_is_contacted_once_and_every_message_counts(life):
    """The follow-up is a message more, not a person more."""
    scene = await life.scene()
    await life.send()
    life.later(days=4)
    await life.send()

    assert {"intro": {"contacted": 1, "sent": 1}, "bump": {"sent": 1}} == await of_steps(life, scene)


async def test_an_answer_is_ascribed_to_the_message_that_it_answers(life):
    """Also where a later one has left since."""
    scene = await life.scene()
    first = await life.send()
    life.later(days=4)
    await life.send()
    await life.receive(scene.box, letters.reply(first, at=life.now))

    assert {"contacted": 1, "sent": 1, "replied": 1} == (await of_steps(life, scene))["intro"]


async def test_a_person_who_answers_twice_is_one_person(life):
    """A rate is a share of people."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    life.later(hours=1)
    await life.receive(scene.box, letters.reply(raw, at=life.now, text="One more thing."))

    assert 1 == (await of_steps(life, scene))["intro"]["replied"]


async def test_a_program_that_answers_is_no_person(life):
    """Only people have replied."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I am away."))

    assert {"contacted": 1, "sent": 1, "auto": 1} == (await of_steps(life, scene))["intro"]


async def test_people_stand_where_their_enrollments_do(life):
    """One has gone on, one has only come in, one was paused."""
    scene = await life.scene()
    await life.send()
    await life.person(scene, "eve@lead.example")
    paused = await life.person(scene, "pat@lead.example")
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": paused.id}
    await life.store.write(enrollments.pause, **ids, cause="by hand", now=life.now)
    active = EnrollmentStatus.ACTIVE

    expected = {("bump", active): 1, ("intro", active): 1, ("intro", EnrollmentStatus.PAUSED): 1}
    assert expected == await standing(life, scene)


async def test_folding_changes_no_number(life):
    """Every change counts once, whether it was added up already or not; and so it is when there are new ones since."""
    scene = await life.scene()
    raw = await life.send()
    before = await everything(life, scene)
    await folded(life)
    after = await everything(life, scene)
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    later = await everything(life, scene)
    await folded(life)

    assert before == after
    assert later == await everything(life, scene)
    assert 0 == await folded(life)


async def test_a_count_begins_on_the_day_that_is_asked_for(life):
    """What was before is not looked at."""
    scene = await life.scene()
    await life.send()
    await folded(life)
    tomorrow = (life.now + timedelta(days=1)).date()

    assert {} == await of_steps(life, scene, since=tomorrow)


async def test_a_lost_message_counts_once_it_is_known_to_have_left(life):
    """And not before: nobody knows."""
    scene = await life.scene()
    raw, _ = await life.lost()
    unknown = await of_steps(life, scene)
    await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert {} == unknown
    assert {"intro": {"contacted": 1, "sent": 1, "replied": 1}} == await of_steps(life, scene)


async def test_another_workspace_has_its_own_numbers(life):
    """Nothing of one is counted for the other."""
    scene = await life.scene()
    other = await life.scene(workspace="other")
    await life.send()
    counted = [bool(await life.store.read(numbers.by_day, workspace_id=each.workspace.id)) for each in (scene, other)]

    assert [True, False] == sorted(counted, reverse=True)
