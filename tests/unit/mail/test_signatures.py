"""A signature goes out as its operator wrote it, in both parts; nothing of it is parsed, and no lead can forge one."""

import pytest

from relance.mail.filters import MAX_LENGTH
from relance.mail.quoting import new_text
from relance.mail.signatures import FIELD, Signature, read_signature
from relance.mail.templates import MissingValue, Part, Rendered, TemplateError, compile_template, render

HTML = '<p>Bo <b>Berg</b><br>\n<a href="https://acme.example/?a=1&amp;b=2">Acme &amp; Sons</a></p>'


def rendered(source: str, part: Part, signature: object, **more: object) -> Rendered | MissingValue:
    """Render a text with a signature."""
    return render(compile_template(source, part=part), {FIELD: signature, **more}, seed=b"s")


def test_an_html_signature_stands_unescaped_beside_what_a_lead_brings_escaped():
    """It is the operator's own; whatever a lead's data holds is text."""
    signature = read_signature(HTML.encode(), is_html=True)
    shown = rendered("<p>{{ who }}</p>{{ sender_signature }}", Part.HTML, signature, who="<b>Ann</b>")

    assert Rendered(f"<p>&lt;b&gt;Ann&lt;/b&gt;</p>{HTML}") == shown


def test_the_text_part_shows_the_text_of_an_html_signature():
    """No tag ever stands in a text part."""
    signature = read_signature(HTML.encode(), is_html=True)

    assert Rendered("Hi\nBo Berg\nAcme & Sons") == rendered("Hi\n{{ sender_signature }}", Part.TEXT, signature)


def test_a_plain_signature_is_escaped_line_by_line_in_html():
    """A bracket in a name is no tag, and a line break is one for the reader too."""
    signature = read_signature(b"-- \r\nBo <bo@ours.example>\r\n\r\n", is_html=False)

    assert Rendered("-- <br>\nBo &lt;bo@ours.example&gt;") == rendered("{{ sender_signature }}", Part.HTML, signature)
    assert Rendered("-- \nBo <bo@ours.example>") == rendered("{{ sender_signature }}", Part.TEXT, signature)


def test_the_delimiter_of_a_signature_is_known_to_the_reader_of_answers():
    """RFC 3676 §4.3: what stands below `-- ` is no part of what a person wrote."""
    assert "Thanks!" == new_text("Thanks!\n\n-- \nBo Berg\nAcme & Sons", "")
    assert "Sounds good!" == new_text("> Shall we talk?\n> -- \n> Bo Berg\n\nSounds good!", "")


@pytest.mark.parametrize("part", [Part.TEXT, Part.HTML])
def test_a_missing_signature_is_a_missing_value_unless_there_is_a_default(part):
    """As for every other value."""
    assert MissingValue(FIELD) == rendered("Hi {{ sender_signature }}", part, "")
    assert Rendered("Hi ") == rendered('Hi {{ sender_signature | default: "" }}', part, "")
    assert Rendered("Hi Bo") == rendered('Hi {{ sender_signature | default: "" }}', part, Signature(text="Bo"))


@pytest.mark.parametrize("value", ["<b>Ann</b>", "{{ sender_email }}", "{a|b}"])
def test_a_value_that_calls_itself_the_signature_is_escaped(value):
    """Only what was read as a signature is trusted, whatever its field is called."""
    shown = rendered("{{ sender_signature }}", Part.HTML, value)

    assert Rendered(value.replace("<", "&lt;").replace(">", "&gt;")) == shown


@pytest.mark.parametrize("source", ["{{ sender_signature | upcase }}", "{{ x | default: sender_signature | strip }}"])
def test_no_filter_changes_a_signature(source):
    """Half a tag would go out, or all of them as text."""
    with pytest.raises(TemplateError, match="no filter but default"):
        compile_template(source, part=Part.HTML)


@pytest.mark.parametrize(
    "raw, is_html, words",
    [
        (b"\xff\xfe", False, "UTF-8"),
        (b" \n\n", False, "shows no text"),
        (b"<img src='logo.png'>", True, "shows no text"),
        (b"Bo {{ sender_email }}", False, "{{ or {%"),
        (b"{% if x %}Bo{% endif %}", True, "{{ or {%"),
        (b"<html><body>Bo</body></html>", True, "<html>; keep only what stands inside <body>"),
        (b"Bo<script>1</script>", True, "<script>"),
        (b"Bo\x00Berg", False, "control characters"),
        (b"B" * (MAX_LENGTH + 1), False, "more than 10000 characters"),
        ("\N{WAVING HAND SIGN}".encode() * 10 * MAX_LENGTH, False, "more than 10000 characters"),
    ],
)
def test_what_cannot_be_a_signature_is_refused_with_what_to_do(raw, is_html, words):
    """Before it stands below a thousand messages."""
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the words are compared below
        read_signature(raw, is_html=is_html)

    assert words in str(refused.value)
