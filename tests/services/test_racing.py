"""Two workers over PostgreSQL, their transactions open at the same time: no limit is passed, nobody is claimed twice.

Each race is run again without the lock or condition that decides it: then it must be lost.
"""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from relance.core.enrollment import EnrollmentStatus
from relance.core.sequence import FrequencyCap
from relance.services import dispatching, enrollments, sending, sequences
from relance.testing import builders
from relance.testing.builders import KEYS, delay
from services.races import LIMIT, meet, rewritten, unlocked

pytestmark = pytest.mark.postgres

PERSON = "leads.lock_of_enrollment"
TAKE = {"usage.take": (r"WHERE usage.used < %\(cap\)s", "")}
GAP = {"mailboxes.take_gap": (r"AND \(next_allowed_at IS NULL OR next_allowed_at <= %\(now\)s\)", "")}


def reserving(life, claimed):
    """Return the transaction that reserves a claim."""

    def reserve(tx):
        return sending.reserve(
            tx,
            workspace_id=claimed.workspace_id,
            enrollment_id=claimed.enrollment_id,
            woken_counter=claimed.step_counter,
            mailbox_id=claimed.mailbox_id,
            worker="w1",
            keys=KEYS,
            now=life.now,
        )

    return reserve


async def both_reserve(life, claims) -> tuple[int, bool]:
    """Reserve two claims at the same time; return how many could, and whether the second one waited."""
    met = await meet(life, *(reserving(life, claimed) for claimed in claims))
    return sum(isinstance(outcome, sending.Reserved) for outcome in (met.first, met.second)), met.waited


async def two_claims(life, scene):
    """Claim one row for each of two mailboxes."""
    await life.read_all_freshly()
    claims = await life.claim()
    assert 2 == len(claims), claims
    assert scene.run.id in {claimed.enrollment_id for claimed in claims}
    return claims


async def two_people(life, **policy):
    """Enroll two people into one sequence of two mailboxes, and claim both."""
    scene = await life.scene(**policy)
    await life.mailbox(scene, "other@acme.example")
    await life.person(scene, "second@lead.example")
    return scene, await two_claims(life, scene)


async def one_person_twice(life):
    """Enroll one person, who gets one message in two days, into two sequences, and claim both."""
    cap = FrequencyCap(messages=1, per=delay("2d"))
    scene = await life.scene(frequency_cap=cap)
    await life.scene(name="other", frequency_cap=cap)
    await life.mailbox(scene, "other@acme.example")
    return await two_claims(life, scene)


@pytest.mark.parametrize("cap", [{"daily_cap": 1}, {"max_new_per_day": 1}])
async def test_the_last_slot_of_a_sequence_goes_to_one_of_two_workers(two_workers, cap):
    """Two mailboxes, one slot: a counter is taken conditionally, in the transaction that reserves."""
    _, claims = await two_people(two_workers, **cap)

    assert (1, True) == await both_reserve(two_workers, claims)


async def test_a_slot_that_is_taken_without_looking_goes_to_both(two_workers):
    """What the race above is decided by: the condition in the statement that takes."""
    _, claims = await two_people(two_workers, daily_cap=1)
    with rewritten(two_workers, TAKE):
        reserved, _ = await both_reserve(two_workers, claims)

    assert 2 == reserved


async def test_one_person_in_two_sequences_gets_one_message_of_two_workers(two_workers):
    """The person is locked first: the second worker sees the first one's reservation."""
    claims = await one_person_twice(two_workers)

    assert (1, True) == await both_reserve(two_workers, claims)


async def test_one_person_gets_two_messages_where_nobody_locks_them(two_workers):
    """What the race above is decided by: the lock on the person."""
    claims = await one_person_twice(two_workers)
    with unlocked(two_workers, PERSON):
        reserved, _ = await both_reserve(two_workers, claims)

    assert 2 == reserved


async def one_mailbox_twice(life):
    """Claim two people for the same mailbox, as no dispatcher would."""
    scene, claims = await two_people(life)
    return scene, [replace(claimed, mailbox_id=scene.box.id) for claimed in claims]


