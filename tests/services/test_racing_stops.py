"""Whatever stops a person, against the last look, both open at the same time over PostgreSQL.

Rule 1: a stop that was in hand when the last look began wins; the last look waits for it and reads in new statements.
Rule 2: a stop that comes while the last look is in hand waits, and then finds a message in flight.
"""

from typing import Any

import pytest

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import WALKING
from relance.core.suppression import SuppressionReason
from relance.mail.classify import classify
from relance.mail.parse import parse
from relance.ports.connector import Accepted
from relance.services import enrollments, ingestion, leads, sending, sequences, suppressions
from relance.services.refusals import LostRaceError
from relance.testing import letters
from relance.testing.builders import KEYS
from services.life import WORKER
from services.races import Service, meet, unlocked

pytestmark = pytest.mark.postgres

PERSON, RUN, LEAD = "leads.lock_of_enrollment", "enrollments.lock", "leads.lock"
SECOND = "ann@second.example"


async def about_to_follow_up(life):
    """Send a first message and reserve the second; return the scene, the first message and the reservation."""
    scene = await life.scene()
    await life.rename(scene, external_id="a-1")
    raw = await life.send()
    life.later(days=1)
    return scene, raw, await life.reserved()


def looking(life, reserved):
    """Return the transaction of the last look."""

    def look(tx):
        return sending.begin(
            tx,
            reserved,
            subject="Question",
            worker=WORKER,
            keys=KEYS,
            now=life.now,
            release_by=life.later(seconds=20),
        )

    return look


async def arriving(life, scene, raw):
    """Fetch a message and return the transaction that understands it."""
    await life.stage(scene.box, raw)
    ids = {"workspace_id": scene.workspace.id, "mailbox_id": scene.box.id}
    (staged,) = await life.store.read(ingestion.staged_of, **ids, limit=10)
    message = parse(raw)
    own = frozenset({scene.box.address})
    meaning = classify(message, own_addresses=own, received_at=staged.internal_date)

    def understand(tx):
        return ingestion.ingest(tx, staged=staged, message=message, classification=meaning, keys=KEYS, now=life.now)

    return understand


async def stopping(life, kind, scene, raw):
    """Return the transaction of one kind of stop."""
    acme, now = {"workspace_id": scene.workspace.id}, life.now
    one = {**acme, "enrollment_id": scene.run.id, "cause": "by hand", "now": now}
    ann: Any = {**acme, "email": scene.lead.email, "now": now}
    known: Any = {**acme, "email": SECOND, "values": {"external_id": "a-1"}, "source": "import", "list_name": None}
    by_hand: dict[str, Service] = {
        "pause": lambda tx: enrollments.pause(tx, **one),
        "stop": lambda tx: enrollments.stop(tx, **one),
        "note": lambda tx: leads.note(tx, **ann, text="called", author="bo"),
        "erasure": lambda tx: leads.erase(tx, **ann, keys=KEYS),
        "archive": lambda tx: sequences.archive(tx, **acme, name="q4", stop_active=True, now=now),
        "merge": lambda tx: leads.add(tx, **known, now=now),
    }
    answers: dict[str, Any] = {"reply": letters.reply, "unsubscribe": letters.unsubscribe, "bounce": letters.bounce}
    if kind in answers:
        return await arriving(life, scene, answers[kind](raw, at=now))
    if kind == "merge":  # with an address that has opted out
        opt_out = {"reason": SuppressionReason.UNSUBSCRIBED, "source": "by hand", "now": now}
        await life.store.write(suppressions.suppress_address, **acme, address=SECOND, **opt_out)
    return by_hand[kind]


LEAVES_THE_ATTEMPT = ("pause", "note", "merge")
VOIDS_THE_ATTEMPT = ("stop", "erasure", "archive", "reply", "unsubscribe", "bounce")


@pytest.mark.parametrize("kind", LEAVES_THE_ATTEMPT + VOIDS_THE_ATTEMPT)
async def test_a_stop_that_is_in_hand_wins_against_the_last_look(two_workers, kind):
    """The last look waits for it, and then sees what it has written."""
    life = two_workers
    scene, raw, reserved = await about_to_follow_up(life)
    met = await meet(life, await stopping(life, kind, scene, raw), looking(life, reserved))
    attempts = await life.attempts(scene.run)

    assert met.waited
    assert isinstance(met.second, sending.Withheld)
    assert AttemptStatus.IN_FLIGHT not in {attempt.status for attempt in attempts}


