"""Every rule of the classifier has one message that it, and no rule before it, decides: `rules/NAME.eml`."""

from pathlib import Path

import pytest

from relance.mail.classify import RULES, RULES_VERSION, CalendarAnswer, Classification, Kind, Rule
from unit.mail.letters import OURS, letter, understood

EXAMPLES = Path(__file__).with_name("rules")
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def example(name: str) -> Classification:
    """Read the message of one rule."""
    return understood((EXAMPLES / f"{name}.eml").read_bytes())


@every_rule
def test_a_rule_decides_its_example(rule: Rule):
    """What an earlier rule takes, this one never sees."""
    found = example(rule.name)

    assert rule.name == found.rule
    assert found.kind in rule.kinds
    assert found.evidence
    assert RULES_VERSION == found.rules_version


@every_rule
def test_a_rule_says_what_it_means_and_where_that_is_written(rule: Rule):
    """The page about the rules is made of this."""
    assert rule.means
    assert rule.source
    assert 1 <= rule.since <= RULES_VERSION


def test_every_example_belongs_to_a_rule_and_no_name_is_there_twice():
    """A rule that goes takes its example along."""
    names = [rule.name for rule in RULES]

    assert sorted(names) == sorted(path.stem for path in EXAMPLES.iterdir())


def test_a_bounce_that_calls_itself_automatic_is_a_bounce():
    """A third of them do; `delivery-report` has such an example."""
    assert Kind.HARD_BOUNCE == example("delivery-report").kind
    assert OURS == example("delivery-report").original_message_id


def test_a_complaint_names_who_complained():
    """Where the report says so, or the provider noted it in the message that came back."""
    for name in ("feedback-report", "provider-complaint", "complaint-notice"):
        assert ("ann@example.com",) == tuple(each.address for each in example(name).recipients), name


def test_a_signature_is_kept_apart():
    """The new text is what was said; the rest is who said it."""
    found = example("answer-by-id")

    assert ("Yes, gladly.", "--\nAnn Lee\nExample Ltd") == (found.new_text, found.signature)


# --- what absence notices name ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text,new_address,contacts",
    [
        ("I no longer work here. Please contact my colleague cy@example.com.", None, ("cy@example.com",)),
        ("I have left the company. My new e-mail address is ann@new.example.", "ann@new.example", ()),
        (
            "Ich arbeite nicht mehr bei Example. Meine neue Adresse ist ann@neu.example. Vertretung: cy@example.com.",
            "ann@neu.example",
            ("cy@example.com",),
        ),
        ("J'ai quitté la société. Merci de contacter cy@example.com.", None, ("cy@example.com",)),
        ("I have retired. ann@example.com is no longer read.\n\n> new address: old@quoted.example", None, ()),
    ],
)
def test_a_farewell_names_the_new_address_or_a_colleague(text: str, new_address: str | None, contacts: tuple[str, ...]):
    """A person decides what to do with it; the run stops in any case."""
    found = understood(letter(text, Auto_Submitted="auto-replied", In_Reply_To=OURS))

    assert (True, new_address, contacts) == (found.permanent_absence, found.new_address, found.contacts)


def test_an_absence_for_a_while_names_who_is_there():
    """The person keeps the address; whom to write to instead is kept."""
    assert (None, ("cy@example.com",)) == (
        example("auto-reply-in-words").new_address,
        example("auto-reply-in-words").contacts,
    )


# --- invitations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method,status,answer",
    [
        ("REPLY", "ACCEPTED", CalendarAnswer.ACCEPTED),
        ("REPLY", "DECLINED", CalendarAnswer.DECLINED),
        ("REPLY", "TENTATIVE", CalendarAnswer.TENTATIVE),
        ("COUNTER", "TENTATIVE", CalendarAnswer.COUNTER),
        ("REQUEST", "NEEDS-ACTION", CalendarAnswer.REQUEST),
        ("CANCEL", "ACCEPTED", CalendarAnswer.CANCELLED),
    ],
)
def test_a_calendar_object_says_what_was_answered(method: str, status: str, answer: CalendarAnswer):
    """The status of an attendee counts in a REPLY alone: a REQUEST lists those of others."""
    body = f"BEGIN:VCALENDAR\nMETHOD:{method}\nATTENDEE;PARTSTAT={status}:mailto:ann@example.com\nEND:VCALENDAR"
    found = understood(letter(body, Subject="Call").replace(b"text/plain", b"text/calendar"))

    assert (Kind.CALENDAR, answer) == (found.kind, found.calendar_answer)


# --- what is no complaint ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["auth-failure", "not-spam"])
def test_feedback_that_nobody_complains_with_has_no_effect(kind: str):
    """A domain's DMARC failure stops nobody; the report is kept as what it is."""
    raw = (EXAMPLES / "feedback-report.eml").read_bytes().replace(b"Type: abuse", f"Type: {kind}".encode())
    found = understood(raw)

    assert (Kind.COMPLAINT, kind) == (found.kind, found.feedback_type)


# --- what is no bounce ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "You have 5 undelivered messages. Click here to release your pending messages.",
        "Delivery failed: your mailbox is full. Verify your mailbox now to avoid losing mail.",
    ],
)
def test_phishing_with_a_null_sender_is_no_bounce(body: str):
    """It dresses as a mail system and quotes no answer of any server."""
    raw = b"Return-Path: <>\r\n" + letter(
        body, From_="Mail System <postmaster@example.net>", Subject="Delivery failure"
    )

    assert Kind.OTHER == understood(raw).kind


@pytest.mark.parametrize("subject", ["[Auto-Reply] Question", "[EXTERNAL] Automatic reply: Question"])
def test_a_tag_may_hide_or_be_the_telling_subject(subject: str):
    """Gateways put tags in front; some autoresponders are one."""
    assert Kind.AUTO_REPLY == understood(letter("…", Subject=subject, In_Reply_To=OURS)).kind
