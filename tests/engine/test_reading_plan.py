"""The plan of reads answers from a heap and from sets what a look at every mailbox would say."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from relance.engine.reading_plan import ReadingPlan
from relance.engine.surroundings import Box
from relance.services.leasing import Hold
from relance.services.mailboxes import Connected

MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)
BOXES = tuple(Box(workspace_id=number % 2 + 1, mailbox_id=number) for number in range(1, 5))
SHARDS = (Hold(shard=1, owner="w", epoch=1),)
NEVER = timedelta(days=9)

minutes = st.integers(0, 30).map(lambda number: timedelta(minutes=number))
boxes = st.sampled_from(BOXES)
steps = st.one_of(
    st.tuples(st.just("look"), st.sets(boxes)),
    st.tuples(st.sampled_from(["read", "fail"]), st.tuples(boxes, minutes)),
)


def connected(box, failures=0):
    """Return what the store says of a mailbox."""
    return Connected(
        workspace_id=box.workspace_id, id=box.mailbox_id, shard=1, consecutive_failures=failures, asked_for=False
    )


@given(st.lists(steps, max_size=30), minutes)
def test_what_is_due_is_what_a_look_at_every_mailbox_would_find(done, later):
    """Whatever came, went, was read or rested before."""
    plan = ReadingPlan()
    known: set[Box] | None = None
    next_at: dict[Box, datetime] = {}  # of those that were tried: when they are read next
    for what, which in done:
        match what:
            case "look":
                plan.look({box: connected(box) for box in which}, SHARDS, in_use=lambda _: False)
                known = which
                next_at = {box: at for box, at in next_at.items() if box in which}
            case _:
                box, after = which
                plan.sweep(box, MONDAY)  # as long as the read lasts
                (plan.sweep if what == "read" else plan.rest)(box, MONDAY + after)
                plan.note_try(box)
                next_at[box] = MONDAY + after
    now = MONDAY + later
    untried = known is None or any(box not in next_at for box in known)

    assert plan.has_due(now) == (untried or any(next_at[box] <= now for box in known or ()))
    assert plan.has_tried_all == (not untried)
    assert plan.take_due(now) == {box for box in known or () if box in next_at and next_at[box] <= now}
    assert plan.take_due(now) == set()
    if known is not None:
        assert (plan.unread() == frozenset()) == (not untried)


def test_a_rest_ends_where_the_trouble_does():
    """Somebody else has read it meanwhile: the next sweep may come."""
    plan, (box, *_) = ReadingPlan(), BOXES
    plan.look({box: connected(box, failures=1)}, SHARDS, in_use=lambda _: False)
    plan.note_try(box)
    plan.rest(box, MONDAY + NEVER)
    while_troubled = plan.rests(box, MONDAY)
    plan.look({box: connected(box)}, SHARDS, in_use=lambda _: False)

    assert (True, False) == (while_troubled, plan.rests(box, MONDAY))


def test_what_is_still_sent_from_is_not_let_go():
    """A removed mailbox finishes what is on the wire; then it goes."""
    plan, (box, *_) = ReadingPlan(), BOXES
    plan.look({box: connected(box)}, SHARDS, in_use=lambda _: False)
    plan.sweep(box, MONDAY)
    sending = plan.look({}, SHARDS, in_use=lambda _: True)
    over = plan.look({}, SHARDS, in_use=lambda _: False)

    assert ([], [box]) == (sending, over)
