"""A history is walked along its plan, and arrives where the row has to stand, or goes astray."""

from dataclasses import dataclass

import pytest

from relance.core.replaying import Arrived, Astray, replay
from relance.core.sequence import RepliedWithin
from relance.testing.builders import branch, delay, email, plan, wait

PLAN = plan(
    email("ask", subject="Question"),
    wait("rest", "1h"),
    branch("fork", RepliedWithin(within=delay("1d")), "thank", "remind"),
    email("remind"),
    email("thank"),
)
AT_THE_FORK = ["ask 1 step.accepted waiting", "rest 2 wait.ended waiting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What of an entry is replayed."""

    step: str
    step_counter: int
    event: str
    to_status: str


def walked(*lines: str) -> Arrived | Astray:
    """Replay entries written as step, counter, event and the status they led to."""
    words = [line.split() for line in ("ask 1 lead.enrolled active", *lines)]
    return replay(PLAN, [Entry(step=s, step_counter=int(n), event=e, to_status=to) for s, n, e, to in words])


@pytest.mark.parametrize(
    "lines, steps, counter",
    [
        ([], {"ask"}, 1),
        (["ask 1 step.tried active"], {"ask"}, 1),
        (["ask 1 enrollment.paused paused", "ask 1 enrollment.resumed active"], {"ask"}, 1),
        (AT_THE_FORK, {"fork"}, 3),
        ([*AT_THE_FORK, "fork 3 branch.decided active"], {"thank", "remind"}, 4),
        ([*AT_THE_FORK, "fork 3 branch.decided active", "thank 4 step.accepted completed"], {"thank"}, 4),
        ([*AT_THE_FORK, "fork 3 branch.decided active", "remind 4 step.recorded active"], {"thank"}, 5),
        ([*AT_THE_FORK, "fork 3 branch.decided stopped"], {"fork"}, 3),
    ],
)
def test_a_history_leads_along_the_plan(lines, steps, counter):
    """What ends a step moves a walking row; what ends the run, or happens meanwhile, does not."""
    assert Arrived(steps=frozenset(steps), counter=counter) == walked(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["rest 2 wait.ended waiting"],
        ["ask 2 step.tried active"],
        ["ask 1 wait.ended active"],
        ["ask 1 step.accepted waiting", "fork 2 branch.decided active"],
        [*AT_THE_FORK, "fork 3 branch.decided active", "ask 4 step.accepted waiting"],
        [*AT_THE_FORK, "fork 3 branch.decided active", "thank 4 step.accepted active"],
    ],
)
def test_a_history_that_leaves_the_plan_is_astray(lines):
    """A step skipped, counted twice, ended by what cannot end it, or come to from nowhere."""
    assert isinstance(walked(*lines), Astray)
