"""The judge itself, over runs that were never played: what it must see, and what it must let pass."""

from typing import Any

import pytest

from crash.explanations import Explained, contradictions
from crash.harness_clock import START
from crash.judging import Undisturbed, violations, waiting
from crash.plan import At, Plan
from crash.running import Run
from crash.scenario import ANNA, BOXES
from crash.single_faults import Judged
from relance.sandbox.journal import Accepted, Journal

KEPT, FORGOTTEN = BOXES
EXPECTED = Undisturbed(people={ANNA: {"status": "completed", "reason": None}}, steps={ANNA: ("intro", "bump")})


def waits_for(box: str) -> Run:
    """Return a run in which Anna got nothing, and waits on the outcome of her first message from a mailbox."""
    attempts = [("intro", "unknown", None, box)]
    row = {"status": "active", "reason": None, "step": "intro", "unknown": True, "attempts": attempts}
    return Run(
        plan=Plan(),
        journal=Journal(),
        ended={"people": {ANNA: row}, "read": []},
        places=[],
        dots=[],
        saves_sent={KEPT: True, FORGOTTEN: False},
    )


@pytest.mark.parametrize("box,may", [(KEPT, False), (FORGOTTEN, True)])
def test_who_got_nothing_may_wait_for_ever_only_where_nobody_can_look(box: str, may: bool):  # noqa: FBT001  # a parameter
    """Whose server keeps copies is looked up: the mailbox is the attempt's, whoever else wrote."""
    run = waits_for(box)

    assert ([ANNA] if may else []) == waiting(run)
    assert may is not any(each.startswith(f"lost: {ANNA}") for each in violations(run, EXPECTED))


def said(status: str, step: str, **attempts: str) -> dict[str, Any]:
    """Return what `explain` says of somebody: where they stand, and each step's attempt."""
    lines = [{"step": name, "status": attempt} for name, attempt in attempts.items()]
    one = {"status": status, "stop_reason": None, "hold_reason": None, "step": step, "attempts": lines, "summary": "…"}
    return {"enrollments": [one]}


def got(step: str) -> Accepted:
    """Return that a server took a step to Anna."""
    at, number = START, f"<{step}>"
    return Accepted(at=at, mailbox=KEPT, recipient=ANNA, message_id=number, subject="", marker=step, raw=b"")


@pytest.mark.parametrize(
    "words,accepted,broken",
    [
        (said("active", "bump", intro="sent"), ["intro"], []),
        (said("active", "intro", intro="unknown"), ["intro"], []),
        (said("active", "intro", intro="in_flight"), [], []),
        (said("active", "bump", intro="sent"), [], ["intro is said to be sent, and no server has it"]),
        (said("active", "bump", intro="failed"), ["intro"], ["intro is denied, and a server has it"]),
        (
            said("active", "bump", intro="sent", bump="sent"),
            ["intro", "bump"],
            ["bump is said to be next, and a server has it"],
        ),
        (said("completed", "bump"), [], [f"{ANNA} stands as ('active', None)"]),
    ],
)
def test_what_explain_says_is_held_against_what_servers_have(words: Any, accepted: list[str], broken: list[str]):
    """It may not know; it may not say what is not so. Anna is active, by her row."""
    explained = Explained(
        when="now", explain={ANNA: words}, doctor=(), forgetful=False, accepted=tuple(got(step) for step in accepted)
    )
    found = contradictions(explained, {ANNA: {"status": "active", "reason": None}})

    assert [f"explained: {each}" for each in broken] == [each.partition(";")[0] for each in found]


def test_nothing_is_denied_by_whoever_says_that_an_older_state_is_not_read_back_yet():
    """While it is read back, and of whom a person has to look at; but what is said to be sent has to be there."""
    denied, claimed = said("active", "bump", intro="failed"), said("active", "bump", intro="sent")
    held = {"enrollments": [{**said("held", "intro")["enrollments"][0], "hold_reason": "written_before_restore"}]}
    early = Explained(when="now", explain={ANNA: denied}, doctor=(), forgetful=True, accepted=(got("intro"),))
    doubted = Explained(when="now", explain={ANNA: held}, doctor=(), forgetful=False, accepted=(got("intro"),))
    invented = Explained(when="now", explain={ANNA: claimed}, doctor=(), forgetful=True, accepted=())

    assert ([], []) == (list(contradictions(early, {})), list(contradictions(doubted, {})))
    assert 1 == len(list(contradictions(invented, {})))


def test_what_doctor_finds_is_a_broken_promise():
    """Whatever else is right."""
    explained = Explained(when="now", explain={}, doctor=("a cursor went back",), forgetful=False, accepted=())

    assert ["doctor: now: a cursor went back"] == list(contradictions(explained, {}))


def test_a_kill_that_did_not_happen_is_no_case():
    """Nor is a dot at which nothing happened, because it never came."""
    run = waits_for(KEPT)
    plans = [Plan(kills=(At(place="commit take_part: before", passing=4),)), Plan(dots={"keeps 9": "lose_and_drop"})]

    assert [False, False] == [Judged(plan=plan, violations=(), run=run).reached for plan in plans]
    assert Judged(plan=Plan(), violations=(), run=run).reached
