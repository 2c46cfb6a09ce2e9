"""Nothing that arrives may raise, take long, or take much memory.

The time limits are generous: they tell linear from quadratic, not fast from slow.
"""

import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.classify import as_json, classify
from relance.mail.parse import parse
from unit.mail.letters import OURS, letter, report

HEAD = b"From: ann@example.com\r\nSubject: failure notice\r\n"
SEEDS = [
    letter("Yes.\n\nOn 1 Jul 2026, at 09:30, Bo wrote:\n> Hi", In_Reply_To=OURS),
    letter("I am out until 17 July 2026.", Subject="Automatic reply: =?utf-8?q?Gr=C3=BC=C3=9Fe?="),
    report(
        "Final-Recipient: rfc822; ann@example.com\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 unknown"
    ),
    letter("<ann@example.com>:\nuser unknown", From_="MAILER-DAEMON@example.com", Subject="failure notice"),
    (
        b"Content-Type: text/html; charset=gb2312\r\nContent-Transfer-Encoding: "
        b"base64\r\n\r\nPGRpdj5oaTxibG9ja3F1b3RlPng8L2Jsb2NrcXVvdGU+PC9kaXY+"
    ),
    (
        b'From: a@b.example\r\n\r\n{"notificationType":"Bounce",'
        b'"bounce":{"bouncedRecipients":[{"emailAddress":"a@b.example"}]}}'
    ),
]
PIECES = [
    b"\r\n\r\n",
    b"\n",
    b"--=b\n",
    b"--=b--\n",
    b"Content-Type: message/rfc822\n\n",
    b'Content-Type: multipart/mixed; boundary="=b"\n',
    b"charset=utf-7",
    b"charset=hex",
    b"charset=utf-16",
    b"=?utf-8?b?/w==?=",
    b"=?x?q?=?=",
    b"\x00",
    b"\xff\xfe",
    b"<",
    b">",
    b"@",
    b'"',
    b"(",
    b";",
    b"Content-Transfer-Encoding: base64\n",
    b" " * 300,
    b"<div>" * 50,
    b"Final-Recipient: rfc822;\n",
    b"550 5.1.1 ",
    b"until 31.2.",
]


def survives(raw: bytes, seconds: float = 5.0) -> None:
    """Read a message to its printed form, within the time."""
    started = perf_counter()
    printed = json.dumps(as_json(classify(parse(raw)), "x"), ensure_ascii=False)

    assert printed.encode("utf-8")
    assert seconds > perf_counter() - started


@given(st.binary(max_size=2000))
def test_arbitrary_bytes_are_some_message(raw: bytes):
    """Any bytes yield a classification that can be stored and printed."""
    survives(raw)


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=30), max_size=40))
def test_pieces_of_mail_in_any_order_are_some_message(pieces: list[bytes]):
    """What the grammar is made of, put together wrongly."""
    survives(HEAD + b"".join(pieces))


@given(st.data())
def test_a_damaged_message_is_still_some_message(data: st.DataObject):
    """Cut, doubled and overwritten in places."""
    raw = bytearray(data.draw(st.sampled_from(SEEDS)))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw)))
        until = data.draw(st.integers(at, min(len(raw), at + 60)))
        raw[at:until] = data.draw(st.sampled_from([b"", *PIECES]) | st.binary(max_size=8)) + bytes(
            raw[at:until]
        ) * data.draw(st.integers(0, 3))
    survives(bytes(raw))