async def test_one_mailbox_gives_its_turn_to_one_of_two_workers(two_workers):
    """Its gap is taken in the transaction that reserves, whatever the gates saw before."""
    scene, claims = await one_mailbox_twice(two_workers)
    outcome = await both_reserve(two_workers, claims)

    assert (1, True) == outcome
    assert 1 == await two_workers.used(scene.box)


async def test_a_mailbox_whose_gap_is_taken_without_looking_sends_twice(two_workers):
    """What the race above is decided by: the condition in the statement that takes the gap."""
    _, claims = await one_mailbox_twice(two_workers)
    with rewritten(two_workers, GAP):
        reserved, _ = await both_reserve(two_workers, claims)

    assert 2 == reserved


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


def claiming(life, worker):
    """Return the transaction that claims what is due."""

    def claim(tx):
        lock = {"worker": worker, "lock_expires_at": life.now + timedelta(seconds=90)}
        return dispatching.claim(tx, **lock, now=life.now, busy=(), limit=10)

    return claim


async def test_a_row_that_is_being_claimed_is_skipped_without_waiting(two_workers):
    """Nobody stands in line for a row: there are others."""
    await two_workers.scene()
    met = await meet(two_workers, claiming(two_workers, "w1"), claiming(two_workers, "w2"))

    assert (1, 0, False) == (len(met.first), len(met.second), met.waited)


async def test_a_row_that_is_not_skipped_is_still_claimed_once(two_workers):
    """Who waits for it finds that it is taken: behind the lock stands the condition of the write."""
    await two_workers.scene()
    with unlocked(two_workers, "enrollments.claim"):
        met = await meet(two_workers, claiming(two_workers, "w1"), claiming(two_workers, "w2"))

    assert (1, 0, True) == (len(met.first), len(met.second), met.waited)


async def test_a_row_is_claimed_twice_where_neither_lock_nor_condition_is(two_workers):
    """What the two tests above are decided by."""
    await two_workers.scene()
    free = {"enrollments.claim": ("AND lock_holder IS NULL", "")}
    with unlocked(two_workers, "enrollments.claim"), rewritten(two_workers, free):
        met = await meet(two_workers, claiming(two_workers, "w1"), claiming(two_workers, "w2"))

    assert (1, 1, True) == (len(met.first), len(met.second), met.waited)


async def entering_and_archiving(life):
    """Archive a sequence while somebody enters it; return who entered, who was stopped, and the newcomer's status."""
    scene = await life.scene()
    ids = {"workspace_id": scene.workspace.id}
    await life.store.write(enrollments.stop, **ids, enrollment_id=scene.run.id, cause="to be alone", now=life.now)
    newcomer = await life.store.write(builders.lead, scene.workspace, "second@lead.example")

    def enter(tx):
        facts = {"sequence_name": "q4", "lead_ids": [newcomer.id], "source_list": None, "keys": KEYS, "now": life.now}
        return enrollments.enroll(tx, **ids, **facts).enrolled

    def archive(tx):
        return sequences.archive(tx, **ids, name="q4", stop_active=True, now=life.now)

    met = await meet(life, enter, archive)
    run = await life.store.read(builders.enrollment_of, scene.workspace, newcomer)
    return met.first, met.second, run.status


async def test_nobody_enters_a_sequence_that_is_being_archived(two_workers):
    """Archiving waits for who is entering, and stops them too; none is left active in an archived sequence."""
    assert (1, 1, EnrollmentStatus.STOPPED) == await entering_and_archiving(two_workers)


async def test_somebody_is_left_active_in_an_archived_sequence_that_nobody_held(two_workers):
    """What the race above is decided by: who enters holds the sequence."""
    with unlocked(two_workers, "sequences.hold"):
        outcome = await entering_and_archiving(two_workers)

    assert (1, 0, EnrollmentStatus.ACTIVE) == outcome
