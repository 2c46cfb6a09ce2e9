"""Delivery reports, as fields and in words."""

import pytest

from relance.mail.classify import Confidence, Kind
from unit.mail.letters import OURS, letter, report, understood

FAILED = (
    "Final-Recipient: rfc822; ann@example.com\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: "
    "smtp; 550 5.1.1 User unknown"
)


def test_a_standard_report_names_the_recipient_and_the_original():
    """RFC 3464: who, why, and which of our messages."""
    found = understood(report(FAILED))

    assert (Kind.HARD_BOUNCE, Confidence.CERTAIN, OURS) == (found.kind, found.confidence, found.original_message_id)
    assert [("ann@example.com", "5.1.1", "550", "unknown_user", True)] == [
        (who.address, who.status, who.smtp_code, who.reason, who.hard) for who in found.recipients
    ]


def test_a_delivery_notice_is_tested_before_auto_submitted():
    """A third of all bounces call themselves auto-replied; they are not absence notices."""
    assert Kind.HARD_BOUNCE == understood(report(FAILED, Auto_Submitted="auto-replied")).kind


def test_a_report_of_delay_is_no_bounce_yet():
    """The server is still trying; nothing is to be done."""
    found = understood(report(FAILED.replace("failed", "delayed").replace("5.1.1", "4.4.1")))

    assert Kind.DELAYED == found.kind


def test_a_report_of_success_bounces_nobody():
    """Action: delivered and relayed are good news."""
    found = understood(report("Final-Recipient: rfc822; ann@example.com\nAction: delivered\nStatus: 2.0.0"))

    assert Kind.OTHER == found.kind


def test_the_address_we_wrote_to_counts_where_both_are_given():
    """An alias fails at its target, and nobody here knows the target."""
    found = understood(report(f"Original-Recipient: rfc822;Ann@Example.com\n{FAILED.replace('ann@', 'a.lee@int.')}"))

    assert ["ann@example.com"] == [who.address for who in found.recipients]


def test_internationalised_addresses_are_read():
    """RFC 6533: utf-8 addresses and their escaped form."""
    found = understood(report(FAILED.replace("rfc822; ann@", r"utf-8; j\x{F6}rg@")))

    assert ["jörg@example.com"] == [who.address for who in found.recipients]


def test_several_recipients_are_judged_each_for_itself():
    """One is dead, one is full."""
    full = FAILED.replace("ann@", "cy@").replace("5.1.1 User unknown", "5.2.2 Mailbox full").replace("5.1.1", "5.2.2")
    found = understood(report(f"{FAILED}\n\n{full}"))

    assert [("ann@example.com", True), ("cy@example.com", False)] == [
        (who.address, who.hard) for who in found.recipients
    ]


def test_a_returned_message_that_was_itself_a_report_is_not_read():
    """The id is that of the message that came back, not of one further down."""
    assert OURS == understood(report(FAILED, References="<other@example.com>")).original_message_id


QMAIL = """Hi. This is the qmail-send program at mx.example.com.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ann@example.com>:
192.0.2.9 does not like recipient.
Remote host said: 550 5.1.1 no such user here
Giving up on 192.0.2.9.

--- Below this line is a copy of the message.

Message-ID: <first.41@relance.example.net>
To: ann@example.com, other@example.com
Subject: Mailbox full
"""
EXIM = """This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ann@example.com
    SMTP error from remote mail server after RCPT TO:<ann@example.com>:
    host mx.example.com [192.0.2.9]: 550 5.1.1 User unknown

------ This is a copy of the message, including all the headers. ------

Message-ID: <first.41@relance.example.net>
To: ann@example.com
"""
POSTFIX = """This is the Postfix program at host mx.example.com.

I'm sorry to have to inform you that your message could not be
delivered to one or more recipients.

<ann@example.com>: host mx.example.com[192.0.2.9] said: 550 5.1.1
    <ann@example.com>: Recipient address rejected: User unknown

Message-ID: <first.41@relance.example.net>
To: ann@example.com
"""
EXCHANGE = """Your message

  To:      bo@example.net; somebody@example.com
  Subject: Question
  Sent:    Wed, 1 Jul 2026 09:00:00 +0000

did not reach the following recipient(s):

ann@example.com on Wed, 1 Jul 2026 09:00:05 +0000
    The recipient name is not recognized

-----Original Message-----
Message-ID: <first.41@relance.example.net>
"""
YAHOO = """Message from example.com.
Unable to deliver message to the following address(es).

<ann@example.com>:
This user doesn't have an example.com account (ann@example.com) [0]

--- Original message follows.

Message-ID: <first.41@relance.example.net>
"""
SENDMAIL = """   ----- The following addresses had permanent fatal errors -----
<ann@example.com>
    (reason: 550 5.1.1 User unknown)

   ----- Transcript of session follows -----
... while talking to mx.example.com.:
>>> DATA
<<< 550 5.1.1 User unknown

   ----- Unsent message follows -----
Message-ID: <first.41@relance.example.net>
"""
GERMAN = """Die folgende Nachricht konnte nicht zugestellt werden an:

  ann@example.com

550 Benutzer existiert nicht

---- Original message ----
Message-ID: <first.41@relance.example.net>
"""


