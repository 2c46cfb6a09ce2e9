"""Two workers over PostgreSQL, their transactions open at the same time: no limit is passed, nobody goes twice."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest

from relance.core.enrollment import StopReason
from relance.core.sequence import FrequencyCap
from relance.services import enrollments, sending, sequences
from relance.services.refusals import LostRaceError
from relance.testing import builders, letters
from relance.testing.builders import KEYS, delay

pytestmark = pytest.mark.postgres
LIMIT = 20.0


class Meeting:
    """Holds a transaction open until the other one has come as far, or waits for its lock."""

    def __init__(self) -> None:
        self._both = threading.Barrier(2)

    def hold(self, fn):
        """Return the service with its transaction kept open after its work, for a moment, for the other to run into."""

        def held(tx, /, **kwargs):
            outcome = fn(tx, **kwargs)
            with suppress(threading.BrokenBarrierError):  # the other one waits for a lock of ours: that is the point
                self._both.wait(timeout=0.4)
            return outcome

        held.__name__ = fn.__name__
        return held


async def both(life, meeting, claims):
    """Reserve two claims at the same time, each again where it lost the race."""

    async def one(claimed, worker):
        for _ in range(5):
            try:
                return await life.store.write(
                    meeting.hold(sending.reserve),
                    workspace_id=claimed.workspace_id,
                    enrollment_id=claimed.enrollment_id,
                    woken_counter=claimed.step_counter,
                    mailbox_id=claimed.mailbox_id,
                    worker=worker,
                    keys=KEYS,
                    now=life.now,
                )
            except LostRaceError:
                continue
        raise AssertionError("lost five races in a row")

    async with asyncio.timeout(LIMIT):
        return await asyncio.gather(*(one(claimed, "w1") for claimed in claims))


async def two_claims(life, scene):
    """Claim one row for each of two mailboxes."""
    await life.read_all_freshly()
    claims = await life.claim()
    assert 2 == len(claims), claims
    assert scene.run.id in {claimed.enrollment_id for claimed in claims}
    return claims


def how_many_reserved(outcomes) -> int:
    """Count."""
    return sum(isinstance(outcome, sending.Reserved) for outcome in outcomes)


@pytest.mark.parametrize("cap", [{"daily_cap": 1}, {"max_new_per_day": 1}])
async def test_the_last_slot_of_a_sequence_goes_to_one_of_two_workers(two_workers, cap):
    """Two mailboxes, one slot: a counter is taken conditionally, in the transaction that reserves."""
    life = two_workers
    scene = await life.scene(**cap)
    await life.mailbox(scene, "other@acme.example")
    await life.person(scene, "second@lead.example")
    outcomes = await both(life, Meeting(), await two_claims(life, scene))

    assert 1 == how_many_reserved(outcomes)


async def test_one_person_in_two_sequences_gets_one_message_of_two_workers(two_workers):
    """The person is locked first: the second worker sees the first one's reservation."""
    life = two_workers
    cap = FrequencyCap(messages=1, per=delay("2d"))
    scene = await life.scene(frequency_cap=cap)
    await life.scene(name="other", frequency_cap=cap)
    await life.mailbox(scene, "other@acme.example")
    outcomes = await both(life, Meeting(), await two_claims(life, scene))

    assert 1 == how_many_reserved(outcomes)


async def test_one_mailbox_gives_its_turn_to_one_of_two_workers(two_workers):
    """Its gap is taken in the transaction that reserves, whatever the gates saw before."""
    life = two_workers
    scene = await life.scene()
    await life.person(scene, "second@lead.example")
    await life.mailbox(scene, "other@acme.example")
    claims = await two_claims(life, scene)
    same = [type(c)(**{f: getattr(c, f) for f in c.__slots__} | {"mailbox_id": scene.box.id}) for c in claims]
    outcomes = await both(life, Meeting(), same)

    assert 1 == how_many_reserved(outcomes)
    assert 1 == await life.used(scene.box)


