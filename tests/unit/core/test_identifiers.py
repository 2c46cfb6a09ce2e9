"""Ids can be made again from the same secret and facts, and say nothing to anyone else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.identifiers import ascii_domain, enrollment_uid, message_id, trace_header

SECRET = b"a secret of the tests"
SECRETS = st.binary(min_size=1, max_size=100)
TEXTS = st.text(max_size=30)
COUNTERS = st.integers(1, 10_000)
DOMAINS = st.from_regex(r"\A[a-z0-9]{1,20}(-[a-z0-9]{1,10})?\.(test|example)\Z")


@given(secret=SECRETS, uid=TEXTS, counter=COUNTERS, domain=DOMAINS)
def test_a_message_id_can_be_made_again(secret: bytes, uid: str, counter: int, domain: str):
    """A restored installation recognises its own mail; RFC 5322 §3.6.4 accepts the form."""
    made = message_id(secret, uid, counter, domain)

    assert made == message_id(secret, uid, counter, domain)
    assert re.fullmatch(rf"<[0-9a-f]{{32}}@{re.escape(domain)}>", made)


@given(one=st.tuples(SECRETS, TEXTS, COUNTERS), other=st.tuples(SECRETS, TEXTS, COUNTERS))
def test_different_facts_or_secrets_give_different_ids(one: tuple[bytes, str, int], other: tuple[bytes, str, int]):
    """Or a retry of one step would look like another's."""
    assert (one == other) == (message_id(*one, "a.test") == message_id(*other, "a.test"))
    assert (one == other) == (trace_header(*one) == trace_header(*other))


@given(uid=TEXTS, counter=COUNTERS)
def test_the_trace_says_nothing_about_the_message_id(uid: str, counter: int):
    """Both travel in one message, and neither holds what it is made of."""
    name, value = trace_header(SECRET, uid, counter)

    assert "X-Trace-Ref" == name
    assert re.fullmatch(r"[0-9a-f]{32}", value)
    assert value not in message_id(SECRET, uid, counter, "a.test")
    assert "relance" not in name.lower()


@given(workspace=TEXTS, sequence=TEXTS, email=st.emails())
def test_an_enrollment_is_named_by_what_it_is_unique_on(workspace: str, sequence: str, email: str):
    """Workspace, sequence and address, the address in any case; where one fact ends matters."""
    uid = enrollment_uid(SECRET, workspace, sequence, email)

    assert re.fullmatch(r"[0-9a-f]{32}", uid)
    assert uid == enrollment_uid(SECRET, workspace, sequence, f" {email.upper().lower()} ")
    assert uid != enrollment_uid(SECRET, f"{workspace}{sequence}x", "", email)


def test_ids_are_pinned():
    """A change of derivation would orphan every message that is under way."""
    assert "1e3f9494a45300d5b8a334d153f6d6dd" == enrollment_uid(SECRET, "w", "founders", "ann@lead.test")
    assert "<83e3295b2c5a6fbceb395cc12ce70ed4@xn--bro-hoa.example>" == message_id(SECRET, "e", 1, "büro.example")
    assert ("X-Trace-Ref", "b15a903708e1c5100e5658d122ae13e4") == trace_header(SECRET, "e", 1)


def test_an_id_needs_a_secret():
    """Without one anybody could make it."""
    with pytest.raises(ValueError, match="secret"):
        message_id(b"", "e", 1, "a.test")


@pytest.mark.parametrize(
    "written, expected",
    [
        ("Example.TEST.", "example.test"),
        ("büro.example", "xn--bro-hoa.example"),
        ("BÜRO.example", "xn--bro-hoa.example"),
        ("straße.example", "xn--strae-oqa.example"),
        ("日本。example", "xn--wgv71a.example"),
        ("localhost", "localhost"),
        ("under_score.test", "under_score.test"),
    ],
)
def test_a_domain_is_written_in_ascii(written: str, expected: str):
    """IDNA 2008 with the mapping of UTS 46."""
    assert expected == ascii_domain(written)


@pytest.mark.parametrize(
    "domain", ["", ".", "a..b", "-a.test", "a b.test", "a\r\nb", "x" * 64 + ".test", "a@b", "\u200b.test", "é" * 200]
)
def test_what_is_no_domain_is_refused(domain: str):
    """It would end in a header or in an SMTP command."""
    with pytest.raises(ValueError, match="is not a domain name"):
        ascii_domain(domain)
