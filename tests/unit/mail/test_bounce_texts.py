"""Notices of mail systems that send no machine-readable report: each puts the failed address somewhere else."""

import pytest

from relance.mail.bounce_texts import is_delay, split_original
from relance.mail.classify import Kind
from unit.mail.letters import letter, understood
from unit.mail.notices import NOTICES as WORDED

NOTICES = {
    "exchange": (
        "Delivery has failed to these recipients or distribution lists:\n"
        "\n"
        "Ann Lee\n"
        "The recipient's e-mail address was not found in the recipient's e-mail system.\n"
        "\n"
        "  _____\n"
        "\n"
        "Diagnostic information for administrators:\n"
        "\n"
        "Generating server: mta.example.com\n"
        "\n"
        "ann@example.com\n"
        "#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##\n"
        "\n"
        "Original message headers:\n"
        "\n"
        "Received: from x\n"
        "Message-ID: <first.41@relance.example.net>\n"
        "To: other@example.com\n"
    ),
    "quoted address": (
        "This message was created automatically by mail delivery software.\n"
        "\n"
        "A message that you sent could not be delivered to one or more of its\n"
        "recipients. This is a permanent error. The following address\n"
        "failed:\n"
        "\n"
        '"ann@example.com":\n'
        "SMTP error from remote server after RCPT command:\n"
        "host: mx.example.com\n"
        "5.1.1 <ann@example.com>... User Unknown\n"
        "\n"
        "--- The header of the original message is following. ---\n"
        "\n"
        "Message-ID: <first.41@relance.example.net>\n"
        "To: other@example.com\n"
    ),
    "transcript": (
        "Sent >>> RCPT TO:<ann@example.com>\n"
        "Received <<< 550 5.1.1 <ann@example.com>... user unknown\n"
        "\n"
        "Unable to deliver message to <ann@example.com>\n"
        "\n"
        "************ End of message\n"
    ),
    "one line": (
        "Unknown user: ann@example.com\n"
        "\n"
        "Original message follows.\n"
        "\n"
        "Message-ID: <first.41@relance.example.net>\n"
        "To: other@example.com\n"
    ),
    "reason below": (
        "Unable to deliver message to: <ann@example.com>\n"
        "Delivery failed for the following reason:\n"
        "Server mx22.example.org[192.0.2.222] failed with: 550 <ann@example.com> No such user here\n"
        "\n"
        "This has been a permanent failure.  No further delivery attempts will be made.\n"
    ),
    "header fields first": (
        "This report relates to a message you sent with the following header fields:\n"
        "\n"
        "  Message-id: <first.41@relance.example.net>\n"
        "  Date: Thu, 29 Apr 2014 23:34:45 +0000\n"
        "  From: Bo <bo@example.net>\n"
        "  To: somebody@example.com\n"
        "  Subject: Question\n"
        "\n"
        "Your message cannot be delivered to the following recipients:\n"
        "\n"
        "  Recipient address: ann@example.com\n"
        "  Reason: Remote SMTP server has rejected address\n"
        "  Diagnostic code: smtp;550 5.1.1 <ann@example.com>... User Unknown\n"
        "  Remote system: dns;mx.example.com\n"
    ),
    "sentence": (
        "We had trouble delivering your message. Full details follow:\n"
        "\n"
        "Subject: 'Question'\n"
        "Date:    'Thu, 29 Apr 2012 23:34:45 +0900'\n"
        "\n"
        "1 error(s):\n"
        "\n"
        "SMTP Server <mta2.example.com> rejected recipient <ann@example.com>\n"
        "  (Error following RCPT command). It responded as follows: [550 5.1.1 User unknown]\n"
        "\n"
    ),
    "address and reason": (
        "This message was created automatically by mail delivery software.\n"
        "A message that you sent could not be delivered to one or more of its recipients. This is a permanent error.\n"
        "\n"
        "ann@example.com Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 <ann@example.com>... User Unknown\n"
        "\n"
        "Received:from mail.zoho.com by mx.zoho.com\n"
        "Message-ID: <first.41@relance.example.net>\n"
        "To: other@example.com\n"
    ),
    "arrows": (
        "  ----- The following addresses had permanent fatal errors -----\n"
        "\n"
        ">>> ann@example.com <ann@example.com>\n"
        "\n"
        "  ----- Transcript of session follows -----\n"
        "550 sorry, no mailbox here by that name (#5.1.1 - chkusr)\n"
    ),
    "reason first": (
        "------- Failure Reasons  --------\n"
        "\n"
        "User not listed in public Name & Address Book\n"
        "ann@example.com\n"
        "\n"
        "------- Returned Message --------\n"
        "\n"
        "Message-ID: <first.41@relance.example.net>\n"
        "To: other@example.com\n"
    ),
    "sendmail variant": (
        "The original message was received at Thu, 29 Apr 2010\n"
        "\n"
        "   ----- The following addresses had delivery problems -----\n"
        "<ann@example.com> (unrecoverable error)\n"
        "\n"
        "   ----- Transcript of session follows -----\n"
        "... while talking to mx.example.com:\n"
        ">>> RCPT To:<ann@example.com>\n"
        "<<< 550 <ann@example.com>: User unknown\n"
        "554 <ann@example.com>... 550 <ann@example.com>: User unknown\n"
    ),
    "prose": (
        "** Address not found **\n"
        "\n"
        "Your message wasn't delivered to ann@example.com because the address couldn't be found, or is "
        "unable to receive mail.\n"
        "\n"
        "Learn more here: https://support.google.com/mail/?p=NoSuchUser\n"
        "\n"
        "The response was:\n"
        "\n"
        "550 5.1.1 The email account that you tried to reach does not exist.\n"
    ),
    "agent": (
        "This is the DragonFly Mail Agent v0.11 at mx.example.com.\n"
        "\n"
        "There was an error delivering your mail to <ann@example.com>.\n"
        "\n"
        "mx.example.com [192.0.2.12] did not like our RCPT TO:\n"
        "550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown\n"
        "\n"
        "Message headers follow.\n"
        "\n"
        "Message-ID: <first.41@relance.example.net>\n"
        "To: other@example.com\n"
    ),
    "address colon reason": (
        "    Hi!\n"
        "\n"
        "    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.\n"
        "\n"
        "    An error has occurred while attempting to deliver a message for\n"
        "    the following list of recipients:\n"
        "\n"
        "ann@example.com: 550 5.1.1 <ann@example.com>... User Unknown\n"
        "\n"
        "    Below is a copy of the original message:\n"
        "\n"
        "Message-ID: <first.41@relance.example.net>\n"
        "To: other@example.com\n"
    ),
    "French": ("Votre message n'a pas pu être remis à ann@example.com.\n\n550 5.1.1 utilisateur inconnu\n"),
    "Spanish": (
        "No se pudo entregar el mensaje a los siguientes destinatarios:\n"
        "\n"
        "ann@example.com\n"
        "\n"
        "550 5.1.1 El usuario no existe\n"
    ),
}


