"""People: who they are, when they act and what they write."""

from collections import Counter
from datetime import timedelta
from email import message_from_bytes
from email.message import Message

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import DEFAULT_DOMAINS, ENGLISH, SandboxMailbox
from relance.sandbox.journal import Arrived, Journal, Nature
from relance.sandbox.leads import DEMO_SCRIPT
from relance.sandbox.letters import plain_text
from relance.sandbox.machine_mail import BounceForm
from relance.sandbox.mailstore import Mailstore, StoredMessage, Use
from relance.sandbox.people import People
from relance.sandbox.person import SHARES, Behaviour, MailClient, Population
from relance.sandbox.post_office import Envelope, PostOffice
from sandbox.conftest import MONDAY

LEADS = [f"lead{number}@shop.example" for number in range(300)]
ANNA = "anna.keller@shop.example"
TEXT = "Good morning,\nlet us talk about Köln.\n"


class Street:
    """One mailbox that writes to people, without sockets."""

    def __init__(self, seed: int = 1) -> None:
        self.clock = SandboxClock(MONDAY)
        self.journal = Journal()
        self.population = Population(seed=seed)
        self.people = People(clock=self.clock, seed=seed, population=self.population, step_waits=DEMO_SCRIPT.waits)
        self.office = PostOffice(
            clock=self.clock, seed=seed, journal=self.journal, markers={}, to_person=self.people.receive
        )
        self.people.post_office = self.office
        self.store = Mailstore(ENGLISH, uid_validity=1)
        self.mailbox = SandboxMailbox(
            address="clara@brightmail.example",
            display_name="Clara Winter",
            username="clara",
            password="x",
            domain=DEFAULT_DOMAINS[0],
            store=self.store,
        )
        self.office.mailboxes[self.mailbox.address] = self.mailbox

    def write_to(
        self, address: str, number: int = 1, unsubscribe: str = "<mailto:clara+u7@brightmail.example>"
    ) -> None:
        """Let the mailbox send its number-th message."""
        raw = (
            f"From: Clara Winter <clara@brightmail.example>\r\nTo: {address}\r\nSubject: =?utf-8?q?F=C3=BCr_Sie?=\r\n"
            f"Message-ID: <m{number}@brightmail.example>\r\nReferences: <m0@brightmail.example>\r\n"
            f"List-Unsubscribe: {unsubscribe}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{TEXT}"
        ).encode()
        self.office.accept(
            Envelope(mailbox=self.mailbox, sender="clara@brightmail.example", recipients=[address], raw=raw)
        )

    def run(self) -> list[Arrived]:
        """Let everything happen that is planned, each at its time."""
        while (due := self.people.next_due()) is not None:
            self.clock.jump(due)
            self.people.run_due(due)
        return list(self.journal.arrived())

    def messages(self, use: Use = Use.INBOX) -> list[Message]:
        """Read a folder as an independent parser does."""
        return [message_from_bytes(stored.raw) for stored in self._stored(use)]

    def _stored(self, use: Use) -> list[StoredMessage]:
        return list(self.store.by_use(use))


def parts(message: Message) -> list[Message]:
    """Return the parts of a multipart message."""
    payload = message.get_payload()
    assert isinstance(payload, list)
    return [part for part in payload if isinstance(part, Message)]


def street_with(behaviour: Behaviour, turn: int = 0, seed: int = 1) -> Street:
    """Return a street where Anna behaves so and has received what she acts on."""
    street = Street(seed)
    person = street.population.settle(ANNA, behaviour, turn=turn)
    for number in range(1, person.acts_on + 1):
        street.write_to(ANNA, number)
    return street


@given(seed=st.integers(0, 1 << 40))
def test_three_hundred_leads_show_every_behaviour_in_its_share(seed: int):
    """The seed decides who behaves how, never how many do."""
    population = Population(seed=seed, leads=LEADS)
    counts = Counter(population.person(address).behaviour for address in LEADS)

    assert all(abs(counts[behaviour] - share * 0.3) < 1.01 for behaviour, share in SHARES)
    assert set(Behaviour) == set(counts)
    assert counts[Behaviour.IGNORES] > 200