@pytest.mark.parametrize("kind", LEAVES_THE_ATTEMPT)
async def test_a_stop_that_is_in_hand_loses_where_nobody_locks_the_person(two_workers, kind):
    """What the race above is decided by: without the locks the message leaves."""
    life = two_workers
    scene, raw, reserved = await about_to_follow_up(life)
    with unlocked(life, PERSON, RUN, LEAD):
        met = await meet(life, await stopping(life, kind, scene, raw), looking(life, reserved))

    assert isinstance(met.second, sending.Begun)


@pytest.mark.parametrize("kind", VOIDS_THE_ATTEMPT)
async def test_a_withdrawn_attempt_is_not_begun_even_where_nobody_locks_the_person(two_workers, kind):
    """Behind the lock stands the revision: the row is not any more as it was read."""
    life = two_workers
    scene, raw, reserved = await about_to_follow_up(life)
    with unlocked(life, PERSON, RUN, LEAD):
        met = await meet(life, await stopping(life, kind, scene, raw), looking(life, reserved))

    assert isinstance(met.second, LostRaceError)


@pytest.mark.parametrize("kind", LEAVES_THE_ATTEMPT + VOIDS_THE_ATTEMPT)
async def test_a_stop_that_comes_during_the_last_look_waits_and_the_acceptance_is_recorded(two_workers, kind):
    """It comes after: what is in flight may leave, is recorded in whatever status, and nothing follows it."""
    life = two_workers
    scene, raw, reserved = await about_to_follow_up(life)
    stop = await stopping(life, kind, scene, raw)
    met = await meet(life, looking(life, reserved), stop)
    await life.confirm(reserved)
    run = await life.again(scene.run)

    assert met.waited
    assert isinstance(met.first, sending.Begun)
    assert not isinstance(met.second, LostRaceError)
    assert AttemptStatus.SENT is (await life.attempt(reserved.attempt)).status
    assert (kind == "merge") == (run.status in WALKING)
    assert kind == "merge" or 2 == run.step_counter


async def opting_out_while_it_waits(life):
    """Write an opt-out, and commit it together with something that the last look waits for."""
    scene, _, reserved = await about_to_follow_up(life)

    def opt_out(tx):
        tx.one(int, LEAD, workspace_id=scene.workspace.id, id=scene.lead.id)
        return suppressions.suppress_address(
            tx,
            workspace_id=scene.workspace.id,
            address=scene.lead.email,
            reason=SuppressionReason.UNSUBSCRIBED,
            source="one click",
            now=life.now,
            tombstone_key=KEYS.tombstone,
        )

    return (await meet(life, opt_out, looking(life, reserved))).second


async def test_an_opt_out_that_commits_while_the_last_look_waits_wins(two_workers):
    """Suppressions are read after the lock, in a new statement: READ COMMITTED shows what was committed meanwhile."""
    assert isinstance(await opting_out_while_it_waits(two_workers), sending.Withheld)


async def test_an_opt_out_is_missed_where_the_last_look_does_not_wait(two_workers):
    """What the race above is decided by: the lock on the person comes before anything is read."""
    with unlocked(two_workers, PERSON):
        outcome = await opting_out_while_it_waits(two_workers)

    assert isinstance(outcome, sending.Begun)


async def test_an_acceptance_that_meets_an_answer_is_recorded_behind_it(two_workers):
    """Confirming waits for the answer's transaction; the run has ended, and the acceptance stands on it."""
    life = two_workers
    scene, raw, reserved = await about_to_follow_up(life)
    await life.store.write(looking(life, reserved))
    answer = await arriving(life, scene, letters.reply(raw, at=life.now))
    sent = life.compose(reserved)

    def confirm(tx):
        ids = {"workspace_id": scene.workspace.id, "attempt_id": reserved.attempt.id, "trace": reserved.attempt.trace}
        return sending.confirm(
            tx, **ids, accepted=Accepted(response="250 ok"), raw=sent, content_key="key", now=life.now
        )

    met = await meet(life, answer, confirm)
    run = await life.again(scene.run)

    assert met.waited
    assert AttemptStatus.SENT is met.second.status
    assert (2, False) == (run.step_counter, run.status in WALKING)
