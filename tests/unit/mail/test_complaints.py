"""Complaints in the forms in which providers send them (RFC 5965 and before)."""

import pytest

from relance.mail.classify import Classification, Kind
from unit.mail.letters import OURS, letter, understood

FIELDS = "Feedback-Type: {kind}\nUser-Agent: {agent}\nVersion: 1\n"


def loop(
    sender: str, subject: str, fields: str, *, to: str = "ann@example.com", noted: str = "", report: bool = True
) -> Classification:
    """Read what a feedback loop sends: a report if it writes one, and the message that somebody complained about."""
    part = f"--=b\nContent-Type: message/feedback-report\n\n{fields}\n\n" if report else ""
    kind = "report; report-type=feedback-report" if report else "mixed"
    raw = f"""From: {sender}
To: bo@example.net
Subject: {subject}
MIME-Version: 1.0
Content-Type: multipart/{kind}; boundary="=b"

--=b
Content-Type: text/plain

This is a report about a message that came from 192.0.2.1.

{part}--=b
Content-Type: message/rfc822

{noted}Message-ID: {OURS}
From: bo@example.net
To: {to}
Subject: Question

Hi Ann

--=b--
"""
    return understood(raw.encode())


def test_aol_hides_who_complained_and_returns_the_message():
    """The address is redacted; the message that comes back names the attempt."""
    fields = FIELDS.format(kind="abuse", agent="AOL SComp") + "Redacted-Address: redacted@"
    found = loop("scomp@aol.example", "Email Feedback Report for IP 192.0.2.1", fields, to="redacted@aol.example")

    assert (Kind.COMPLAINT, (), OURS) == (found.kind, found.recipients, found.original_message_id)


@pytest.mark.parametrize(
    "sender,subject,agent",
    [
        ("feedback@arf.mail.yahoo.example", "FW: Question", "Yahoo!-Mail-Feedback/2.0"),
        ("feedbackloop@comcastfbl.example", "Comcast Abuse Report", "ReturnPathFBL/1.0"),
        ("staff@hotmail.example", "complaint about message from 192.0.2.1", "Microsoft-JMRP/1.0"),
    ],
    ids=["yahoo", "comcast", "outlook.com"],
)
@pytest.mark.parametrize("kind", ["abuse", "fraud", "virus", "other", "opt-out", "opt-out-list"])
def test_a_report_names_who_complained(sender: str, subject: str, agent: str, kind: str):
    """Whatever the type, somebody wants no more of this."""
    found = loop(sender, subject, FIELDS.format(kind=kind, agent=agent) + "Original-Rcpt-To: ann@example.com")

    assert (Kind.COMPLAINT, kind) == (found.kind, found.feedback_type)
    assert ["ann@example.com"] == [each.address for each in found.recipients]


def test_hotmail_notes_who_complained_in_the_message_itself():
    """Its junk mail reporting wrote no report before it took RFC 5965 up."""
    found = loop(
        "staff@hotmail.example",
        "complaint about message from 192.0.2.1",
        "",
        to="undisclosed",
        noted="X-HmXmrOriginalRecipient: ann@example.com\n",
        report=False,
    )

    assert (Kind.COMPLAINT, OURS) == (found.kind, found.original_message_id)
    assert ["ann@example.com"] == [each.address for each in found.recipients]


def test_a_person_who_forwards_a_message_about_abuse_does_not_complain():
    """Not from a staff address, nothing is returned: it is mail."""
    assert Kind.COMPLAINT != understood(letter("We had an abuse report.", Subject="Abuse report")).kind


@pytest.mark.parametrize("name", ["notificationType", "eventType"])
def test_a_provider_tells_in_json(name: str):
    """Notifications and published events differ in one name; both carry the headers of the message."""
    mail = '"mail":{"headers":[{"name":"Message-ID","value":"' + OURS + '"}]}'
    body = (
        '{"'
        + name
        + '":"Complaint","complaint":{"complainedRecipients":[{"emailAddress":"ann@example.com"}]},'
        + mail
        + "}"
    )
    bounce = (
        '{"'
        + name
        + '":"Bounce","bounce":{"bouncedRecipients":[{"emailAddress":"ann@example.com",'
        + '"diagnosticCode":"smtp; 550 5.1.1 user unknown"}]},'
        + mail
        + "}"
    )

    assert (Kind.COMPLAINT, OURS) == (understood(letter(body)).kind, understood(letter(body)).original_message_id)
    assert (Kind.HARD_BOUNCE, OURS) == (understood(letter(bounce)).kind, understood(letter(bounce)).original_message_id)
