"""A frozen version is read back as the plan that was published."""

import json
from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.plan_document import (
    PlanDocumentError,
    delay_of,
    digest,
    document_of,
    interval_of,
    plan_from_document,
)
from relance.core.sequence import (
    AttachedFile,
    BranchStep,
    Delivery,
    EmailStep,
    FieldEquals,
    FrequencyCap,
    Interval,
    OnAutoReply,
    OnReply,
    OnUnknown,
    Order,
    PauseOrContinue,
    Plan,
    QuietHours,
    RepliedWithin,
    Rotation,
    SendTime,
    StopOrContinue,
    StopScope,
    Unit,
    Variant,
    WaitStep,
    Window,
)
from unit.core.making import DELAYS, delay, plan

TEXT = st.text(max_size=12)
MAYBE = st.none() | TEXT
CAPS = st.none() | st.integers(1, 500)
DATES = st.frozensets(st.dates(date(2026, 1, 1), date(2027, 12, 31)), max_size=3)
INTERVALS = st.builds(Interval, start=st.times(), end=st.times())
VARIANTS = st.builds(Variant, id=TEXT, weight=st.integers(1, 9), subject=MAYBE, text=TEXT, html=MAYBE)
FILES = st.builds(AttachedFile, name=TEXT, content_type=TEXT, size=st.integers(1, 9), sha256=TEXT)
CONDITIONS = st.builds(RepliedWithin, within=DELAYS) | st.builds(FieldEquals, field=TEXT, value=TEXT)
STEPS = st.one_of(
    st.builds(
        EmailStep,
        id=TEXT,
        after=DELAYS,
        variants=st.lists(VARIANTS, max_size=3).map(tuple),
        attachments=st.lists(FILES, max_size=2).map(tuple),
    ),
    st.builds(WaitStep, id=TEXT, after=DELAYS, duration=DELAYS),
    st.builds(BranchStep, id=TEXT, after=DELAYS, condition=CONDITIONS, then=TEXT, otherwise=MAYBE),
)
WINDOWS = st.builds(
    Window,
    always=st.booleans(),
    timezone=MAYBE,
    unknown_timezone=MAYBE,
    days=st.frozensets(st.integers(0, 6)),
    intervals=st.lists(INTERVALS, max_size=2).map(tuple),
    holidays=MAYBE,
    holiday_dates=DATES,
    blackout=DATES,
)
PLANS = st.builds(
    Plan,
    name=TEXT,
    steps=st.lists(STEPS, max_size=4).map(tuple),
    pool=MAYBE,
    mailboxes=st.lists(TEXT, max_size=2).map(tuple),
    window=WINDOWS,
    quiet_hours=st.none() | st.builds(QuietHours, interval=INTERVALS, timezone=MAYBE),
    on_reply=st.sampled_from(OnReply),
    reply_sequence=MAYBE,
    stop_scope=st.sampled_from(StopScope),
    on_auto_reply=st.sampled_from(OnAutoReply),
    on_manual_reply=st.sampled_from(StopOrContinue),
    on_note=st.sampled_from(PauseOrContinue),
    on_unknown=st.sampled_from(OnUnknown),
    daily_cap=CAPS,
    max_new_per_day=CAPS,
    send_time=st.sampled_from(SendTime),
    frequency_cap=st.none() | st.builds(FrequencyCap, messages=st.integers(1, 9), per=DELAYS),
    order=st.sampled_from(Order),
    rotation=st.sampled_from(Rotation),
    delivery=st.sampled_from(Delivery),
    holdout=st.floats(0, 1, exclude_max=True),
)


@given(PLANS)
def test_a_plan_survives_its_document(the_plan):
    """Written, stored as JSON, read: the same plan, with the same digest."""
    document = document_of(the_plan)
    stored = json.loads(json.dumps(document))

    assert the_plan == plan_from_document(stored)
    assert digest(document) == digest(stored)


@given(PLANS, PLANS)
def test_digests_are_equal_exactly_when_plans_are(one, other):
    """Publishing the same content twice makes no new version; any change makes one."""
    assert (one == other) == (digest(document_of(one)) == digest(document_of(other)))


def test_the_digest_does_not_hang_on_the_order_of_keys():
    """A database may give them back in another."""
    document = document_of(plan())

    assert digest(document) == digest(dict(reversed(document.items())))


@pytest.mark.parametrize(
    "change,named",
    [
        ({"surprise": 1}, "surprise"),
        ({"name": 7}, "name"),
        ({"holdout": True}, "holdout"),
        ({"on_reply": "shout"}, "on_reply"),
        ({"window": None}, "window"),
        ({"steps": [{"id": "x", "kind": "fax", "after": "0s"}]}, "fax"),
        ({"steps": [{"id": "x", "kind": "wait", "after": "soon", "for": "1d"}]}, "after"),
        ({"steps": [{"id": "x", "kind": "wait", "after": "0s", "for": "1d", "then": "y"}]}, "then"),
        ({"frequency_cap": {"messages": "1", "per": "2d"}}, "messages"),
    ],
)
def test_a_document_that_this_program_does_not_understand_is_refused(change, named):
    """Nothing is ignored: it may have been written by a newer program."""
    with pytest.raises(PlanDocumentError, match=named):
        plan_from_document(document_of(plan()) | change)


@pytest.mark.parametrize(
    "text,unit", [("3d", Unit.DAYS), ("72h", Unit.HOURS), ("4bd", Unit.BUSINESS_DAYS), (" 5s ", Unit.SECONDS)]
)
def test_delays_are_read_as_written(text, unit):
    """s, m, h, d, bd."""
    assert unit is delay_of(text).unit
    assert text.strip() == str(delay_of(text))


@pytest.mark.parametrize("text", ["", "3", "d", "-1d", "1.5h", "3 days", "3w", "٣d", "9999999999d"])
def test_a_delay_that_is_none_is_refused_with_a_remedy(text):
    """The message shows what to write."""
    with pytest.raises(ValueError, match="such as 3d"):
        delay_of(text)


@pytest.mark.parametrize(
    "text,expected",
    [
        ("09:00-17:00", (time(9), time(17))),
        ("9:00 - 17:30", (time(9), time(17, 30))),
        ("9:00:30-17:00", (time(9, 0, 30), time(17))),
        ("20:00-08:00", (time(20), time(8))),
        ("18:00-24:00", (time(18), time(0))),
    ],
)
def test_intervals_are_read_as_people_write_them(text, expected):
    """One digit for the hour, and midnight as the end of a day."""
    interval = interval_of(text)

    assert expected == (interval.start, interval.end)


@pytest.mark.parametrize(
    "text",
    ["", "09:00", "9-17", "25:00-26:00", "09:00-", "nine-five", "09:00+02:00-17:00", "9:60-10:00", "24:01-25:00"],
)
def test_an_interval_that_is_none_is_refused_with_a_remedy(text):
    """The message shows what to write."""
    with pytest.raises(ValueError, match="like 09:00"):
        interval_of(text)


def test_making_delays_for_tests_reads_them_alike():
    """The tests' own notation is the product's."""
    assert delay_of("4bd") == delay("4bd")