@pytest.mark.parametrize(
    "text",
    [QMAIL, EXIM, POSTFIX, EXCHANGE, YAHOO, SENDMAIL, GERMAN],
    ids=["qmail", "exim", "postfix", "exchange", "yahoo", "sendmail", "german"],
)
def test_a_bounce_without_a_report_is_read_from_its_words(text: str):
    """Only the notice counts: addresses and phrases of the returned message do not."""
    raw = letter(text, From_="MAILER-DAEMON@mx.example.com", Subject="failure notice")
    found = understood(raw)

    assert (Kind.HARD_BOUNCE, OURS) == (found.kind, found.original_message_id)
    assert [("ann@example.com", True)] == [(who.address, who.hard) for who in found.recipients]


def test_a_warning_in_words_is_a_delay():
    """The server says that it goes on trying."""
    text = (
        "Delivery to the following recipient has been delayed:\n\n  ann@example.com\n\nMessage will be "
        "retried for 2 more day(s)\n"
    )
    raw = letter(text, From_="mailer-daemon@mx.example.com", Subject="Delivery Status Notification (Delay)")

    assert Kind.DELAYED == understood(raw).kind


def test_a_person_who_writes_about_a_bounce_has_answered():
    """The words of a bounce in somebody's own mail make no bounce."""
    raw = letter(
        "Your mail could not be delivered to my colleague, user unknown. Use this address instead.", In_Reply_To=OURS
    )

    assert Kind.HUMAN_REPLY == understood(raw).kind


def test_a_provider_notice_in_json_is_a_bounce():
    """Amazon SES tells bounces through SNS."""
    text = (
        '{"notificationType":"Bounce","bounce":{"bouncedRecipients":[{"emailAddress":"ann@example.com","status":"5.1.1",'
        '"diagnosticCode":"smtp; 550 5.1.1 user '
        'unknown"}]},"mail":{"headers":[{"name":"Message-ID","value":"' + OURS + '"}]}}'
    )
    found = understood(letter(text, From_="no-reply@sns.example.com", Subject="Notification"))

    assert (Kind.HARD_BOUNCE, OURS) == (found.kind, found.original_message_id)


def test_a_feedback_report_is_a_complaint():
    """RFC 5965: somebody pressed "this is spam"."""
    raw = report("Feedback-Type: abuse\nOriginal-Rcpt-To: <ann@example.com>").replace(
        b"message/delivery-status", b"message/feedback-report"
    )
    found = understood(raw)

    assert (Kind.COMPLAINT, OURS) == (found.kind, found.original_message_id)
    assert ["ann@example.com"] == [who.address for who in found.recipients]


def test_a_read_receipt_is_no_answer():
    """RFC 8098: the program reports, the person did not write."""
    raw = report(
        "Final-Recipient: rfc822; ann@example.com\nDisposition: manual-action/MDN-sent-manually; displayed"
    ).replace(b"message/delivery-status", b"message/disposition-notification")

    assert Kind.MDN == understood(raw).kind


def test_an_unknown_user_after_the_whole_message_is_a_filter():
    """The server had taken the address at RCPT (RFC 5321 §3.3); filters of providers refuse senders in these words."""
    fields = "Final-Recipient: rfc822; ann@example.com\nAction: failed\nStatus: 5.0.0\n"
    fields += "Diagnostic-Code: smtp; 550 Unknown user ann@example.com\n"
    session = "... while talking to mx.example.com:\n>>> DATA\n<<< 550 Unknown user ann@example.com"
    together = f"{session}\n<<< 503 Need RCPT (recipient)"

    assert ("filtered", False) == _first(report(fields, notice=session))
    assert ("unknown_user", True) == _first(report(fields, notice=together))
    assert ("unknown_user", True) == _first(report(fields))


def test_a_report_that_names_nobody_is_about_the_only_addressee():
    """`Final-Recipient: rfc822; @host` is what some gateways write."""
    fields = "Final-Recipient: rfc822; @mx.example.com\nAction: failed\nStatus: 5.1.2\n"

    assert ["ann@example.com"] == [each.address for each in understood(report(fields)).recipients]


def _first(raw: bytes) -> tuple[str, bool]:
    recipient = understood(raw).recipients[0]
    return recipient.reason, recipient.hard


def test_an_id_that_the_returned_body_quotes_is_not_the_original():
    """The returned message was itself a forward; only its own header names it."""
    quoted = "From: cy@example.com\nSubject: Old\nMessage-ID: <somebody.else@example.com>"
    in_words = (
        "<ann@example.com>:\nuser unknown\n\n--- Below this line is a copy of the message.\n\n"
        f"From: bo@example.net\nSubject: Fwd\nMessage-ID: {OURS}\n\n> {quoted.replace(chr(10), chr(10) + '> ')}"
    )
    without = in_words.replace(f"\nMessage-ID: {OURS}", "")
    sender = {"From_": "MAILER-DAEMON@example.com", "Subject": "failure notice"}

    assert OURS == understood(letter(in_words, **sender)).original_message_id
    assert None is understood(letter(without, **sender)).original_message_id


def test_a_returned_message_without_an_id_is_not_named_by_its_body():
    """A gateway dropped the header; what stands in the body belongs to another message."""
    fields = "Final-Recipient: rfc822; ann@example.com\nAction: failed\nStatus: 5.1.1\n"
    raw = report(fields).replace(b"text/rfc822-headers", b"message/rfc822")
    raw = raw.replace(f"Message-ID: {OURS}\n".encode(), b"").replace(
        b"Subject: Question\n", b"Subject: Question\n\nMessage-ID: <somebody.else@example.com>\n"
    )

    assert None is understood(raw).original_message_id
