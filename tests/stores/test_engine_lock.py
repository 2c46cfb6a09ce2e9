"""The engine's lock remembers whose lease the next engine may find."""

import pytest

from relance.storage.opening import EngineRunningError, engine_lock


def test_the_lock_names_everybody_who_may_have_left_a_lease(tmp_path):
    """Who died before taking the lease did not free the one before; once ours is taken, all of them are forgotten."""
    path = tmp_path / "engine.lock"
    with engine_lock(path, worker="first") as first:
        first.settled()
    with engine_lock(path, worker="second"):
        pass  # ended before it had the lease
    with engine_lock(path, worker="third") as third:
        third.settled()
    with engine_lock(path, worker="fourth") as fourth:
        pass

    assert [(), ("first", "second"), ("third",)] == [lock.dead for lock in (first, third, fourth)]


def test_several_engines_have_places_of_their_own_where_that_is_allowed(tmp_path):
    """Each finds the names of those that had its own place, and of nobody who lives."""
    path = tmp_path / "engine.lock"
    with (
        engine_lock(path, worker="first", places=2) as first,
        engine_lock(path, worker="second", places=2) as second,
        pytest.raises(EngineRunningError),
        engine_lock(path, worker="third", places=2),
    ):
        pass
    with engine_lock(path, worker="fourth", places=2), engine_lock(path, worker="fifth", places=2) as fifth:
        pass

    assert ["engine.lock", "engine-2.lock"] == [lock.path.name for lock in (first, second)]
    assert [(), (), ("second",)] == [lock.dead for lock in (first, second, fifth)]
