"""Answers by hand: taken back in time, sent once whatever breaks, in the thread, and what they do."""

from datetime import timedelta

import pytest

from relance.core.answer import Answer, AnswerStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.sequence import OnReply
from relance.core.suppression import SuppressionReason
from relance.engine.answerer import Answerer
from relance.engine.surroundings import Box
from relance.ports.connector import MailboxUnreachableError, OutcomeUnknownError, RejectedError
from relance.services import mailboxes, suppressions, taking_wishes
from relance.services.answering import leaving, writing
from relance.services.ingestion import settle_answer
from relance.services.refusals import RefusedError
from relance.services.taking_wishes import LeftAnswer, Wishes
from relance.services.threads import listing, reading
from relance.services.threads.listing import Filter
from relance.testing import letters
from relance.testing.builders import KEYS
from relance.testing.fake_connector import SENT, Point
from relance.testing.letters import headers_of

BROKE = OutcomeUnknownError("the connection broke")


class Desk:
    """A person at the inbox, over a rig in which somebody has answered."""

    def __init__(self, rig, box, run):
        self.rig, self.box, self.run = rig, box, run
        self.answerer = Answerer(rig.around())
        self._uids = 0

    async def thread(self):
        """Return the only conversation."""
        found = await self.rig.store.read(
            listing.page, workspace_id=self.rig.workspace.id, wanted=Filter(state=listing.State.ALL), now=self.now
        )
        (line,) = found.lines
        return line

    @property
    def now(self):
        """The instant the clock stands at."""
        return self.rig.clock.now()

    async def write(self, text="With pleasure.", uid=None):
        """Write an answer."""
        self._uids += 1
        return await self.rig.store.write(
            writing.write,
            workspace_id=self.rig.workspace.id,
            thread_id=(await self.thread()).id,
            text=text,
            by="bo@ours.example",
            uid=uid or str(self._uids),
            keys=KEYS,
            now=self.now,
        )

    async def pass_(self, **later):
        """Let time pass, and the answerer look once."""
        self.rig.clock.advance(timedelta(**later))
        return await self.answerer.run_once()

    async def again(self, answer):
        """Return an answer as it is now."""
        ids = {"workspace_id": answer.workspace_id, "id": answer.id}
        return await self.rig.store.read(lambda reader: reader.one(Answer, "answers.get", **ids))

    def left(self):
        """Return what the servers took that was written by hand."""
        return [one for one in self.rig.world.accepted if b"With pleasure" in one.raw]


@pytest.fixture
async def desk(any_rig):
    """Return a desk with one answer in the inbox."""
    return await seated(any_rig)


async def seated(rig, *, saves_sent=True, **policy):
    """Send one message, and receive an answer to it."""
    box = await rig.prepare(saves_sent=saves_sent, **policy)
    run = await rig.person("ann@lead.example")
    parts = rig.parts()
    await parts.send_one()
    box.deliver(letters.reply(rig.world.accepted[-1].raw, at=rig.clock.now()))
    mailbox = await rig.box()
    await parts.poller.refresh(Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id))
    return Desk(rig, box, run)


async def test_an_answer_leaves_once_its_author_can_no_longer_take_it_back(desk):
    """Ten seconds, and not a moment sooner; and never a second time."""
    answer = await desk.write()
    await desk.pass_(seconds=9)
    early = len(desk.left())
    for _ in range(3):
        await desk.pass_(seconds=1)

    assert (0, 1) == (early, len(desk.left()))
    assert AnswerStatus.SENT is (await desk.again(answer)).status


async def test_an_answer_goes_into_the_thread_it_answers(desk):
    """From the mailbox that was answered, to whom answered, under their message."""
    await desk.write()
    await desk.pass_(seconds=10)
    (sent,) = desk.left()
    first, head = desk.rig.world.accepted[0], headers_of(sent.raw)
    body = sent.raw.decode()

    assert ("bo@ours.example", "ann@lead.example") == (sent.mailbox, sent.recipient)
    assert first.message_id in head["References"]
    assert head["In-Reply-To"] == head["References"].split()[-1]
    assert head["Subject"].startswith("Re: ")
    assert "> Thank you, let us talk on Friday." in body


