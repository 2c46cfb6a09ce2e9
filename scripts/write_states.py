"""Write docs/reference/states.md from the transition tables, so that page and code cannot disagree.

.venv/bin/python scripts/write_states.py            write the page
.venv/bin/python scripts/write_states.py --check    exit 1 if it is out of date
"""

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import TERMINAL, EnrollmentStatus, StopReason
from relance.core.sequence import SequenceStatus
from relance.core.transitions import ATTEMPT_TRANSITIONS, ENROLLMENT_TRANSITIONS, SEQUENCE_TRANSITIONS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "states.md"
MEMBER = re.compile(r'^\s+\w+ = "(?P<value>[^"]+)"(?:\s+#:\s*(?P<meaning>.+))?$', re.MULTILINE)
START = "[*]"
FEW = 3
"""Labels that an arrow can carry and still be read; the table below has all of them."""

NOTE_ON_MOVES = """\
What is not drawn or listed here cannot happen: it raises. Whatever does happen to an enrollment is written to its
history, with its cause."""

NOTE_ON_EVENTS = """\
*stays* means that the event is recorded and the status remains. An empty cell: it cannot happen there."""

Edges = Mapping[tuple[str, str], Iterable[str]]


def main(arguments: list[str]) -> int:
    """Write the page, or compare it with what would be written."""
    text = page()
    if "--check" not in arguments:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print(f"{PAGE.name} is out of date; run: make states", file=sys.stderr)
    return 1


def page() -> str:
    """Return the whole page."""
    parts = [
        "# States",
        "Written by `make states` from `relance.core.transitions`; do not edit.",
        "## An enrollment",
        NOTE_ON_MOVES,
        meanings(EnrollmentStatus),
        diagram(enrollment_edges(moving_only=True), first=f"{EnrollmentStatus.ACTIVE}"),
        "### What each event may do",
        NOTE_ON_EVENTS,
        events_table(),
        "### Why an enrollment ended",
        meanings(StopReason),
        "## An attempt",
        meanings(AttemptStatus),
        diagram(attempt_edges(), first=f"{AttemptStatus.RESERVED}"),
        "## A sequence",
        meanings(SequenceStatus),
        diagram(sequence_edges(), first=f"{SequenceStatus.DRAFT}"),
    ]
    return "\n\n".join(parts) + "\n"


def meanings(states: type[StrEnum]) -> str:
    """Return a table of an enumeration's values and the comments behind them."""
    found = {match["value"]: match["meaning"] or "" for match in MEMBER.finditer(inspect.getsource(states))}
    rows = [f"| `{state.value}` | {found.get(state.value, '')} |" for state in states]
    return "\n".join(["| | |", "|---|---|", *rows])


def diagram(edges: Edges, *, first: str) -> str:
    """Return a Mermaid diagram; what happens on an edge stands on it."""
    lines = [
        f"    {source} --> {target}" + (f": {', '.join(sorted(labels))}" if 0 < len(set(labels)) <= FEW else "")
        for (source, target), labels in sorted(edges.items())
    ]
    start = [] if any(source == START for source, _ in edges) else [f"    {START} --> {first}"]
    return "\n".join(["```mermaid", "stateDiagram-v2", *start, *lines, "```"])


def enrollment_edges(*, moving_only: bool) -> Edges:
    """Return the moves of an enrollment with the events that cause them."""
    edges: dict[tuple[str, str], set[str]] = defaultdict(set)
    for source, row in ENROLLMENT_TRANSITIONS.items():
        for event, targets in row.items():
            for target in targets:
                if not (moving_only and source == target):
                    edges[source or START, target].add(event)
    return edges


def attempt_edges() -> Edges:
    """Return the moves of an attempt."""
    return {(source, target): () for source, targets in ATTEMPT_TRANSITIONS.items() for target in targets}


def sequence_edges() -> Edges:
    """Return the moves of a sequence with the events that cause them."""
    edges: dict[tuple[str, str], set[str]] = defaultdict(set)
    for source, row in SEQUENCE_TRANSITIONS.items():
        for event, targets in row.items():
            for target in targets:
                edges[source, target].add(event)
    return edges


def events_table() -> str:
    """Return, for each event, where it takes an enrollment from each status; ended ones share a column."""
    living = [status for status in EnrollmentStatus if status not in TERMINAL]
    ended = ENROLLMENT_TRANSITIONS[next(status for status in EnrollmentStatus if status in TERMINAL)]
    events = sorted({event for row in ENROLLMENT_TRANSITIONS.values() for event in row})
    lines = ["| event | " + " | ".join(living) + " | ended |", "|---" * (len(living) + 2) + "|"]
    for event in events:
        cells = [cell(status, ENROLLMENT_TRANSITIONS[status].get(event, frozenset())) for status in living]
        lines.append(f"| `{event}` | " + " | ".join(cells) + f" | {'stays' if event in ended else ''} |")
    return "\n".join(lines)


def cell(source: EnrollmentStatus, targets: Iterable[EnrollmentStatus]) -> str:
    """Return the targets of one move in the words of the table."""
    words = sorted(target for target in targets if target != source)
    return ", ".join(["stays", *words] if source in targets else words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
