"""What the state that is put aside knows goes along: nobody is written to twice although no folder tells, either."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from engine.places import Place
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.ports.connector import OutcomeUnknownError
from relance.services import enrollments, mailboxes, taking_along
from relance.services.sending import settle_failed, settle_sent
from relance.services.taking_along import TakenAlong
from relance.testing import letters
from relance.testing.builders import email, plan
from relance.testing.fake_connector import INBOX, SENT, FakeMailbox, Point

if TYPE_CHECKING:
    from collections.abc import Callable

ANN, BEN, CLEO, DORA = (f"{name}@lead.example" for name in ("ann", "ben", "cleo", "dora"))
PEOPLE = (ANN, BEN, CLEO)


async def _play(place: Place, **span: float) -> None:
    """Run an engine for that long, by the domain's time."""
    end = place.rig.clock.now() + timedelta(**span)
    async with place.rig.running() as engine:
        await place.rig.play(engine, until=end)


async def _until_backup(place: Place) -> tuple[FakeMailbox, list[Enrollment]]:
    """Send three people their first step from a server that keeps no copies, and make a backup."""
    box = await place.rig.prepare(saves_sent=False)
    runs = [await place.rig.person(person) for person in PEOPLE]
    await _play(place, hours=10)
    assert [1, 1, 1] == _numbers(place)
    await place.back_up()
    return box, runs


async def _put_back(place: Place, *, since: datetime) -> TakenAlong:
    """Put the backup back as `relance restore` does."""
    facts = await place.rig.store.read(taking_along.facts_since, since)
    await place.put_back()
    outcome: TakenAlong = await place.rig.store.write(taking_along.take_along, facts, now=place.rig.clock.now())
    return outcome


def _numbers(place: Place) -> list[int]:
    return [len(place.rig.subjects(person)) for person in PEOPLE]


def _forget_copies(box: FakeMailbox, known: int = 3) -> None:
    """Take the later copies out of Sent, as a person does who tidies up."""
    del box.folders[SENT][known:]


async def test_what_left_is_not_sent_again_though_its_copy_is_gone(place: Place):
    """The database that is put aside says so."""
    box, runs = await _until_backup(place)
    since = place.rig.clock.now()
    await _play(place, days=1)
    before = _numbers(place)
    _forget_copies(box)
    along = await _put_back(place, since=since)
    await _play(place, days=5)
    ended = [(await place.rig.again(run)).status for run in runs]

    assert ([2, 2, 2], TakenAlong(sent=3, doubted=0, held=0)) == (before, along)
    assert ([3, 3, 3], [EnrollmentStatus.COMPLETED] * 3) == (_numbers(place), ended)


async def _lose_one_and_put_back(place: Place, *, known: int = 3) -> tuple[list[Enrollment], TakenAlong]:
    """Send everybody their second step, the outcome of one unknown; put the backup back, from before it."""
    box, runs = await _until_backup(place)
    since = place.rig.clock.now()
    box.script(Point.REPLY, OutcomeUnknownError("the connection was lost after the dot"))
    await _play(place, days=1)
    assert [2, 2, 2] == _numbers(place)
    _forget_copies(box, known)
    return runs, await _put_back(place, since=since)


@pytest.mark.parametrize("answer, numbers", [("sent", [3, 3, 3]), ("failed", [3, 3, 4])])
async def test_whoever_may_have_been_written_to_waits_until_that_is_settled(
    place: Place, answer: str, numbers: list[int]
):
    """The outcome was unknown when the state was put aside, and nobody can look: a person says it, as ever."""
    runs, along = await _lose_one_and_put_back(place)
    await _play(place, days=5)
    (attempt,) = await _unknown(place, runs)
    numbers_then = sorted(_numbers(place))
    settle: Callable[..., bool] = settle_sent if answer == "sent" else settle_failed
    ids = {"workspace_id": attempt.workspace_id, "attempt_id": attempt.id}
    await place.rig.store.write(settle, **ids, by="a person", now=place.rig.clock.now())
    await _play(place, days=5)

    assert (TakenAlong(sent=2, doubted=1, held=0), [2, 3, 3]) == (along, numbers_then)
    assert (numbers, EnrollmentStatus.COMPLETED) == (
        sorted(_numbers(place)),
        (await place.rig.again(next(run for run in runs if run.id == attempt.enrollment_id))).status,
    )
    assert attempt.holds_slot
    assert attempt.planned_at < attempt.created_at


