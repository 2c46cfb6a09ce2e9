"""One claim on its way out: every end that it can come to."""

import asyncio

import pytest

from engine.rig import until
from relance.core import defaults
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.mailbox import MailboxStatus
from relance.ports.connector import (
    LoginRefusedError,
    MailboxUnreachableError,
    NotReleasedError,
    OutcomeUnknownError,
    ReadingFailedError,
    RejectedError,
    TransactionLostError,
)
from relance.services import enrollments, suppressions
from relance.testing import letters
from relance.testing.fake_connector import Hold, Point
from relance.testing.faulty_store import Failure

UNKNOWN_USER = RejectedError(stage="RCPT", code=550, enhanced="5.1.1", text="no such user")
GREYLISTED = RejectedError(stage="RCPT", code=451, enhanced="4.7.1", text="greylisted, try again later")


async def test_a_due_step_is_sent_and_recorded(rig):
    """Reserve, compose, stage, begin, release, confirm."""
    await rig.prepare()
    run = await rig.person("ann@lead.example")
    claimed = await rig.parts().send_one()
    (delivery,) = rig.world.received_by("ann@lead.example")
    (attempt,) = await rig.attempts(run)

    assert 1 == claimed
    assert (AttemptStatus.SENT, delivery.message_id) == (attempt.status, attempt.message_id)
    assert ("bump", 2) == ((await rig.again(run)).step, (await rig.again(run)).step_counter)


@pytest.mark.parametrize(
    "point, fault, status, used",
    [
        (Point.STAGE, GREYLISTED, AttemptStatus.RESERVED, 0),
        (Point.STAGE, UNKNOWN_USER, AttemptStatus.FAILED, 0),
        (Point.STAGE, MailboxUnreachableError("no route"), AttemptStatus.RESERVED, 0),
        (Point.STAGE, LoginRefusedError("535"), AttemptStatus.RESERVED, 0),
        (Point.DOT, NotReleasedError("too late"), AttemptStatus.RESERVED, 0),
        (Point.DOT, RejectedError(stage="dot", code=554, enhanced="5.7.1", text="blocked"), AttemptStatus.RESERVED, 0),
        (Point.DOT, OutcomeUnknownError("broke"), AttemptStatus.UNKNOWN, 0),
        (Point.REPLY, OutcomeUnknownError("broke"), AttemptStatus.UNKNOWN, 1),
        (Point.STAGE, ZeroDivisionError("a bug of ours"), AttemptStatus.RESERVED, 0),
    ],
)
async def test_every_failure_leaves_the_attempt_where_it_belongs(rig, point, fault, status, used):
    """Definite ones give it back; a lost outcome is never tried again blindly."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    box.script(point, fault)
    await rig.parts().send_one()
    (attempt,) = await rig.attempts(run)

    assert status is attempt.status
    assert used == len(rig.world.accepted)
    assert None is (await rig.again(run)).lock_holder


@pytest.mark.parametrize(
    "error, status",
    [
        (LoginRefusedError("535 bad password"), MailboxStatus.AUTH_ERROR),
        (LoginRefusedError("454 later", temporary=True), MailboxStatus.ACTIVE),
        (MailboxUnreachableError("no route"), MailboxStatus.UNREACHABLE),
    ],
)
async def test_a_mailboxs_trouble_rests_the_mailbox_and_another_one_sends(rig, error, status):
    """The lead is not touched by it."""
    box = await rig.prepare()
    await rig.mailbox("second@ours.example")
    run = await rig.person("ann@lead.example")
    box.script(Point.STAGE, error)
    parts = rig.parts()
    await parts.send_one()
    await parts.send_one()

    assert status is (await rig.box()).status
    assert rig.clock.now() + defaults.MAILBOX_BACKOFF_FIRST == (await rig.box()).skip_until
    assert ["second@ours.example"] == [one.mailbox for one in rig.world.accepted]
    assert 0 == (await rig.again(run)).consecutive_failures


async def test_trouble_of_one_lead_does_not_hold_up_those_behind(rig):
    """Whatever goes wrong, also in our own code: the next one is sent when the mailbox is free."""
    box = await rig.prepare()
    await rig.person("bad@lead.example")
    await rig.person("good@lead.example")
    box.script(Point.STAGE, ZeroDivisionError("a bug of ours"))
    parts = rig.parts()
    for _ in range(2):
        await parts.send_one()
        rig.later(minutes=4)

    assert 1 == len(rig.world.received_by("good@lead.example"))


@pytest.mark.parametrize(
    "fault",
    [
        TransactionLostError("lost after RCPT"),
        RejectedError(stage="RCPT", code=421, enhanced="4.3.2", text="closing"),
        RejectedError(stage="dot", code=421, enhanced=None, text="closing"),
    ],
)
async def test_a_message_that_its_server_cannot_bear_lets_those_behind_it_pass(rig, fault):
    """A server that is lost once has gone: the mailbox rests. Lost again at the same message, it may be that message.

    Nobody's failures are counted for it, and the message is tried again, ever more patiently.
    """
    box = await rig.prepare()
    bad = await rig.person("bad@lead.example")
    await rig.person("good@lead.example")
    box.script(Point.STAGE, fault, fault)
    parts = rig.parts()
    for _ in range(2):
        await parts.send_one()
        assert MailboxStatus.UNREACHABLE is (await rig.box()).status
        rig.later(minutes=2)
    await parts.send_one()
    first = [one.recipient for one in rig.world.accepted]
    rested = await rig.again(bad)
    rig.later(minutes=15)
    await parts.send_one()

    assert ["good@lead.example"] == first
    assert ("smtp_unreachable", 0) == (rested.last_skip_reason, rested.consecutive_failures)
    assert ["good@lead.example", "bad@lead.example"] == [one.recipient for one in rig.world.accepted]


async def test_an_error_nobody_thought_of_after_the_dot_is_an_unknown_outcome(rig):
    """It may have left: it is looked for, never sent again."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    box.script(Point.REPLY, ZeroDivisionError("a bug of ours"))
    parts = rig.parts()
    await parts.send_one()
    for _ in range(20):
        rig.later(minutes=5)
        await parts.rescuer.run_once()
        await parts.reconciler.run_once()
        await parts.poller.refresh(await rig.box_name())
        if (await rig.again(run)).step_counter > 1:
            break
        await parts.send_one()

    assert 1 == len(rig.world.received_by("ann@lead.example"))
    assert "bump" == (await rig.again(run)).step


