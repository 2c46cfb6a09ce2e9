"""A backup is put back while the servers have gone on: the engine reads back before it sends, over both databases."""

import asyncio
from datetime import timedelta

import pytest

from engine.places import Place
from engine.rig import WITHIN, Generations, Rig, die, until
from relance.core.enrollment import Enrollment, EnrollmentStatus, StopReason
from relance.core.mailbox import MailboxStatus
from relance.core.suppression import SuppressionReason
from relance.ports.connector import MailboxUnreachableError, ReadingFailedError
from relance.ports.store import Reader
from relance.services import auditing, recovering, reports, suppressions, workspaces
from relance.testing import builders, letters
from relance.testing.builders import KEYS, email
from relance.testing.fake_connector import SENT, FakeMailbox, Hold, Point

ANN, BEN, CLEO, DORA, EVE, FAY = (f"{name}@lead.example" for name in ("ann", "ben", "cleo", "dora", "eve", "fay"))


async def _play(rig: Rig, **span: float) -> None:
    """Run an engine for that long, by the domain's time."""
    end = rig.clock.now() + timedelta(**span)
    async with rig.running() as engine:
        await rig.play(engine, until=end)


async def _first_steps(place: Place, *, saves_sent: bool | None = True) -> tuple[FakeMailbox, list[Enrollment]]:
    """Send four people their first step, and make a backup."""
    box = await place.rig.prepare(saves_sent=saves_sent)
    runs = [await place.rig.person(person) for person in (ANN, BEN, CLEO, DORA)]
    await _play(place.rig, hours=10)
    assert 4 == len(place.rig.world.accepted)
    await place.back_up()
    return box, runs


def _twice(rig: Rig) -> list[str]:
    """Return every message that a server took more than once."""
    ids = [one.message_id for one in rig.world.accepted]
    return [one for one in dict.fromkeys(ids) if ids.count(one) > 1]


async def test_after_a_backup_was_put_back_nobody_is_written_to_twice_or_after_an_answer(place: Place):
    """Sends, an answer, an opt-out and a new person since the backup; the run still ends for everybody else."""
    rig = place.rig
    box, (ann, ben, cleo, dora) = await _first_steps(place)
    await rig.person(EVE)
    await rig.person(FAY)
    await _play(rig, hours=20)
    box.deliver(letters.reply(rig.world.received_by(ANN)[-1].raw, at=rig.clock.now()), told=False)
    box.deliver(letters.unsubscribe(rig.world.received_by(BEN)[-1].raw, at=rig.clock.now()), told=False)
    await _play(rig, minutes=1)
    before = len(rig.world.accepted)
    await place.put_back()
    eve = await rig.person(EVE)  # imported once more, before anybody knows
    async with rig.running() as engine:
        await rig.settle(engine)
        noticed = rig.log.said("restore.noticed")
        fay = await rig.person(FAY)  # and afterwards
        await rig.play(engine)
    ended = [(await rig.again(run)).status for run in (ann, ben, cleo, dora, eve)]

    assert (4 + 4 + 2, 1, []) == (before, len(noticed), _twice(rig))
    assert [2, 2, 3, 3, 3, 1] == [len(rig.subjects(person)) for person in (ANN, BEN, CLEO, DORA, EVE, FAY)]
    assert [EnrollmentStatus.STOPPED, EnrollmentStatus.STOPPED] == ended[:2]
    assert [EnrollmentStatus.COMPLETED] * 3 == ended[2:]
    assert EnrollmentStatus.HELD is (await rig.again(fay)).status


async def test_opt_outs_that_only_the_log_knows_hold_after_a_restore(place: Place):
    """The person opted out by a link or a telephone call: no message in any folder says so."""
    rig = place.rig
    _, (ann, *_) = await _first_steps(place)
    await _opts_out(rig, ANN)
    await _play(rig, minutes=1)
    await place.put_back()
    await _play(rig, days=5)

    assert [1, 3] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert EnrollmentStatus.SUPPRESSED is (await rig.again(ann)).status


async def _opts_out(rig: Rig, address: str) -> None:
    await rig.store.write(
        suppressions.suppress_address,
        workspace_id=rig.workspace.id,
        address=address,
        reason=SuppressionReason.UNSUBSCRIBED,
        source="by telephone",
        now=rig.clock.now(),
        tombstone_key=KEYS.tombstone,
    )