async def test_what_may_have_left_is_looked_for_where_the_server_keeps_copies(place: Place):
    """It had not: that is proven, and the step is sent, with nobody asked."""
    box = await place.rig.prepare()
    runs = [await place.rig.person(person) for person in PEOPLE]
    await _play(place, hours=10)
    await place.back_up()
    since = place.rig.clock.now()
    box.script(Point.DOT, OutcomeUnknownError("the connection was lost at the dot"))
    while not await _unknown(place, runs):
        await _play(place, minutes=5)
    along = await _put_back(place, since=since)
    await _play(place, days=6)

    assert 1 == along.doubted
    assert ([3, 3, 3], [EnrollmentStatus.COMPLETED] * 3) == (
        _numbers(place),
        [(await place.rig.again(run)).status for run in runs],
    )


async def _unknown(place: Place, runs: list[Enrollment]) -> list[Attempt]:
    return [one for run in runs for one in await place.rig.attempts(run) if one.status is AttemptStatus.UNKNOWN]


@pytest.mark.parametrize("kept", [True, False])
async def test_whoever_has_answered_is_not_written_to_though_the_answer_is_gone(place: Place, *, kept: bool):
    """It was read, and deleted by the mailbox's owner; where it is still there, it ends the run as ever."""
    box, (ann, ben, _) = await _until_backup(place)
    since = place.rig.clock.now()
    box.deliver(letters.reply(place.rig.world.received_by(ANN)[-1].raw, at=place.rig.clock.now()), told=False)
    await _play(place, days=1)
    if not kept:
        box.folders[INBOX].clear()
    along = await _put_back(place, since=since)
    await _play(place, days=5)
    ann, ben = [await place.rig.again(run) for run in (ann, ben)]

    assert TakenAlong(sent=2, doubted=0, held=1) == along
    assert ([1, 3, 3], EnrollmentStatus.COMPLETED) == (_numbers(place), ben.status)
    assert (EnrollmentStatus.STOPPED if kept else EnrollmentStatus.HELD) is ann.status


async def test_a_second_restore_takes_along_what_the_first_one_did(place: Place):
    """It was the wrong file, or somebody was not sure; the state that is put aside now knows it from the one before."""
    runs, _ = await _lose_one_and_put_back(place)
    again = await _put_back(place, since=place.rig.clock.now() - timedelta(days=2))
    await _play(place, days=5)

    assert (TakenAlong(sent=0, doubted=0, held=0), [2, 3, 3]) == (again, sorted(_numbers(place)))
    assert 1 == len(await _unknown(place, runs))


async def test_whoever_was_paused_then_does_not_get_the_step_again(place: Place):
    """They were let go on since, and perhaps written to; now they are paused again, and resumed once more."""
    box, (ann, *_) = await _until_backup(place)
    await _pause_and_back_up(place, ann)
    since = place.rig.clock.now()
    await _resume(place, ann)
    box.script(Point.REPLY, *[OutcomeUnknownError("the connection was lost after the dot")] * 3)
    await _play(place, days=1)
    before = len(place.rig.subjects(ANN))
    _forget_copies(box)
    await _put_back(place, since=since)
    await _resume(place, ann)
    await _play(place, days=5)

    assert (2, 2) == (before, len(place.rig.subjects(ANN)))
    assert ["sent", "unknown"] == [one.status for one in await place.rig.attempts(ann)]


