"""No literal tag and no "Hi ," ever goes out, lead data is never parsed, and one seed serves all parts."""

import html as stdlib_html
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.templates import (
    MissingValue,
    Part,
    Rendered,
    RenderedParts,
    Template,
    TemplateError,
    compile_template,
    render,
    render_parts,
)

VALUES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
HOSTILE = st.lists(
    st.sampled_from(["{{ x }}", "{a|b}", "{% if %}", "&", "<b>", "'", '"', "\n", "{", "}}", "Ann"]), max_size=8
).map("".join)
BLANKS = st.sampled_from([None, "", " ", "\t\n", "\u00a0", "\u200b", "\ufeff \u2060", "\x00"])
SEEDS = st.binary(max_size=8)


def outcome(source: str, part: Part = Part.TEXT, /, **fields: object) -> Rendered | MissingValue:
    """Compile and render in one go."""
    return render(compile_template(source, part=part), fields, seed=b"seed")


def compiled_or_refused(source: str, part: Part) -> Template | TemplateError:
    """Give what compiling gives."""
    try:
        return compile_template(source, part=part)
    except TemplateError as refused:
        return refused


def shown(value: str) -> bool:
    """Tell whether a value has any ink."""
    return isinstance(outcome("{{ x }}", x=value), Rendered)


@given(value=VALUES | HOSTILE, seed=SEEDS)
def test_a_value_goes_into_text_as_it_is(value: str, seed: bytes):
    """Neither Liquid, nor spintax, nor HTML escaping touches it; only control characters go."""
    printable = "".join(
        character
        for character in value.replace("\r\n", "\n").replace("\r", "\n")
        if character in "\n\t" or not (character < " " or "\x7f" <= character <= "\x9f")
    )
    template = compile_template("{Dear|Dear} {{ x }}!", part=Part.TEXT)
    expected = Rendered(f"Dear {printable}!") if shown(value) else MissingValue("x")

    assert expected == render(template, {"x": value}, seed=seed)


@given(value=HOSTILE.filter(str.strip))
def test_a_value_in_html_is_escaped_and_shows_as_it_is(value: str):
    """A reader sees the value, and the markup around it is safe."""
    match outcome("<p title='{{ x }}'>{{ x }}</p>", Part.HTML, x=value):
        case Rendered(text=text):
            inner = text.removeprefix("<p title='").partition("'>")[0]

            assert value == stdlib_html.unescape(inner)
            assert text == f"<p title='{inner}'>{inner}</p>"
            assert not set("<>\"'") & set(inner)
        case MissingValue():
            pytest.fail("there is ink in every value")


@given(value=VALUES)
def test_a_subject_is_one_line_without_entities(value: str):
    """`St Mary&#39;s` in a subject is the classic fault; a line break in one is header injection."""
    match outcome("For {{ x }}", Part.SUBJECT, x=f"St Mary's & co {value}"):
        case Rendered(text=text):
            assert text.startswith("For St Mary's & co")
            assert 1 == len(text.splitlines())
        case MissingValue():
            pytest.fail("there is ink in the value")


@given(blank=BLANKS, part=st.sampled_from(list(Part)))
def test_a_blank_value_without_a_default_is_missing(blank: str | None, part: Part):
    """Held with the field's name, never "Hi ,", whatever kind of blank it is."""
    template = compile_template("Hi {{ first_name }},", part=part)

    assert MissingValue("first_name") == render(template, {"first_name": blank}, seed=b"")
    assert MissingValue("first_name") == render(template, {}, seed=b"")


@given(blank=BLANKS, part=st.sampled_from(list(Part)))
def test_a_default_stands_for_every_blank(blank: str | None, part: Part):
    """Also behind other filters."""
    for source in ('Hi {{ x | default: "there" }},', 'Hi {{ x | strip | capitalize | default: "there" }},'):
        assert Rendered("Hi there,") == render(compile_template(source, part=part), {"x": blank}, seed=b"")