def test_the_same_seed_makes_the_same_people():
    """Whether asked early or late, alone or among others; another seed makes others."""
    one, two = Population(seed=7, leads=LEADS), Population(seed=7, leads=reversed(LEADS))
    other = Population(seed=8, leads=LEADS)

    assert [one.person(each) for each in LEADS] == [two.person(each.upper()) for each in LEADS]
    assert [one.person(each).behaviour for each in LEADS] != [other.person(each).behaviour for each in LEADS]
    assert Population(seed=7).person(ANNA) == Population(seed=7).person(ANNA)


def test_most_people_say_nothing():
    """No answer is planned."""
    assert [] == street_with(Behaviour.IGNORES).run()


def test_an_answer_stays_in_its_thread():
    """In-Reply-To names the mail, References the whole thread, the subject gains one prefix."""
    street = street_with(Behaviour.ANSWERS_AT_ONCE)
    (arrived,) = street.run()
    (mail,) = street.messages()

    assert (Nature.ANSWER, ANNA, "INBOX") == (arrived.nature, arrived.person, arrived.folder)
    assert timedelta(minutes=1) <= arrived.at - MONDAY <= timedelta(minutes=30)
    assert "<m1@brightmail.example>" == mail["In-Reply-To"]
    assert "<m0@brightmail.example> <m1@brightmail.example>" == mail["References"]
    assert mail["Auto-Submitted"] is None


@pytest.mark.parametrize("seed", range(40))
def test_answers_quote_the_original(seed: int):
    """Every mail program quotes, in its own way and with the right characters."""
    street = street_with(Behaviour.ANSWERS_AT_ONCE, seed=seed)
    street.run()
    (mail,) = street.messages()
    text = plain_text(mail)
    quote = "" if street.population.person(ANNA).client is MailClient.OUTLOOK else "> "

    assert f"{quote}let us talk about Köln." in text
    assert text.index("Köln") > text.index("Clara Winter")


@pytest.mark.parametrize("turn", range(4))
def test_a_late_answer_comes_just_before_the_next_step(turn: int):
    """At most ten minutes before the next mail would be due, at worst in the same second."""
    street = street_with(Behaviour.ANSWERS_LATE, turn)
    acts_on = street.population.person(ANNA).acts_on
    (arrived,) = street.run()

    margin = DEMO_SCRIPT.waits[acts_on - 1] - (arrived.at - MONDAY)
    assert timedelta(0) <= margin <= timedelta(minutes=10)


def test_some_answer_twice():
    """The second answer is another message in the same thread."""
    street = street_with(Behaviour.ANSWERS_TWICE)
    first, second = street.run()

    assert first.at < second.at
    assert first.message_id != second.message_id
    assert 1 == len({mail["In-Reply-To"] for mail in street.messages()})


def test_some_answer_from_another_address():
    """The thread is the only link to the person."""
    street = street_with(Behaviour.ANSWERS_ELSEWHERE)
    (arrived,) = street.run()
    (mail,) = street.messages()

    assert ANNA == arrived.person
    assert ANNA not in str(mail["From"])
    assert "<m1@brightmail.example>" == mail["In-Reply-To"]


@pytest.mark.parametrize("seed", range(10))
def test_somebody_away_says_so_by_machine(seed: int):
    """RFC 3834: Auto-Submitted and a null return path; the text names the day of return."""
    street = street_with(Behaviour.OUT_OF_OFFICE, seed=seed)
    (arrived,) = street.run()
    (mail,) = street.messages()

    assert Nature.AUTO_REPLY == arrived.nature
    assert ("auto-replied", "<>") == (mail["Auto-Submitted"], mail["Return-Path"])
    assert "2026" in plain_text(mail)


@pytest.mark.parametrize("turn", range(len(BounceForm)))
def test_what_cannot_be_delivered_is_reported(turn: int):
    """By the standard with status 5.1.1, or in qmail's words; some after a notice of delay."""
    street = street_with(Behaviour.BOUNCES_LATER, turn)
    natures = [arrived.nature for arrived in street.run()]
    final = street.messages()[-1]
    form = tuple(BounceForm)[turn]

    assert ([Nature.DELAY] if form is BounceForm.AFTER_DELAY else []) + [Nature.BOUNCE] == natures
    assert "<m1@brightmail.example>" in final.as_string()
    if form is BounceForm.QMAIL:
        assert "text/plain" == final.get_content_type()
        return
    _, status, returned = parts(final)
    _, per_recipient = parts(status)
    assert "delivery-status" == final.get_param("report-type")
    assert f"rfc822; {ANNA}" == per_recipient["Final-Recipient"]
    assert ("failed", "5.1.1") == (per_recipient["Action"], per_recipient["Status"][:5])
    assert returned.get_content_type() == ("text/rfc822-headers" if form is BounceForm.EXCHANGE else "message/rfc822")


