"""A composed message says exactly what its draft says, in bytes that no relay has to touch."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from email import message_from_bytes, policy
from email.header import decode_header
from email.headerregistry import Address
from email.message import EmailMessage, Message
from email.utils import parseaddr
from hashlib import sha256

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from relance.core.sequence import AttachedFile
from relance.mail.attaching import contents_of, encoded, filled
from relance.mail.compose import Draft, ascii_address, compose

ORACLE = policy.SMTP.clone(max_line_length=998)
PLAIN = Draft(
    from_address="ann@relay.test",
    to_address="bob@lead.test",
    subject="Hello",
    text="Hi Bob,\n",
    message_id="<0123456789abcdef@relay.test>",
    date=datetime(2026, 12, 1, 9, 0, tzinfo=UTC),
)

INK = st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Co", "Cn"))
SPECIALS = st.sampled_from(
    [",", '"', "\\", "é", "ü", "😀", "中", "=?", "?=", "=?utf-8?q?x?=", "_", ".", "@", "<", "(", ";"]
)
WORDS = st.lists(
    st.one_of(st.characters(min_codepoint=33, max_codepoint=126), INK, SPECIALS), min_size=1, max_size=60
).map("".join)
LINES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
SUBJECTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", "  ", "   "])), max_size=8).map(
    lambda pairs: "".join(word + space for word, space in pairs).strip()
)
BODIES = st.text(
    st.one_of(st.sampled_from(" \t\n.F=é😀"), st.characters(codec="utf-8", exclude_characters="\r")), max_size=400
)
ID_TEXT = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="<>@"), min_size=1, max_size=120
)
IDS = st.builds(lambda left, right: f"<{left}@{right}.test>", ID_TEXT, st.from_regex(r"\A[a-z]{1,60}\Z"))
URIS = st.builds(lambda rest: f"https://u.test/{rest}", ID_TEXT)


def file(name: str = "a", content_type: str = "text/csv", content: bytes = b"") -> AttachedFile:
    """Describe a file."""
    digest = sha256(content).hexdigest()
    return AttachedFile(name=name, content_type=content_type, size=len(content), sha256=digest)


def whole(draft: Draft, *contents: bytes) -> bytes:
    """Compose a draft and put its contents in."""
    return filled(compose(draft), {sha256(content).hexdigest(): encoded(content) for content in contents})


def modern(draft: Draft, *contents: bytes) -> EmailMessage:
    """Read a composed draft with the standard library's newer parser."""
    read = message_from_bytes(whole(draft, *contents), policy=policy.default)
    assert isinstance(read, EmailMessage)
    return read


def old(draft: Draft, *contents: bytes) -> Message:
    """Read a composed draft with the standard library's older parser."""
    return message_from_bytes(whole(draft, *contents), policy=policy.compat32)


def unfolded(value: object) -> str:
    """Undo folding, and nothing else."""
    return str(value).replace("\r\n", "").replace("\n", "")


def decoded(value: object) -> str:
    """Decode a header as the older parser's users do."""
    pieces: list[tuple[bytes | str, str | None]] = decode_header(unfolded(value))
    return "".join(piece.decode(charset or "ascii") if isinstance(piece, bytes) else piece for piece, charset in pieces)


def content(part: Message) -> str:
    """Decode a text part."""
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode().replace("\r\n", "\n")


def one_address(header: object) -> Address:
    """Return the only address of a header of the newer parser."""
    addresses: tuple[Address, ...] = getattr(header, "addresses", ())
    [only] = addresses
    return only


def ended(text: str) -> str:
    """Return text as a body carries it: every line ended."""
    return text.removesuffix("\n") + "\n"