async def test_opt_outs_that_only_the_log_knows_hold_where_nothing_else_tells_that_the_state_is_older(place: Place):
    """The database came from one copy with the number beside it, the log from another: nothing needs to recover."""
    rig = place.rig
    _, (ann, *_) = await _first_steps(place)
    await _opts_out(rig, ANN)
    await _play(rig, minutes=1)
    await place.put_back_with_its_server()
    await _play(rig, days=5)

    assert [] == rig.log.said("restore.noticed")
    assert [1, 3] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert EnrollmentStatus.SUPPRESSED is (await rig.again(ann)).status


async def test_opt_outs_that_only_the_log_knows_hold_over_a_state_without_a_mailbox(place: Place):
    """Its mailboxes were connected after the backup, and are connected once more when the engine has started."""
    rig = place.rig
    rig.workspace = await rig.store.write(builders.workspace)
    await rig.publish(builders.plan(email("intro", subject="Hello")))
    await _play(rig, minutes=1)
    await place.back_up()
    await _opts_out(rig, ANN)
    await _play(rig, minutes=1)
    await place.put_back()
    async with rig.running() as engine:
        await rig.settle(engine)
        await rig.mailbox("bo@ours.example")
        ann, ben = [await rig.person(person) for person in (ANN, BEN)]
        engine.time_has_jumped()
        await rig.play(engine)

    assert [0, 1] == [len(rig.subjects(person)) for person in (ANN, BEN)]
    assert EnrollmentStatus.SUPPRESSED is (await rig.again(ann)).status
    assert EnrollmentStatus.COMPLETED is (await rig.again(ben)).status


@pytest.mark.parametrize("kept", [0, 1])
async def test_a_log_that_is_missing_or_older_than_the_database_is_completed_from_it(place: Place, kept: int):
    """Then the next restore finds in it what this one had in its database."""
    rig = place.rig
    await _first_steps(place)
    for person in (ANN, BEN, CLEO):
        await _opts_out(rig, person)
    await _play(rig, minutes=1)
    whole = list(rig.journal.kept)
    rig.journal.kept = whole[:kept]
    await _play(rig, minutes=1)

    assert 3 == len(whole)
    assert whole == rig.journal.kept
    assert [] == rig.log.said("opt_outs.replayed")


async def test_an_answer_in_one_mailbox_waits_for_the_sent_folder_of_another(place: Place):
    """It answers a message that the state does not know of, and which left from elsewhere."""
    rig = place.rig
    box, (ann, *_) = await _first_steps(place)
    other = await rig.mailbox("cleo@ours.example", pool="elsewhere")
    await place.back_up()
    await _play(rig, days=1)
    other.deliver(letters.reply(rig.world.received_by(ANN)[-1].raw, at=rig.clock.now()), told=False)
    await place.put_back()
    box.script(Point.READ, MailboxUnreachableError("the server is away"))
    async with rig.running() as engine:
        await rig.settle(engine)
        first = [(await rig.box(name)).status for name in ("bo@ours.example", "cleo@ours.example")]
        sent = len(rig.world.accepted)
        await rig.play(engine)

    assert [MailboxStatus.RECOVERING, MailboxStatus.RECOVERING] == first
    assert (8, []) == (sent, _twice(rig))
    assert 2 == len(rig.subjects(ANN))
    assert EnrollmentStatus.STOPPED is (await rig.again(ann)).status


async def test_a_mailbox_without_a_sent_folder_waits_for_a_person_and_nothing_is_guessed(place: Place):
    """The others of its workspace wait too. The person says how to go on, and then the run ends."""
    rig = place.rig
    await _first_steps(place, saves_sent=None)
    await _play(rig, days=1)
    await place.put_back()
    await _play(rig, days=1)
    waiting, sent = await rig.box(), len(rig.world.accepted)
    held = await rig.store.write(recovering.decide, waiting, hold=True, now=rig.clock.now())
    await _play(rig, days=5)

    assert (MailboxStatus.RECOVERING, 8) == (waiting.status, sent)
    assert "relance mailbox recovered bo@ours.example" in (waiting.status_reason or "")
    assert (4, 8) == (held, len(rig.world.accepted))


