"""Hostile HTML comes out as words: nothing that runs, loads or leads where it does not say."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from relance.mail.sanitising import harmless

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src='https://spy.example/p.gif' alt='a logo'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\nscript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='//evil.example'>x</a>",
    "<svg><script>alert(1)</script></svg>",
    "<svg onload=alert(1)>",
    "<math><mtext></p><img src=x onerror=alert(1)></mtext></math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<style>@import url(https://spy.example/x.css)</style>",
    "<div style='background:url(https://spy.example/x)'>x</div>",
    "<body background='https://spy.example/x' onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='https://spy.example'></object><embed src='https://spy.example'>",
    "<form action='https://spy.example'><input name=password><button>go</button></form>",
    "<meta http-equiv=refresh content='0;url=https://spy.example'>",
    "<base href='https://spy.example/'>",
    "<link rel=stylesheet href='https://spy.example/x.css'>",
    "<template><script>alert(1)</script></template>",
    "<textarea><script>alert(1)</script>",
    "<title><img src=x onerror=alert(1)></title>",
    "<table background='https://spy.example/x'><tr><td>x</table>",
    "<a href='https://ok.example' title='\"><script>alert(1)</script>' onclick='alert(1)'>x</a>",
    "<p lang='\"><script>'>x</p>",
    "<!--[if mso]><script>alert(1)</script><![endif]-->",
    "<xmp><script>alert(1)</script></xmp>",
    "<select><style></select><script>alert(1)</script>",
    "<a name='x' id='location' href='mailto:a@b.example'>x</a>",
    "<video src='https://spy.example/v' poster='https://spy.example/p'></video>",
    "<div>" * 5_000 + "deep" + "</div>" * 5_000,
]
ALLOWED = {"align", "colspan", "dir", "lang", "rowspan", "start", "title", "valign", "href", "target", "rel", "class"}
TAGS = st.sampled_from(
    ["script", "img", "a", "p", "svg", "style", "iframe", "table", "td", "math", "form", "title", "noscript", "b"]
)
PIECES = st.one_of(
    TAGS.map(lambda tag: f"<{tag}>"),
    TAGS.map(lambda tag: f"</{tag}>"),
    st.sampled_from(HOSTILE[:-1]),
    st.text(alphabet="<>/='\" abc\n\x00&;#x:!-", max_size=20),
)


def faults_of(written):
    """Return what of a result runs, loads, or is not on the list."""
    root = LexborHTMLParser(f"<main id=here>{written}</main>").css_first("#here")
    assert root is not None
    found: list[tuple[str | None, str]] = []
    for node in root.traverse(include_text=False):
        if node.tag in {"main", "-undef"}:
            continue
        attributes = node.attributes or {}
        if set(attributes) - ALLOWED:
            found.append((node.tag, str(sorted(set(attributes) - ALLOWED))))
        if node.tag in {"script", "style", "img", "iframe", "object", "embed", "form", "input", "svg", "math", "link"}:
            found.append((node.tag, "is there"))
        href = attributes.get("href")
        if href is not None and not re.match(r"(https?://|mailto:)", href, re.IGNORECASE):
            found.append((node.tag, href))
    return found


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_runs_and_nothing_is_loaded(html):
    """Whatever a stranger thought of."""
    assert [] == faults_of(harmless(html))


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_mixture_of_pieces_gets_through(html):
    """Also where tags open and close in each other's midst."""
    assert [] == faults_of(harmless(html))


@given(st.lists(PIECES, max_size=20).map("".join))
def test_what_is_harmless_stays_as_it_is(html):
    """Made harmless twice is made harmless once: a browser reads what was written."""
    once = harmless(html)

    assert faults_of(once) == faults_of(harmless(once)) == []


def test_what_people_write_is_kept():
    """Paragraphs, emphasis, lists, tables, quotations and links, with where they lead."""
    html = (
        "<p>Hello <b>Bo</b>,</p><ul><li>one</li></ul><blockquote>before</blockquote>"
        '<table><tr><td colspan="2">x</td></tr></table><a href="https://lead.example/?a=1&amp;b=2">here</a>'
    )
    written = harmless(html)

    assert "<p>Hello <b>Bo</b>,</p><ul><li>one</li></ul><blockquote>before</blockquote>" in written
    assert '<td colspan="2">x</td>' in written
    assert 'href="https://lead.example/?a=1&amp;b=2"' in written
    assert 'rel="noopener noreferrer nofollow"' in written


def test_a_link_says_where_it_leads():
    """Not what its writer says."""
    written = harmless('<a href="https://evil.example" title="https://bank.example">https://bank.example</a>')

    assert 'title="https://evil.example"' in written
    assert 'title="https://bank.example"' not in written


def test_a_picture_is_its_words():
    """One that were fetched would tell who reads, and when."""
    assert '<span class="picture">[Our logo]</span>' == harmless('<img src="https://x.example/l.png" alt="Our logo">')
    assert "" == harmless('<img src="https://x.example/pixel.gif">')