async def test_whoever_was_paused_then_and_has_answered_since_is_held(place: Place):
    """Resumed once more, they would be written to again."""
    box, (ann, *_) = await _until_backup(place)
    await _pause_and_back_up(place, ann)
    since = place.rig.clock.now()
    await _resume(place, ann)
    box.deliver(letters.reply(place.rig.world.received_by(ANN)[-1].raw, at=place.rig.clock.now()), told=False)
    await _play(place, days=1)
    box.folders[INBOX].clear()
    _forget_copies(box)
    await _put_back(place, since=since)
    held = await place.rig.again(ann)

    assert (EnrollmentStatus.HELD, "written_before_restore") == (held.status, held.hold_reason)
    assert 1 == len(place.rig.subjects(ANN))


async def _pause_and_back_up(place: Place, run: Enrollment) -> None:
    await place.rig.store.write(
        enrollments.pause,
        workspace_id=run.workspace_id,
        enrollment_id=run.id,
        cause="a person said so",
        now=place.rig.clock.now(),
    )
    await place.back_up()


async def _pause(place: Place, address: str) -> None:
    await place.rig.store.write(
        mailboxes.pause, await place.rig.box(address), reason="a person", now=place.rig.clock.now()
    )


async def _resume(place: Place, run: Enrollment) -> None:
    await place.rig.store.write(
        enrollments.resume,
        workspace_id=run.workspace_id,
        enrollment_id=run.id,
        cause="a person looked",
        now=place.rig.clock.now(),
    )


@pytest.mark.parametrize("policy", ["pause", "hold"])
async def test_whoever_was_set_aside_for_an_answer_is_held(place: Place, policy: str):
    """Not only a sequence that stops at an answer says that somebody has answered."""
    box = await place.rig.prepare(saves_sent=False, on_reply=policy)
    ann = await place.rig.person(ANN)
    await _play(place, hours=10)
    await place.back_up()
    since = place.rig.clock.now()
    box.deliver(letters.reply(place.rig.world.received_by(ANN)[-1].raw, at=place.rig.clock.now()), told=False)
    await _play(place, hours=1)
    box.folders[INBOX].clear()
    await _put_back(place, since=since)
    await _play(place, days=5)

    assert (EnrollmentStatus.HELD, 1) == ((await place.rig.again(ann)).status, len(place.rig.subjects(ANN)))


async def test_who_came_in_later_and_may_have_been_written_to_waits_when_they_enter_again(place: Place):
    """The older state has nobody to hold; resumed by a person, they do not get the step again that may have left."""
    box, _ = await _until_backup(place)
    since = place.rig.clock.now()
    box.script(Point.REPLY, *[OutcomeUnknownError("the connection was lost after the dot")] * 2)
    await place.rig.person(DORA)
    await _play(place, hours=2)
    before = len(place.rig.subjects(DORA))
    _forget_copies(box)
    await _put_back(place, since=since)
    dora = await place.rig.person(DORA)
    await _resume(place, dora)
    await _play(place, days=5)

    assert (1, EnrollmentStatus.HELD) == (before, dora.status)
    assert (1, ["unknown"]) == (
        len(place.rig.subjects(DORA)),
        [one.status for one in await place.rig.attempts(dora)],
    )


