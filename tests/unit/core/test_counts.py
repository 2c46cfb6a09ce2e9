"""Rates with their intervals, and differences that say how sure they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.counts import difference, rate

COUNTS = st.integers(0, 5_000).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))


@given(COUNTS)
def test_a_share_lies_in_its_interval(counted):
    """Also at nought and at all, where a simple interval has no width."""
    found = rate(*counted)

    assert found is None or 0 <= found.low <= found.share <= found.high <= 1


@given(COUNTS, COUNTS)
def test_a_difference_is_the_other_ones_opposite(one, other):
    """Whichever variant comes first says the same."""
    there, back = difference(*one, *other), difference(*other, *one)
    turned = None if back is None else pytest.approx([-back.points, -back.high, -back.low], abs=1e-9)

    assert turned == (None if there is None else [there.points, there.low, there.high])


def test_nothing_sent_has_no_rate():
    """Nought of nought is no share."""
    assert rate(0, 0) is None
    assert difference(0, 0, 1, 2) is None


def test_an_interval_is_as_in_the_books():
    """Wilson (1927): 15 of 148; Newcombe (1998), table II, method 10: 56 of 70 against 48 of 80."""
    found, apart = rate(15, 148), difference(56, 70, 48, 80)

    assert found is not None
    assert apart is not None
    assert pytest.approx([0.0624, 0.1605], abs=5e-4) == [found.low, found.high]
    assert pytest.approx([0.0524, 0.3339], abs=1e-3) == [apart.low, apart.high]
    assert apart.shown
