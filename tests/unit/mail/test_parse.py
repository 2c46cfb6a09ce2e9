"""Bytes become a message, whatever they are."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.message import Address
from relance.mail.parse import ids_in, parse
from unit.mail.letters import letter

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")) | st.just("\n"), max_size=60)
PARTS = st.recursive(
    TEXT, lambda inner: st.tuples(st.sampled_from(["mixed", "related"]), st.lists(inner, min_size=1, max_size=4))
)
IDS = st.lists(st.from_regex(r"\A<[a-z0-9.]{1,20}@[a-z]{1,10}\.example>\Z"), min_size=1, max_size=40, unique=True)


@given(ids=IDS, gap=st.sampled_from([" ", "\r\n ", "\r\n\t", "", ", "]))
def test_every_id_in_references_is_read_in_order(ids: list[str], gap: str):
    """The second answer of a thread names our message only in References, folded as the client likes."""
    message = parse(f"References: {gap.join(ids)}\r\n\r\n".encode())

    assert tuple(ids) == message.references


@given(name=st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=30))
def test_a_subject_survives_its_encoded_words_even_when_cut_within_a_character(name: str):
    """Some programs split a UTF-8 character over two encoded words; adjacent ones are joined before decoding."""
    data = name.encode()
    words = [f"=?utf-8?q?{''.join(f'={byte:02X}' for byte in data[at : at + 5])}?=" for at in range(0, len(data), 5)]
    message = parse(
        f"Subject: {chr(13) + chr(10) + ' '.join(words) if not words else ' '.join(words)}\r\n\r\n".encode()
    )

    assert " ".join(name.split()) == message.subject


def test_an_address_with_a_comma_an_accent_and_a_comment_is_one_address():
    """Display names hold what they like; the address is compared case-folded."""
    message = parse('From: "Müller, Jörg" (sales) <J.Mueller@Example.COM>\r\n\r\n'.encode())

    assert Address(address="j.mueller@example.com", name="Müller, Jörg") == message.from_


def test_groups_and_broken_lists_yield_the_addresses_that_are_there():
    """RFC 5322 groups are flattened, names without an address are no recipients."""
    message = parse(
        b"To: team: ann@example.com, Bo <bo@example.com>;, nobody, <cy@example.com\r\nCc: undisclosed:;\r\n\r\n"
    )

    assert ("ann@example.com", "bo@example.com", "cy@example.com") == tuple(to.address for to in message.to)
    assert () == message.cc


def test_the_ids_survive_a_gateway_that_breaks_the_headers():
    """A message that fails to parse still yields its header matches."""
    raw = (
        b"Received: from x\r\nthis is no header\r\nIn-Reply-To: <a@example.net>\r\nContent-Type: "
        b"multipart/mixed; boundary=\r\n\r\nhi"
    )
    message = parse(raw)

    assert ("<a@example.net>",) == message.in_reply_to
    assert "line among the headers that is none" in message.defects


def test_a_body_without_a_blank_line_before_it_is_read():
    """The headers end where lines stop looking like headers."""
    message = parse(b"From: ann@example.com\r\nJust this line\r\nand this one")

    assert "Just this line\nand this one" == message.text


def test_a_date_is_kept_in_utc_and_nonsense_is_no_date():
    """RFC 5322 dates with a zone become UTC; what cannot be read is None, not now."""
    assert datetime(2026, 7, 1, 7, 30, tzinfo=UTC) == parse(b"Date: Wed, 1 Jul 2026 09:30:00 +0200\r\n\r\n").date
    assert parse(b"Date: 99 Foo 20269 99:99\r\n\r\n").date is None


@pytest.mark.parametrize(
    "declared,encoded",
    [
        ("utf-8", "Grüße".encode()),
        ("iso-8859-1", "Grüße".encode("cp1252")),
        ("us-ascii", "Grüße".encode()),
        ("utf-8", "Grüße aus Köln, schöne Tage und viele Grüße".encode("cp1252")),
        ("x-unknown", "Grüße".encode()),
        ("hex", "Grüße".encode()),
        ("utf-7", b"Gr+APwA3w-e"),
    ],
)
def test_text_is_readable_whatever_charset_it_claims(declared: str, encoded: bytes):
    """A declared charset that does not fit, does not exist or is no text encoding gives way to what does."""
    message = parse(b"Content-Type: text/plain; charset=" + declared.encode() + b"\r\n\r\n" + encoded)

    assert "Grü" == message.text[:3]


def test_no_text_holds_what_a_database_refuses():
    """NUL and lone surrogates never leave the parser: PostgreSQL refuses the one, UTF-8 the other."""
    message = parse(b"Subject: a\x00b\r\nContent-Type: text/plain; charset=utf-7\r\n\r\n+2AA-x\x00y")

    assert "ab" == message.subject
    assert "\x00" not in message.text
    assert message.text.encode("utf-8")


def test_the_parts_of_a_returned_message_are_not_our_own():
    """A delivery report inside a forwarded message says nothing about mail of ours."""
    inner = (
        b"Content-Type: multipart/report; boundary=i\r\n\r\n--i\r\nContent-Type: "
        b"message/delivery-status\r\n\r\nAction: failed\r\n--i--"
    )
    raw = (
        (
            b"Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n\r\nsee below\r\n--o\r\nContent-Type: "
            b"message/rfc822\r\n\r\n"
        )
        + inner
        + b"\r\n--o--"
    )
    message = parse(raw)

    assert ["message/rfc822"] == [part.content_type for part in message.embedded]
    assert "see below" == message.text.strip()


def test_attachments_are_listed_and_not_read():
    """A text file that is attached is not what the person wrote."""
    raw = (
        b"Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n\r\nhello\r\n--o\r\n"
        b"Content-Type: text/plain\r\nContent-Disposition: attachment; "
        b"filename*=utf-8''r%C3%A9sum%C3%A9.txt\r\n\r\nunsubscribe\r\n--o--"
    )
    message = parse(raw)

    assert ["résumé.txt"] == [attachment.filename for attachment in message.attachments]
    assert "hello" == message.text.strip()


def test_a_header_is_found_in_any_case_and_all_of_a_name_are_kept():
    """Names are stored in lower case; asking does not depend on it."""
    message = parse(b"X-One: a\r\nx-ONE: b\r\n\r\n")

    assert "a" == message.header("X-one")
    assert ("a", "b") == message.all("X-ONE")
    assert message.header("x-two") is None


def test_an_id_without_brackets_is_still_an_id():
    """Some gateways lose the angle brackets."""
    assert ("<a@example.com>",) == ids_in("a@example.com")


def test_the_builder_of_these_tests_writes_what_it_says():
    """The letters of the other tests are what they seem."""
    message = parse(letter("hi", In_Reply_To="<a@example.net>"))

    assert ("ann@example.com", "hi", ("<a@example.net>",)) == (
        message.from_ and message.from_.address,
        message.text,
        message.in_reply_to,
    )


def built(content: object) -> MIMEText | MIMEMultipart:
    """Let the standard library write a text, or a multipart of such."""
    if isinstance(content, str):
        return MIMEText(content, "plain", "utf-8")
    assert isinstance(content, tuple)
    outer = MIMEMultipart(content[0])
    for inner in content[1]:
        outer.attach(built(inner))
    return outer


@given(content=PARTS)
def test_the_standard_library_finds_the_same_parts(content: object):
    """Its parser is the judge of ours on mail that is well formed."""
    raw = built(content).as_bytes()
    leaves = [part for part in message_from_bytes(raw).walk() if not part.is_multipart()]
    texts = [part.get_payload(decode=True) for part in leaves]

    assert "\n".join(text.decode() for text in texts if isinstance(text, bytes)) == parse(raw).text


@pytest.mark.parametrize(
    "raw,defect",
    [
        (b"X: y\r\n" * 2000 + b"\r\n", "headers cut off: too many"),
        (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 300, "parts cut off: too many"),
        (
            b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--bx\r\n" * 6000,
            "parts cut off: too much that looks like a boundary",
        ),
        (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx", "closing boundary missing"),
        (
            b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(50)),
            "parts cut off: too deep",
        ),
    ],
)
def test_what_is_cut_off_is_named(raw: bytes, defect: str):
    """A bound that is reached leaves a trace, so that nobody wonders where the rest is."""
    assert defect in parse(raw).defects
