"""The table fault × outcome, written from runs: what becomes of a message when the process dies at each place.

Looked at is the scenario's last message, which is alone on its day, so that the outcome is that of the very place; once
with servers that file what they send in Sent, and once with servers that file nothing.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from crash.plan import At, Plan
from crash.scenario import ANNA
from crash.single_faults import Judged
from crash.theatre import Theatre

OPENING = """\
# Faults and what becomes of them

Written by `make crash-table` from runs of the crash harness; do not edit. A test compares the list of places with the
harness.

The process is killed with SIGKILL at the place, when it is passed for the last time in a small scenario (four people,
two steps), and started again. The two columns differ in whether the mailbox's server files what it sends in Sent. In
none of the runs did anybody get a step twice, or lose one; where nobody can look, the enrollment waits, which
[Exactly once](../explanation/exactly-once.md) explains. A place that is passed for the last time at the beginning, such
as `smtp connect`, is passed while the other mailbox has a message under way: what becomes of that one is shown then.

"""
SERVER_FAULTS = {
    "the server has the message, and the process dies before its answer": "kill",
    "the server has the message, and the line breaks before its answer": "accept_and_drop",
    "the line breaks after the final dot, and the server does not have the message": "lose_and_drop",
}
HEAD = "| Place | Server files copies | Server files none |\n|---|---|---|\n"


def page(theatre: Theatre) -> str:
    """Return the page."""
    counts = theatre.enumeration.counts
    parts = [OPENING, "## Killed at a place\n\n", HEAD]
    for place, last in counts.items():
        plan = Plan(kills=(At(place=place, passing=last),))
        parts.append(f"| `{place}` | {' | '.join(_outcomes(theatre, plan, single=True))} |\n")
    parts += ["\n## The line or the process dies at the server's answer\n\n", HEAD]
    for words, fate in SERVER_FAULTS.items():
        plan = Plan(dots=dict.fromkeys(_last_dots(theatre.enumeration.dots), fate))
        parts.append(f"| {words} | {' | '.join(_outcomes(theatre, plan, single=False))} |\n")
    return "".join(parts)


def _last_dots(dots: tuple[str, ...]) -> Iterator[str]:
    """Return the name of the last message's dot, whichever of the two servers it goes to."""
    last = max(Counter(dot.partition(" ")[0] for dot in dots).values())
    return (f"{label} {last}" for label in ("keeps", "forgets"))


def _outcomes(theatre: Theatre, plan: Plan, *, single: bool) -> Iterator[str]:
    for copies in ("all", "none"):
        made = replace(plan, copies=copies)
        yield _outcome(theatre.judge_single(made) if single else theatre.judge(made))


def _outcome(judged: Judged) -> str:
    if judged.violations or judged.run is None:
        return f"**broken**: {judged.violations}"
    settled = {step: by for step, _, by, _ in judged.run.ended["people"][ANNA]["attempts"]}.get("bump")
    if judged.waiting:
        return "waits for an answer or a person"
    if settled is None:
        return "the next process goes on"
    if settled.startswith("found in Sent"):
        return "found in Sent: was sent"
    if settled.startswith("not in Sent"):
        return "not in Sent after the grace: sent again"
    return f"settled by {settled}"