@pytest.mark.parametrize(
    "source, missing",
    [
        ("{{ a | upcase }}", "a"),
        ("{{ a | replace: 'x', '' }}", "a"),
        ("{{ b | default: a }}", "a"),
        ("{{ c | append: a }}", "a"),
        ("{{ c | default: a | prepend: a }}", "a"),
        ("{% if c %}{{ a }}{% endif %}", "a"),
        ("{{ c | date: '%d' }}", "c"),
        ("{{ a | split: ' ' | first }}", "a"),
        ("{% if a %}never{% endif %}", "text"),
    ],
)
def test_what_would_come_out_blank_is_missing(source: str, missing: str):
    """The rule is about what is shown, not about what is stored; an empty message counts as blank."""
    assert MissingValue(missing) == outcome(source, a=" ", c="no date")


def test_an_author_may_ask_for_nothing():
    """`default: ""` is a decision."""
    assert Rendered("Hi ,") == outcome('Hi {{ x | default: "" }},')


def test_a_field_in_a_branch_not_taken_is_not_missing():
    """Conditions are how authors deal with what they do not know."""
    source = "{% if title %}As {{ title }}, you{% else %}You{% endif %} decide."

    assert Rendered("You decide.") == outcome(source)
    assert Rendered("You decide.") == outcome(source, title=" ")
    assert Rendered("As CEO, you decide.") == outcome(source, title="CEO")


@pytest.mark.parametrize(
    "condition, fields, truth",
    [
        ("a == blank", {}, True),
        ("a == blank", {"a": " "}, True),
        ("a != empty", {"a": "x"}, True),
        ("a == ''", {}, True),
        ("a > 50", {"a": "60"}, True),
        ("a > 50", {"a": "7"}, False),
        ("a >= 50", {"a": 50}, True),
        ("a < 2.5", {"a": Decimal("2.25")}, True),
        ("a > 50", {"a": "many"}, False),
        ("a > 50", {}, False),
        ("a contains 'CEO'", {"a": "Deputy CEO"}, True),
        ("a contains 'CEO'", {}, False),
        ("a contains b", {"a": 15, "b": 5}, True),
        ("a == 'x' or b == 'y'", {"b": "y"}, True),
        ("a and b", {"a": "x"}, False),
        ("a", {"a": False}, False),
        ("a == true", {"a": True}, True),
        ("a < b", {"a": float("nan"), "b": 1}, False),
    ],
)
def test_conditions_never_fail(condition: str, fields: dict[str, object], truth: bool):  # noqa: FBT001 - a table of truths
    """CSV columns are text and often absent; a comparison is then false, not an error."""
    source = f"{{% if {condition} %}}yes{{% else %}}no{{% endif %}}"

    assert Rendered("yes" if truth else "no") == outcome(source, **fields)


