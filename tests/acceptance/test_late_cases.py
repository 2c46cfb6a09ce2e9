"""Answers that come late, elsewhere or by another way, on real servers: each still counts, and stops what walks."""

import secrets
from collections.abc import Callable
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

import pytest

from acceptance.correspondence import one_step, steps_in, three_steps
from acceptance.product import Product
from acceptance.realservers import Person, RealMail, Role, wait_until
from acceptance.realservers.client import imap_session, quoted

QUICK = 15.0  #: Real seconds in which an answer must be seen; it takes one.


class Pair:
    """A connected mailbox and a person, with names of their own."""

    def __init__(self, product: Product, world: RealMail) -> None:
        tag = secrets.token_hex(3)
        self.product, self.world = product, world
        self.mailbox, self.lead = f"jan.{tag}@north.example", f"anna.{tag}@south.example"
        world.add_mailboxes({self.mailbox: None, self.lead: None})
        self.person: Person = world.person(self.lead, name="Anna Bell")
        self.owner: Person = world.person(self.mailbox)
        password = world.password(self.mailbox)
        product.connect(
            self.mailbox, smtp=str(world.smtp()), imap=str(world.imap()), password=password, ca_file=world.ca_file
        )

    def enroll(self, name: str, steps: str, *, head: str = "window: always") -> None:
        """Publish a sequence and enroll the person."""
        self.product.publish(name, steps, head=head)
        self.product.import_leads([self.lead], "--sequence", name)

    def until_stopped(self, reason: str, *, sequence: str = "") -> None:
        """Wait until the person's run has ended for this reason."""
        wait_until(
            lambda: self.product.status_of(self.lead, sequence=sequence) == ("stopped", reason),
            QUICK,
            what=f"stopped: {reason}",
            interval=0.3,
        )

    def received(self) -> list[str]:
        """Return the steps in the person's INBOX, in their order."""
        return steps_in(self.person.inbox())

    def answer_to(self, mail: EmailMessage, text: str = "Yes, do tell me more.") -> EmailMessage:
        """Write an answer in the thread without sending it."""
        answer = EmailMessage()
        answer["From"], answer["To"] = self.lead, self.mailbox
        answer["Subject"] = f"Re: {mail['Subject']}"
        answer["Date"], answer["Message-ID"] = formatdate(), make_msgid(domain="south.example")
        answer["In-Reply-To"] = answer["References"] = str(mail["Message-ID"])
        answer.set_content(text)
        return answer

    def ring(self) -> None:
        """Let something else come into the INBOX, so that a server that pushes says so."""
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"] = "news@elsewhere.example", self.mailbox, "Newsletter"
        letter["Message-ID"] = make_msgid(domain="elsewhere.example")
        letter.set_content("Nothing that matters.\n")
        self.world.deliver(self.mailbox, letter)


@pytest.fixture
def layout() -> str:
    """Return the servers' layout where a test names none."""
    return "plain"


@pytest.fixture
def pair(product: Product, real_mail_with: Callable[[str], RealMail], layout: str) -> Pair:
    """Return a mailbox and a person on servers of this layout."""
    return Pair(product, real_mail_with(layout))


