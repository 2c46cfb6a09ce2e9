"""Every place the scenario passes, killed at its first and at its last passing, on both stores.

What is judged is the servers' log: no step twice, nothing after an answer, nobody lost, caps and gaps held, every
message read. A failure names the plan, and the command that plays it again.
"""

import pytest

from crash.theatre import Theatre

PARTS = 12

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("part", range(PARTS))
def test_a_kill_anywhere_breaks_no_promise(theatre: Theatre, part: int):
    """Whatever was written, said or answered a moment ago: the next process goes on from there."""
    judged = [theatre.judge_single(plan) for plan in theatre.enumeration.plans[part::PARTS]]
    broken = [theatre.complaint(each) for each in judged if each.violations]

    assert judged
    assert [] == broken, "\n".join(broken)
    assert [] == [str(each.plan) for each in judged if not each.reached]


@pytest.mark.parametrize("part", range(PARTS // 2))
def test_a_kill_anywhere_while_it_is_read_back_breaks_no_promise(theatre: Theatre, part: int):
    """An older state was put back, whose last message left unknown to it; or the one before died in the middle."""
    judged = [theatre.judge_single(plan) for plan in theatre.enumeration.restored[part :: PARTS // 2]]
    broken = [theatre.complaint(each) for each in judged if each.violations]

    assert judged
    assert [] == broken, "\n".join(broken)
    assert [] == [str(each.plan) for each in judged if not each.reached]


def test_the_enumeration_knows_the_places_that_matter(theatre: Theatre):
    """A place that lost its name, or a scenario that no longer gets there, would be tested no more."""
    moments = {
        "commit": ("before", "after"),
        "smtp": ("before", "written", "answered"),
        "imap": ("before", "written", "answered"),
        "file": ("before", "written", "after"),
    }
    wanted = {
        "commit": ("claim_as_owner", "reserve", "begin", "confirm", "stage_batch", "ingest", "mark_copied"),
        "smtp": ("EHLO", "AUTH", "MAIL", "RCPT", "DATA", "dot", "RSET", "QUIT"),
        "imap": ("APPEND",),
        "file": ("engine.lock", "generation.json", "optouts.log"),
    }
    expected = {f"{area} {act}: {moment}" for area, acts in wanted.items() for act in acts for moment in moments[area]}

    assert set() == expected - set(theatre.enumeration.places)
