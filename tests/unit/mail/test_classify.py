"""What a message is to a sequence: one test for each rule that others learnt the hard way."""

import json
from datetime import date

import pytest

from relance.mail.classify import RULES_VERSION, Confidence, Kind, as_json, classify
from relance.mail.parse import parse
from unit.mail.letters import OURS, letter, understood

QUOTE = (
    "\n\nOn Wed, Jul 1, 2026 at 9:30 AM Bo <bo@example.net> wrote:\n> Hi Ann\n>\n> To opt out, "
    "reply STOP or unsubscribe\n"
)


# --- people ----------------------------------------------------------------------------------------------------------


def test_an_answer_by_id_is_a_human_reply_with_its_new_text():
    """The quotation is not what the person wrote."""
    found = understood(letter(f"Yes, gladly.{QUOTE}", In_Reply_To=OURS))

    assert (Kind.HUMAN_REPLY, Confidence.CERTAIN, "Yes, gladly.") == (found.kind, found.confidence, found.new_text)
    assert (OURS,) == found.in_reply_to


def test_the_second_answer_of_a_thread_is_known_by_references():
    """In-Reply-To names the colleague's mail; ours stands among the references."""
    found = understood(
        letter("And one more thing.", In_Reply_To="<x@example.com>", References=f"{OURS} <x@example.com>")
    )

    assert Kind.HUMAN_REPLY == found.kind
    assert OURS in found.in_reply_to


def test_not_interested_is_a_human_reply():
    """A refusal is an answer, not an opt-out."""
    for words in ("Not interested.", "No thanks, we are not interested.", "Kein Interesse."):
        assert Kind.HUMAN_REPLY == understood(letter(words, In_Reply_To=OURS)).kind


def test_a_quoted_outlook_header_block_is_not_the_sender():
    """Only the From header names who wrote."""
    block = "\n\nFrom: Bo <bo@example.net>\nSent: Wednesday\nTo: Ann <ann@example.com>\nSubject: Question\n\nHi Ann"
    message = parse(letter(f"Sure.{block}", In_Reply_To=OURS))
    found = classify(message, own_addresses=frozenset({"bo@example.net"}))

    assert message.from_ is not None
    assert "ann@example.com" == message.from_.address
    assert (Kind.HUMAN_REPLY, "Sure.") == (found.kind, found.new_text)


@pytest.mark.parametrize("subject", ["Fwd: Question", "WG: Frage", "TR : Question", "[EXTERNAL] FW: Re: Question"])
def test_a_forwarded_mail_is_not_the_leads_own_reply(subject: str):
    """They passed it on; they did not answer."""
    assert Kind.ORDINARY == understood(letter("see below", Subject=subject, References=OURS)).kind


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Auto_Response_Suppress": "All"},
        {"X_Auto_Response_Suppress": "DR, OOF, AutoReply", "Auto_Submitted": "auto-forwarded"},
        {"Auto_Submitted": "no"},
        {"Auto_Submitted": "auto-forwarded"},
        {"X_Auto_Response_Suppress": "OOF", "X_MS_Exchange_Inbox_Rules_Loop": "ann@example.com"},
    ],
)
def test_ordinary_exchange_mail_is_not_silenced_as_machine_mail(headers: dict[str, str]):
    """These headers stand on what people write, and mean nothing by themselves."""
    assert Kind.HUMAN_REPLY == understood(letter("Yes, call me.", In_Reply_To=OURS, **headers)).kind


def test_somebody_who_happens_to_be_away_has_answered():
    """A person's answer must not be lost for a word about the office."""
    text = "Good idea. I am out of the office this week, let us talk on Tuesday the 14th?"

    assert Kind.HUMAN_REPLY == understood(letter(text, In_Reply_To=OURS)).kind


