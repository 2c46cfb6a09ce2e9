"""A template that only fills in fields comes out as the library would have it, only sooner."""

from hypothesis import given
from hypothesis import strategies as st

from relance.mail.filters import is_blank
from relance.mail.liquid_rules import MissingFieldError
from relance.mail.liquid_source import parsed_liquid
from relance.mail.markup import Part
from relance.mail.plain_liquid import render_liquid
from relance.mail.signatures import Verbatim

PIECES = st.sampled_from(
    [
        "Hello <b>&", "\n", "{{ '{' }}", '{{ "it\'s" }}', "{{ a }}", "{{ b }}", '{{ a | default: "<there>" }}',
        '{{ b | default: "" }}', "{{ a | upcase }}", '{{ a | default: "x" | upcase }}', "{{ a | default: b }}",
        "{% if b %}yes{% endif %}", "{{- a -}}", "{{ a.b }}", "{{ c | default: false }}", "{{ 1 }}",
    ]
)  # fmt: skip
TEXTS = st.text(max_size=20).filter(lambda text: not is_blank(text) and "\r" not in text)
VALUES = st.dictionaries(st.sampled_from("abc"), TEXTS | TEXTS.map(Verbatim) | st.integers() | st.booleans())


def by_the_library(source: str, part: Part, values: dict[str, object]) -> str:
    """Return what comes out, or which field is missing."""
    try:
        return f"text {parsed_liquid(source, part).render(values)}"
    except MissingFieldError as missing:
        return f"missing {missing.field}"


@given(st.lists(PIECES, max_size=6).map("".join), st.sampled_from(Part), VALUES)
def test_what_is_rendered_here_is_what_the_library_renders(source: str, part: Part, values: dict[str, object]):
    """Escaping, defaults, missing fields, and whatever is not plain."""
    try:
        found = f"text {render_liquid(source, part, values)}"
    except MissingFieldError as missing:
        found = f"missing {missing.field}"

    assert by_the_library(source, part, values) == found
