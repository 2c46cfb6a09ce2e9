"""Follow-ups stay in their thread, however long it grows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.threading import MAX_CHARACTERS, MAX_REFERENCES, references_for, reply_subject

IDS = st.from_regex(r"\A<[a-z0-9]{1,300}@[a-z]{1,20}\.test>\Z")


@given(subject=st.text(max_size=60))
def test_answering_an_answer_changes_no_subject(subject: str):
    """`Re: ` stands there once, or mail programs open a new thread."""
    once = reply_subject(subject)

    assert once.startswith("Re:")
    assert once == reply_subject(once)


@pytest.mark.parametrize(
    "original",
    [
        "Offer",
        "Re: Offer",
        "RE: re:Offer",
        "AW: Offer",
        "SV: Re[2]: Offer",
        "Antw: RE: AW: Offer",
        "回复\uff1aOffer",
        " Re : Offer ",
    ],
)
def test_reply_prefixes_of_other_languages_are_folded(original: str):
    """One prefix, ours, whoever answered before."""
    assert "Re: Offer" == reply_subject(original)


@pytest.mark.parametrize("subject", ["Regarding prices", "Research: a plan", "Results", "Fwd: Offer", "A: b"])
def test_words_that_only_look_like_prefixes_stay(subject: str):
    """Cutting them would change what the author wrote."""
    assert f"Re: {subject}" == reply_subject(subject)


@given(previous=st.lists(IDS, max_size=60), parent=IDS)
def test_references_are_bounded_and_keep_both_ends(previous: list[str], parent: str):
    """The root holds the thread together, the parent says what is answered (RFC 5322 §3.6.4)."""
    chain = references_for(previous, parent)
    others = [each for each in previous if each != parent]

    assert parent == chain[-1]
    assert (others[0] if others else parent) == chain[0]
    assert MAX_REFERENCES >= len(chain)
    assert MAX_CHARACTERS + 400 >= sum(map(len, chain))
    assert len(set(chain)) == len(chain)


@given(previous=st.lists(IDS, max_size=8, unique=True), parent=IDS)
def test_a_short_chain_is_kept_whole(previous: list[str], parent: str):
    """Oldest first, the parent last, each once."""
    assert (*(each for each in previous if each != parent), parent) == references_for(previous, parent)


def test_what_is_no_id_is_left_out():
    """Broken software puts words and bare addresses there; they would break the header we send."""
    assert ("<a@b.test>", "<c@d.test>") == references_for(["<a@b.test>", "no id", "<x y@z>", "<é@b>", ""], "<c@d.test>")
    assert () == references_for([], "")
