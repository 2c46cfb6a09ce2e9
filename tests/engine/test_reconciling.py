"""Outcomes that were lost: found at once, denied late and only where absence proves something, sent again once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.rig import WITHIN
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus
from relance.ports.connector import MailboxUnreachableError, OutcomeUnknownError
from relance.services import mailboxes, sending
from relance.services.reconciling import marked_copy
from relance.testing.fake_connector import SENT, Hold, Point

BROKE = OutcomeUnknownError("the connection broke")


async def lose(rig, box, point, email="ann@lead.example"):
    """Send one first message and lose its outcome; return the run and the loops."""
    run = await rig.person(email)
    parts = rig.parts()
    box.script(point, BROKE)
    await parts.send_one()
    (attempt,) = await rig.attempts(run)
    assert AttemptStatus.UNKNOWN is attempt.status
    return run, parts


async def test_what_is_found_in_sent_was_sent_and_nobody_waits_for_the_grace(rig):
    """A find counts at once."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.REPLY)
    await parts.reconciler.run_once()
    (attempt,) = await rig.attempts(run)

    assert (AttemptStatus.SENT, "found in Sent") == (attempt.status, attempt.settled_by)
    assert ("bump", 2, None) == (
        (await rig.again(run)).step,
        (await rig.again(run)).step_counter,
        (await rig.again(run)).skip_until,
    )
    assert 1 == len(rig.world.accepted)


async def test_a_server_that_does_not_answer_keeps_no_other_mailbox_waiting(rig):
    """Mailboxes are looked into side by side."""
    box = await rig.prepare()
    await lose(rig, box, Point.REPLY)
    other = await rig.mailbox("al@ours.example", saves_sent=True)
    _, parts = await lose(rig, other, Point.REPLY, "ben@lead.example")
    hanging = (Hold(), Hold())
    for one, hold in zip((box, other), hanging, strict=True):
        one.script(Point.LOOK, hold)
    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
        passing = group.create_task(parts.reconciler.run_once())
        for hold in hanging:
            await hold.reached.wait()
        for hold in hanging:
            hold.go.set()

    assert 2 == passing.result()


async def test_nobody_says_not_sent_before_the_grace_is_over(rig):
    """Not even where a later message lies in Sent: servers take ten minutes, and folders lag."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    rig.later(minutes=11)
    await rig.person("ben@lead.example")
    await parts.send_one()
    for _ in range(4):
        await parts.reconciler.run_once()
        rig.later(minutes=1)
    (attempt,) = await rig.attempts(run)

    assert AttemptStatus.UNKNOWN is attempt.status
    assert [] == rig.subjects("ann@lead.example")


async def test_after_the_grace_absence_counts_where_a_later_message_is_there(rig):
    """Failed, and the step is sent again, once."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    rig.later(minutes=12)
    await rig.person("ben@lead.example")
    await parts.send_one()
    rig.later(minutes=20)
    await parts.reconciler.run_once()
    (attempt,) = await rig.attempts(run)
    await parts.send_one()

    assert (AttemptStatus.FAILED, False) == (attempt.status, attempt.holds_slot)
    assert [attempt.message_id] == rig.subjects("ann@lead.example")
    assert "bump" == (await rig.again(run)).step


async def test_a_later_message_that_left_too_soon_is_no_proof_and_the_mailbox_writes_to_itself_again(rig):
    """The host's clock was set forward, and the grace ended with it: only the server's says how much time went by."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    rig.world.behind = timedelta(minutes=55)
    seen = []
    for _ in range(3):
        rig.later(hours=1)
        await parts.reconciler.run_once()
        seen.append((await rig.attempts(run))[0].status)

    assert [AttemptStatus.UNKNOWN, AttemptStatus.UNKNOWN, AttemptStatus.FAILED] == seen
    assert 2 == len(rig.subjects(box.address))


async def test_a_server_whose_clock_stands_is_not_written_to_without_end(rig):
    """Nothing proves anything there: a person decides, and the reason says why."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    for hours in range(1, 21):
        rig.later(hours=1)
        rig.world.behind = timedelta(hours=hours, minutes=-5)
        await parts.reconciler.run_once()
    (attempt,) = await rig.attempts(run)

    assert AttemptStatus.UNKNOWN is attempt.status
    assert "relance attempt settle" in attempt.error
    assert 10 == len(rig.subjects(box.address))


async def test_where_nothing_later_is_there_the_mailbox_writes_to_itself(rig):
    """A Sent folder that lags, or is full, is told from one without the message."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    rig.later(minutes=20)
    await parts.reconciler.run_once()
    (still,) = await rig.attempts(run)
    probes = rig.subjects(box.address)
    rig.later(hours=1)
    await parts.reconciler.run_once()
    await parts.poller.refresh(await rig.box_name())
    (attempt,) = await rig.attempts(run)
    await parts.send_one()

    assert AttemptStatus.UNKNOWN is still.status
    assert 1 == len(probes)
    assert AttemptStatus.FAILED is attempt.status
    assert 1 == len(rig.subjects("ann@lead.example"))


async def test_a_step_that_is_lost_once_more_is_looked_for_once_more(rig):
    """It is the same attempt, but the mailbox's message to itself of the first time is no later one now."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    found = []
    for again in (True, False):
        for passed in ({"minutes": 20}, {"hours": 1}):
            rig.later(**passed)
            await parts.reconciler.run_once()
        found.append((await rig.attempts(run))[0].status)
        if again:
            box.script(Point.DOT, BROKE)
            await parts.poller.refresh(await rig.box_name())
            await parts.send_one()
            found.append((await rig.attempts(run))[0].status)

    assert [AttemptStatus.FAILED, AttemptStatus.UNKNOWN, AttemptStatus.FAILED] == found
    assert 2 == len(rig.subjects(box.address))


