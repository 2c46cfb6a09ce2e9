"""Spintax is spun in what the author wrote, and nowhere else; one seed, one choice."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.markup import Part, scan
from relance.mail.spintax import MAX_DEPTH, Problem, chosen, parse

TEXTS = st.text(st.sampled_from("{}|%<>\"'ab /=-!\n"), max_size=120)
PIECES = st.lists(
    st.sampled_from(
        [
            "{",
            "}",
            "|",
            "{{",
            "}}",
            "{% if a %}",
            "{% endif %}",
            "{{ a }}",
            "<p>",
            "<a href='",
            "'>",
            "<!--",
            "-->",
            "<style>",
            "</style>",
            "hi",
            " ",
        ]
    ),
    max_size=40,
).map("".join)
SEEDS = st.binary(max_size=20)
PARTS = st.sampled_from(list(Part))
OPTIONS = st.lists(st.text("abcdefgh é", max_size=6), min_size=2, max_size=5)


def seeds(count: int) -> list[bytes]:
    """Make seeds as the engine does: one for each enrollment and step."""
    return [f"enrollment {number}".encode() for number in range(count)]


def expand(source: str, *, seed: bytes, part: Part) -> str:
    """Choose one option of every group in `source` and leave all else, Liquid included, as it is."""
    return "".join(node.text for node in chosen(parse(source, part).nodes, seed))


def check(source: str, part: Part = Part.TEXT) -> tuple[Problem, ...]:
    """Return what is likely a slip in `source`."""
    return parse(source, part).problems


@given(source=TEXTS | PIECES, seed=SEEDS, part=PARTS)
def test_any_text_is_expanded_and_checked_without_an_error(source: str, seed: bytes, part: Part):
    """A template is a person's text: whatever it is, it does not break the engine, and always expands alike."""
    expanded = expand(source, seed=seed, part=part)

    assert expanded == expand(source, seed=seed, part=part)
    assert len(expanded) <= len(source)
    assert all(1 <= problem.line <= source.count("\n") + 1 for problem in check(source, part))


@given(source=TEXTS | PIECES, part=PARTS)
def test_the_tokens_of_a_source_are_the_source(source: str, part: Part):
    """Nothing is lost between literal text and what is opaque."""
    tokens = list(scan(source, part))

    assert source == "".join(token.text for token in tokens)
    assert [token.start for token in tokens] == [source.index(token.text, token.start) for token in tokens]


@given(source=st.text(st.characters(codec="utf-8", exclude_characters="{}|"), max_size=80), seed=SEEDS, part=PARTS)
def test_text_without_braces_stays_as_it_is(source: str, seed: bytes, part: Part):
    """No group, no change."""
    assert source == expand(source, seed=seed, part=part)
    assert () == check(source, part)


@given(options=OPTIONS, seed=SEEDS)
def test_one_of_the_options_is_chosen(options: list[str], seed: bytes):
    """Whole, with its white space."""
    assert expand("{" + "|".join(options) + "}", seed=seed, part=Part.TEXT) in options


@given(options=OPTIONS, seed=SEEDS)
def test_all_parts_choose_alike(options: list[str], seed: bytes):
    """The HTML part must not say Hello where the text says Hi."""
    group = "{" + "|".join(options) + "}"
    html = "{" + "|".join(f"<b>{option.replace('é', '&eacute;')}</b>" for option in options) + "}"
    index = "{" + "|".join(str(number) for number in range(len(options))) + "}"

    subject = expand(f"About: {group}", seed=seed, part=Part.SUBJECT).removeprefix("About: ")
    assert subject == expand(group, seed=seed, part=Part.TEXT)
    assert f"<b>{subject.replace('é', '&eacute;')}</b>" == expand(html, seed=seed, part=Part.HTML)
    assert expand(index, seed=seed, part=Part.TEXT).isdigit()


def test_equal_groups_in_one_text_choose_independently():
    """The second {Hi|Hello} of a text is another group than the first, in every part alike."""
    pairs = {expand("{a|b} {a|b}", seed=seed, part=Part.TEXT) for seed in seeds(64)}

    assert {"a a", "a b", "b a", "b b"} == pairs