on_sqlite = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
on_postgres = pytest.mark.parametrize(
    "store_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@on_sqlite
def test_a_reply_after_completion_still_counts(pair: Pair):
    """The run stays completed and shows the answer; another sequence does not write to who has been heard of."""
    pair.enroll("short", one_step())
    with pair.product.beside_an_engine():
        mail = pair.person.wait_for(subject="A question")
        wait_until(lambda: pair.product.status_of(pair.lead) == ("completed", None), QUICK, interval=0.3)
        answer = pair.person.answer(mail, "Sorry for the delay. Yes!")
        seen = wait_until(lambda: pair.product.rows("replies", "list"), QUICK, interval=0.3)
    (run,) = pair.product.facts("explain", pair.lead)["enrollments"]

    assert [("human_reply", pair.lead, "In-Reply-To")] == [
        (row["kind"], row["lead"], row["matched_by"]) for row in seen
    ]
    assert ("completed", "reply.received") == (run["status"], run["history"][-1]["event"])
    assert str(answer["Message-ID"]) in run["history"][-1]["cause"]
    assert run["last_inbound_at"] is not None


@on_sqlite
def test_a_reply_to_an_older_step_stops_the_run(pair: Pair):
    """Whichever message of ours is answered: nothing more goes out."""
    pair.enroll("three", three_steps(after="4s"))
    with pair.product.beside_an_engine():
        intro = pair.person.wait_for(subject="A question")
        pair.person.wait_for(subject="Re: A question")
        pair.person.answer(intro, "About your first mail: yes.")
        pair.until_stopped("replied")

    assert ["intro", "bump"] == pair.received()


@on_postgres
def test_a_reply_stops_both_sequences_of_a_person(pair: Pair):
    """It is the person who answered, not one of the runs."""
    pair.enroll("first", three_steps(after="6s"))
    pair.enroll("second", three_steps(after="6s"))
    with pair.product.beside_an_engine():
        pair.person.wait_for(subject="A question", count=2)
        pair.person.answer(pair.person.wait_for(subject="A question"), "Yes.")
        pair.until_stopped("replied", sequence="first")
        pair.until_stopped("replied", sequence="second")

    assert ["intro", "intro"] == pair.received()


@on_sqlite
@pytest.mark.parametrize("layout", ["gmail_like"])
def test_an_answer_written_by_hand_stops_the_run(pair: Pair):
    """The owner of the mailbox has taken over (on_manual_reply: stop), seen by the copy in Sent."""
    pair.enroll("three", three_steps(after="6s"))
    with pair.product.beside_an_engine():
        mail = pair.person.wait_for(subject="A question")
        by_hand = EmailMessage()
        by_hand["From"], by_hand["To"], by_hand["Subject"] = pair.mailbox, pair.lead, f"Re: {mail['Subject']}"
        by_hand["Date"], by_hand["Message-ID"] = formatdate(), make_msgid(domain="north.example")
        by_hand["In-Reply-To"] = by_hand["References"] = str(mail["Message-ID"])
        by_hand.set_content("I forgot to say: we met in Prague.\n")
        pair.owner.send(by_hand)
        pair.world.put(pair.mailbox, Role.SENT, by_hand)
        pair.ring()
        pair.until_stopped("manual_reply")

    assert ["intro"] == pair.received()


@on_postgres
@pytest.mark.parametrize("layout", ["inbox_dot"])
def test_an_answer_moved_to_the_archive_before_we_saw_it_stops_the_run(pair: Pair):
    """It came while no engine ran, and a filter or a person has filed it: it is read before anything is sent."""
    pair.enroll("three", three_steps(after="2s"))
    with pair.product.engine("--until-idle") as engine:
        assert 0 == engine.wait(30)
    pair.person.answer(pair.person.wait_for(subject="A question"), "Yes.")
    pair.owner.wait_for(sender=pair.lead)
    move_everything(pair, Role.ARCHIVE)
    with pair.product.beside_an_engine():
        pair.until_stopped("replied")

    assert ["intro"] == pair.received()


@on_sqlite
@pytest.mark.parametrize("layout", ["inbox_dot"])
def test_an_answer_that_landed_in_junk_stops_the_run(pair: Pair):
    """The filter was wrong about it; when anything comes in, all folders where answers land are read."""
    pair.enroll("three", three_steps(after="6s"))
    with pair.product.beside_an_engine():
        mail = pair.person.wait_for(subject="A question")
        pair.world.put(pair.mailbox, Role.JUNK, pair.answer_to(mail))
        pair.ring()
        pair.until_stopped("replied")

    assert ["intro"] == pair.received()


def move_everything(pair: Pair, role: Role) -> None:
    """File all mail of the INBOX, as the owner's rules do."""
    login = (pair.mailbox, pair.world.password(pair.mailbox))
    with imap_session(pair.world.imap(), ca_file=pair.world.ca_file, login=login) as session:
        session.select("INBOX")
        status, answer = session.uid("MOVE", "1:*", quoted(pair.world.layout.folder(role).wire))
    assert status == "OK", answer
