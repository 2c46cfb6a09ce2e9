"""One spelling for every address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.services.addresses import BadAddressError, clean_address


@pytest.mark.parametrize(
    "written,kept",
    [
        (" Anna@Example.COM\t", "anna@example.com"),
        ("<anna@example.com>", "anna@example.com"),
        ("mailto:anna@example.com", "anna@example.com"),
        ("anna@example.com\u200b", "anna@example.com"),
        ("o'neil+tag@ex-ample.co.uk", "o'neil+tag@ex-ample.co.uk"),
        ("anna@münchen.de", "anna@xn--mnchen-3ya.de"),
        ("anna@office.test", "anna@office.test"),
        ("anna@localhost", "anna@localhost"),
    ],
)
def test_an_address_is_kept_as_it_is_compared(written, kept):
    """Trimmed, case-folded, its domain in ASCII; domains of one's own machines are welcome."""
    assert kept == clean_address(written)


@pytest.mark.parametrize(
    "written",
    [
        "", " ", "anna", "@example.com", "anna@", "anna@@example.com", "an na@example.com", "anna@example",
        "anna@exam ple.com", "anna@example..com", ".anna@example.com", "anna.@example.com", "anna@1.2.3.4",
        "anna@[1.2.3.4]", "a@example.com,b@example.com", "jürgen@example.com", "an\0na@example.com",
        f"{'a' * 400}@example.com", f"anna@{'a' * 64}.com", "Anna <anna@example.com",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_a_reason(written):
    """The reason stands apart from the address, so that a list of bad rows can show it."""
    with pytest.raises(BadAddressError) as refused:
        clean_address(written)

    assert refused.value.reason


@given(st.text(max_size=60) | st.emails())
def test_cleaning_twice_is_cleaning_once(text):
    """Property: what comes out goes in unchanged; anything else is refused, never worse."""
    try:
        once = clean_address(text)
    except BadAddressError:
        return

    assert once == clean_address(once)
    assert once == once.casefold().strip()
