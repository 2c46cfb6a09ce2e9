"""Folding keeps every word and never makes a line that is not needed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.headers import FOLD_AT, field, parameter, text_field

WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=120)


@given(words=st.lists(WORDS, min_size=1, max_size=20))
def test_folding_only_adds_line_ends(words: list[str]):
    """Unfolded, the field is what it would have been on one line (RFC 5322 §2.2.3)."""
    written = field("References", [(" ", word) for word in words]).decode()

    assert f"References: {' '.join(words)}\r\n" == written.replace("\r\n ", " ")


@given(words=st.lists(WORDS, min_size=1, max_size=20))
def test_a_line_is_long_only_where_one_word_is(words: list[str]):
    """And the first word never leaves the line of the name."""
    lines = field("References", [(" ", word) for word in words]).decode().splitlines()

    assert lines[0].startswith(f"References: {words[0]}")
    for line in lines[1:]:
        assert FOLD_AT >= len(line) or " " not in line.strip()


@given(text=st.text(st.characters(codec="utf-8", categories=("L", "N", "S", "P", "M")), min_size=1, max_size=300))
def test_encoded_words_are_at_most_75_characters(text: str):
    """RFC 2047 §2; and lines with them at most 76."""
    lines = text_field("Subject", f"é{text}").decode().splitlines()

    assert FOLD_AT >= max(map(len, lines))
    assert 75 >= max(len(word) for line in lines for word in line.split(" ") if word.startswith("=?"))


def test_plain_words_around_an_odd_one_stay_readable():
    """Only what needs it is encoded, so that `Re:` is seen by software that decodes nothing."""
    assert b"Subject: Re: about =?utf-8?b?S8O2bG4=?= tomorrow\r\n" == text_field("Subject", "Re: about Köln tomorrow")


def test_an_empty_subject_is_a_field_without_text():
    """A message may have one, and its header must still be there."""
    assert b"Subject: \r\n" == text_field("Subject", "  ")


@pytest.mark.parametrize("name", ["", "X Y", "X:Y", "-X", "é", "X\r\nBcc", "x" * 61])
def test_a_name_that_is_none_is_refused(name: str):
    """Names come from callers, too."""
    with pytest.raises(ValueError, match="name of a header"):
        field(name, [(" ", "a")])


def test_a_short_plain_parameter_is_quoted_and_no_more():
    """RFC 2231 is for those that need it: old software cannot read it."""
    assert [(" ", 'filename="a \\"b\\".pdf"')] == parameter("filename", 'a "b".pdf')