MANY = 40_000
RECIPIENT = b"Final-Recipient: rfc822; a%d@b.example\nAction: failed\nStatus: 5.1.1\n\n"
HOSTILE = {
    "multiparts that share a boundary": b"".join(
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n' for _ in range(MANY)
    )
    + b"--b--\r\n" * MANY,
    "a hundred thousand nested tags": b"Content-Type: text/html\r\n\r\n" + b"<div><blockquote>" * 100_000,
    "ten thousand addressees": b"To: " + b", ".join(b"a%d@b.example" % n for n in range(10_000)) + b"\r\n\r\nx",
    "ten thousand failed recipients": (
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        + b"".join(RECIPIENT % n for n in range(10_000))
    ),
    "ten thousand addresses in words": b"\r\nfailed recipients:\r\n"
    + b"".join(b"<a%d@b.example>: 550 no such user\r\n" % n for n in range(10_000)),
    "reports within reports": b"".join(
        b"Content-Type: multipart/report; boundary=b%d\r\n\r\n--b%d\r\nContent-Type: message/delivery-status\r\n\r\n"
        b"Final-Recipient: rfc822; a@b.example\r\n\r\n--b%d\r\nContent-Type: message/rfc822\r\n\r\n" % (n, n, n)
        for n in range(2000)
    ),
    "headers in eight bits": b"Subject: " + bytes(range(128, 256)) * 300 + b"\r\nX: \xfc\r\n\r\n\xff",
    "a charset that nobody knows": b"Content-Type: text/plain; charset=x-none-9\r\nX: =?x-none-9?B?/w==?=\r\n\r\n"
    + bytes(range(128, 256)) * 4000,
    "words of absence": b"Auto-Submitted: auto-replied\r\n\r\n" + b"if urgent please contact a@b.example " * MANY,
    "multiparts within multiparts": b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (n, n) for n in range(5000)
    ),
    "messages within messages": b"Content-Type: message/rfc822\r\n\r\n" * 10_000,
    "very many parts": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * MANY,
    "boundaries that only look so": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"\n--bx" * 4 * MANY,
    "very many headers": b"X: y\r\n" * 4 * MANY + b"\r\nx",
    "a header folded for ever": b"X: y\r\n" + b" y\r\n" * 4 * MANY,
    "semicolons in a content type": b"Content-Type: text/plain" + b";" * 20 * MANY + b"\r\n\r\nx",
    "quotes in a content type": b'Content-Type: text/plain; a="' + b'\\"' * MANY + b"\r\n\r\nx",
    "half-open encoded words": b"X: " + b"=?utf-8?q?" * MANY + b"\r\n\r\nx",
    "half-open addresses": b"To: "
    + b"<" * MANY
    + b"\r\nCc: "
    + b'"\\' * MANY
    + b"\r\nReply-To: "
    + b"a" * MANY
    + b"\r\n\r\nx",
    "deep markup": b"Content-Type: text/html\r\n\r\n" + b"<div>" * MANY,
    "formatting that is reopened": b"Content-Type: text/html\r\n\r\n" + b"<b>" * 900 + b"<p>x" * MANY,
    "unclosed tags": b"Content-Type: text/html\r\n\r\n" + b"<a " * MANY,
    "unclosed brackets": b"Content-Type: text/html\r\n\r\n" + b"<" * 4 * MANY,
    "quotation marks": b"\r\n" + b">" * 4 * MANY,
    "lines that begin like attributions": b"\r\n" + b"On 1 2 3 4\r\n" * MANY,
    "lines that begin like headers": b"\r\n" + b"From: a\r\n" * MANY,
    "blanks": b"\r\n" + b" " * 4 * MANY,
    "dashes": b"\r\n" + b"-" * 4 * MANY,
    "half addresses": b"\r\n" + b"a@" * MANY,
    "user user user": b"\r\n" + b"user " * MANY,
    "until until until": b"Auto-Submitted: auto-replied\r\n\r\n" + b"until 1. 1. " * MANY,
    "brackets in JSON": b"\r\n" + b'{"notificationType":' * MANY,
    "many recipients": (
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
    )
    + b"".join(
        b"Final-Recipient: rfc822; a%d@b.example\nDiagnostic-Code: smtp; 550 user%s\n\n" % (n, b" user" * 60)
        for n in range(2000)
    ),
    "an endless recipient": (
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: "
        b"message/delivery-status\r\n\r\n"
        b"Final-Recipient: xtext; "
    )
    + b"+2B" * 3 * MANY,
    "bytes of no charset": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    + (b"--b\r\n\r\n" + bytes(range(128, 256)) * 20 + b"\r\n") * 200,
}


@pytest.mark.parametrize("case", sorted(HOSTILE))
@pytest.mark.parametrize("sender", [b"ann@example.com", b"MAILER-DAEMON@example.com"], ids=["person", "machine"])
def test_hostile_mail_costs_no_more_than_its_length(case: str, sender: bytes):
    """Each of these was quadratic or recursive in some reader of mail."""
    survives(b"From: " + sender + b"\r\nSubject: failure notice\r\n" + HOSTILE[case], seconds=5.0)