async def test_a_copy_that_comes_late_is_waited_for(place: Place):
    """Its server was still thinking over the dot, or its Sent folder lagged, when the backup was put back."""
    rig = place.rig
    box, _ = await _first_steps(place)
    await _play(rig, days=1, hours=1)
    sent = box.folders[SENT]
    late = [sent.pop() for _ in range(2)]
    await place.put_back()
    async with rig.running() as engine:
        await rig.play(engine, until=rig.clock.now() + timedelta(minutes=14))
        read, watched = rig.log.said("mailbox.read_back"), box.watched
        for copy in late:
            box.deliver(copy.raw, folder=SENT, at=rig.clock.now(), told=False)
        await rig.play(engine, until=rig.clock.now() + timedelta(hours=1))
        await rig.settle(engine)
        watched_after = box.watched
        await rig.play(engine)

    assert (1, False, True) == (len(read), watched, watched_after)
    assert [3, 3, 3, 3] == [len(rig.subjects(person)) for person in (ANN, BEN, CLEO, DORA)]
    assert [] == _twice(rig)


async def test_a_copy_that_comes_too_late_is_told_by_the_audit(place: Place):
    """Nothing keeps a step from leaving twice whose copy is not there for hours; but the record says so in the end."""
    rig = place.rig
    box, _ = await _first_steps(place)
    await _play(rig, days=1, hours=1)
    late = box.folders[SENT].pop()
    await place.put_back()
    await _play(rig, days=1)
    found = [len(step.twice) for step in await rig.store.read(_audit, rig)]
    box.deliver(late.raw, folder=SENT, at=late.at, told=False)
    await _play(rig, days=3)
    told = [step.twice for step in await rig.store.read(_audit, rig) if step.twice]
    (repeated,) = [person for person in (ANN, BEN, CLEO, DORA) if len(rig.subjects(person)) > 3]

    assert ([0, 0, 0], [(repeated,)]) == (found, told)


def _audit(reader: Reader, rig: Rig) -> list[auditing.StepAudit]:
    return auditing.audit(reader, workspace_id=rig.workspace.id, name="q4")


@pytest.mark.parametrize("saves_sent", [True, False])
async def test_nothing_is_told_from_a_sent_folder_that_was_emptied(place: Place, *, saves_sent: bool):
    """What is known to have left has to lie there now; that it lay there once says nothing of what lay beside it."""
    rig = place.rig
    box, _ = await _first_steps(place, saves_sent=saves_sent)
    await _play(rig, days=1, hours=1)
    box.folders[SENT].clear()
    await place.put_back()
    async with rig.running() as engine:
        await rig.play(engine, until=rig.clock.now() + timedelta(hours=3))
    waiting = await rig.box()

    assert (MailboxStatus.RECOVERING, recovering.SENT_UNPROVEN) == (waiting.status, waiting.last_skip_reason)
    assert [2, 2, 2, 2] == [len(rig.subjects(person)) for person in (ANN, BEN, CLEO, DORA)]


@pytest.mark.parametrize("trouble", ["saves nothing", "clock behind"])
async def test_nothing_is_told_from_a_sent_folder_that_does_not_show_what_was_sent_last(place: Place, trouble: str):
    """What the mailbox writes to itself has to lie there, late enough by its server's clock."""
    rig = place.rig
    box, _ = await _first_steps(place)
    await _play(rig, days=1, hours=1)
    box.folders[SENT] = box.folders[SENT][:4]
    box.saves_sent = trouble != "saves nothing"
    rig.world.behind = timedelta(hours=1 if trouble == "clock behind" else 0)
    await place.put_back()
    async with rig.running() as engine:
        await rig.play(engine, until=rig.clock.now() + timedelta(hours=3))
    waiting = await rig.box()
    listed = await rig.store.read(reports.stuck, workspace_id=rig.workspace.id, now=rig.clock.now())

    assert (MailboxStatus.RECOVERING, []) == (waiting.status, _twice(rig))
    assert [2, 2, 2, 2] == [len(rig.subjects(person)) for person in (ANN, BEN, CLEO, DORA)]
    assert "what it wrote to itself" in (waiting.status_reason or "")
    assert "relance mailbox recovered" in "".join(one.remedy for one in listed)


async def test_an_engine_that_dies_while_reading_back_begins_anew(place: Place):
    """What it had read stands; nothing is sent on the strength of half of it."""
    rig = place.rig
    box, _ = await _first_steps(place)
    await _play(rig, days=1)
    await place.put_back()
    hold = Hold()
    box.script(Point.READ_END, hold)
    mine = asyncio.all_tasks()
    await rig.engine().start()
    async with asyncio.timeout(WITHIN):
        await hold.reached.wait()
    await die(mine)
    during = (await rig.box()).status
    await _play(rig, days=5)

    assert MailboxStatus.RECOVERING is during
    assert [3, 3, 3, 3] == [len(rig.subjects(person)) for person in (ANN, BEN, CLEO, DORA)]
    assert [] == _twice(rig)