@pytest.mark.parametrize("lost", [False, True])
async def test_who_came_in_later_and_was_written_to_from_a_mailbox_that_did_too_waits(place: Place, *, lost: bool):
    """The older state has neither; connected again, the mailbox tells from where the step has left."""
    await _until_backup(place)
    since = place.rig.clock.now()
    await _pause(place, "bo@ours.example")
    box = await place.rig.mailbox("new@ours.example", saves_sent=False)
    if lost:
        box.script(Point.REPLY, OutcomeUnknownError("the connection was lost after the dot"))
    await place.rig.person(DORA)
    await _play(place, hours=2)
    before = [(one.mailbox, one.recipient) for one in place.rig.world.accepted][3:]
    along = await _put_back(place, since=since)
    dora = await place.rig.person(DORA)
    await _resume(place, dora)
    await _play(place, hours=2)
    unconnected = await place.rig.again(dora)
    await place.rig.mailbox("new@ours.example", saves_sent=False)
    await _resume(place, dora)
    await _play(place, hours=2)
    statuses = [one.status for one in await place.rig.attempts(dora)]

    assert ([("new@ours.example", DORA)], ("new@ours.example",)) == (before, along.unknown_mailboxes)
    assert (EnrollmentStatus.HELD, EnrollmentStatus.HELD) == (dora.status, unconnected.status)
    assert (["unknown" if lost else "sent"], 1) == (statuses, len(place.rig.subjects(DORA)))


async def test_facts_of_another_installation_change_nothing(place: Place):
    """Its ids mean other people."""
    await _until_backup(place)
    since = place.rig.clock.now()
    await _play(place, days=1)
    facts = await place.rig.store.read(taking_along.facts_since, since)
    await place.put_back()
    foreign = replace(facts, installation="elsewhere")
    along = await place.rig.store.write(taking_along.take_along, foreign, now=place.rig.clock.now())

    assert 3 == len(facts.departed)
    assert TakenAlong(sent=0, doubted=0, held=0) == along


async def test_whoever_was_stopped_by_a_person_and_has_answered_since_is_held(place: Place):
    """The stop is a person's, and undone by the restore; the answer is a fact, and deleted by the mailbox's owner."""
    box, (ann, *_) = await _until_backup(place)
    since = place.rig.clock.now()
    await place.rig.store.write(
        enrollments.stop,
        workspace_id=ann.workspace_id,
        enrollment_id=ann.id,
        cause="a person said so",
        now=place.rig.clock.now(),
    )
    box.deliver(letters.reply(place.rig.world.received_by(ANN)[-1].raw, at=place.rig.clock.now()), told=False)
    await _play(place, hours=1)
    box.folders[INBOX].clear()
    along = await _put_back(place, since=since)
    await _play(place, days=5)

    assert (1, 1) == (along.held, len(place.rig.subjects(ANN)))


async def test_a_second_restore_holds_whom_a_person_has_dealt_with_after_the_first(place: Place):
    """They had answered, and what was decided about that is undone with everything else."""
    box, (ann, *_) = await _until_backup(place)
    since = place.rig.clock.now()
    box.deliver(letters.reply(place.rig.world.received_by(ANN)[-1].raw, at=place.rig.clock.now()), told=False)
    await _play(place, hours=1)
    box.folders[INBOX].clear()
    await _put_back(place, since=since)
    await place.rig.store.write(
        enrollments.stop,
        workspace_id=ann.workspace_id,
        enrollment_id=ann.id,
        cause="a person looked",
        now=place.rig.clock.now(),
    )
    again = await _put_back(place, since=since)
    await _play(place, days=5)

    assert (1, EnrollmentStatus.HELD) == (again.held, (await place.rig.again(ann)).status)
    assert 1 == len(place.rig.subjects(ANN))


async def test_what_was_sent_before_a_restore_keeps_nobody_out_of_a_later_sequence(place: Place):
    """Once its attempt is written, it is history like every other."""
    box, runs = await _until_backup(place)
    since = place.rig.clock.now()
    await _play(place, days=1)
    _forget_copies(box)
    await _put_back(place, since=since)
    await _play(place, days=5)
    await place.rig.publish(plan(email("hello", subject="Later"), name="later"))
    later = [await place.rig.person(person, sequence="later") for person in PEOPLE]

    assert [EnrollmentStatus.COMPLETED] * 3 == [(await place.rig.again(run)).status for run in runs]
    assert [EnrollmentStatus.ACTIVE] * 3 == [run.status for run in later]