def test_the_bytes_of_a_plain_message_are_these():
    """Golden bytes: DKIM, the copy in Sent and the tests of others rely on them."""
    assert (
        b"From: ann@relay.test\r\n"
        b"To: bob@lead.test\r\n"
        b"Subject: Hello\r\n"
        b"Date: Tue, 01 Dec 2026 09:00:00 +0000\r\n"
        b"Message-ID: <0123456789abcdef@relay.test>\r\n"
        b"MIME-Version: 1.0\r\n"
        b"Content-Type: text/plain; charset=utf-8\r\n"
        b"Content-Transfer-Encoding: quoted-printable\r\n"
        b"\r\n"
        b"Hi Bob,\r\n"
    ) == compose(PLAIN)


def test_the_bytes_of_a_full_message_are_these():
    """Golden bytes of every field and of both parts."""
    draft = Draft(
        from_address="ann@büro.example",
        from_name="Müller, Ann",
        to_address="bob@lead.test",
        to_name="Bob Q. Public, Jr.",
        subject="Re: Eine Frage zur Bürogemeinschaft",
        text="Grüß Gott\n.\nFrom here on\n",
        html="<p>Grüß Gott</p>",
        message_id="<1@relay.test>",
        date=datetime(2026, 12, 1, 9, 0, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
        in_reply_to="<0@relay.test>",
        references=("<root@relay.test>", "<0@relay.test>"),
        list_unsubscribe=("mailto:stop@relay.test?subject=stop-1", "https://u.test/1"),
        list_unsubscribe_post=True,
        headers=(("X-Trace-Ref", "5f"),),
    )

    assert (
        b"From: =?utf-8?b?TcO8bGxlciwgQW5u?= <ann@xn--bro-hoa.example>\r\n"
        b'To: "Bob Q. Public, Jr." <bob@lead.test>\r\n'
        b"Subject: Re: Eine Frage zur =?utf-8?q?B=C3=BCrogemeinschaft?=\r\n"
        b"Date: Tue, 01 Dec 2026 09:00:00 -0330\r\n"
        b"Message-ID: <1@relay.test>\r\n"
        b"In-Reply-To: <0@relay.test>\r\n"
        b"References: <root@relay.test> <0@relay.test>\r\n"
        b"List-Unsubscribe: <mailto:stop@relay.test?subject=stop-1>,\r\n <https://u.test/1>\r\n"
        b"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
        b"X-Trace-Ref: 5f\r\n"
        b"MIME-Version: 1.0\r\n"
        b"Content-Type: multipart/alternative;\r\n"
        b' boundary="=_aBOUNDARY"\r\n'
        b"\r\n"
        b"--=_aBOUNDARY\r\n"
        b"Content-Type: text/plain; charset=utf-8\r\n"
        b"Content-Transfer-Encoding: quoted-printable\r\n"
        b"\r\n"
        b"Gr=C3=BC=C3=9F Gott\r\n"
        b"=2E\r\n"
        b"=46rom here on\r\n"
        b"\r\n"
        b"--=_aBOUNDARY\r\n"
        b"Content-Type: text/html; charset=utf-8\r\n"
        b"Content-Transfer-Encoding: quoted-printable\r\n"
        b"\r\n"
        b"<p>Gr=C3=BC=C3=9F Gott</p>\r\n"
        b"\r\n"
        b"--=_aBOUNDARY--\r\n"
    ).replace(b"BOUNDARY", b"0be26ac74f16cb3a5b68c121984219eb") == compose(draft)


@given(subject=SUBJECTS, name=LINES, text=BODIES, html=st.none() | BODIES, references=st.lists(IDS, max_size=12))
def test_any_message_is_ascii_with_short_lines_and_crlf(
    subject: str, name: str, text: str, html: str | None, references: list[str]
):
    """Nothing on the way has a reason to re-encode it (RFC 5322 §2.1.1, RFC 5321 §2.4)."""
    raw = compose(
        replace(
            PLAIN, subject=subject, from_name=name, to_name=name, text=text, html=html, references=tuple(references)
        )
    )

    assert raw.isascii()
    assert raw.endswith(b"\r\n")
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    assert 998 >= max(map(len, raw.split(b"\r\n")))
    head = raw.partition(b"\r\n\r\n")[0].decode()
    assert not [line for line in head.split("\r\n") if not line.strip()]


@given(subject=SUBJECTS)
def test_a_subject_is_read_back_as_it_was_written(subject: str):
    """By both parsers of the standard library, whatever the characters."""
    draft = replace(PLAIN, subject=subject)

    assert subject == decoded(old(draft)["Subject"])
    assert " ".join(subject.split(" ")) == str(modern(draft)["Subject"])


@given(name=LINES)
def test_a_display_name_is_read_back_as_it_was_written(name: str):
    """Commas, quotes, accents and emoji stay in the name and out of the address."""
    draft = replace(PLAIN, from_name=name)
    shown, address = parseaddr(unfolded(old(draft)["From"]))
    read = one_address(modern(draft)["From"])

    assert (name, "ann@relay.test") == (decoded(shown), address)
    # The newer parser shows the space between two encoded words of a name, against RFC 2047 §6.2.
    assert (name.replace(" ", ""), "ann@relay.test") == (read.display_name.replace(" ", ""), read.addr_spec)


@given(text=BODIES, html=BODIES)
def test_bodies_are_read_back_as_they_were_written(text: str, html: str):
    """Quoted-printable loses nothing, in one part or in two."""
    both = replace(PLAIN, text=text, html=html)
    parts = old(both).get_payload()

    assert ended(text) == content(old(replace(PLAIN, text=text)))
    assert isinstance(parts, list)
    assert [ended(text), ended(html)] == [content(part) for part in parts if isinstance(part, Message)]


@given(ids=st.lists(IDS, min_size=1, max_size=30), uris=st.lists(URIS, min_size=1, max_size=4))
def test_ids_and_uris_never_become_encoded_words(ids: list[str], uris: list[str]):
    """However long: an encoded List-Unsubscribe is one-click lost (RFC 8058), an encoded References a thread."""
    draft = replace(
        PLAIN,
        message_id=ids[0],
        in_reply_to=ids[-1],
        references=tuple(ids),
        list_unsubscribe=tuple(uris),
        list_unsubscribe_post=True,
    )
    read = old(draft)

    assert ids[0] == unfolded(read["Message-ID"])
    assert ids[-1] == unfolded(read["In-Reply-To"])
    assert ids == unfolded(read["References"]).split(" ")
    assert ", ".join(f"<{uri}>" for uri in uris) == unfolded(read["List-Unsubscribe"])
    assert "List-Unsubscribe=One-Click" == read["List-Unsubscribe-Post"]


@given(name=st.text(INK, min_size=1, max_size=200), data=st.binary(max_size=400))
@example(name="<>", data=b"")
def test_an_attachment_is_read_back_as_it_was_given(name: str, data: bytes):
    """Its bytes, and its name in any script and length (RFC 2231)."""
    draft = replace(PLAIN, attachments=(file(name, "application/pdf", data),))
    [_, part] = [part for part in old(draft, data).walk() if not part.is_multipart()]
    [attached] = list(modern(draft, data).iter_attachments())

    assert data == part.get_payload(decode=True)
    # `get_filename` takes quotes and angle brackets off a name that was already read.
    assert name == part.get_filename() or name[0] in '<"'
    assert name == attached["Content-Disposition"].params["filename"]
    assert "application/pdf" == part.get_content_type()


def test_attachments_stand_beside_what_a_person_reads_in_their_order():
    """multipart/mixed of multipart/alternative (text, then HTML) and each file (RFC 2046 §5.1)."""
    one, other = b"%PDF-1.7 " + bytes(range(256)) * 99, b"a;b\r\n.\r\n1;2\r\n"
    files = (file("Angebot für Zoë – 2026.pdf", "application/pdf", one), file("b.csv", "text/csv", other))
    draft = replace(PLAIN, html="<p>Hi Bob,</p>", attachments=files)
    read = modern(draft, one, other)
    alternative, *attached = read.iter_parts()

    assert ["multipart/mixed", "multipart/alternative"] == [read.get_content_type(), alternative.get_content_type()]
    assert ["text/plain", "text/html"] == [part.get_content_type() for part in alternative.iter_parts()]
    assert ["attachment", "attachment"] == [part.get_content_disposition() for part in attached]
    assert ["Angebot für Zoë – 2026.pdf", "b.csv"] == [part.get_filename() for part in attached]  # a dash
    assert [one, other] == [part.get_payload(decode=True) for part in attached]
    assert [] == read.defects
    assert (b"Hi Bob,", b"<p>Hi Bob,</p>") == (
        read.get_body(("plain",)).get_payload(decode=True).strip(),  # type: ignore[union-attr]  # it has one, or this fails
        read.get_body(("html",)).get_payload(decode=True).strip(),  # type: ignore[union-attr]  # as above
    )
    wire = whole(draft, one, other)
    assert wire.isascii()
    assert 998 >= max(map(len, wire.split(b"\r\n")))


@given(text=BODIES.filter(str.strip), name=SUBJECTS)
@example(text="=_sha256:" + "a" * 64 + "\n", name="=_sha256:" + "a" * 64)
@example(text="x\n=_sha256:" + "a" * 64 + "\n", name=" ".join(["w" * 70, "=_sha256:" + "a" * 64]))
def test_nothing_that_is_written_passes_for_the_place_of_a_content(text: str, name: str):
    """A lead whose name is a hash of somebody's file gets no file."""
    draft = replace(PLAIN, text=text, html=text, subject=name or "x", headers=(("X-Own", name or "x"),))

    assert () == contents_of(compose(draft))


def test_a_content_that_is_not_given_is_never_sent_as_an_empty_file():
    """Whoever puts the contents in has them all."""
    with pytest.raises(KeyError):
        whole(replace(PLAIN, attachments=(file(content=b"x"),)))


@given(
    subject=st.lists(st.text(st.sampled_from("abcäöé ,.'"), min_size=1, max_size=12), max_size=6)
    .map(" ".join)
    .map(str.strip),
    name=st.text(st.sampled_from("abcXYZ "), min_size=1, max_size=20).filter(str.strip),
    text=BODIES,
)
def test_the_standard_library_builds_a_message_that_reads_alike(subject: str, name: str, text: str):
    """The oracle: EmailMessage, in the fields where it is right."""
    name = " ".join(name.split())
    theirs = EmailMessage(policy=ORACLE)
    theirs["From"] = Address(name, addr_spec="ann@relay.test")
    theirs["To"] = Address(addr_spec="bob@lead.test")
    theirs["Subject"] = subject
    theirs["Date"] = PLAIN.date
    theirs["Message-ID"] = PLAIN.message_id
    theirs.set_content(text, cte="quoted-printable")
    expected = message_from_bytes(theirs.as_bytes(), policy=policy.default)
    read = modern(replace(PLAIN, subject=subject, from_name=name, text=text))

    for header in ("From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"):
        assert str(expected[header]).replace('"', "") == str(read[header]).replace('"', "")
    assert ended(content(expected)) == content(read)


FIELDS: dict[str, Callable[[str], Draft]] = {
    "from_name": lambda value: replace(PLAIN, from_name=f"Ann{value}"),
    "to_name": lambda value: replace(PLAIN, to_name=f"Bob{value}"),
    "from_address": lambda value: replace(PLAIN, from_address=f"ann{value}@relay.test"),
    "to_address": lambda value: replace(PLAIN, to_address=f"bob@lead.test{value}x"),
    "subject": lambda value: replace(PLAIN, subject=f"Hello{value}Bcc: eve@evil.test"),
    "message_id": lambda value: replace(PLAIN, message_id=f"<1{value}@relay.test>"),
    "in_reply_to": lambda value: replace(PLAIN, in_reply_to=f"<1@relay.test>{value}"),
    "references": lambda value: replace(PLAIN, references=("<1@relay.test>", f"{value}<2@relay.test>")),
    "list_unsubscribe": lambda value: replace(PLAIN, list_unsubscribe=(f"mailto:a@b.test{value}",)),
    "header value": lambda value: replace(PLAIN, headers=(("X-Own", f"a{value}b"),)),
    "header name": lambda value: replace(PLAIN, headers=((f"X-Own{value}", "a"),)),
    "file name": lambda value: replace(PLAIN, attachments=(file(f"a{value}b"),)),
    "content type": lambda value: replace(PLAIN, attachments=(file(content_type=f"text/csv{value}"),)),
}


@pytest.mark.parametrize("control", ["\r\n", "\n", "\r", "\r\n ", "\x00", "\x0b", "\x85", "\ud800"])
@pytest.mark.parametrize("where", FIELDS)
def test_no_field_can_add_a_header(where: str, control: str):
    """A line break in any field is refused in a sentence, never folded away."""
    draft = FIELDS[where](control)

    with pytest.raises(ValueError, match=r"\w+ \w+ \w+") as refused:
        compose(draft)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "draft",
    [
        replace(PLAIN, date=datetime(2026, 12, 1)),  # noqa: DTZ001 - that is what is refused
        replace(PLAIN, to_address="bob"),
        replace(PLAIN, to_address="@lead.test"),
        replace(PLAIN, to_address="bob@"),
        replace(PLAIN, to_address="bob@lead test"),
        replace(PLAIN, to_address="jürgen@lead.test"),
        replace(PLAIN, message_id="1@relay.test"),
        replace(PLAIN, references=("<a b@relay.test>",)),
        replace(PLAIN, references=("<" + "a" * 998 + ">",)),
        replace(PLAIN, list_unsubscribe=("https://u.test/é",)),
        replace(PLAIN, list_unsubscribe=("mailto:stop@relay.test",), list_unsubscribe_post=True),
        replace(PLAIN, headers=(("Bcc", "eve@evil.test"),)),
        replace(PLAIN, headers=(("Content-Type", "text/html"),)),
        replace(PLAIN, headers=(("X Own", "a"),)),
        replace(PLAIN, text="\udc80"),
        replace(PLAIN, attachments=(file(content_type="message/rfc822"),)),
        replace(PLAIN, attachments=(file(" "),)),
    ],
)
def test_an_impossible_draft_is_refused_in_a_sentence(draft: Draft):
    """Nothing is repaired behind the caller's back."""
    with pytest.raises(ValueError, match=r"\w+ \w+ \w+"):
        compose(draft)