def test_options_are_chosen_evenly():
    """Each as often as the others, within five standard deviations; nested ones by their own share."""
    counts = Counter(expand("{a|b|c|{d|e}}", seed=seed, part=Part.TEXT) for seed in seeds(8000))

    assert {"a", "b", "c", "d", "e"} == set(counts)
    for option, expected in (("a", 2000), ("b", 2000), ("c", 2000), ("d", 1000), ("e", 1000)):
        assert abs(counts[option] - expected) < 5 * (expected * (1 - expected / 8000)) ** 0.5


@pytest.mark.parametrize(
    "source, part",
    [
        ('{{ name | default: "a|b" }}', Part.TEXT),
        ("{% if a %}{% endif %}", Part.TEXT),
        ("{{ a }}|{{ b }}", Part.TEXT),
        ('{{ a | default: "}" }}', Part.TEXT),
        ("{% raw %}{a|b}{% endraw %}", Part.TEXT),
        ("{% comment %}{a|b}{% endcomment %}", Part.TEXT),
        ("<style>p{color:red|blue} {a|b}</style>", Part.HTML),
        ("<STYLE type='x'>{a|b}</STYLE>", Part.HTML),
        ("<script>{a|b}</script>", Part.HTML),
        ("<!-- {a|b} -->", Part.HTML),
        ('<a title="{a|b} > {c|d}" href=x>', Part.HTML),
        ("<a {a|b}>", Part.HTML),
        ("<!--[if mso]>{a|b}<![endif]-->", Part.HTML),
        ("<style>{a|b}", Part.HTML),
        ("p { color: red }", Part.TEXT),
        ("a | b || c", Part.TEXT),
    ],
)
def test_only_literal_text_is_spun(source: str, part: Part):
    """Liquid, tags, attributes, styles, scripts, comments and braces without options stay as they are."""
    assert {source} == {expand(source, seed=seed, part=part) for seed in seeds(16)}


@pytest.mark.parametrize(
    "source, part, outcomes",
    [
        ("{Hi|Hello} {{ name }}", Part.TEXT, {"Hi {{ name }}", "Hello {{ name }}"}),
        ("{Hi {{ name }}|Hello}", Part.TEXT, {"Hi {{ name }}", "Hello"}),
        ("{{Hi|Hello} there|Hey}", Part.TEXT, {"Hi there", "Hello there", "Hey"}),
        ("{|very }good", Part.TEXT, {"good", "very good"}),
        ("{see {a|b}}", Part.TEXT, {"{see a}", "{see b}"}),
        ("{a|b} {c", Part.TEXT, {"a {c", "b {c"}),
        ("<p class='{x|y}'>{a|<b>c</b>}</p>", Part.HTML, {"<p class='{x|y}'>a</p>", "<p class='{x|y}'><b>c</b></p>"}),
        ("1 < 2 {a|b}", Part.HTML, {"1 < 2 a", "1 < 2 b"}),
        ("<b {a|b}", Part.HTML, {"<b a", "<b b"}),
    ],
)
def test_what_a_group_can_become(source: str, part: Part, outcomes: set[str]):
    """Every option, and nothing else."""
    assert outcomes == {expand(source, seed=seed, part=part) for seed in seeds(64)}


@pytest.mark.parametrize(
    "source, line, words",
    [
        ("Hi\n{a|b", 2, "never closed"),
        ("a|b}\n", 1, "closes nothing"),
        ("a\n\n{first_name}", 3, "{{ first_name }}"),
        ("{First Name}", 1, "{{ first_name }}"),
    ],
)
def test_a_likely_slip_is_reported_with_its_line(source: str, line: int, words: str):
    """It is no error, for people do write :-} in mails; but its author should know."""
    [problem] = check(source)

    assert line == problem.line
    assert words in problem.message


def test_groups_nested_without_end_are_text():
    """Nobody writes them; they must not cost time."""
    source = "{" * 5000 + "a|b" + "}" * 5000

    assert source == expand(source, seed=b"", part=Part.TEXT)
    assert "a" == expand("{a|" * MAX_DEPTH + "a" + "}" * MAX_DEPTH, seed=b"", part=Part.TEXT)


@pytest.mark.parametrize(
    "unit", ["{", "}", "{|", "{{", "{%", "<a ", "<a '", "{{'", "{{\"{{'", "<style>", "<!--", "{a|b", "<a '><b \">"]
)
def test_hostile_text_is_read_in_linear_time(unit: str):
    """Half a megabyte within the time limit of a test."""
    source = unit * (500_000 // len(unit))

    assert expand(source, seed=b"", part=Part.HTML)
