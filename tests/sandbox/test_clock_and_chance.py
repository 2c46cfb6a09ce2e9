"""Time and chance of the sandbox."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.sandbox.chance import below, draw, pick
from relance.sandbox.clock import SandboxClock

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_the_clock_stands_still_until_it_jumps():
    """Only a jump moves sandbox time."""
    clock = SandboxClock(NOON)
    clock.jump(NOON + timedelta(days=3))

    assert NOON + timedelta(days=3) == clock.now()


def test_the_clock_never_goes_back():
    """A jump into the past is a mistake of the caller."""
    clock = SandboxClock(NOON)

    with pytest.raises(ValueError, match="cannot go back"):
        clock.jump(NOON - timedelta(seconds=1))


@pytest.mark.parametrize("naive", [datetime(2026, 11, 30, 12)])  # noqa: DTZ001 -- that is the point
def test_the_clock_knows_aware_times_only(naive: datetime):
    """A naive time says nothing about when it is."""
    with pytest.raises(ValueError, match="aware"):
        SandboxClock(naive)
    with pytest.raises(ValueError, match="aware"):
        SandboxClock(NOON).jump(naive)


@given(seed=st.integers(), what=st.text(), limit=st.integers(min_value=1, max_value=1_000))
def test_chance_repeats_and_stays_in_its_bounds(seed: int, what: str, limit: int):
    """The same seed and subject give the same draw, within bounds."""
    assert draw(seed, what) == draw(seed, what)
    assert 0 <= draw(seed, what) < 1
    assert 0 <= below(seed, limit, what) < limit
    assert pick(seed, "abc", what) in "abc"


def test_another_seed_draws_otherwise():
    """The seed matters."""
    assert len({draw(seed, "same") for seed in range(100)}) == 100