@pytest.mark.parametrize(
    "written, expected",
    [
        ("Ann@Example.TEST", "Ann@example.test"),
        ("ann@büro.example", "ann@xn--bro-hoa.example"),
        ("ann@straße.example", "ann@xn--strae-oqa.example"),
        ("a..b@docomo.test", '"a..b"@docomo.test'),
        ('"john smith"@lead.test', '"john smith"@lead.test'),
        ('a"b@lead.test', '"a\\"b"@lead.test'),
        ("ann@[127.0.0.1]", "ann@[127.0.0.1]"),
        ("ann+tag@localhost", "ann+tag@localhost"),
    ],
)
def test_an_address_is_written_for_the_wire(written: str, expected: str):
    """The domain in ASCII (IDNA 2008), the local part untouched but quoted where it must be."""
    assert expected == ascii_address(written)


def test_boundaries_follow_from_the_message_id():
    """The same draft gives the same bytes; another message has other boundaries."""
    draft = replace(PLAIN, html="<p>Hi</p>")

    assert compose(draft) == compose(replace(draft))
    assert modern(draft).get_boundary() != modern(replace(draft, message_id="<2@relay.test>")).get_boundary()


@given(text=BODIES)
def test_no_body_can_contain_its_boundary(text: str):
    """The boundary's beginning cannot stand in quoted-printable text."""
    boundary = modern(replace(PLAIN, html="x")).get_boundary()
    parts = modern(replace(PLAIN, text=f"--{boundary}--\n{text}--{boundary}", html=f"--{boundary}")).get_payload()

    assert 2 == len(parts)