@pytest.mark.parametrize("what", ["stop", "suppress"])
async def test_what_commits_while_the_server_is_asked_wins(rig, what):
    """The last look comes after RCPT and before DATA."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    hold = Hold()
    box.script(Point.STAGE, hold)
    sending = asyncio.create_task(rig.parts().send_one())
    await hold.reached.wait()
    if what == "stop":
        ids = {"workspace_id": run.workspace_id, "enrollment_id": run.id}
        await rig.store.write(enrollments.stop, **ids, cause="by hand", now=rig.clock.now())
    else:
        await rig.store.write(
            suppressions.suppress_address,
            workspace_id=run.workspace_id,
            address="ann@lead.example",
            reason="manual",
            source="by hand",
            now=rig.clock.now(),
        )
    hold.go.set()
    await sending

    assert [] == rig.world.accepted
    assert (await rig.again(run)).terminal


async def test_a_dot_is_not_written_after_its_deadline(rig):
    """Somebody slept between the last look and the dot."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    hold = Hold()
    box.script(Point.DOT, hold)
    sending = asyncio.create_task(rig.parts().send_one())
    await hold.reached.wait()
    rig.later(seconds=21)
    hold.go.set()
    await sending

    assert [] == rig.world.accepted
    assert AttemptStatus.RESERVED is (await rig.attempts(run))[0].status


async def test_a_dot_is_not_written_without_the_lease(rig):
    """Another engine may have taken over."""
    box = await rig.prepare()
    await rig.person("ann@lead.example")
    hold = Hold()
    box.script(Point.DOT, hold)
    sending = asyncio.create_task(rig.parts().send_one())
    await hold.reached.wait()
    rig.rights.given = False
    hold.go.set()
    await sending

    assert [] == rig.world.accepted


async def test_nothing_is_claimed_without_the_lease(rig):
    """Nor later, until it is held again."""
    await rig.prepare()
    await rig.person("ann@lead.example")
    rig.rights.given = False

    assert 0 == await rig.parts().send_one()


# --- answers first ---


async def test_a_follow_up_goes_out_only_after_a_fresh_read(rig):
    """The answer that nobody was told of is found in time."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    rig.later(days=1)
    box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()), folder="Junk", told=False)
    await parts.send_one()

    assert 1 == len(rig.world.accepted)
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason
    assert 1 == box.reads


@pytest.mark.parametrize("point", [Point.READ, Point.FOLDER, Point.READ_END])
async def test_nothing_follows_up_from_a_mailbox_that_cannot_be_read(rig, point):
    """Whichever folder fails: freshness does not move, and the row says why it waits."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    rig.later(days=1)
    before = await rig.box()
    box.script(point, *(ReadingFailedError("a folder is gone") for _ in range(9)))
    await parts.send_one()
    waiting = await rig.again(run)

    assert 1 == len(rig.world.accepted)
    assert "mailbox_unread" == waiting.last_skip_reason
    assert (EnrollmentStatus.ACTIVE, "bump") == (waiting.status, waiting.step)
    assert before.fresh_at == (await rig.box()).fresh_at


