"""The table fault × outcome, written from runs: what becomes of a message when the process dies at each place.

Looked at is the scenario's last message, which is alone on its day, so that the outcome is that of the very place; once
with servers that file what they send in Sent, and once with servers that file nothing.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from crash.plan import At, Plan, PutBack
from crash.running import Run
from crash.scenario import ANNA
from crash.single_faults import BY_REAL_TIME, Enumeration, Judged
from crash.theatre import Theatre
from relance.core.attempt import AttemptStatus

OPENING = """\
# Faults and what becomes of them

Written by `make crash-table` from runs of the crash harness over SQLite; do not edit. Tests compare the list of places
and every outcome with runs of their own.

The process is killed with SIGKILL at the place, when it is passed for the last time in a small scenario (four people,
two steps), and started again. The two columns differ in whether the mailbox's server files what it sends in Sent. In
none of the runs did anybody lose a step, or get one twice but in the one that says so, where everything is gone that
could tell; where nobody can look, the enrollment waits. [Exactly once](../explanation/exactly-once.md) explains
both. Shown is what becomes of the scenario's last message; a place
such as `smtp connect`, which is passed for the last time at the beginning, is passed before that message is begun. A
place that such a server gives no cause to pass, as where it files the copy itself, is *not passed*.

"""
SERVER_FAULTS = {
    "the server has the message, and the process dies before its answer": "kill",
    "the server has the message, and the line breaks before its answer": "accept_and_drop",
    "the line breaks after the final dot, and the server does not have the message": "lose_and_drop",
}
#: What else is amiss when the process dies between the final dot and the server's answer.
BESIDE: Mapping[str, Mapping[str, Any]] = {
    "servers replace Message-IDs": {"rewrites_ids": True},
    "a message that breaks the reading lies before every answer": {"poison": True},
    "the host's clock was set forward by ten minutes": {"clock_jumps": {3: 10}},
    "the host's clock was set back by ten minutes": {"clock_jumps": {3: -10}},
    "servers save nothing in Sent any more": {"sent_stops_at": 1},
    "every loop is woken for nothing, again and again": {"spurious_wakes": tuple(range(1, 60))},
    "mailboxes could not be read in the first half hour": {"refused_imap": (0, 30)},
    "the disk is full for a while": {"full_disk": (20, 4)},
}
#: A state of a moment before takes the place of the one in which the message has left.
PUT_BACK: Mapping[str, PutBack] = {
    "an older state is put back, and the newest can be looked into": PutBack(kept=1, back=2, aside=True),
    "an older state is put back, and the newest is lost": PutBack(kept=1, back=2, aside=False),
}
LIMIT = "**sent twice**: nothing that is left tells that it was sent"
#: How an attempt says that it was settled, and what that means.
_SETTLED = {
    "found in Sent": "found in Sent: was sent",
    "not in Sent": "not in Sent after the grace: sent again",
    "its copy in": "its copy is read back from Sent: was sent",
    "the server's yes": "the newest state knows: was sent",
}
HEAD = "| Place | Server files copies | Server files none |\n|---|---|---|\n"


def page(theatre: Theatre) -> str:
    """Return the page."""
    places = dict.fromkeys([*theatre.enumeration.counts, *sorted(BY_REAL_TIME)])
    parts = [OPENING, counted(theatre.enumeration), "## Killed at a place\n\n", HEAD]
    parts += [f"| `{place}` | {' | '.join(killed_at(theatre, place))} |\n" for place in places]
    parts += ["\n## The line or the process dies at the server's answer\n\n", HEAD]
    parts += [f"| {words} | {' | '.join(at_the_answer(theatre, words))} |\n" for words in SERVER_FAULTS]
    parts += ["\n## Killed behind the final dot, and something else is amiss\n\n", HEAD]
    parts += [f"| {words} | {' | '.join(with_beside(theatre, words))} |\n" for words in BESIDE]
    parts += ["\n## Killed behind the final dot, and the state is an older one then\n\n", HEAD]
    parts += [f"| {words} | {' | '.join(put_back(theatre, words))} |\n" for words in PUT_BACK]
    return "".join(parts)


def counted(enumeration: Enumeration) -> str:
    """Return how much there is to be killed at, beside what is passed or not as real time has it."""
    places = len(set(enumeration.places) - BY_REAL_TIME)
    single = len([plan for plan in enumeration.plans if not {kill.place for kill in plan.kills} & BY_REAL_TIME])
    restored = len(enumeration.restored)
    return (
        f"{places} places, {single} single faults, and {restored} kills in a life that takes up what was left or reads "
        "back after a restore. Each is run over SQLite and over PostgreSQL by `make test`.\n\n"
    )


def killed_at(theatre: Theatre, place: str) -> list[str]:
    """Return the two outcomes of a kill at the last passing of a place."""
    plan = Plan(kills=(At(place=place, passing=theatre.enumeration.counts.get(place, 1)),))
    return list(_outcomes(theatre, plan, single=True))


def at_the_answer(theatre: Theatre, words: str) -> list[str]:
    """Return the two outcomes of one of `SERVER_FAULTS`."""
    plan = Plan(dots=dict.fromkeys(_last_dots(theatre.enumeration.dots), SERVER_FAULTS[words]))
    return list(_outcomes(theatre, plan, single=False))


def with_beside(theatre: Theatre, words: str) -> list[str]:
    """Return the two outcomes of one of `BESIDE`."""
    place = "smtp dot: written"
    kills = (At(place=place, passing=theatre.enumeration.counts[place]),)
    return list(_outcomes(theatre, Plan(kills=kills, **BESIDE[words]), single=False))


def put_back(theatre: Theatre, words: str) -> list[str]:
    """Return the two outcomes of one of `PUT_BACK`: kept is the state in which the message is reserved."""
    before = "commit begin: before"
    kills = (At(place=before, passing=theatre.enumeration.counts[before]),)
    dots = dict.fromkeys(_last_dots(theatre.enumeration.dots), "kill")
    return list(_outcomes(theatre, Plan(kills=kills, dots=dots, put_back=PUT_BACK[words]), single=False))


def _last_dots(dots: tuple[str, ...]) -> Iterator[str]:
    """Return the name of the last message's dot, whichever of the two servers it goes to."""
    last = max(Counter(dot.partition(" ")[0] for dot in dots).values())
    return (f"{label} {last}" for label in ("keeps", "forgets"))


def _outcomes(theatre: Theatre, plan: Plan, *, single: bool) -> Iterator[str]:
    for copies in ("all", "none"):
        made = replace(plan, copies=copies)
        yield _outcome(theatre.judge_single(made) if single else theatre.judge(made))


def _outcome(judged: Judged) -> str:
    run, plan = judged.run, judged.plan
    if run is not None and run.put_back and all(each.startswith(("twice: ", "lost: ")) for each in judged.violations):
        return LIMIT if judged.violations else _as_settled(run)
    if judged.violations or run is None:
        return f"**broken**: {judged.violations}"
    return "*not passed*" if plan.kills and not judged.reached else _as_settled(run)


def _as_settled(run: Run) -> str:
    attempts = run.ended["people"][ANNA]["attempts"]
    settled, status = {step: (by, status) for step, status, by, _ in attempts}.get("bump", (None, None))
    if run.ended["people"][ANNA]["status"] == "held":
        return "waits for a person"
    if status == AttemptStatus.UNKNOWN:
        return "waits for an answer or a person"
    if settled is None:
        return "the next process goes on"
    return next((words for known, words in _SETTLED.items() if settled.startswith(known)), f"settled by {settled}")
