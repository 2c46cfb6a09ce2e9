"""A link says whom it is for, to the installation that made it and to nobody else."""

from hypothesis import given
from hypothesis import strategies as st

from relance.core.unsubscribe_link import LETTERS, Link, read_link, write_link

KEY = b"a key of the tests"
LINKS = st.builds(
    Link,
    workspace_id=st.integers(0, 2**16 - 1),
    attempt_id=st.integers(0, 2**40 - 1),
    digest=st.binary(min_size=20, max_size=20).map(bytes.hex),
)


@given(link=LINKS)
def test_a_link_is_read_as_it_was_written(link: Link):
    """And has forty letters that need no escaping anywhere."""
    text = write_link(KEY, link)

    assert text is not None
    assert LETTERS == len(text)
    assert link == read_link(KEY, text)


@given(link=LINKS, at=st.integers(0, LETTERS - 1), letter=st.sampled_from("ABCxyz019-_"))
def test_a_link_that_was_changed_is_no_link(link: Link, at: int, letter: str):
    """One letter is enough."""
    text = str(write_link(KEY, link))
    changed = text[:at] + letter + text[at + 1 :]

    assert (link if changed == text else None) == read_link(KEY, changed)


@given(text=st.text(max_size=60))
def test_anything_else_is_no_link(text: str):
    """Strangers send whatever they like."""
    assert read_link(KEY, text) is None


def test_another_installations_link_is_none_of_ours():
    """The check is keyed."""
    link = Link(workspace_id=1, attempt_id=2, digest="00" * 20)

    assert read_link(b"another key", str(write_link(KEY, link))) is None


def test_ids_that_do_not_fit_give_no_link():
    """Opting out by mail is left then."""
    assert write_link(KEY, Link(workspace_id=2**16, attempt_id=1, digest="00" * 20)) is None