async def test_what_was_taken_back_never_leaves(desk):
    """Also where the engine was slow, as long as it has not begun."""
    answer = await desk.write()
    ids = {"workspace_id": answer.workspace_id, "answer_id": answer.id}
    await desk.rig.store.write(writing.withdraw, **ids, by="bo@ours.example", now=desk.now)
    await desk.pass_(seconds=60)

    assert [] == desk.left()
    assert AnswerStatus.WITHDRAWN is (await desk.again(answer)).status


async def test_what_has_left_cannot_be_taken_back(desk):
    """It says so."""
    answer = await desk.write()
    await desk.pass_(seconds=10)
    ids = {"workspace_id": answer.workspace_id, "answer_id": answer.id}

    with pytest.raises(RefusedError, match="cannot be taken back"):
        await desk.rig.store.write(writing.withdraw, **ids, by="bo@ours.example", now=desk.now)


async def test_a_double_click_sends_one(desk):
    """The same form again is the same answer; another one waits until this one has left."""
    first, again = await desk.write(uid="form"), await desk.write(uid="form")
    with pytest.raises(RefusedError, match="on its way"):
        await desk.write(uid="another")
    await desk.pass_(seconds=10)

    assert first.id == again.id
    assert 1 == len(desk.left())


async def test_what_was_sent_finishes_the_conversation(desk):
    """Nobody need look at it until the person writes again."""
    before = (await desk.thread()).open
    await desk.write()
    await desk.pass_(seconds=10)
    after = await desk.thread()

    assert (True, False, desk.now) == (before, after.open, after.last_out_at)


async def test_a_lost_answer_that_lies_in_sent_was_sent(desk):
    """It is found at once and not sent again."""
    desk.box.script(Point.REPLY, BROKE)
    answer = await desk.write()
    await desk.pass_(seconds=10)
    lost = (await desk.again(answer)).status
    await desk.pass_(seconds=1)

    assert (AnswerStatus.UNKNOWN, AnswerStatus.SENT) == (lost, (await desk.again(answer)).status)
    assert 1 == len(desk.left())


async def test_a_lost_answer_is_not_sent_again_on_a_guess(desk):
    """It is not in Sent, but nothing later is: perhaps the folder lags. A person may say."""
    desk.box.script(Point.DOT, BROKE)
    answer = await desk.write()
    await desk.pass_(seconds=10)
    for _ in range(5):
        await desk.pass_(hours=1)

    assert AnswerStatus.UNKNOWN is (await desk.again(answer)).status
    assert [] == desk.left()


async def test_a_lost_answer_leaves_once_more_where_something_later_lies_in_sent(desk):
    """Then it is known that it did not leave."""
    desk.box.script(Point.DOT, BROKE)
    answer = await desk.write()
    await desk.pass_(seconds=10)
    desk.rig.clock.advance(timedelta(minutes=20))
    await desk.rig.person("eve@lead.example")
    await desk.rig.parts().send_one()
    for _ in range(3):
        await desk.pass_(minutes=20)

    assert AnswerStatus.SENT is (await desk.again(answer)).status
    assert 1 == len(desk.left())


async def test_a_reply_that_names_a_lost_answer_proves_that_it_left(desk):
    """Whatever the Sent folder says."""
    desk.box.script(Point.REPLY, BROKE)
    answer = await desk.write()
    await desk.pass_(seconds=10)
    desk.box.deliver(letters.reply(desk.left()[0].raw, at=desk.now, text="Agreed."))
    mailbox = await desk.rig.box()
    desk.box.script(Point.LOOK, MailboxUnreachableError("no route"))
    await desk.rig.parts().poller.refresh(Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id))

    assert AnswerStatus.SENT is (await desk.again(answer)).status