@pytest.mark.parametrize(
    "source, expected",
    [
        ("{{ name | upcase }}", "ANN LEE"),
        ("{{ name | downcase }}", "ann lee"),
        ("{{ name | capitalize }}", "Ann lee"),
        ("{{ shout | titlecase }}", "O'neill & Söhne"),
        ("{{ name | split: ' ' | first }}", "Ann"),
        ("{{ name | split: ' ' | last }}", "Lee"),
        ("{{ name | truncate: 6 }}", "Ann..."),
        ('{{ name | truncate: 4, "…" }}', "Ann…"),
        ("{{ name | truncatewords: 1 }}", "Ann..."),
        ("{{ name | replace: 'Lee', 'Li' }}", "Ann Li"),
        ("{{ name | append: '!' | prepend: '*' }}", "*Ann Lee!"),
        ("{{ padded | strip }}", "x"),
        ("{{ when | date }}", "1 December 2026"),
        ("{{ when | date: '%A, %-d. %b %y %H:%M %p %%' }}", "Tuesday, 1. Dec 26 00:00 AM %"),
        ("{{ iso | date: '%d/%m/%Y %H:%M' }}", "02/12/2026 15:30"),
        ("{{ moment | date: '%F %I' }}", "2026-12-03 11"),
        ("{{ count }} {{ price }} {{ flag }}", "3 12.50 true"),
        ("{{ flag2 | default: 'no' }}", "no"),
        ("{{ flag2 | default: 'no', allow_false: true }}", "false"),
        ("{{ '{' }}{{ 'a|b' }}}", "{a|b}"),
        ("a{%- if name -%} b {%- endif %} c", "ab c"),
        ("{% case name %}{% when 'Ann Lee' %}A{% else %}B{% endcase %}", "A"),
        ("{% unless nobody %}U{% endunless %}{% comment %}{{ x }}{% endcomment %}", "U"),
        ("{% raw %}{{ x }} {a|b}{% endraw %}", "{{ x }} {a|b}"),
    ],
)
def test_what_templates_can_say(source: str, expected: str):
    """The documented subset of Liquid."""
    fields: dict[str, object] = {
        "name": "Ann Lee",
        "shout": "O'NEILL & SÖHNE",
        "padded": " x ",
        "when": date(2026, 12, 1),
        "iso": "2026-12-02T15:30:00",
        "moment": datetime(2026, 12, 3, 23, 5, tzinfo=UTC),
        "count": 3,
        "price": Decimal("12.50"),
        "flag": True,
        "flag2": False,
    }

    assert Rendered(expected) == outcome(source, **fields)


@pytest.mark.parametrize(
    "source, line, words",
    [
        ("\n{% for x in y %}{{ x }}{% endfor %}", 2, "no loops"),
        ("{% include 'x' %}", 1, "not available"),
        ("{% render 'x' %}", 1, "not available"),
        ("{% assign a = 1 %}x", 1, "not available"),
        ("{% capture a %}x{% endcapture %}", 1, "not available"),
        ("{% liquid echo a %}", 1, "not available"),
        ("a\nb {{ name | shout }}", 2, "there is no filter 'shout': use append, capitalize"),
        ("{{ name | truncate: 'x' }}", 1, "whole number"),
        ("{{ name | truncate: 1, 2, 3 }}", 1, "does not take these arguments"),
        ("{{ name | default }} {{ name | replace }}", 1, "does not take these arguments"),
        ("{{ when | date: '%Q' }}", 1, "%Q"),
        ("{{ company.name }}", 1, "first_name"),
        ("{{ FirstName }}", 1, "first_name"),
        ("{{ a[0] }}", 1, "first_name"),
        ("{% if Big %}x{% endif %}", 1, "first_name"),
        ("x\n{{ name", 2, "}}"),
        ("x {{ name }", 1, "}}"),
        ("x {% if name", 1, "%}"),
        ("{% if name %}x", 1, "endif"),
        ("{% endif %}", 1, "endif"),
        ("{{ }}", 1, "Liquid"),
        ("{{ nil }}", 1, "never shows anything"),
        ("{{ 'now' | date }}", 1, "never shows anything"),
        ("{{ name | default: “there” }}", 1, "“"),
        ("{a {% if x %}|b}{% endif %}", 1, "same option"),
        ("{% if x %}{a|b{% endif %}}", 1, "same option"),
        ("{a|{% else %}}", 1, "same option"),
        (" \n", 1, "empty"),
        ("x" * 300_000, 1, "256 KB"),
        ("{%if a%}" * 40 + "x" + "{%endif%}" * 40, 1, "deeper than 16"),
    ],
)
def test_a_template_that_cannot_work_is_refused_with_line_and_remedy(source: str, line: int, words: str):
    """At publishing, for every option that spintax may choose; not when the first lead is due."""
    with pytest.raises(TemplateError) as refused:
        compile_template(source, part=Part.TEXT)
    assert line == refused.value.line
    assert words in refused.value.message