async def test_nothing_is_sent_by_the_state_of_a_server_that_was_not_compared(rig: Rig):
    """It came up anew a moment ago, perhaps as an older one: what was claimed in it is let go, and asked for again."""
    await rig.prepare()
    run = await rig.person(ANN)
    parts = rig.parts()

    async def changed() -> bool:
        return False

    compared, parts.dispatcher.unchanged = parts.dispatcher.unchanged, changed
    before = (await parts.send_one(), len(rig.world.accepted), (await rig.again(run)).lock_holder)
    parts.dispatcher.unchanged = compared
    after = (await parts.send_one(), len(rig.world.accepted))

    assert (0, 0, None) == before
    assert (1, 1) == after


class OnlyFirst(Generations):
    """Keeps what is written first: the process dies before it writes again."""

    def write(self, generation):
        """Keep, once."""
        self.kept = self.kept or generation


async def test_dying_at_the_very_first_start_is_no_restore(rig: Rig):
    """Killed when the number has grown and its file does not say so yet: nobody put an older state back."""
    await rig.prepare(email("intro"))
    await rig.store.write(workspaces.ensure_installation, uid="here", now=rig.clock.now())
    rig.generation = OnlyFirst()
    first = rig.engine()
    await first.start()
    await first.drain()
    kept = rig.generation.read()
    async with rig.running() as engine:
        await rig.settle(engine)
        box = await rig.box()

    assert kept is not None
    assert 0 == kept.number
    assert MailboxStatus.ACTIVE is box.status


async def _older_state_that_nothing_tells(place: Place) -> tuple[FakeMailbox, Enrollment, Enrollment]:
    """Put the whole data directory back, with the number; Eve, of whom it knows nothing but her name, has answered."""
    rig = place.rig
    box, (_, ben, *_) = await _first_steps(place)
    eve = await rig.person(EVE)
    await place.back_up()
    await _play(rig, days=1)
    box.deliver(letters.reply(rig.world.received_by(EVE)[-1].raw, at=rig.clock.now()), told=False)
    await place.put_back_with_its_server()
    return box, ben, eve


async def test_at_the_start_no_answer_is_understood_before_what_lies_in_sent(place: Place):
    """The ingester has a loop of its own: what the first read has staged is not for it until Sent was read too."""
    rig = place.rig
    box, _, eve = await _older_state_that_nothing_tells(place)
    hold = Hold()
    box.script(Point.FOLDER, hold)
    end = rig.clock.now() + timedelta(days=9)
    async with rig.running() as engine:
        async with asyncio.timeout(WITHIN):
            await hold.reached.wait()
        looks = engine._loops["ingester"]  # noqa: SLF001
        seen = looks.passes
        looks.wake()
        await until(lambda: looks.passes > seen and looks.idle)
        hold.go.set()
        await rig.play(engine, until=end)

    assert 2 == len(rig.subjects(EVE))
    assert StopReason.REPLIED is (await rig.again(eve)).stop_reason


async def test_an_answer_that_was_understood_too_early_is_matched_again_when_its_mailbox_recovers(place: Place):
    """Sent could not be read at the first try, so nobody knew yet what it answers."""
    rig = place.rig
    box, _, eve = await _older_state_that_nothing_tells(place)
    box.script(Point.FOLDER, ReadingFailedError("Sent cannot be read"))
    await _play(rig, days=9)

    assert 2 == len(rig.subjects(EVE))
    assert StopReason.REPLIED is (await rig.again(eve)).stop_reason


async def test_a_state_that_nothing_tells_from_the_newest_still_writes_nobody_twice_or_after_an_answer(place: Place):
    """Its first copy in Sent that this state does not know lets everything recover; the others go on."""
    rig = place.rig
    _, ben, eve = await _older_state_that_nothing_tells(place)
    await _play(rig, days=9)

    assert 1 == len(rig.log.said("restore.noticed"))  # by the first copy in Sent that it did not know
    assert 1 == len(rig.log.said("mailbox.recovered"))
    assert ([], [2, 3]) == (_twice(rig), [len(rig.subjects(person)) for person in (EVE, BEN)])
    assert EnrollmentStatus.STOPPED is (await rig.again(eve)).status
    assert EnrollmentStatus.COMPLETED is (await rig.again(ben)).status