async def test_two_workers_never_claim_the_same_row(two_workers):
    """A claim is a conditional write of the lock, and what somebody is claiming is skipped."""
    life = two_workers
    scene = await life.scene()
    for number in range(5):
        await life.person(scene, f"p{number}@lead.example")
    for number in range(5):
        await life.mailbox(scene, f"box{number}@acme.example")
    async with asyncio.timeout(LIMIT):
        claimed = await asyncio.gather(*(life.claim(worker=f"w{n}", limit=6) for n in range(4)))
    ids = [one.enrollment_id for claims in claimed for one in claims]

    assert sorted(set(ids)) == sorted(ids)


async def test_a_reply_that_commits_while_the_last_look_waits_wins(two_workers):
    """The last look reads under lock, in new statements: it sees the answer and nothing leaves."""
    life = two_workers
    scene = await life.scene()
    raw = await life.send()
    life.later(days=1)
    reserved = await life.reserved()
    await life.stage(scene.box, letters.reply(raw, at=life.now))
    in_hand, go_on = threading.Event(), threading.Event()

    def reply_slowly(tx):
        tx.one(int, "leads.lock", workspace_id=scene.workspace.id, id=scene.lead.id)
        in_hand.set()
        assert go_on.wait(LIMIT)
        stop(tx, scene, life.now)

    with ThreadPoolExecutor(1) as threads:
        replying = asyncio.create_task(life.store.write(reply_slowly))
        await asyncio.get_running_loop().run_in_executor(threads, in_hand.wait, LIMIT)
        looking = asyncio.create_task(life.begin(reserved))
        await until_somebody_waits(life)
        go_on.set()
        async with asyncio.timeout(LIMIT):
            await replying
            outcome = await looking

    assert isinstance(outcome, sending.Withheld)
    assert StopReason.REPLIED is (await life.again(scene.run)).stop_reason


async def test_nobody_enters_a_sequence_that_is_being_archived(two_workers):
    """Archiving waits for who is entering, and stops them too; none is left active in an archived sequence."""
    life = two_workers
    scene = await life.scene()
    await life.store.write(enrollments.stop, **ids_of(scene.run), cause="to be alone", now=life.now)
    newcomer = await life.store.write(builders.lead, scene.workspace, "second@lead.example")
    in_hand, go_on = threading.Event(), threading.Event()

    def enroll_slowly(tx):
        facts = {"sequence_name": "q4", "lead_ids": [newcomer.id], "source_list": None, "keys": KEYS, "now": life.now}
        enrolled = enrollments.enroll(tx, workspace_id=scene.workspace.id, **facts)
        in_hand.set()
        assert go_on.wait(LIMIT)
        return enrolled.enrolled

    with ThreadPoolExecutor(1) as threads:
        entering = asyncio.create_task(life.store.write(enroll_slowly))
        await asyncio.get_running_loop().run_in_executor(threads, in_hand.wait, LIMIT)
        archiving = asyncio.create_task(
            life.store.write(
                sequences.archive, workspace_id=scene.workspace.id, name="q4", stop_active=True, now=life.now
            )
        )
        await until_somebody_waits(life)
        go_on.set()
        async with asyncio.timeout(LIMIT):
            entered = await entering
            stopped = await archiving

    assert (1, 1) == (entered, stopped)


def ids_of(run) -> dict[str, int]:
    """Name one run."""
    return {"workspace_id": run.workspace_id, "enrollment_id": run.id}


def stop(tx, scene, now) -> None:
    """Stop the run as an answer does."""
    enrollments.stop(
        tx,
        workspace_id=scene.workspace.id,
        enrollment_id=scene.run.id,
        cause="answered",
        now=now,
        stop_reason=StopReason.REPLIED,
    )


async def until_somebody_waits(life) -> None:
    """Return once a transaction waits for another one's lock."""
    async with asyncio.timeout(LIMIT), await psycopg.AsyncConnection.connect(life.url, autocommit=True) as beside:
        while True:
            found = await beside.execute(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if await found.fetchone():
                return
