"""Mail for tests, written as programs write it: answers, absence notices, opt-outs, delivery and feedback reports.

Every function takes the message that is answered or reported, as it was sent, and returns raw bytes.
"""

import itertools
from datetime import datetime
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import format_datetime, parseaddr

_numbers = itertools.count(1)


def headers_of(raw: bytes) -> Message:
    """Return the headers of a message."""
    return BytesHeaderParser().parsebytes(raw)


def message_id_of(raw: bytes) -> str:
    """Return a message's id, in angle brackets."""
    return str(headers_of(raw)["Message-ID"])


def write(
    *,
    sender: str,
    to: str,
    subject: str,
    text: str,
    at: datetime,
    more: tuple[tuple[str, str], ...] = (),
    message_id: str | None = None,
) -> bytes:
    """Write a plain message with further headers."""
    domain = sender.rpartition("@")[2]
    lines = [
        f"From: {sender}",
        f"To: {to}",
        f"Subject: {subject}",
        f"Date: {format_datetime(at)}",
        f"Message-ID: {message_id or f'<letter.{next(_numbers)}@{domain}>'}",
        *(f"{name}: {value}" for name, value in more),
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "",
        text.replace("\n", "\r\n"),
        "",
    ]
    return "\r\n".join(lines).encode()


def reply(
    sent: bytes,
    *,
    at: datetime,
    text: str = "Thank you, let us talk on Friday.",
    sender: str | None = None,
    references_only: bool = False,
) -> bytes:
    """Write a person's answer, from the address that was written to or from another one."""
    head, sent_id = headers_of(sent), message_id_of(sent)
    references = f"{head.get('References', '')} {sent_id}".strip()
    more = (("References", references),) if references_only else (("In-Reply-To", sent_id), ("References", references))
    return write(
        sender=sender or _recipient(head),
        to=_sender(head),
        subject=f"Re: {head['Subject']}",
        text=text,
        at=at,
        more=more,
    )


def auto_reply(sent: bytes, *, at: datetime, text: str) -> bytes:
    """Write an absence notice (RFC 3834)."""
    head, sent_id = headers_of(sent), message_id_of(sent)
    return write(
        sender=_recipient(head),
        to=_sender(head),
        subject=f"Automatic reply: {head['Subject']}",
        text=text,
        at=at,
        more=(("In-Reply-To", sent_id), ("References", sent_id), ("Auto-Submitted", "auto-replied")),
    )


def unsubscribe(sent: bytes, *, at: datetime, sender: str | None = None) -> bytes:
    """Write what a mail program sends when its unsubscribe button is pressed (mailto of RFC 2369)."""
    head = headers_of(sent)
    return write(sender=sender or _recipient(head), to=_sender(head), subject="unsubscribe", text="unsubscribe", at=at)


def bounce(
    sent: bytes,
    *,
    at: datetime,
    status: str = "5.1.1",
    diagnostic: str = "550 5.1.1 User unknown",
    action: str = "failed",
    original: bool = True,
) -> bytes:
    """Write a delivery report (RFC 3464); `original` False leaves out what would name the message."""
    head = headers_of(sent)
    address, unique = _recipient(head), next(_numbers)
    returned = f"Message-ID: {message_id_of(sent)}\r\n" if original else ""
    trace = next((f"{n}: {v}\r\n" for n, v in head.items() if n == "X-Trace-Ref"), "") if original else ""
    return (
        f"""From: Mail Delivery System <MAILER-DAEMON@mx.example.net>
To: {_sender(head)}
Subject: Undelivered Mail Returned to Sender
Date: {format_datetime(at)}
Message-ID: <report.{unique}@mx.example.net>
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="=r{unique}"

--=r{unique}
Content-Type: text/plain; charset=us-ascii

This is the mail system. Your message could not be delivered.

<{address}>: {diagnostic}

--=r{unique}
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; {address}
Action: {action}
Status: {status}
Diagnostic-Code: smtp; {diagnostic}

--=r{unique}
Content-Type: text/rfc822-headers

{returned}{trace}From: {_sender(head)}
To: {address}
Subject: {head["Subject"]}

--=r{unique}--
""".replace("\r\n", "\n")
        .replace("\n", "\r\n")
        .encode()
    )


def complaint(sent: bytes, *, at: datetime) -> bytes:
    """Write a feedback report (ARF, RFC 5965)."""
    head, unique = headers_of(sent), next(_numbers)
    return f"""From: feedback@mx.example.net
To: {_sender(head)}
Subject: Abuse report
Date: {format_datetime(at)}
Message-ID: <feedback.{unique}@mx.example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="=f{unique}"

--=f{unique}
Content-Type: text/plain

This is an e-mail abuse report.

--=f{unique}
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: Example/1.0
Version: 1
Original-Rcpt-To: {_recipient(head)}

--=f{unique}
Content-Type: text/rfc822-headers

Message-ID: {message_id_of(sent)}
From: {_sender(head)}
To: {_recipient(head)}
Subject: {head["Subject"]}

--=f{unique}--
""".replace("\n", "\r\n").encode()


def _sender(head: Message) -> str:
    return parseaddr(str(head["From"]))[1]


def _recipient(head: Message) -> str:
    return parseaddr(str(head["To"]))[1]
