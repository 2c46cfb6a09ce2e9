"""The judge itself, over runs that were never played: what it must see, and what it must let pass."""

import pytest

from crash.judging import Undisturbed, violations, waiting
from crash.plan import At, Plan
from crash.running import Run
from crash.scenario import ANNA, BOXES
from crash.single_faults import Judged
from relance.sandbox.journal import Journal

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


def test_a_kill_that_did_not_happen_is_no_case():
    """Nor is a dot at which nothing happened, because it never came."""
    run = waits_for(KEPT)
    plans = [Plan(kills=(At(place="commit take_part: before", passing=4),)), Plan(dots={"keeps 9": "lose_and_drop"})]

    assert [False, False] == [Judged(plan=plan, violations=(), run=run).reached for plan in plans]
    assert Judged(plan=Plan(), violations=(), run=run).reached
