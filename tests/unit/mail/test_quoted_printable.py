"""Quoted-printable: what goes in comes out of the standard library's decoder, in lines no relay minds."""

import binascii
import quopri

from hypothesis import given
from hypothesis import strategies as st

from relance.mail.quoted_printable import encode

TEXTS = st.text(
    st.one_of(st.sampled_from(" \t\n.F=é😀"), st.characters(codec="utf-8", exclude_characters="\r")), max_size=600
)
LONG = st.lists(st.sampled_from(["From ", ".", "=", "é", "word ", "x" * 74, "\n", " ", "\t"]), max_size=80).map("".join)


@given(text=TEXTS | LONG)
def test_a_decoder_gives_the_text_back(text: str):
    """Two decoders of the standard library agree, line ends aside."""
    encoded = encode(text)
    expected = (text.removesuffix("\n") + "\n").encode().replace(b"\n", b"\r\n")

    assert expected == binascii.a2b_qp(encoded)
    assert expected == quopri.decodestring(encoded)


@given(text=TEXTS | LONG)
def test_lines_are_short_and_end_in_nothing_invisible(text: str):
    """76 characters with the soft break, no white space at the end of a line (RFC 2045 §6.7)."""
    lines = encode(text).decode("ascii").split("\r\n")

    assert "" == lines.pop()
    assert 76 >= max(map(len, lines))
    assert not [line for line in lines if line.endswith((" ", "\t"))]


@given(text=LONG)
def test_no_line_begins_with_what_others_rewrite(text: str):
    """Neither a dot, which SMTP doubles, nor `From `, which mbox software prefixes."""
    lines = encode(text).decode("ascii").split("\r\n")

    assert not [line for line in lines if line.startswith((".", "From "))]


def test_every_kind_of_line_end_is_one_line_end():
    """CRLF, CR and LF alike; a missing last one is added."""
    assert b"a\r\nb\r\nc\r\nd\r\n" == encode("a\r\nb\rc\nd")
    assert b"\r\n" == encode("")