async def between_list_and_look(parts, meanwhile):
    """Let something happen when a pass of the reconciler has read its list and has not come to the message yet."""
    look = parts.reconciler._look_into  # noqa: SLF001  # the moment between the two

    async def late(lost, hold):
        await meanwhile(lost.attempt)
        await look(lost, hold)

    parts.reconciler._look_into = late  # noqa: SLF001
    await parts.reconciler.run_once()
    parts.reconciler._look_into = look  # noqa: SLF001


def sent_anew_and_lost(rig, box, parts):
    """Return what a person and the sender do: the first try did not leave, the second does, and its reply is lost."""

    async def meanwhile(attempt):
        said = {"workspace_id": attempt.workspace_id, "attempt_id": attempt.id, "by": "a person"}
        await rig.store.write(sending.settle_failed, **said, now=rig.clock.now())
        box.saves_sent = False  # its copy lags
        box.script(Point.REPLY, BROKE)
        await parts.poller.refresh(await rig.box_name())
        await parts.send_one()
        rig.later(minutes=1)

    return meanwhile


async def test_what_was_looked_for_is_one_try_and_says_nothing_of_the_next(rig):
    """A pass may be minutes old when it comes to a message: somebody has settled it, and it was sent and lost anew."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    rig.later(minutes=12)
    await rig.person("ben@lead.example")
    await parts.send_one()
    rig.later(minutes=20)
    await between_list_and_look(parts, sent_anew_and_lost(rig, box, parts))
    (attempt,) = await rig.attempts(run)

    assert (AttemptStatus.UNKNOWN, 2) == (attempt.status, attempt.tries)
    assert 1 == len(rig.subjects("ann@lead.example"))


async def test_whoever_gave_up_one_try_has_not_given_up_the_next(rig):
    """The next one is looked for, at its own times."""
    box = await rig.prepare(saves_sent=False)
    run, parts = await lose(rig, box, Point.DOT)
    rig.later(minutes=32)
    await between_list_and_look(parts, sent_anew_and_lost(rig, box, parts))
    (attempt,) = await rig.attempts(run)

    assert (AttemptStatus.UNKNOWN, 2) == (attempt.status, attempt.tries)
    assert attempt.next_look_at is not None


async def test_a_probe_that_cannot_be_sent_is_tried_again(rig):
    """The mailbox may be in trouble: that is why the outcome was lost."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.DOT)
    rig.later(minutes=20)
    box.script(Point.STAGE, MailboxUnreachableError("no route"))
    await parts.reconciler.run_once()
    rig.later(hours=1)
    await parts.reconciler.run_once()
    rig.later(hours=1)
    await parts.reconciler.run_once()

    assert AttemptStatus.FAILED is (await rig.attempts(run))[0].status


async def test_absence_proves_nothing_where_the_server_keeps_no_copies(rig):
    """It stays unknown, active, with its reason; nobody gets the step twice, and a person decides."""
    box = await rig.prepare(saves_sent=False)
    run, parts = await lose(rig, box, Point.DOT)
    for _ in range(6):
        rig.later(hours=2)
        await parts.reconciler.run_once()
        await parts.send_one()
    (attempt,) = await rig.attempts(run)
    row = await rig.again(run)

    assert (AttemptStatus.UNKNOWN, None) == (attempt.status, attempt.next_look_at)
    assert (EnrollmentStatus.ACTIVE, "outcome_unknown") == (row.status, row.last_skip_reason)
    assert [] == rig.subjects("ann@lead.example")


async def test_the_policy_may_assume_that_it_was_sent(rig):
    """`on_unknown: assume_sent`, after the grace, where nobody can look."""
    box = await rig.prepare(saves_sent=False, on_unknown="assume_sent")
    run, parts = await lose(rig, box, Point.DOT)
    rig.later(minutes=10)
    await parts.reconciler.run_once()
    (early,) = await rig.attempts(run)
    rig.later(minutes=10)
    await parts.reconciler.run_once()
    (attempt,) = await rig.attempts(run)

    assert AttemptStatus.UNKNOWN is early.status
    assert AttemptStatus.SENT is attempt.status
    assert "assumed" in attempt.settled_by
    assert "bump" == (await rig.again(run)).step