def test_a_colleague_who_tells_that_somebody_left_has_answered():
    """That is a person, and often the better lead."""
    text = "Ann no longer works here, I am doing her job now. What is it about?"

    assert Kind.HUMAN_REPLY == understood(letter(text, In_Reply_To=OURS, From_="cy@example.com")).kind


def test_mail_that_answers_nothing_is_ordinary():
    """It may still match by its sender; that is not decided here."""
    found = understood(letter("Hello, do you sell boats?", Subject="Boats"))

    assert (Kind.ORDINARY, ()) == (found.kind, found.in_reply_to)


def test_our_own_mail_is_manual_outgoing():
    """Sent folders show what the user wrote by hand."""
    assert Kind.MANUAL_OUTGOING == understood(letter("Hi", From_="Bo <BO@example.net>", In_Reply_To=OURS)).kind


# --- machines that answer --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "subject",
    [
        "自动回复:Question",
        "Automatic reply: Question",
        "Automatische Antwort: Frage",
        "Réponse automatique : Question",
        "Respuesta automática: Pregunta",
        "Out of Office: Question",
        "Abwesenheitsnotiz: Frage",
        "Autosvar: Fråga",
        "自動返信: 質問",
        "[EXTERNAL] Automatic reply: Question",
        "Автоответ: Вопрос",
    ],
)
def test_an_automatic_subject_makes_an_auto_reply_in_any_language(subject: str):
    """Exchange sets no Auto-Submitted; the subject is all there is."""
    assert Kind.AUTO_REPLY == understood(letter("…", Subject=subject, In_Reply_To=OURS)).kind


@pytest.mark.parametrize(
    "headers", [{"Auto_Submitted": "auto-replied (vacation)"}, {"X_Autoreply": "yes"}, {"Precedence": "auto_reply"}]
)
def test_a_header_of_autoresponders_is_certain(headers: dict[str, str]):
    """RFC 3834 and what came before it."""
    found = understood(letter("I am away.", In_Reply_To=OURS, **headers))

    assert (Kind.AUTO_REPLY, Confidence.CERTAIN) == (found.kind, found.confidence)


def test_an_absence_notice_tells_its_return():
    """For the policy that holds the person until then."""
    text = "I am out of the office until 17 July 2026 with limited access to e-mail."
    found = understood(letter(text, Subject="Automatic reply: Question"))

    assert (Kind.AUTO_REPLY, date(2026, 7, 17), False) == (found.kind, found.return_date, found.permanent_absence)


def test_an_ambiguous_return_date_is_left_open():
    """9/8/2026 holds nobody."""
    found = understood(letter("I am back on 9/8/2026.", Subject="Automatic reply: Question"))

    assert (Kind.AUTO_REPLY, None) == (found.kind, found.return_date)


@pytest.mark.parametrize(
    "text",
    [
        "I have retired and am no longer using this address.",
        "This mailbox is no longer monitored. Please write to info@example.com.",
        "Ich arbeite nicht mehr bei Example. Bitte wenden Sie sich an info@example.com.",
        "I no longer work for Example Ltd.",
    ],
)
@pytest.mark.parametrize("headers", [{"Auto_Submitted": "auto-replied"}, {}], ids=["declared", "undeclared"])
def test_a_farewell_is_a_permanent_auto_reply(text: str, headers: dict[str, str]):
    """Retired, no longer using this address: stop, do not hold, and do not count it as an answer."""
    found = understood(letter(text, In_Reply_To=OURS, **headers))

    assert (Kind.AUTO_REPLY, True, None) == (found.kind, found.permanent_absence, found.return_date)


def test_a_notice_of_a_program_is_no_answer():
    """Auto-generated mail that answers nothing is nobody's reply."""
    assert Kind.OTHER == understood(letter("Build failed", Subject="CI", Auto_Submitted="auto-generated")).kind


def test_a_challenge_is_neither_a_reply_nor_answered():
    """Somebody's spam filter wants proof of a human."""
    text = (
        "I apologize for this automatic reply. I now allow incoming messages only from senders I have "
        "approved beforehand. Click the link below."
    )

    assert Kind.CHALLENGE_RESPONSE == understood(letter(text, Precedence="auto_reply")).kind


