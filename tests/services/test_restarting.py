"""What an engine finds when it starts where another one was killed."""

from datetime import timedelta

from relance.core.attempt import AttemptStatus
from relance.services import rescuing


async def test_what_an_earlier_engine_had_in_flight_is_unknown_at_once(life):
    """That engine is gone, so nobody will say what became of it: a find in Sent settles it without waiting."""
    await life.scene()
    _, attempt = await life.begun()
    life.later(seconds=1)
    left = await life.store.read(rescuing.left_behind, worker="w2", since=life.now, now=life.now, limit=10)
    await life.store.write(rescuing.give_up_on, left.abandoned[0], now=life.now)
    lost = await life.attempt(attempt)

    assert [attempt.id] == [one.id for one in left.abandoned]
    assert (AttemptStatus.UNKNOWN, life.now) == (lost.status, lost.next_look_at)


async def test_what_this_engine_has_in_flight_is_left_alone(life):
    """Its sender is at work until the last moment of the dot has passed."""
    await life.scene()
    since = life.now - timedelta(seconds=1)
    await life.begun()
    left = await life.store.read(
        rescuing.left_behind, worker="w1", since=since, now=life.now + timedelta(seconds=20), limit=10
    )

    assert [] == left.abandoned
