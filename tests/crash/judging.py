"""The verdict on a run, from the servers' log: the promises, counted by nobody who takes part.

Only two things are asked of the product: how every lead ended, and which messages it says it has read.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from crash.explanations import contradictions
from crash.running import Run
from crash.scenario import DAILY_CAP, MIN_GAP, PEOPLE
from relance.core.attempt import AttemptStatus
from relance.sandbox.journal import Accepted, Nature
from relance.services.reconciling import COPY_AFTER
from relance.services.sending.forgotten import HOLD_REASON

FRESHNESS = timedelta(seconds=60)
SLACK = timedelta(seconds=20)
MATTERS = frozenset({Nature.ANSWER, Nature.OPT_OUT, Nature.BOUNCE, Nature.AUTO_REPLY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Undisturbed:
    """How the scenario ends when nothing goes wrong."""

    people: Mapping[str, Mapping[str, Any]]
    steps: Mapping[str, tuple[str, ...]]


def undisturbed(run: Run) -> Undisturbed:
    """Take a run without faults as what all others are compared to."""
    people = run.ended["people"]
    return Undisturbed(people=people, steps={person: tuple(_steps(run, person)) for person in people})


def violations(run: Run, expected: Undisturbed) -> list[str]:
    """Return every broken promise of a run, in words."""
    return [
        *_twice(run),
        *_after_answer(run),
        *_ends(run, expected),
        *_pace(run),
        *_unread(run),
        *_explained(run),
    ]


def waiting(run: Run) -> list[str]:
    """Return who waits on an outcome that nobody can look up, which is no broken promise."""
    return [person for person in PEOPLE if _waits(run, person) or _is_held_for_a_restore(run, person)]


def _to_people(run: Run) -> Iterator[Accepted]:
    return (each for each in run.journal.accepted() if each.recipient in PEOPLE)


def _steps(run: Run, person: str) -> list[str]:
    return [str(each.marker) for each in _to_people(run) if each.recipient == person]


def _twice(run: Run) -> Iterator[str]:
    for person in PEOPLE:
        for step, times in Counter(_steps(run, person)).items():
            if times > 1:
                yield f"twice: {person} got {step} {times} times"
    ids = Counter((each.recipient, each.message_id) for each in _to_people(run))
    for (person, message_id), times in ids.items():
        if times > 1:
            yield f"twice: {person} got {message_id} {times} times"


def _answered_at(run: Run) -> dict[str, datetime]:
    found: dict[str, datetime] = {}
    for arrived in run.journal.arrived():
        if arrived.nature in {Nature.ANSWER, Nature.OPT_OUT}:
            found.setdefault(arrived.person, arrived.at)
    return found


def _after_answer(run: Run) -> Iterator[str]:
    answered = _answered_at(run)
    for each in _to_people(run):
        at = answered.get(each.recipient)
        if at is not None and each.at > at + FRESHNESS + SLACK:
            yield f"after an answer: {each.recipient} answered at {at} and got {each.marker} at {each.at}"


def _waits(run: Run, person: str) -> bool:
    """Whether somebody waits on an outcome in a mailbox that gives no way to look."""
    row = run.ended["people"].get(person)
    if row is None or not row["unknown"] or row["status"] not in {"active", "waiting"}:
        return False
    boxes = {mailbox for _, status, _, mailbox in row["attempts"] if status == AttemptStatus.UNKNOWN}
    cannot_look = run.plan.sent_stops_at is not None or any(not run.saves_sent[box] for box in boxes)
    return cannot_look or bool(boxes & _taken_for_forgetful(run))


def _is_held_for_a_restore(run: Run, person: str) -> bool:
    """Whether a person has to look: nobody can tell whether somebody was written to, or they wrote themselves.

    That may be only where a mailbox could not be read back, or where the newest state said that they had written.
    """
    row = run.ended["people"].get(person)
    aside = run.plan.put_back is not None and run.plan.put_back.aside
    wrote = any(each.person == person and each.nature in MATTERS for each in run.journal.arrived())
    may_be = run.put_back and (run.decided or (aside and wrote))
    return may_be and row is not None and row["status"] == "held" and row["held_for"] == HOLD_REASON


def _taken_for_forgetful(run: Run) -> set[str]:
    """Return the mailboxes whose first copy came so late that their server is taken for one that keeps none, at first.

    The first copy that comes after that tells better; but nothing may be sent after it.
    """
    late = {number for number, minutes in run.plan.sent_copies.items() if minutes * 60 >= COPY_AFTER.total_seconds()}
    kept = [each.mailbox for each in run.journal.accepted() if run.saves_sent[each.mailbox]]
    return {box for box in kept if kept.index(box) + 1 in late}


def _ends(run: Run, expected: Undisturbed) -> Iterator[str]:
    for person, row in expected.people.items():
        found = run.ended["people"].get(person)
        steps = tuple(_steps(run, person))
        if found is None:
            yield f"lost: {person} is gone"
        elif _waits(run, person) or _is_held_for_a_restore(run, person):
            if steps != expected.steps[person][: len(steps)]:
                yield f"lost: {person} waits, and got {steps}"
        else:
            ended = (found["status"], found["reason"])
            if ended != (row["status"], row["reason"]):
                yield f"lost: {person} ended as {ended}, not as {(row['status'], row['reason'])}: {found}"
            if steps != expected.steps[person]:
                yield f"lost: {person} got {steps}, not {expected.steps[person]}"


def _pace(run: Run) -> Iterator[str]:
    """Caps and gaps, by the servers' log.

    A host whose clock jumps keeps its own hours: its days are not ours, and a gap is measured only where no jump lies
    in it. Put back, the product's clock goes on slowly until it is right, so that a gap is longer for us than for it.
    """
    by_box: dict[str, list[datetime]] = {}
    for each in _to_people(run):
        by_box.setdefault(each.mailbox, []).append(each.at)
    for box, times in by_box.items():
        for day, count in Counter(at.date() for at in times).items():
            if count > DAILY_CAP and not run.host_moved:
                yield f"pace: {box} sent {count} on {day}, and its cap is {DAILY_CAP}"
        for before, after in pairwise(times):
            if after - before < MIN_GAP and not any(before <= moved <= after for moved in run.host_moved):
                yield f"pace: {box} sent at {before} and again at {after}"


def _unread(run: Run) -> Iterator[str]:
    """Whether a cursor has passed over a message that mattered."""
    there = Counter((each.mailbox, each.person) for each in run.journal.arrived() if each.nature in MATTERS)
    read = Counter((mailbox, person) for mailbox, person, _ in run.ended["read"])
    for (mailbox, person), count in there.items():
        if read[(mailbox, person)] != count and not _is_held_for_a_restore(run, person):
            yield f"unread: {count} of {person} in {mailbox}, and {read[(mailbox, person)]} were read"


def _explained(run: Run) -> Iterator[str]:
    """Whether `explain` ever said what is not so, or `doctor` found something."""
    for each in run.explained:
        yield from contradictions(each, run.ended["people"] if each is run.explained[-1] else {})