def test_an_answer_to_an_invitation_is_calendar():
    """RFC 6047: the program answers, not the person."""
    raw = letter("BEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR", Subject="Accepted: Call").replace(
        b"text/plain", b"text/calendar"
    )

    assert Kind.CALENDAR == understood(raw).kind


# --- no more mail ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "STOP",
        "stop.",
        "Unsubscribe",
        "unsubscribe please",
        "Please remove me from your list.",
        "Take me off your mailing list, thanks.",
        "Hi, please unsubscribe me. Ann",
        "Stop emailing me!",
        "Please stop sending me these e-mails.",
        "Do not contact me again.",
        "Bitte abmelden",
        "Bitte nehmen Sie mich aus dem Verteiler.",
        "Désinscrivez-moi de votre liste svp",
        "Por favor, darme de baja",
        "Cancellatemi dalla lista",
        "退订",
    ],
)
def test_a_lone_word_or_an_explicit_phrase_is_an_opt_out(text: str):
    """In the language of the person, in the new text."""
    assert Kind.UNSUBSCRIBE == understood(letter(f"{text}{QUOTE}", In_Reply_To=OURS)).kind


@pytest.mark.parametrize(
    "text",
    [
        "STOP this bill from passing, sign here?",
        "Can we stop by on Tuesday?",
        "We want to unsubscribe from our current vendor, so your timing is good.",
        "How do people unsubscribe from your product?",
        "Please remove the second item from the offer and send it again.",
        "If you want to unsubscribe me from the trial, fine; but what does it cost?",
        "I cannot stop thinking about it.",
        "Please stop sending me the invoices at this address; they go to accounting.",
        "Stop sending us boxes of the old model, and we have a deal.",
    ],
)
def test_words_that_only_contain_stop_are_answers(text: str):
    """STOP this bill is no opt-out."""
    assert Kind.HUMAN_REPLY == understood(letter(text, In_Reply_To=OURS)).kind


def test_our_own_footer_in_the_quotation_opts_nobody_out():
    """Only the new text counts."""
    assert Kind.HUMAN_REPLY == understood(letter(f"Sounds good{QUOTE}", In_Reply_To=OURS)).kind


@pytest.mark.parametrize("body", ["", "unsubscribe", "This message was automatically generated by Gmail."])
def test_the_unsubscribe_link_by_mail_is_an_opt_out(body: str):
    """RFC 2369 mailto: subject or body is the word; programs mark such mail as automatic."""
    for headers in ({}, {"Auto_Submitted": "auto-replied"}):
        assert Kind.UNSUBSCRIBE == understood(letter(body, Subject="unsubscribe", **headers)).kind


# --- the shape -------------------------------------------------------------------------------------------------------


def test_the_json_has_the_documented_shape():
    """What `relance classify --json` prints."""
    found = understood(letter(f"Yes.{QUOTE}", In_Reply_To=OURS))
    printed = json.loads(json.dumps(as_json(found, "mail/1.eml")))

    assert {
        "path": "mail/1.eml",
        "kind": "human_reply",
        "confidence": "certain",
        "rule": "answer-by-id",
        "recipients": [],
        "original_message_id": None,
        "in_reply_to": [OURS],
        "new_text": "Yes.",
        "signature": "",
        "return_date": None,
        "permanent_absence": False,
        "new_address": None,
        "contacts": [],
        "calendar_answer": None,
        "feedback_type": None,
        "evidence": ["In-Reply-To or References"],
        "rules_version": RULES_VERSION,
    } == printed


def test_nothing_readable_is_other_with_its_reason():
    """Never an exception, and never a guess without a reason."""
    found = understood(b"")

    assert (Kind.OTHER, ("neither a sender nor a text",)) == (found.kind, found.evidence)
