"""Letters for the tests of reading: invented people at example.com, written as bytes."""

from datetime import UTC, datetime

from relance.mail.classify import Classification, classify
from relance.mail.parse import parse

OURS = "<first.41@relance.example.net>"
RECEIVED = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)


def letter(body: str = "", /, **headers: str) -> bytes:
    """Write a plain letter; `From_` and `In_Reply_To` become headers, and Ann is its sender if nobody else is."""
    fields = {"From_": "Ann Lee <ann@example.com>", "To": "Bo <bo@example.net>", "Subject": "Re: Question"} | headers
    lines = [f"{name.rstrip('_').replace('_', '-')}: {value}" for name, value in fields.items() if value]
    head = "\r\n".join([*lines, "Content-Type: text/plain; charset=utf-8", "", ""])
    return (head + body.replace("\n", "\r\n")).encode()


def report(
    fields: str, /, notice: str = "Your message was not delivered.", original: str = OURS, **headers: str
) -> bytes:
    """Write a delivery report (RFC 3464) with one or more groups of fields about recipients."""
    values = {
        "From_": "Mail Delivery System <mailer-daemon@mx.example.com>",
        "To": "bo@example.net",
        "Subject": "Undelivered Mail Returned to Sender",
    } | headers
    head = "\n".join(f"{name.rstrip('_').replace('_', '-')}: {value}" for name, value in values.items() if value)
    return f"""{head}
Content-Type: multipart/report; report-type=delivery-status; boundary="=b"

--=b
Content-Type: text/plain

{notice}

--=b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com

{fields}
--=b
Content-Type: text/rfc822-headers

Message-ID: {original}
From: bo@example.net
To: ann@example.com
Subject: Question

--=b--
""".encode()


def understood(raw: bytes) -> Classification:
    """Read a letter as the ingester does."""
    return classify(parse(raw), own_addresses=frozenset({"bo@example.net"}), received_at=RECEIVED)
