"""The engine's lock remembers whose lease the next engine may find."""

from relance.storage.opening import engine_lock


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
