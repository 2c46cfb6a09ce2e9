"""Who the people of the world are: what each does with mail, drawn from the seed and their address.

Rule: among the leads a world is told of, every behaviour has its exact share (rounded), whatever the seed; the seed
decides who. Anybody else who receives mail is drawn for themselves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from relance.sandbox.chance import below, draw, pick, token
from relance.sandbox.mailstore import Use


class Behaviour(StrEnum):
    """What a person does with mail from a stranger."""

    IGNORES = "ignores"  #: Nothing, as most do.
    ANSWERS_AT_ONCE = "answers_at_once"  #: Answers within half an hour.
    ANSWERS_LATE = "answers_late"  #: Answers minutes or seconds before the next mail would be due.
    ANSWERS_TWICE = "answers_twice"  #: Answers, and adds something later.
    ANSWERS_ELSEWHERE = "answers_elsewhere"  #: Answers in the same thread from another address.
    OUT_OF_OFFICE = "out_of_office"  #: Their mail system says when they are back.
    UNKNOWN_USER = "unknown_user"  #: There is no such person: 550 at RCPT.
    BOUNCES_LATER = "bounces_later"  #: Accepted, and reported as undeliverable later.
    UNSUBSCRIBES = "unsubscribes"  #: Uses the address in List-Unsubscribe.
    SAYS_STOP = "says_stop"  #: Answers with the one word STOP.


SHARES: Sequence[tuple[Behaviour, int]] = (
    (Behaviour.ANSWERS_AT_ONCE, 60),
    (Behaviour.ANSWERS_LATE, 60),
    (Behaviour.ANSWERS_TWICE, 25),
    (Behaviour.ANSWERS_ELSEWHERE, 25),
    (Behaviour.OUT_OF_OFFICE, 60),
    (Behaviour.UNKNOWN_USER, 7),
    (Behaviour.BOUNCES_LATER, 13),
    (Behaviour.UNSUBSCRIBES, 20),
    (Behaviour.SAYS_STOP, 15),
)
"""Of a thousand people; the rest ignores everything. Few bounce: with more, a careful product rests its mailboxes."""

_ANSWERING_ON = (1, 2, 1, 1, 3)
_OPTING_OUT_ON = (1, 2, 1)
_ANSWERS = {
    Behaviour.ANSWERS_AT_ONCE,
    Behaviour.ANSWERS_LATE,
    Behaviour.ANSWERS_TWICE,
    Behaviour.ANSWERS_ELSEWHERE,
}


class Language(StrEnum):
    """The language a person writes in."""

    ENGLISH = "en"  #: English
    GERMAN = "de"  #: German
    FRENCH = "fr"  #: French
    SPANISH = "es"  #: Spanish
    DUTCH = "nl"  #: Dutch


class MailClient(StrEnum):
    """The program a person answers with, which decides how the original is quoted."""

    GMAIL = "gmail"  #: "On … wrote:", quoted with `>`, and HTML.
    OUTLOOK = "outlook"  #: The original below a block of its header fields.
    APPLE_MAIL = "apple_mail"  #: "On …, at …, … wrote:" between blank lines.
    THUNDERBIRD = "thunderbird"  #: "On 30/11/2026 09:02, … wrote:", answer on top.
    PHONE = "phone"  #: A short line, a phone's signature, the original below.


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who receives mail, and what they will do with it."""

    address: str
    name: str
    behaviour: Behaviour
    turn: int
    """Their number among those who behave alike: it spreads variants evenly."""
    acts_on: int
    """Which mail from the sender they act on, from 1."""
    language: Language
    client: MailClient
    answers_land_in: Use
    other_address: str


@dataclass(slots=True, kw_only=True)
class Population:
    """Everybody outside the world's own domains."""

    seed: int
    leads: Iterable[str] = ()
    _people: dict[str, Person] = field(default_factory=dict)

    def __post_init__(self) -> None:
        addresses = sorted({each.lower() for each in self.leads}, key=lambda each: token(self.seed, "rank", each))
        turns: dict[Behaviour, int] = {}
        for rank, address in enumerate(addresses):
            behaviour = _at((rank + 0.5) / len(addresses))
            turn = turns.get(behaviour, 0)
            turns[behaviour] = turn + 1
            self._people[address] = _person(self.seed, address, behaviour, turn)

    def person(self, address: str) -> Person:
        """Return who lives at an address outside the world."""
        known = self._people.get(address.lower())
        if known is None:
            behaviour = _at(draw(self.seed, "behaviour", address.lower()))
            turn = below(self.seed, 1_000, "turn", address.lower())
            known = self._people[address.lower()] = _person(self.seed, address.lower(), behaviour, turn)
        return known

    def settle(self, address: str, behaviour: Behaviour, *, turn: int = 0) -> Person:
        """Decide what somebody does, whatever the seed says."""
        self._people[address.lower()] = _person(self.seed, address.lower(), behaviour, turn)
        return self._people[address.lower()]


def _at(position: float) -> Behaviour:
    """Return the behaviour at a position in [0, 1) of the shares laid end to end."""
    edge = 0
    for behaviour, share in SHARES:
        edge += share
        if position * 1_000 < edge:
            return behaviour
    return Behaviour.IGNORES


def _person(seed: int, address: str, behaviour: Behaviour, turn: int) -> Person:
    local = address.partition("@")[0]
    acts_on = 1
    if behaviour in _ANSWERS:
        acts_on = _ANSWERING_ON[turn % len(_ANSWERING_ON)]
    elif behaviour in {Behaviour.UNSUBSCRIBES, Behaviour.SAYS_STOP}:
        acts_on = _OPTING_OUT_ON[turn % len(_OPTING_OUT_ON)]
    return Person(
        address=address,
        name=" ".join(
            word.capitalize() for word in local.replace("-", ".").replace("_", ".").split(".") if word.isalpha()
        ),
        behaviour=behaviour,
        turn=turn,
        acts_on=acts_on,
        language=pick(seed, tuple(Language), "language", address),
        client=pick(seed, tuple(MailClient), "client", address),
        answers_land_in=_landing(behaviour, turn),
        other_address=f"{local}.{token(seed, 'other', address)[:4]}@postfach.example",
    )


def _landing(behaviour: Behaviour, turn: int) -> Use:
    """Send some answers to Junk and a few past the inbox, as filters do."""
    if behaviour in _ANSWERS and turn % 6 == 2:
        return Use.JUNK
    if behaviour in _ANSWERS and turn % 12 == 5:
        return Use.ARCHIVE
    return Use.INBOX