@pytest.mark.parametrize("form", sorted(NOTICES))
def test_the_failed_address_is_found_wherever_the_notice_puts_it(form: str):
    """Ann failed for good; nobody else did, and the returned message's recipient is none."""
    found = understood(letter(NOTICES[form], From_="MAILER-DAEMON@mx.example.com", Subject="Undeliverable: Question"))

    assert Kind.HARD_BOUNCE == found.kind
    assert [("ann@example.com", "unknown_user", True)] == [
        (who.address, who.reason, who.hard) for who in found.recipients
    ]


def test_a_promise_to_try_again_is_a_delay_and_a_farewell_is_not():
    """What is lasting is no delay, even if the text speaks of delays."""
    assert is_delay("Your message has been delayed. The server will continue to try.")
    assert not is_delay("Your message has been delayed too long. This is a permanent error; I've given up.")


def test_the_notice_ends_where_the_returned_message_begins():
    """Whatever the server puts between them."""
    for divider in (
        "--- Below this line is a copy of the message.",
        "----- Original message -----",
        "Received: from x by y",
    ):
        notice, rest = split_original(f"It failed.\n\n{divider}\nTo: other@example.com\n")

        assert ("It failed.", True) == (notice.strip(), "other@example.com" in rest)


def test_the_original_message_was_received_is_no_divider():
    """Sendmail begins its notice with these words."""
    notice, _ = split_original("The original message was received at Wed, 1 Jul 2026\n\n<ann@example.com>\n")

    assert "<ann@example.com>" in notice


S3150 = (
    "550 5.7.1 Unfortunately, messages from [192.0.2.7] weren't sent. Please contact your Internet service provider "
    "since part of their network is on our block list (S3150)."
)


@pytest.mark.parametrize(
    "said",
    [
        f"Remote Server returned '{S3150}'",
        f"Remote Server returned\n{S3150}",
        f"The remote server replied: {S3150}",
        f"Diagnostic information for administrators:\n\nann@example.com\n{S3150}",
        f"host mx.example.com said:\n    {S3150.replace('. ', '.' + chr(10) + '    ')}",
    ],
)
def test_a_block_is_the_senders_problem_wherever_the_lines_break(said: str):
    """The codes and the reason are read, quoted or not, on one line or on several."""
    raw = letter(
        f"Delivery has failed to these recipients or groups:\n\nann@example.com\n{said}\n",
        From_="postmaster@mx.example.com",
        To="bo@example.net",
        Subject="Undeliverable: Question",
    )
    read = understood(raw)
    (recipient,) = read.recipients

    assert Kind.BLOCK is read.kind
    assert ("ann@example.com", "550", "5.7.1", "blocked", False) == (
        recipient.address,
        recipient.smtp_code,
        recipient.status,
        recipient.reason,
        recipient.hard,
    )


@pytest.mark.parametrize("server", WORDED)
def test_a_notice_in_words_is_read_whatever_server_and_language_it_is_of(server: str):
    """Nobody has the address, and the notice says so in its own way."""
    sender, subject, text = WORDED[server]
    found = understood(letter(text, From_=sender, Subject=subject))

    assert Kind.HARD_BOUNCE == found.kind
    assert [("ann@example.com", "unknown_user")] == [(each.address, each.reason) for each in found.recipients]
