"""A sequence's diagram: whatever its branches, no two ways share a line and nothing stands outside."""

import re
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from relance.core.plan_document import document_of
from relance.core.sequence import Plan
from relance.web.console.sequences.diagram import WIDTH, Card, Diagram, drawn
from relance.web.console.sequences.options import OPTIONS


@st.composite
def sequences(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Make steps of which some are branches that lead anywhere, also to nowhere."""
    ids = [f"s{number}" for number in range(draw(st.integers(1, 8)))]
    targets = st.sampled_from([*ids, "stop", "lost"])
    steps: list[dict[str, Any]] = []
    for name in ids:
        if draw(st.booleans()):
            steps.append({"id": name, "kind": "branch", "then": draw(targets), "else": draw(st.none() | targets)})
        else:
            steps.append({"id": name, "kind": "email"})
    return steps


def picture(steps: list[dict[str, Any]]) -> Diagram:
    """Draw steps that say one line each."""
    return drawn(steps, [Card(name=step["id"], kind="E-mail", lines=("a line",)) for step in steps])


def numbers(path: str) -> list[int]:
    """Return every number of a path."""
    return [int(found) for found in re.findall(r"-?\d+", path)]


@given(sequences())
def test_steps_stand_below_one_another_in_the_order_of_the_file(steps):
    """A step keeps its place while others come and go."""
    boxes = picture(steps).boxes

    assert [step["id"] for step in steps] == [box.card.name for box in boxes]
    assert all(above.bottom < below.y for above, below in pairwise(boxes))


@given(sequences())
def test_nothing_is_drawn_outside(steps):
    """Else a way would end where nobody sees it."""
    found = picture(steps)

    assert all(0 <= number <= max(found.width, found.height) for way in found.ways for number in numbers(way.path))
    assert all(0 <= pill.x and pill.x + pill.width <= found.width for pill in found.pills)
    assert all(box.x + WIDTH <= found.width and box.bottom <= found.height for box in found.boxes)


@given(sequences())
def test_no_two_ways_run_up_or_down_in_one_lane_at_one_height(steps):
    """Nobody could tell which of them leads where."""
    taken: dict[int, list[tuple[int, int]]] = {}
    for way in picture(steps).ways:
        for x, start, end in re.findall(r"Q-?\d+ -?\d+ (-?\d+) (-?\d+)V(-?\d+)", way.path):
            taken.setdefault(int(x), []).append((min(int(start), int(end)), max(int(start), int(end))))

    assert all(first[1] <= second[0] for spans in taken.values() for first, second in pairwise(sorted(spans)))


@given(sequences())
def test_every_way_of_every_step_is_drawn(steps):
    """One for a step that only goes on, two for a branch, unless both lead to the step below it."""
    together = sum(
        step["kind"] == "branch"
        and {step["then"], step["else"]} <= {None, f"s{number + 1}"}
        and number + 1 < len(steps)
        for number, step in enumerate(steps)
    )

    assert sum(2 if step["kind"] == "branch" else 1 for step in steps) - together == len(picture(steps).ways)


def test_an_answer_that_is_offered_first_is_what_goes_without_saying():
    """The builder leaves it out of the file, and the file's default is the plan's."""
    usual = document_of(Plan(name="q4", steps=()))

    assert {key: usual[key] for key in OPTIONS} == {key: option.answers[0][0] for key, option in OPTIONS.items()}
