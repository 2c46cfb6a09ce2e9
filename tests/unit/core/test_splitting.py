"""Chance follows from ids: even, independent by purpose, and the same for everybody who asks."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.splitting import choose, in_share, uniform

KEYS = st.text(max_size=40)
WEIGHTS = st.lists(st.integers(0, 50), min_size=1, max_size=6).map(
    lambda weights: [(str(index), weight) for index, weight in enumerate(weights)]
)
POPULATION = 10_000
PINNED = [0.7353074808029206, 0.23879141113477664]


def spread(count: int, share: float) -> float:
    """Say how far a fair count may lie from what is expected: five standard deviations."""
    return 5 * math.sqrt(count * share * (1 - share))


@given(key=KEYS, purpose=KEYS)
def test_a_number_belongs_to_key_and_purpose(key: str, purpose: str):
    """In [0, 1), the same at every call; where the key ends and the purpose begins makes a difference."""
    number = uniform(key, purpose)

    assert 0 <= number < 1
    assert number == uniform(key, purpose)
    assert number != uniform(f"{key}x", purpose)
    assert number != uniform(key, f"{purpose}x")


def test_numbers_are_pinned():
    """A change of derivation would move every lead to another variant; it needs a migration."""
    assert PINNED == [uniform("enrollment", purpose) for purpose in ("holdout", "variant/intro")]


def test_numbers_are_spread_evenly():
    """Each tenth of the range gets a tenth of the keys."""
    tenths = Counter(int(uniform(f"key {number}", "spread") * 10) for number in range(POPULATION))

    assert set(range(10)) == set(tenths)
    assert spread(POPULATION, 0.1) > max(abs(count - POPULATION / 10) for count in tenths.values())


def test_purposes_are_independent():
    """Who is in one half for one purpose is as likely as not in the other half for another."""
    both = sum(
        uniform(f"key {number}", "one") < 0.5 and uniform(f"key {number}", "two") < 0.5 for number in range(POPULATION)
    )

    assert spread(POPULATION, 0.25) > abs(both - POPULATION / 4)


@given(weights=WEIGHTS, key=KEYS, purpose=KEYS)
def test_only_what_has_weight_is_chosen(weights: list[tuple[str, int]], key: str, purpose: str):
    """And alike at every call; a weight of 0 turns a variant off."""
    possible = {name for name, weight in weights if weight}
    if not possible:
        with pytest.raises(ValueError, match="at least one weight"):
            choose(weights, key=key, purpose=purpose)
        return

    assert choose(weights, key=key, purpose=purpose) in possible
    assert choose(weights, key=key, purpose=purpose) == choose(tuple(weights), key=key, purpose=purpose)


@given(weights=WEIGHTS.filter(lambda weights: any(weight for _, weight in weights)), key=KEYS)
def test_scaling_all_weights_changes_no_choice(weights: list[tuple[str, int]], key: str):
    """1:1 and 50:50 are the same split."""
    scaled = [(name, weight * 7) for name, weight in weights]

    assert choose(weights, key=key, purpose="p") == choose(scaled, key=key, purpose="p")


def test_choices_keep_their_proportions():
    """Weights are shares."""
    weights = [("a", 1), ("b", 2), ("c", 5)]
    counts = Counter(choose(weights, key=f"key {number}", purpose="p") for number in range(POPULATION))

    for name, weight in weights:
        assert spread(POPULATION, weight / 8) > abs(counts[name] - POPULATION * weight / 8)


@given(key=KEYS, less=st.floats(0, 100), more=st.floats(0, 100))
def test_nobody_leaves_a_share_that_grows(key: str, less: float, more: float):
    """Raising a holdout keeps those who are in it; 0 is nobody, 100 everybody."""
    less, more = sorted((less, more))

    assert not in_share(less, key=key, purpose="p") or in_share(more, key=key, purpose="p")
    assert not in_share(0, key=key, purpose="p")
    assert in_share(100, key=key, purpose="p")


def test_a_share_is_as_large_as_it_says():
    """Five per cent are five per cent."""
    count = sum(in_share(5, key=f"key {number}", purpose="holdout") for number in range(POPULATION))

    assert spread(POPULATION, 0.05) > abs(count - POPULATION * 0.05)


@pytest.mark.parametrize("percent", [-0.1, 100.1, float("nan"), float("inf")])
def test_a_share_outside_its_range_is_refused(percent: float):
    """It is a mistake in a sequence file, not a lot or a little."""
    with pytest.raises(ValueError, match="0 to 100"):
        in_share(percent, key="k", purpose="p")


def test_a_negative_weight_is_refused():
    """It would shift every other share."""
    with pytest.raises(ValueError, match="from 0"):
        choose([("a", 2), ("b", -1)], key="k", purpose="p")