async def test_its_copy_in_sent_is_nobodys_message_by_hand(desk):
    """The conversation has it once."""
    await desk.write()
    await desk.pass_(seconds=10)
    mailbox = await desk.rig.box()
    await desk.rig.parts().poller.refresh(Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id))
    ids = {"workspace_id": mailbox.workspace_id, "question": "pleasure"}

    thread = {"workspace_id": mailbox.workspace_id, "thread_id": (await desk.thread()).id}
    read = await desk.rig.store.read(reading.conversation, **thread)

    assert ["answer"] == [one.kind for one in await desk.rig.store.read(listing.find, **ids)]
    assert ["With pleasure."] == [one.text for one in read.messages if one.kind == "answer"]


async def test_a_server_that_saves_nothing_gets_a_copy(any_rig):
    """One, marked as ours."""
    desk = await seated(any_rig, saves_sent=False)
    before = len(desk.box.folders[SENT])
    await desk.write()
    await desk.pass_(seconds=10)
    for _ in range(3):
        await desk.pass_(minutes=3)

    assert 1 == len(desk.box.folders[SENT]) - before


async def test_a_refused_answer_is_given_up_at_once_where_the_address_takes_no_mail(desk):
    """And it says why; its author may send it again."""
    desk.box.script(Point.STAGE, RejectedError(stage="RCPT", code=550, enhanced="5.1.1", text="unknown user"))
    answer = await desk.write()
    await desk.pass_(seconds=10)
    failed = await desk.again(answer)
    ids = {"workspace_id": answer.workspace_id, "answer_id": answer.id}
    await desk.rig.store.write(writing.send_again, **ids, by="bo@ours.example", now=desk.now)
    await desk.pass_(seconds=10)

    assert AnswerStatus.FAILED is failed.status
    assert "unknown user" in (failed.error or "")
    assert 1 == len(desk.left())


async def test_a_server_that_does_not_answer_is_tried_again(desk):
    """Nothing left; later it does."""
    desk.box.script(Point.STAGE, MailboxUnreachableError("no route"))
    answer = await desk.write()
    await desk.pass_(seconds=10)
    waiting = await desk.again(answer)
    await desk.pass_(hours=1)

    assert (AnswerStatus.WAITING, 1) == (waiting.status, waiting.tries)
    assert 1 == len(desk.left())


async def test_an_answer_waits_while_its_mailbox_is_paused(desk):
    """Who paused it wanted nothing to leave."""
    mailbox = await desk.rig.box()
    await desk.rig.store.write(mailboxes.pause, mailbox, reason="by hand", now=desk.now)
    await desk.write()
    await desk.pass_(hours=1)
    paused = len(desk.left())
    await desk.rig.store.write(mailboxes.resume, mailbox, now=desk.now)
    await desk.pass_(seconds=1)

    assert (0, 1) == (paused, len(desk.left()))


async def test_an_answer_whose_mailbox_is_removed_is_given_up_and_says_so(desk):
    """It would wait for ever, and its author for an answer."""
    answer = await desk.write()
    await desk.rig.store.write(mailboxes.remove, await desk.rig.box(), now=desk.now)
    await desk.pass_(hours=1)
    after = await desk.again(answer)

    assert (AnswerStatus.FAILED, []) == (after.status, desk.left())
    assert "was removed" in after.error


async def test_an_answer_that_left_before_an_older_state_was_put_back_does_not_leave_again(desk):
    """It waits in the older state, and the newest knows that it left: it is looked for, and a person says."""
    answer = await desk.write()
    left = LeftAnswer(workspace="here", workspace_id=answer.workspace_id, message_id=answer.message_id, at=desk.now)
    known = {"workspaces": {(answer.workspace_id, "here")}, "now": desk.now}
    await desk.rig.store.write(taking_wishes.take, Wishes(answers=(left,)), **known)
    for _ in range(5):
        await desk.pass_(hours=1)

    assert (AnswerStatus.UNKNOWN, []) == ((await desk.again(answer)).status, desk.left())


