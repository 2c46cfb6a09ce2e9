"""What one state knows of the world since another: what is told of it, and what the older one makes of that."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from relance.core import identifiers
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.failure import Withdrawn
from relance.core.suppression import SuppressionKind, SuppressionReason, SuppressionScope
from relance.services import enrollments, limits, sending, suppressions, taking_along, workspaces
from relance.services.sending import forgotten
from relance.services.sending.forgotten import ForgottenSend
from relance.services.taking_along import Departed, Ended, Facts, TakenAlong
from relance.services.taking_wishes import Wishes
from relance.testing.builders import KEYS
from services.life import Life, Scene

ELSEWHERE = "<as-seen@elsewhere.example>"  #: A Message-ID that a server has put in the place of ours.


def _departed(life: Life, scene: Scene, **changes: Any) -> Departed:
    """Return that the first step has left, an hour ago."""
    usual = Departed(
        workspace=scene.workspace.uid,
        mailbox=scene.box.address,
        workspace_id=scene.workspace.id,
        status=AttemptStatus.UNKNOWN,
        trace=identifiers.trace_header(KEYS.trace, scene.run.uid, 1)[1],
        step=scene.run.step,
        recipient=scene.lead.email,
        subject="Question",
        wire_message_id=None,
        opens_thread=True,
        at=life.now - timedelta(hours=1),
    )
    return replace(usual, **changes)


async def _take(
    life: Life, *departed: Departed, ended: tuple[Ended, ...] = (), wishes: Wishes | None = None
) -> TakenAlong:
    uid = await life.store.write(workspaces.ensure_installation, uid="here", now=life.now)
    facts = Facts(installation=uid, departed=departed, ended=ended, kept=(), wishes=wishes or Wishes())
    along: TakenAlong = await life.store.write(taking_along.take_along, facts, now=life.now)
    return along


async def _only(life: Life, scene: Scene) -> Attempt:
    (attempt,) = await life.attempts(scene.run)
    return attempt


async def test_what_was_sent_in_the_hour_before_the_backup_is_told_too(life):
    """When a state was last worked on is known to a few seconds only."""
    await life.scene()
    await life.send()
    facts = await life.store.read(taking_along.facts_since, life.now + timedelta(minutes=50))
    later = await life.store.read(taking_along.facts_since, life.now + timedelta(minutes=70))

    assert ([AttemptStatus.SENT], []) == ([one.status for one in facts.departed], list(later.departed))


async def test_what_is_on_the_wire_may_have_left(life):
    """The process that could say so is dead."""
    await life.scene()
    await life.begun()
    facts = await life.store.read(taking_along.facts_since, None)

    assert [AttemptStatus.IN_FLIGHT] == [one.status for one in facts.departed]


async def test_facts_of_another_workspace_of_that_number_change_nothing(life):
    """Its id was given anew since the backup."""
    scene = await life.scene()

    assert TakenAlong(sent=0, doubted=0, held=0) == await _take(life, _departed(life, scene, workspace="another"))


async def test_nobody_is_held_for_the_end_of_another_run_of_that_number(life):
    """As above."""
    scene = await life.scene()
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}
    ended = Ended(workspace=scene.workspace.uid, run="another", reason=StopReason.REPLIED, at=life.now, **ids)
    mine = replace(ended, run=scene.run.uid)

    assert [0, 1] == [(await _take(life, ended=(one,))).held for one in (ended, mine)]


async def test_a_doubt_that_the_older_state_has_too_is_left_to_it(life):
    """It is being looked for already."""
    scene = await life.scene()
    await life.lost()

    assert 0 == (await _take(life, _departed(life, scene))).doubted
    assert AttemptStatus.UNKNOWN is (await _only(life, scene)).status


async def test_what_the_older_state_doubted_and_the_newest_knows_is_settled(life):
    """Nobody has to look for it, or be asked."""
    scene = await life.scene()
    await life.lost()
    along = await _take(life, _departed(life, scene, status=AttemptStatus.SENT))
    attempt = await _only(life, scene)

    assert (1, AttemptStatus.SENT) == (along.sent, attempt.status)
    assert "put aside" in (attempt.settled_by or "")


@pytest.mark.parametrize("tried", [False, True])
async def test_what_may_have_left_becomes_a_lost_outcome_that_is_counted(life, *, tried: bool):
    """For the mailbox and the hour that it may have left from, under the Message-ID that it may bear."""
    scene = await life.scene()
    other = await life.mailbox(scene, "zoe@acme.example")
    if tried:
        _, begun = await life.begun()
        await life.fail(begun, Withdrawn(reason="not_released"))
        life.later(minutes=20)
    await _take(life, _departed(life, scene, mailbox=other.address, wire_message_id=ELSEWHERE))
    outcome = await life.attempt_to_reserve()
    attempt = await _only(life, scene)
    used = await life.store.read(
        lambda reader: [
            limits.used(reader, scene.workspace.id, "mailbox_day", box.id, attempt.slot_day)
            for box in (scene.box, other)
        ]
    )

    assert isinstance(outcome, sending.Ended)
    assert (AttemptStatus.UNKNOWN, other.id, True) == (attempt.status, attempt.mailbox_id, attempt.holds_slot)
    assert ([0, 1], ELSEWHERE) == (used, attempt.wire_message_id)
    assert attempt.planned_at < life.now


async def test_what_had_not_left_is_sent_after_all(life):
    """Once it is settled, the doubt is over."""
    scene = await life.scene()
    await _take(life, _departed(life, scene))
    await life.attempt_to_reserve()
    doubted = await _only(life, scene)
    ids = {"workspace_id": doubted.workspace_id, "attempt_id": doubted.id}
    settled = await life.store.write(sending.settle_failed, **ids, by="a person", now=life.now)
    life.later(hours=1)

    assert settled
    assert isinstance(await life.attempt_to_reserve(), sending.Reserved)


async def test_a_step_that_had_another_number_then_is_known_by_its_name(life):
    """A branch was decided otherwise, or a run reopened: numbers tell nothing, and it is not sent again."""
    scene = await life.scene()
    trace = identifiers.trace_header(KEYS.trace, scene.run.uid, 4)[1]
    await _take(life, _departed(life, scene, status=AttemptStatus.SENT, trace=trace))
    outcome = await life.attempt_to_reserve()
    attempt = await _only(life, scene)

    assert isinstance(outcome, sending.Ended)
    assert (scene.run.step, 1, AttemptStatus.SENT) == (attempt.step, attempt.step_counter, attempt.status)


async def test_whoever_went_another_way_then_is_asked_about_once(life):
    """Another step left under this number; resumed by a person, this one is sent, and not before."""
    scene = await life.scene()
    await _take(life, _departed(life, scene, status=AttemptStatus.SENT, step="elsewhere"))
    first = await life.attempt_to_reserve()
    held, attempts = await life.again(scene.run), await life.attempts(scene.run)
    ids = {"workspace_id": scene.run.workspace_id, "enrollment_id": scene.run.id}
    await life.store.write(enrollments.resume, **ids, cause="a person looked", now=life.now)

    assert (True, EnrollmentStatus.HELD, []) == (isinstance(first, sending.Ended), held.status, attempts)
    assert isinstance(await life.attempt_to_reserve(), sending.Reserved)


async def test_a_doubt_of_long_ago_that_was_settled_since_is_told_too(life):
    """It is dated when it began, and the older state still doubts it."""
    await life.scene()
    _, attempt = await life.lost()
    life.later(hours=5)
    ids = {"workspace_id": attempt.workspace_id, "attempt_id": attempt.id}
    await life.store.write(sending.settle_sent, **ids, by="a person", now=life.now)
    facts = await life.store.read(taking_along.facts_since, life.now)

    assert [AttemptStatus.SENT] == [one.status for one in facts.departed]


async def test_whoever_is_not_to_be_written_to_is_not_in_the_older_state_either(life):
    """Whoever said so, and in whatever words; and the log is told of all of it."""
    scene = await life.scene()
    facts: dict[str, Any] = {"workspace_id": scene.workspace.id, "now": life.now, "tombstone_key": KEYS.tombstone}
    wish = {"kind": SuppressionKind.ADDRESS, "value": scene.lead.email, "reason": SuppressionReason.MANUAL}
    await life.store.write(suppressions.suppress, **facts, **wish, source="by telephone")
    newest = await life.store.read(taking_along.facts_since, life.now)
    await life.store.write(
        suppressions.unsuppress,
        **facts,
        kind=SuppressionKind.ADDRESS,
        value=scene.lead.email,
        scope=SuppressionScope.WORKSPACE,
    )
    await _take(life, wishes=newest.wishes)
    claimed = await life.claim()
    outcome = await life.reserve(claimed[0])

    assert [SuppressionReason.MANUAL] == [one.reason for one in newest.wishes.opted_out]
    assert isinstance(outcome, sending.Ended)
    assert EnrollmentStatus.SUPPRESSED is (await life.again(scene.run)).status


@pytest.mark.parametrize(
    "changes,known",
    [({}, True), ({"trace": "of-somebody-else"}, False), ({"tries": 2}, False), ({"id": 77}, False)],
)
async def test_a_process_that_lost_an_answer_says_so_of_its_own_try_only(life, changes, known):
    """An older state may have another attempt of that number, or an earlier try, or none: then the doubt is kept."""
    scene = await life.scene()
    _, attempt = await life.begun()
    held = replace(attempt, **changes)
    await life.store.write(sending.lose_held, held, mailbox=scene.box.address, error="the line broke", now=life.now)
    kept = await life.store.read(forgotten.all_forgotten, scene.workspace.id)

    assert (AttemptStatus.UNKNOWN if known else AttemptStatus.IN_FLIGHT) is (await life.attempt(attempt)).status
    assert ([] if known else [(held.trace, forgotten.UNKNOWN)]) == [(one.trace, one.folder) for one in kept]


@pytest.mark.parametrize(
    "heard",
    [
        [forgotten.UNKNOWN, forgotten.ACCEPTED],
        [forgotten.UNKNOWN, forgotten.ACCEPTED, "Sent"],
        ["Sent", forgotten.ACCEPTED, forgotten.UNKNOWN],
        [forgotten.ACCEPTED, forgotten.UNKNOWN],
        [forgotten.UNKNOWN, forgotten.UNKNOWN],
    ],
)
async def test_of_one_message_the_best_witness_is_kept(life, heard: list[str]):
    """A copy, then a yes, then a doubt; in whatever order they are heard."""
    scene = await life.scene()
    best = min(heard, key=["Sent", forgotten.ACCEPTED, forgotten.UNKNOWN].index)
    for folder in heard:
        await life.store.write(forgotten.keep, _seen(life, scene, folder))
    kept = await life.store.read(forgotten.all_forgotten, scene.workspace.id)

    assert [best] == [one.folder for one in kept]


def _seen(life: Life, scene: Scene, folder: str) -> ForgottenSend:
    at: datetime = life.now
    return ForgottenSend(
        workspace_id=scene.workspace.id,
        trace="of-one-message",
        mailbox=scene.box.address,
        recipient=scene.lead.email,
        subject=None,
        wire_message_id=None,
        opens_thread=True,
        folder=folder,
        left_at=at,
        seen_at=at,
    )
