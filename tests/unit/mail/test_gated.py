"""A gate in front of a pattern never hides what the pattern finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.bounce_phrases import PHRASES
from relance.mail.bounce_reasons import prepared
from relance.mail.dialects import DIALECTS
from relance.mail.gated import gated

PATTERNS = [row.words for row in DIALECTS] + [pattern for _, patterns in PHRASES for pattern in patterns]


@pytest.mark.parametrize(
    "pattern,words",
    [
        (r"mailbox full|over quota", ("mailbox full", "over quota")),
        (r"users? unknown", (" unknown",)),
        (r"\buser (?:un)?known\b", ("user ",)),
        (r"5\.7\.1 blocked", ("5.7.1 blocked",)),
        (r"[ab]ox|quota", ()),
        (r"no (?:such|valid) user", (" user",)),
        (r"a{4}bcde", ("bcde",)),
    ],
)
def test_the_words_of_a_gate_are_read_off_the_pattern(pattern: str, words: tuple[str, ...]):
    """Nothing that may be missing, nothing from within brackets; too short a word opens the gate."""
    assert words == gated(pattern).words


@given(st.sampled_from(PATTERNS).flatmap(lambda pattern: st.tuples(st.just(pattern), st.from_regex(pattern))))
def test_whatever_a_pattern_matches_passes_its_gate(drawn: tuple[str, str]):
    """Texts made from the pattern itself, as the patterns meet them."""
    pattern, text = drawn
    plain = prepared(text)

    assert bool(re.search(pattern, plain)) == bool(gated(pattern).search(plain))