async def test_an_answer_that_comes_in_while_a_follow_up_is_prepared_stops_it(rig):
    """Read while the server was being asked."""
    box = await rig.prepare()
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    rig.later(days=1)
    hold = Hold()
    box.script(Point.STAGE, hold)
    sending = asyncio.create_task(parts.send_one())
    await hold.reached.wait()
    box.deliver(letters.reply(rig.world.accepted[0].raw, at=rig.clock.now()))
    assert await parts.poller.refresh(await rig.box_name())
    hold.go.set()
    await sending

    assert 1 == len(rig.world.accepted)
    assert StopReason.REPLIED is (await rig.again(run)).stop_reason


# --- the store fails ---


async def test_an_acceptance_is_recorded_once_the_store_is_back(rig):
    """The message has left: that is written for as long as it takes."""
    await rig.prepare()
    run = await rig.person("ann@lead.example")
    rig.store.fail("confirm", Failure.DOWN, Failure.DOWN, Failure.DOWN)
    sending = asyncio.create_task(rig.parts().send_one())
    for _ in range(3):
        await until(lambda: bool(rig.monotonic.sleepers))
        rig.monotonic.advance(60)
    await sending
    (attempt,) = await rig.attempts(run)

    assert AttemptStatus.SENT is attempt.status
    assert 4 == rig.store.writes.count("confirm")
    assert 1 == len(rig.world.accepted)


@pytest.mark.parametrize("failure", [Failure.COMMIT_DONE, Failure.COMMIT_UNDONE])
async def test_an_acceptance_whose_commit_was_lost_is_applied_once(rig, failure):
    """Apply again: it is there once."""
    await rig.prepare()
    run = await rig.person("ann@lead.example")
    rig.store.fail("confirm", failure)
    await rig.parts().send_one()

    assert ("bump", 2) == ((await rig.again(run)).step, (await rig.again(run)).step_counter)
    assert [AttemptStatus.SENT] == [attempt.status for attempt in await rig.attempts(run)]


@pytest.mark.parametrize("failure", [Failure.COMMIT_DONE, Failure.COMMIT_UNDONE])
async def test_a_begin_whose_commit_was_lost_releases_nothing(rig, failure):
    """In flight or not: nothing left, and that is what gets recorded; later the step is sent once."""
    await rig.prepare()
    run = await rig.person("ann@lead.example")
    rig.store.fail("begin", failure)
    parts = rig.parts()
    await parts.send_one()
    released = len(rig.world.accepted)
    (attempt,) = await rig.attempts(run)
    rig.later(minutes=5)
    await parts.send_one()

    assert 0 == released
    assert (AttemptStatus.RESERVED, False) == (attempt.status, attempt.holds_slot)
    assert 1 == len(rig.world.accepted)


@pytest.mark.parametrize("service", ["reserve", "begin"])
async def test_a_store_that_is_down_before_the_dot_loses_nothing(rig, service):
    """The row is let go and sent when it is back."""
    await rig.prepare()
    await rig.person("ann@lead.example")
    rig.store.fail(service, Failure.DOWN)
    parts = rig.parts()
    await parts.send_one()
    rig.later(minutes=30)
    await parts.send_one()

    assert 1 == len(rig.world.accepted)


async def test_a_claim_names_a_mailbox_that_is_not_busy(rig):
    """All work of one mailbox goes one after the other."""
    box = await rig.prepare()
    await rig.person("ann@lead.example")
    await rig.person("ben@lead.example")
    hold = Hold()
    box.script(Point.STAGE, hold)
    parts = rig.parts()
    first = await parts.dispatcher.claim_free()
    await hold.reached.wait()
    rig.later(minutes=5)
    second = await parts.dispatcher.claim_free()
    hold.go.set()
    await parts.dispatcher.drain()

    assert (1, 0) == (first, second)


async def test_nothing_is_claimed_from_a_mailbox_that_was_not_read_since_the_start(rig):
    """Not even a first message: its Sent folder may tell that it has left already."""
    await rig.prepare()
    await rig.person("ann@lead.example")
    parts = rig.parts()
    box = await rig.box()
    parts.dispatcher.unread = lambda: frozenset({box.id})
    before = await parts.send_one()
    parts.dispatcher.unread = frozenset
    after = await parts.send_one()

    assert (0, 1) == (before, after)
