"""The main job on real servers: leads walk a sequence through Postfix and Dovecot, and whoever answers is left alone.

The product is driven through its command line alone, with the real clock; what people received is read in their own
mailboxes, by the standard library.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import EmailMessage

import pytest

from acceptance.correspondence import assert_one_thread, flags_by_id, sent_copies, steps_in, three_steps, to_and_id
from acceptance.product import Product
from acceptance.realservers import Person, RealMail, wait_until

WithLayout = Callable[[str], RealMail]
SENDER_NAME = "Čapek, Jan"  #: A comma and a letter outside ASCII, as in real names.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who takes part in a story; the addresses are its own, because tests share the servers."""

    mailboxes: tuple[str, str]
    answers: Person
    silent: Person
    away: Person
    leaves: Person
    unknown: str
    bounces: str

    @property
    def everybody(self) -> list[str]:
        """All leads."""
        people = [each.address for each in (self.answers, self.silent, self.away, self.leaves)]
        return [*people, self.unknown, self.bounces]


def cast_for(world: RealMail, tag: str) -> Cast:
    """Give every actor a mailbox, but those who have none."""
    boxes = (f"jan.{tag}@north.example", f"eva.{tag}@north.example")
    people = {who: f"{who}.{tag}@south.example" for who in ("anna", "silas", "olga", "ulf")}
    world.add_mailboxes(dict.fromkeys((*boxes, *people.values())))
    return Cast(
        mailboxes=boxes,
        answers=world.person(people["anna"], name="Anna Bell"),
        silent=world.person(people["silas"]),
        away=world.person(people["olga"]),
        leaves=world.person(people["ulf"]),
        unknown=f"nobody.{tag}@south.example",
        bounces=f"nobody.{tag}@late.example",
    )


def connect_all(product: Product, world: RealMail, cast: Cast) -> None:
    """Connect both mailboxes and try each of them; side by side, because a check waits for what its server may do."""
    for address in cast.mailboxes:
        product.connect(
            address,
            smtp=str(world.smtp()),
            imap=str(world.imap()),
            password=world.password(address),
            ca_file=world.ca_file,
            name=SENDER_NAME,
        )
    with ThreadPoolExecutor() as threads:
        checks = list(threads.map(lambda address: product.facts("mailbox", "check", address), cast.mailboxes))

    assert [(True, False, True)] * 2 == [(each["ok"], each["saves_sent"], each["ids_survive"]) for each in checks]


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "layout,store_url",
    [
        ("plain", "sqlite"),
        pytest.param("inbox_dot", "postgres", marks=pytest.mark.postgres),
        ("spartan", "sqlite"),
    ],
    indirect=["store_url"],
)
def test_leads_walk_the_sequence_and_who_answers_is_left_alone(
    product: Product, real_mail_with: WithLayout, layout: str, store_url: str | None
):
    """Everybody gets exactly the steps they should: all three, or those before their answer, opt-out or bounce."""
    world = real_mail_with(layout)
    cast = cast_for(world, f"{layout.replace('_', '-')}-{'postgres' if store_url else 'sqlite'}")
    connect_all(product, world, cast)
    product.publish("founders", three_steps())
    imported = product.import_leads([*cast.everybody, "no address"], "--sequence", "founders", code=1)
    preview = product.ask("sequence", "preview", "founders", "--lead", cast.answers.address)

    assert (7, 6, 0, 1, 6) == tuple(imported[key] for key in ("rows", "imported", "merged", "invalid", "enrolled"))
    assert "Hello Anna," in preview.out

    with product.beside_an_engine():
        answer = cast.answers.answer(cast.answers.wait_for(subject="A question"), "Yes, tell me more.")
        cast.away.answer_automatically(cast.away.wait_for(subject="A question"), "I am away.")
        cast.leaves.unsubscribe(cast.leaves.wait_for(subject="A question"))
        cast.silent.wait_for(subject="Re: A question", count=2, timeout=30)
        cast.away.wait_for(subject="Re: A question", count=2, timeout=30)
        wait_until(lambda: not product.unfinished(), 20, what="the end of every run", interval=0.5)
        wait_until(lambda: len(sent_copies(world, *cast.mailboxes)) == 9, 10, what="a Sent copy of each message")

    received = {each: each.inbox() for each in (cast.answers, cast.silent, cast.away, cast.leaves)}
    assert_what_people_got(world, cast, received)
    assert_what_the_product_says(product, cast, str(answer["Message-ID"]))


def assert_what_people_got(world: RealMail, cast: Cast, received: dict[Person, list[EmailMessage]]) -> None:
    """Look for the right steps, one thread each, one copy of each in Sent, and no mail marked as read."""
    everything = ["intro", "bump", "last"]
    got = sorted(to_and_id(mail) for mails in received.values() for mail in mails)
    copies = sent_copies(world, *cast.mailboxes)
    flags = {key: value for address in cast.mailboxes for key, value in flags_by_id(world, address).items()}

    assert {cast.answers: ["intro"], cast.silent: everything, cast.away: everything, cast.leaves: ["intro"]} == {
        person: steps_in(mails) for person, mails in received.items()
    }
    for mails in received.values():
        assert_one_thread(mails)
        assert {SENDER_NAME} == {mail["From"].addresses[0].display_name for mail in mails}
    assert got == [each for each in copies if each[0] != cast.bounces]
    assert 1 == sum(to == cast.bounces for to, _ in copies)
    assert flags
    assert all("\\Seen" not in each for each in flags.values())


def assert_what_the_product_says(product: Product, cast: Cast, answer_id: str) -> None:
    """Compare what the commands tell with the mailboxes; nothing is left to do."""
    states = {row["lead"]: (row["status"], row["stop_reason"]) for row in product.rows("enrollment", "list")}
    explained = product.facts("explain", cast.answers.address)["enrollments"][0]
    suppressed = {row["value"]: row["reason"] for row in product.rows("suppress", "list")}
    replies = {(row["kind"], row["lead"]) for row in product.rows("replies", "list")}
    audit = {row["step"]: (row["sent"], row["unknown"], row["twice"]) for row in product.rows("audit", "founders")}

    assert {
        cast.answers.address: ("stopped", "replied"),
        cast.silent.address: ("completed", None),
        cast.away.address: ("completed", None),
        cast.leaves.address: ("stopped", "unsubscribed"),
        cast.unknown: ("stopped", "bounced"),
        cast.bounces: ("stopped", "bounced"),
    } == states
    assert answer_id in explained["history"][-1]["cause"]
    assert ["In-Reply-To"] == [each["matched_by"] for each in explained["messages"] if each["direction"] == "in"]
    assert explained["summary"].startswith("Stopped: replied on ")
    assert ["intro"] == [each["step"] for each in explained["attempts"] if each["status"] != "voided"]
    assert {
        cast.unknown: "hard_bounce",
        cast.bounces: "hard_bounce",
        cast.leaves.address: "unsubscribed",
    } == suppressed
    assert {
        ("human_reply", cast.answers.address),
        ("auto_reply", cast.away.address),
        ("unsubscribe", cast.leaves.address),
        ("hard_bounce", cast.bounces),
    } == replies
    assert {"intro": (5, 0, []), "bump": (2, 0, []), "last": (2, 0, [])} == audit
    assert [] == product.rows("stuck")
    assert ["active", "active"] == [row["status"] for row in product.rows("mailbox", "list")]