def test_a_subject_of_two_lines_is_refused():
    """The YAML block that holds it may end in a line break; the subject may not hold one."""
    with pytest.raises(TemplateError, match="one line"):
        compile_template("a\nb", part=Part.SUBJECT)
    assert Rendered("a") == outcome("a\n", Part.SUBJECT)


def test_the_clock_is_no_field():
    """The library answers `now` and `today` from the clock; a retry tomorrow would say something else."""
    assert MissingValue("now") == outcome("{{ now }}")
    assert MissingValue("today") == outcome("{{ today }}")


def test_every_field_is_listed_wherever_it_is_read():
    """Publishing compares them with what leads have."""
    source = "{a {{ b | default: c }}|{% if d > e %}{{ f }}{% elsif g contains h %}x{% endif %}}{{ i | append: j }}"

    assert frozenset("bcdefghij") == compile_template(source, part=Part.TEXT).fields


def test_likely_slips_are_kept_with_the_template():
    """A warning for its author; the template itself can be sent."""
    template = compile_template("Hi {first_name}", part=Part.TEXT)

    assert ["{first_name}"] == [problem.message.split()[0] for problem in template.problems]
    assert Rendered("Hi {first_name}") == render(template, {}, seed=b"")


@given(
    source=st.lists(
        st.sampled_from(["{", "}", "|", "{{", "}}", "{%", "%}", "a", " if ", "endif", "'", '"', "<b>", "</b>", "\n"]),
        max_size=25,
    ).map("".join)
)
def test_any_source_compiles_or_is_refused_in_a_sentence(source: str):
    """And what compiles renders under every seed, to text or to a missing field."""
    for part in Part:
        template = compiled_or_refused(source, part)
        if isinstance(template, TemplateError):
            assert template.message
            assert 1 <= template.line <= source.count("\n") + 1
            continue
        for seed in (b"1", b"2", b"3", b"4"):
            assert isinstance(render(template, {"a": "A"}, seed=seed), Rendered | MissingValue)


@given(seed=SEEDS)
def test_all_parts_of_a_message_choose_alike(seed: bytes):
    """One seed per enrollment and step: subject, text and HTML tell one story, and so does a retry."""
    subject = compile_template("{Hi|Hello|Hey} {{ name }}", part=Part.SUBJECT)
    text = compile_template("{Hi|Hello|Hey} {{ name }},", part=Part.TEXT)
    html = compile_template("<style>p {a|b}</style><p>{Hi|Hello|Hey} {{ name }}</p>", part=Part.HTML)
    match render_parts(subject, text, html, {"name": "Acme {EU|US}"}, seed):
        case RenderedParts(subject=rendered_subject, text=rendered_text, html=rendered_html):
            assert rendered_text == f"{rendered_subject},"
            assert rendered_html == f"<style>p {{a|b}}</style><p>{rendered_subject}</p>"
            assert rendered_text.endswith("Acme {EU|US},")
        case MissingValue():
            pytest.fail("nothing is missing")


def test_a_missing_value_in_any_part_holds_the_whole_message():
    """Also where only the HTML part reads it; a follow-up has no subject of its own."""
    text = compile_template("Hi", part=Part.TEXT)
    html = compile_template("<p>{{ name }}</p>", part=Part.HTML)

    assert MissingValue("name") == render_parts(None, text, html, {}, b"")
    assert RenderedParts(subject=None, text="Hi", html=None) == render_parts(None, text, None, {}, b"")


def test_huge_values_are_held_and_never_multiplied():
    """A value, a chain of filters and a whole part are bounded."""
    growing = " | ".join(["{{ a"] + ["replace: 'x', 'xxxxxxxxxx'"] * 12) + " }}"

    assert MissingValue("a") == outcome("{{ a }}", a="x" * 10_001)
    assert MissingValue("a") == outcome(growing, a="x")
    assert MissingValue("a") == outcome("{{ a }}" * 200, a="x" * 9_999)