def test_a_delay_notice_is_no_failure():
    """Action: delayed, status 4."""
    street = street_with(Behaviour.BOUNCES_LATER, turn=3)
    street.run()
    notice = parts(parts(street.messages()[0])[1])[1]

    assert ("delayed", "4.4.1") == (notice["Action"], notice["Status"])


def test_an_unsubscription_goes_where_the_mail_says():
    """The mailto of List-Unsubscribe, with its detail, subject and body."""
    street = Street()
    street.population.settle(ANNA, Behaviour.UNSUBSCRIBES)
    street.write_to(
        ANNA, unsubscribe="<https://x.example/u>, <mailto:clara+u7@brightmail.example?subject=out%207&body=b>"
    )
    (arrived,) = street.run()
    (mail,) = street.messages()

    assert Nature.OPT_OUT == arrived.nature
    assert ("clara+u7@brightmail.example", "out 7", "b\n") == (mail["To"], mail["Subject"], plain_text(mail))


def test_an_unsubscription_without_an_address_is_an_answer():
    """Where there is no mailto, people ask in words."""
    street = Street()
    street.population.settle(ANNA, Behaviour.UNSUBSCRIBES)
    street.write_to(ANNA, unsubscribe="<https://x.example/u>")
    street.run()
    (mail,) = street.messages()

    assert plain_text(mail).startswith("Please unsubscribe me")
    assert mail["In-Reply-To"]


def test_some_say_only_stop():
    """One word above the quote."""
    street = street_with(Behaviour.SAYS_STOP)
    (arrived,) = street.run()
    (mail,) = street.messages()

    assert Nature.OPT_OUT == arrived.nature
    assert "STOP" == plain_text(mail).split("\n")[0].strip(".").upper()


@pytest.mark.parametrize("turn,use", [(2, Use.JUNK), (5, Use.ARCHIVE)])
def test_some_answers_land_elsewhere(turn: int, use: Use):
    """Junk, and folders that rules move mail to."""
    street = street_with(Behaviour.ANSWERS_AT_ONCE, turn)
    (arrived,) = street.run()

    assert (0, 1) == (len(street.messages()), len(street.messages(use)))
    assert street.store.by_use(use).name == arrived.folder


def test_a_message_that_comes_twice_is_acted_on_once():
    """People do not answer a copy."""
    street = street_with(Behaviour.ANSWERS_AT_ONCE)
    street.write_to(ANNA, 1)

    assert 1 == len(street.run())


def test_nobody_acts_before_their_time():
    """`run_due` looks at the time it is given."""
    street = street_with(Behaviour.ANSWERS_LATE)
    due = street.people.next_due()
    assert due is not None

    assert 0 == street.people.run_due(due - timedelta(seconds=1))
    assert 1 == street.people.run_due(due)
    assert street.people.next_due() is None


def test_the_same_occasion_gives_the_same_letter():
    """A demo repeats byte for byte."""
    streets = [street_with(Behaviour.ANSWERS_AT_ONCE, seed=3) for _ in range(2)]
    for street in streets:
        street.run()
    one, other = (street.messages()[0].as_bytes() for street in streets)

    assert one == other


@pytest.mark.parametrize("seed", range(12))
def test_an_unsubscribe_button_writes_what_mail_programs_write(seed: int):
    """Where the link asks for no body, the program's own words stand there, or nothing; never a quote."""
    street = street_with(Behaviour.UNSUBSCRIBES, seed=seed)
    street.run()
    (mail,) = street.messages()

    assert "unsubscribe" == mail["Subject"]
    assert mail["In-Reply-To"] is None
    assert "Köln" not in plain_text(mail)
