"""What the servers' journal says about the product: the promises, counted.

Rule 1 (double sends): two accepted messages to one person are the same step if they have the same Message-ID, or the
same subject and text, or give away the same step by their text. Sameness is transitive; every message of a step after
its first is one double send.
Rule 2 (sent after an answer): a final dot that came more than freshness + slack after the person's first answer or
opt-out became visible in any mailbox. Auto-replies and delivery reports are no answers.
Rule 3: only people count. Mail to the world's own mailboxes (a mailbox that tests itself) is nobody's step.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from email import message_from_bytes

from relance.sandbox.journal import Accepted, Arrived, Journal, Lost, Nature, Refused
from relance.sandbox.letters import plain_text

FRESHNESS = timedelta(seconds=60)
SLACK = timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The journal in numbers; people are counted once each."""

    accepted: int
    lost: int
    refused_for_good: int
    refused_for_now: int
    people_written_to: int
    people_who_answered: int
    people_who_opted_out: int
    people_with_auto_reply: int
    people_bounced: int


def double_sends(journal: Journal) -> int:
    """Return how many accepted messages repeated a step that the person already had."""
    by_person: dict[str, list[Accepted]] = {}
    for accepted in _to_people(journal):
        by_person.setdefault(accepted.recipient, []).append(accepted)
    return sum(len(messages) - _steps(messages) for messages in by_person.values())


def _to_people(journal: Journal) -> Iterable[Accepted]:
    ours = {entry.mailbox for entry in journal if not isinstance(entry, Arrived)}
    domains = {mailbox.rpartition("@")[2] for mailbox in ours}
    return (each for each in journal.accepted() if each.recipient.rpartition("@")[2] not in domains)


def _steps(messages: list[Accepted]) -> int:
    """Count the groups into which sameness divides the messages of one person."""
    groups: list[set[tuple[str, ...]]] = []
    for message in messages:
        signs = _signs(message)
        for group in [group for group in groups if group & signs]:
            groups.remove(group)
            signs |= group
        groups.append(signs)
    return len(groups)


def _signs(message: Accepted) -> set[tuple[str, ...]]:
    text = " ".join(plain_text(message_from_bytes(message.raw)).split())
    signs: set[tuple[str, ...]] = {("content", message.subject, text)}
    if message.message_id:
        signs.add(("id", message.message_id))
    if message.marker is not None:
        signs.add(("step", message.marker))
    return signs


def sent_after_answer(journal: Journal, freshness: timedelta = FRESHNESS, slack: timedelta = SLACK) -> int:
    """Return how many messages left for people whose answer or opt-out had been visible for longer than allowed."""
    answered_at: dict[str, datetime] = {}
    for arrived in journal.arrived():
        if arrived.nature in {Nature.ANSWER, Nature.OPT_OUT}:
            answered_at.setdefault(arrived.person, arrived.at)
    return sum(
        accepted.recipient in answered_at and accepted.at > answered_at[accepted.recipient] + freshness + slack
        for accepted in _to_people(journal)
    )


def totals(journal: Journal) -> Totals:
    """Return the journal in numbers."""
    people: dict[Nature, set[str]] = {nature: set() for nature in Nature}
    for arrived in journal.arrived():
        people[arrived.nature].add(arrived.person)
    to_people = list(_to_people(journal))
    refused = [entry for entry in journal if isinstance(entry, Refused)]
    for_good = [entry for entry in refused if entry.reply.startswith("5")]
    return Totals(
        accepted=len(to_people),
        lost=sum(isinstance(entry, Lost) for entry in journal),
        refused_for_good=len(for_good),
        refused_for_now=len(refused) - len(for_good),
        people_written_to=len({each.recipient for each in to_people}),
        people_who_answered=len(people[Nature.ANSWER]),
        people_who_opted_out=len(people[Nature.OPT_OUT]),
        people_with_auto_reply=len(people[Nature.AUTO_REPLY]),
        people_bounced=len(people[Nature.BOUNCE] | {entry.recipient for entry in for_good}),
    )
