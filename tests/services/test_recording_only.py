"""A sequence with `delivery: record_only` walks its people through every step; nothing leaves."""

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.core.sequence import Delivery
from relance.core.suppression import SuppressionReason
from relance.services import auditing, enrollments, mailboxes, reports, suppressions, walking
from relance.testing.builders import KEYS, email, wait
from services.life import WORKER

ONLY = {"delivery": Delivery.RECORD_ONLY}


async def walked(life):
    """Let whatever is due and needs no mailbox move; return whether something did."""
    found = await life.store.read(lambda reader: walking.due(reader, now=life.now, limit=10))
    ids = {"worker": WORKER, "keys": KEYS, "now": life.now}
    return [
        await life.store.write(walking.walk, workspace_id=one.workspace_id, enrollment_id=one.id, **ids)
        for one in found
    ]


async def test_every_step_is_recorded_and_the_walk_goes_on(life):
    """The rows say that nothing was delivered, and nobody has received anything."""
    scene = await life.scene(email("intro", subject="Question"), wait("pause", "1h"), email("bump", "1d"), **ONLY)
    claims = await life.claim()
    for _ in range(3):
        assert [True] == await walked(life)
        life.later(days=2)
    run, attempts = await life.again(scene.run), await life.attempts(scene.run)
    steps = await life.store.read(auditing.audit, workspace_id=scene.workspace.id, name="q4")

    assert [] == claims
    assert EnrollmentStatus.COMPLETED is run.status
    assert run.last_sent_at is None
    assert [("intro", "not_delivered", None), ("bump", "not_delivered", None)] == [
        (one.step, one.status, one.mailbox_id) for one in attempts
    ]
    assert [(0, 0, 1), (0, 0, 1)] == [(step.sent, step.unknown, step.recorded) for step in steps]


async def test_no_mailbox_is_needed(life):
    """Who has connected none can watch a sequence walk; the first mail of everybody else waits for one."""
    scene = await life.scene(**ONLY)
    await life.store.write(mailboxes.remove, scene.box, now=life.now)

    assert [] == await life.store.read(reports.stuck, workspace_id=scene.workspace.id, now=life.now)
    assert [True] == await walked(life)


async def test_who_is_suppressed_is_not_recorded_as_written_to(life):
    """What binds the person binds here as well."""
    scene = await life.scene(**ONLY)
    await life.store.write(
        suppressions.suppress_address,
        workspace_id=scene.workspace.id,
        address=scene.lead.email,
        reason=SuppressionReason.MANUAL,
        source="by hand",
        now=life.now,
        tombstone_key=KEYS.tombstone,
    )

    assert [False] == await walked(life)
    assert EnrollmentStatus.SUPPRESSED is (await life.again(scene.run)).status
    assert [] == await life.attempts(scene.run)


async def test_a_pause_holds_it_and_a_resume_lets_it_go_on(life):
    """Recorded steps belong to a walk like any other."""
    scene = await life.scene(**ONLY)
    ids = {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id, "cause": "by hand", "now": life.now}
    await life.store.write(enrollments.pause, **ids)
    while_paused = await walked(life)
    await life.store.write(enrollments.resume, **ids)

    assert [] == while_paused
    assert EnrollmentStatus.ACTIVE is (await life.again(scene.run)).status
    assert [True] == await walked(life)
    assert AttemptStatus.NOT_DELIVERED is (await life.attempts(scene.run))[0].status
