"""What each step of a diagram says: on a sequence's page its people and numbers, in the builder its problems."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from relance.core.sequence import EmailStep
from relance.services.numbers import Standing, StepNumbers
from relance.services.sequence_files.editing import steps_of
from relance.services.sequence_files.writing import Document
from relance.web.console.sequences import words
from relance.web.console.sequences.diagram import Card, shortened
from relance.web.console.sequences.problems import Problems

_ON_THE_WAY: Final = ("active", "waiting", "paused", "held")


def of_numbers(document: Document, standing: Sequence[Standing], numbers: Sequence[StepNumbers]) -> list[Card]:
    """Return a card for each step of the running version, with who stands there and what came of it."""
    people: dict[str, Counter[str]] = {}
    for one in standing:
        if one.status in _ON_THE_WAY:
            people.setdefault(one.step, Counter())[one.status] += one.people
    steps = steps_of(document)
    return [
        _counted(step, people.get(str(step.get("id")), Counter()), numbers, first=step is steps[0]) for step in steps
    ]


def of_problems(document: Document, problems: Problems, *, base: str, shown: int | None) -> list[Card]:
    """Return a card for each step of a draft, marked where something is wrong; `shown` is the one that is edited."""
    steps = steps_of(document)
    cards = []
    for number, step in enumerate(steps):
        wrong = len(problems.of(number))
        lines = [*_said(step, first=number == 0), *([f"{wrong} to mend"] if wrong else [])]
        cards.append(
            Card(
                name=str(step.get("id") or f"number {number + 1}"),
                kind=words.KINDS.get(str(step.get("kind")), "?"),
                lines=tuple(lines),
                tone="accent" if number == shown else "bad" if wrong else "",
                href=f"{base}?step={number + 1}#form",
            )
        )
    return cards


def rate(part: int, whole: int) -> str:
    """Return a share as people read it; nothing of nothing is a dash."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _counted(step: Mapping[str, Any], people: Counter[str], numbers: Sequence[StepNumbers], *, first: bool) -> Card:
    name = str(step.get("id"))
    lines = list(_said(step, first=first))
    if people:
        lines.append(" · ".join(f"{people[status]:,} {status}" for status in _ON_THE_WAY if people[status]))
    its = [one for one in numbers if one.step == name]
    if step.get("kind") == EmailStep.kind:
        sent, replied = sum(one.sent for one in its), sum(one.replied for one in its)
        lines.append(f"{sent:,} sent · {rate(replied, sent)} replied" if sent else "nothing was sent yet")
        if len(its) > 1:
            lines += [f"{one.variant}: {one.sent:,} sent · {rate(one.replied, one.sent)} replied" for one in its]
    return Card(
        name=name,
        kind=words.KINDS.get(str(step.get("kind")), "?"),
        lines=tuple(lines),
        people=people.total() or None,
        href=f"#step-{name}",
    )


def _said(step: Mapping[str, Any], *, first: bool) -> tuple[str, ...]:
    said = [shortened(words.what(step))]
    when = words.when(step, first=first)
    return (when, *said) if when else tuple(said)
