"""Which words are a machine's and which a person's, when no header and no subject tells.

A person's answer that is taken for a machine's is lost; so one doubtful sign is never enough.
"""

import pytest

from relance.mail.classify import Kind
from unit.mail.letters import OURS, letter, understood


@pytest.mark.parametrize(
    "text",
    [
        "Thank you for contacting Example Support. This is an automated response to let you know that we have received your request. Your ticket number is 41.",
        "Thank you for your email. I am currently on annual leave and will return on Monday 13 July. For urgent queries please contact reception.",
        "I'm on parental leave until January 2027. Please reach out to Cy (cy@example.com) in the meantime.",
        "I will be out of the office from 1 July to 10 July with no access to email. If you need immediate assistance, please call 555.",
        "Thanks for your message. Our office is closed until July 6th. For emergencies please call.",
        "Hello, I'm away from the office attending a conference. I will have limited access to my email.",
        "Guten Tag, vielen Dank für Ihre Nachricht. Ich bin ab dem 13.7. wieder im Büro. Ihre E-Mail wird nicht weitergeleitet. In dringenden Fällen: cy@example.com",
        "Bonjour, je suis absente du bureau jusqu'au 13 juillet inclus. En cas d'urgence, merci de contacter le secrétariat.",
        "We have received your message and a member of our team will respond within 24 hours. This is an automatic message, please do not reply.",
    ],
)
def test_a_notice_is_known_by_two_things_that_machines_say(text: str):
    """It calls itself one, or says that somebody is away and who is there."""
    assert Kind.AUTO_REPLY == understood(letter(text, In_Reply_To=OURS)).kind


@pytest.mark.parametrize(
    "text",
    [
        "I'm out of office this week, can we talk on Tuesday?",
        "Sorry for the delay, I was on vacation. Yes, let's talk on Monday.",
        "Please contact my colleague Bob, he handles this.",
        "I am travelling until Friday, I'll get back to you next week.",
        "Thanks for your email. Not interested.",
        "We received your message, and yes we'd like a demo.",
        "Can you call me? I have limited access to email today.",
        "I no longer handle this; Cy (cy@example.com) does.",
        "Ich bin gerade im Urlaub, melden Sie sich im August noch mal!",
        "Je suis en déplacement cette semaine, rappelez-moi lundi ?",
        "I left that role last year but I'm still curious - what does it cost?",
        "Our office is closed on Friday, does Monday work?",
        "Who gave you my email? This is an automated message isn't it?",
        "I am on leave next month so let us do this now.",
        "If it's urgent contact me on my mobile.",
        "This is not an automatic reply :) I read your mail and like it.",
    ],
)
def test_a_person_who_says_one_of_them_has_answered(text: str):
    """Being away, naming a colleague or having got a mail is what people write too."""
    assert Kind.HUMAN_REPLY == understood(letter(text, In_Reply_To=OURS)).kind


def test_an_empty_envelope_sender_is_a_machine_s():
    """People write from an address (RFC 3834 §3.3)."""
    raw = b"Return-Path: <>\r\n" + letter("I will read this when I can.", In_Reply_To=OURS)

    assert Kind.AUTO_REPLY == understood(raw).kind


def test_a_vacation_program_of_old_is_known_by_its_precedence():
    """vacation(1) sets `Precedence: bulk` and nothing else; lists set it too, and more."""
    text = "I am on vacation until Monday."

    assert Kind.AUTO_REPLY == understood(letter(text, In_Reply_To=OURS, Precedence="bulk")).kind
    assert Kind.HUMAN_REPLY == understood(letter(text, In_Reply_To=OURS)).kind