async def test_a_mailbox_that_cannot_be_looked_into_is_looked_into_again(rig):
    """Nothing is guessed meanwhile."""
    box = await rig.prepare()
    run, parts = await lose(rig, box, Point.REPLY)
    box.script(Point.LOOK, MailboxUnreachableError("no route"))
    await parts.reconciler.run_once()
    (waiting,) = await rig.attempts(run)
    rig.clock.jump(waiting.next_look_at)
    await parts.reconciler.run_once()

    assert AttemptStatus.UNKNOWN is waiting.status
    assert AttemptStatus.SENT is (await rig.attempts(run))[0].status


async def test_a_copy_is_put_into_sent_where_the_server_saves_none(rig):
    """As mail programs do; and only once."""
    box = await rig.prepare(saves_sent=False)
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    for _ in range(3):
        await parts.reconciler.run_once()
        await parts.poller.refresh(await rig.box_name())
    (attempt,) = await rig.attempts(run)

    assert [marked_copy(rig.world.accepted[0].raw)] == [kept.raw for kept in box.folders[SENT]]
    assert rig.clock.now() == attempt.sent_copy_at
    assert (await rig.box()).saves_sent is False


@pytest.mark.parametrize("saves", [True, False])
async def test_whether_a_server_keeps_copies_is_learned_in_passing(rig, saves):
    """From the first message sent: after two minutes its copy is there, or it is put there."""
    box = await rig.prepare(saves_sent=saves, learned=False)
    await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    await parts.reconciler.run_once()
    early = (await rig.box()).saves_sent
    rig.later(minutes=3)
    await parts.reconciler.run_once()

    assert early is None
    assert saves is (await rig.box()).saves_sent
    assert 1 == len(box.folders[SENT])


async def test_a_server_whose_copies_come_late_is_not_taken_for_a_forgetful_one_for_ever(rig):
    """Its first copy was filed by us. When its own comes, later ones are left to it, and lost outcomes looked up."""
    box = await rig.prepare(saves_sent=False, learned=False)
    await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    rig.later(minutes=3)
    await parts.reconciler.run_once()
    taken_for_forgetful = (await rig.box()).saves_sent
    rig.later(minutes=4)
    lost = await rig.person("ben@lead.example")
    box.script(Point.DOT, BROKE)
    await parts.send_one()
    rig.later(minutes=20)
    await parts.reconciler.run_once()
    (nobody_looks,) = await rig.attempts(lost)
    box.deliver(rig.world.accepted[0].raw, folder=SENT, at=rig.clock.now())
    await parts.poller.refresh(await rig.box_name())
    (looked_for,) = await rig.attempts(lost)

    assert taken_for_forgetful is False
    assert (AttemptStatus.UNKNOWN, None) == (nobody_looks.status, nobody_looks.next_look_at)
    assert (await rig.box()).saves_sent is True
    assert (AttemptStatus.UNKNOWN, rig.clock.now()) == (looked_for.status, looked_for.next_look_at)


async def test_a_copy_that_we_filed_never_witnesses_that_another_message_did_not_leave(rig):
    """Not even once the mailbox's settings were changed, and what was learned about its server is forgotten."""
    box = await rig.prepare(saves_sent=False)
    run, parts = await lose(rig, box, Point.REPLY)
    rig.later(minutes=4)
    await rig.person("ben@lead.example")
    await parts.send_one()
    await parts.reconciler.run_once()
    copies = len(box.folders[SENT])
    changed = replace(await rig.box(), settings={"host": "new"})
    await rig.store.write(lambda tx: mailboxes.change(tx, changed, sealed=None))
    for _ in range(6):
        rig.later(minutes=20)
        await parts.reconciler.run_once()
        await parts.poller.refresh(await rig.box_name())
        await parts.send_one()
    (attempt,) = await rig.attempts(run)

    assert 1 == copies
    assert AttemptStatus.UNKNOWN is attempt.status
    assert 1 == len(rig.subjects("ann@lead.example"))


async def test_the_first_outcome_of_a_mailbox_is_settled_without_another_message(rig):
    """Whether its server keeps copies is not known yet: a message to itself tells, and nobody waits for others."""
    box = await rig.prepare(learned=False)
    run, parts = await lose(rig, box, Point.DOT)
    for _ in range(4):
        rig.later(minutes=20)
        await parts.reconciler.run_once()
    await parts.send_one()

    assert True is (await rig.box()).saves_sent
    assert 1 == len(rig.subjects("ann@lead.example"))
    assert 1 == len(rig.subjects(box.address)), "one message to itself is enough"
    assert "intro" != (await rig.again(run)).step


async def test_a_server_that_keeps_no_copies_is_recognised_by_a_message_to_itself(rig):
    """Then absence proves nothing, and the outcome stays unknown until somebody settles it."""
    box = await rig.prepare(saves_sent=False, learned=False)
    run, parts = await lose(rig, box, Point.DOT)
    for _ in range(6):
        rig.later(minutes=20)
        await parts.reconciler.run_once()
        await parts.send_one()
    (attempt,) = await rig.attempts(run)

    assert False is (await rig.box()).saves_sent
    assert (AttemptStatus.UNKNOWN, None) == (attempt.status, attempt.next_look_at)
    assert [] == rig.subjects("ann@lead.example")
