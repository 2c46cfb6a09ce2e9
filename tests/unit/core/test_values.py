"""A copy with changes is what the library's `replace` makes."""

from dataclasses import dataclass, fields
from dataclasses import replace as library_replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.values import copy_with
from unit.core.making import enrollment, mailbox, situation


@dataclass(frozen=True)
class Open:
    """Without slots."""

    width: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Checks what it is made of."""

    width: int

    def __post_init__(self) -> None:
        if self.width < 0:
            raise ValueError(self.width)


VALUES: list[Any] = [enrollment(), mailbox(), situation(), Open(1), Judged(1)]


@given(
    st.sampled_from(VALUES).flatmap(
        lambda value: st.tuples(
            st.just(value), st.sets(st.sampled_from([field.name for field in fields(value)]), max_size=4)
        )
    )
)
def test_a_copy_is_what_the_library_makes(case: tuple[Any, set[str]]):
    """Of every kind of dataclass, whatever is changed."""
    value, names = case
    changes = dict.fromkeys(names, 7)

    assert library_replace(value, **changes) == copy_with(value, **changes)
    assert type(value) is type(copy_with(value, **changes))


def test_what_is_no_field_is_refused_and_what_checks_itself_still_does():
    """A slip of the pen changes nothing in silence."""
    with pytest.raises(TypeError, match="widht"):
        copy_with(enrollment(), widht=7)
    with pytest.raises(ValueError, match="-1"):
        copy_with(Judged(1), width=-1)