async def test_nobody_who_opted_out_is_written_to_by_hand(desk):
    """Neither when it is written nor when they opt out while it waits."""
    answer = await desk.write()
    await desk.rig.store.write(
        suppressions.suppress_address,
        workspace_id=answer.workspace_id,
        address="ann@lead.example",
        reason=SuppressionReason.UNSUBSCRIBED,
        source="by hand",
        now=desk.now,
        tombstone_key=KEYS.tombstone,
    )
    await desk.pass_(seconds=10)

    assert AnswerStatus.FAILED is (await desk.again(answer)).status
    assert [] == desk.left()
    with pytest.raises(RefusedError, match="suppressed"):
        await desk.write()


async def test_an_answer_stops_what_the_sequence_wants_stopped_by_a_message_by_hand(any_rig):
    """A reply had only paused the run; whoever answers takes over."""
    desk = await seated(any_rig, on_reply=OnReply.PAUSE)
    before = await desk.rig.again(desk.run)
    await desk.write()
    await desk.pass_(seconds=10)
    after = await desk.rig.again(desk.run)

    assert (EnrollmentStatus.PAUSED, EnrollmentStatus.STOPPED) == (before.status, after.status)
    assert StopReason.MANUAL_REPLY is after.stop_reason


async def test_who_knows_says_what_became_of_a_lost_answer(desk):
    """Sent, and it is not tried again."""
    desk.box.script(Point.DOT, BROKE)
    answer = await desk.write()
    await desk.pass_(seconds=10)
    ids = {"workspace_id": answer.workspace_id, "answer_id": answer.id}
    facts = {"sent": True, "by": "bo@ours.example", "keys": KEYS, "now": desk.now}
    await desk.rig.store.write(settle_answer, **ids, **facts)
    await desk.pass_(hours=1)

    assert AnswerStatus.SENT is (await desk.again(answer)).status
    assert [] == desk.left()
    with pytest.raises(RefusedError, match="nothing is unknown"):
        await desk.rig.store.write(settle_answer, **ids, **facts)


async def test_nobody_says_of_an_answer_that_waits_that_it_was_sent(desk):
    """It would never leave then."""
    answer = await desk.write()
    ids = {"workspace_id": answer.workspace_id, "answer_id": answer.id}
    facts = {"sent": True, "by": "bo@ours.example", "keys": KEYS, "now": desk.now}
    with pytest.raises(RefusedError, match="nothing is unknown"):
        await desk.rig.store.write(settle_answer, **ids, **facts)
    await desk.pass_(seconds=10)

    assert 1 == len(desk.left())


async def test_the_engine_sends_an_answer_when_its_time_has_come(rig):
    """Also where time jumps from event to event: an answer is one of them."""
    desk = await seated(rig)
    await desk.write()
    async with rig.running() as engine:
        await rig.settle(engine)
        at = await engine.next_event()
        assert at is not None
        rig.clock.jump(at)
        engine.time_has_jumped()
        await rig.settle(engine)

    assert 1 == len(desk.left())


async def test_an_answer_that_had_left_before_an_older_state_was_put_back_is_not_sent_again(desk):
    """The state has it waiting; its copy lies in Sent, and that is read before anything is sent."""
    answer = await desk.write()
    mailbox = await desk.rig.box()
    raw = leaving.composed(leaving.Outgoing(answer=answer, mailbox=mailbox), now=desk.now)
    desk.box.deliver(raw, folder=SENT, at=desk.now)
    await desk.rig.parts().poller.refresh(Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id))
    await desk.pass_(minutes=1)

    assert AnswerStatus.SENT is (await desk.again(answer)).status
    assert [] == desk.left()


async def test_nothing_is_sent_by_hand_while_a_mailbox_recovers(desk):
    """What it had sent since the state that was put back is not known yet."""
    mailbox = await desk.rig.box()
    await desk.write()
    await desk.rig.store.write(mailboxes.enter_recovery, mailbox, since=desk.now, why="a test", now=desk.now)
    await desk.pass_(minutes=1)

    assert [] == desk.left()
