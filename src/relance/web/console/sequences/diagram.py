"""A sequence as a diagram: where every step and every way stands, in pixels, for a template to draw as SVG.

Rule 1: steps stand below one another in the order of the file, so that a step keeps its place while others come and go.
Rule 2: the way to the next step runs straight down; every other way runs beside the steps, forward ones on the right,
        those that lead back on the left, each in a lane that no other way uses at that height.
Rule 3: drawn from a sequence file's values, sound or not: a way to a step that is not there ends where it is seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from relance.core.sequence import STOP, BranchStep

WIDTH: Final = 360  #: Of a step.
_HEAD, _LINE, _FOOT, _GAP = 34, 18, 12, 40
_LANE, _MARGIN, _ROUND = 20, 20, 8
_OUT: Final = {"yes": -9, "no": 11}  #: Where the two ways of a branch leave it, from the middle of its height.
_PILL: Final = (56, 24)
_MOST: Final = 48  #: Characters that a line of a step has room for.


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a step says of itself."""

    name: str
    kind: str
    lines: tuple[str, ...] = ()
    people: int | None = None  #: Who stands there now; None: not shown.
    tone: str = ""  #: bad: it has problems; accent: it is the one looked at.
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A step where it stands."""

    card: Card
    x: int
    y: int
    height: int
    width: int = WIDTH

    @property
    def middle(self) -> int:
        """Half its height, from the top of the diagram."""
        return self.y + self.height // 2

    @property
    def bottom(self) -> int:
        """Where it ends."""
        return self.y + self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A line from a step to another, with an arrow at its end."""

    path: str
    label: str = ""
    x: int = 0  #: Of the label.
    y: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pill:
    """Where the walk ends, or a way leads nowhere."""

    text: str
    x: int
    y: int
    width: int = _PILL[0]
    height: int = _PILL[1]
    tone: str = ""


@dataclass(slots=True, kw_only=True)
class Diagram:
    """Everything that is drawn."""

    width: int = 0
    height: int = 0
    boxes: list[Box] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    pills: list[Pill] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A way that does not lead to the next step."""

    start: int
    target: int
    label: str

    @property
    def span(self) -> range:
        """Every row that it passes."""
        return range(min(self.start, self.target), max(self.start, self.target) + 1)


def drawn(steps: Sequence[Mapping[str, Any]], cards: Sequence[Card]) -> Diagram:
    """Return the diagram of a file's steps; `cards` has one for each."""
    ids: dict[str, int] = {}
    for number, step in enumerate(steps):
        ids.setdefault(str(step.get("id")), number)
    straight, turns, lost = _ways(steps, ids)
    right = _lanes([turn for turn in turns if turn.target > turn.start])
    left = _lanes([turn for turn in turns if turn.target <= turn.start])
    x = _MARGIN + _LANE * (max(left.values(), default=-1) + 1)
    found = Diagram(boxes=_boxes(cards, x))
    for number, label in straight.items():
        _straight(found, number, label)
    for turn, lane in (*right.items(), *left.items()):
        found.ways.append(_turned(found.boxes, turn, lane, forward=turn.target > turn.start))
    beyond = x + WIDTH + _LANE * (max(right.values(), default=-1) + 1)
    for number, label, target in lost:
        _ending(found, number, label, target, beyond)
    ends = beyond + (_LANE * 3 + _PILL[0] if lost else 0)
    found.width = max(ends, x + WIDTH) + _MARGIN
    found.height = (found.boxes[-1].bottom + _GAP + _PILL[1] if found.boxes else 0) + 4
    return found


def _ways(
    steps: Sequence[Mapping[str, Any]], ids: Mapping[str, int]
) -> tuple[dict[int, str], list[_Turn], list[tuple[int, str, str]]]:
    """Return the ways straight on (by where they begin), those that turn, and those that end beside a step."""
    straight: dict[int, str] = {}
    turns: list[_Turn] = []
    lost: list[tuple[int, str, str]] = []
    for number, step in enumerate(steps):
        if step.get("kind") != BranchStep.kind:
            straight[number] = ""
            continue
        for label, word in (("yes", "then"), ("no", "else")):
            target = step.get(word)
            place = number + 1 if word == "else" and not target else ids.get(str(target))
            if place == number + 1:
                straight[number] = f"{straight[number]} or {label}" if number in straight else label
            elif place is None:
                lost.append((number, label, str(target or "?")))
            else:
                turns.append(_Turn(start=number, target=place, label=label))
    return straight, turns, lost


def _lanes(turns: Sequence[_Turn]) -> dict[_Turn, int]:
    """Give each way the innermost lane that is free at every row that it passes; the short ones choose first."""
    taken: list[set[int]] = []
    found: dict[_Turn, int] = {}
    for turn in sorted(turns, key=lambda one: (len(one.span), one.start)):
        lane = next((lane for lane, rows in enumerate(taken) if rows.isdisjoint(turn.span)), len(taken))
        if lane == len(taken):
            taken.append(set())
        taken[lane].update(turn.span)
        found[turn] = lane
    return found


def _boxes(cards: Sequence[Card], x: int) -> list[Box]:
    boxes: list[Box] = []
    y = 2
    for card in cards:
        height = _HEAD + _LINE * len(card.lines) + _FOOT
        boxes.append(Box(card=card, x=x, y=y, height=height))
        y += height + _GAP
    return boxes


def _straight(found: Diagram, number: int, label: str) -> None:
    box = found.boxes[number]
    middle = box.x + WIDTH // 2
    last = number + 1 == len(found.boxes)
    found.ways.append(
        Way(path=f"M{middle} {box.bottom}V{box.bottom + _GAP - 2}", label=label, x=middle + 8, y=box.bottom + 25)
    )
    if last:
        found.pills.append(Pill(text="end", x=middle - _PILL[0] // 2, y=box.bottom + _GAP))


def _turned(boxes: Sequence[Box], turn: _Turn, lane: int, *, forward: bool) -> Way:
    start, target = boxes[turn.start], boxes[turn.target]
    sign = 1 if forward else -1
    edge = start.x + WIDTH if forward else start.x
    beyond = edge + sign * (_MARGIN - 4 + _LANE * lane)
    out = start.middle + _OUT[turn.label]
    into = target.middle - (6 if forward else -6) + (12 if turn.start == turn.target else 0)
    down = 1 if into >= out else -1
    path = (
        f"M{edge} {out}H{beyond - sign * _ROUND}Q{beyond} {out} {beyond} {out + down * _ROUND}"
        f"V{into - down * _ROUND}Q{beyond} {into} {beyond - sign * _ROUND} {into}H{edge + sign * 2}"
    )
    x = edge + 4 if forward else edge - 22
    return Way(path=path, label=turn.label, x=x, y=out - 5)


def _ending(found: Diagram, number: int, label: str, target: str, beyond: int) -> None:
    box = found.boxes[number]
    y = box.middle + _OUT[label]
    edge = box.x + WIDTH
    x = beyond + 2 * _LANE
    known = target == STOP
    text = target if known else f"{target[:8]}?"
    found.ways.append(Way(path=f"M{edge} {y}H{x - 2}", label=label, x=edge + 4, y=y - 4))
    found.pills.append(Pill(text=text, x=x, y=y - _PILL[1] // 2, tone="" if known else "bad"))


def shortened(text: str, most: int = _MOST) -> str:
    """Return a text on one line that a step has room for."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
