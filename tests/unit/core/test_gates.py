"""The gates: why not now, one at a time, and which of them counts."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.address_check import AddressCheck, AddressVerdict, Verification
from relance.core.enrollment import TERMINAL, EnrollmentStatus, StopReason
from relance.core.gates import GATES, LAST_LOOK, evaluate, last_look, survey
from relance.core.health import Reduced
from relance.core.mailbox import MailboxStatus
from relance.core.sequence import FrequencyCap, Interval, QuietHours, SendTime, SequenceStatus, Window
from relance.core.situation import Situation, Usage, Written
from relance.core.suppression import Suppression, SuppressionKind, SuppressionReason, SuppressionScope
from relance.core.verdict import PASS, Defer, Holds, Leave, Pass, Stop, Verdict
from unit.core.making import NOW, delay, enrollment, lead, mailbox, plan, sequence, situation, wait

LATER = NOW + timedelta(hours=2)
HALF = Reduced(factor=0.5, reason="4 of 100 bounced")
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
WEEKDAYS = Window()
WRITTEN = Written(mailbox_id=5, address="me@example.com", fresh_at=NOW - timedelta(seconds=30), readable=True)


def suppressed(kind: SuppressionKind, value: str) -> Suppression:
    """Return a suppression."""
    return Suppression(
        workspace_id=1,
        id=1,
        kind=kind,
        value=value,
        scope=SuppressionScope.WORKSPACE,
        reason=SuppressionReason.UNSUBSCRIBED,
        source="reply",
        created_at=NOW,
    )


def deferred(gate: str, until: datetime, holds: Holds = Holds.LEAD, reason: str | None = None) -> tuple[str, Defer]:
    """Return what `evaluate` says when that gate defers."""
    return gate, Defer(until=until, reason=reason or gate, holds=holds)


def named_reason(at: Situation) -> tuple[str, str]:
    """Return the gate that counts and its skip reason."""
    gate, verdict = evaluate(at)
    return gate, verdict.reason if isinstance(verdict, Defer) else ""


def checked(verdict: AddressVerdict | None, **changes: Any) -> dict[str, Any]:
    """Return what a check of the lead's address has come to."""
    check = AddressCheck(address=lead().email, asked=Verification.MX, verdict=verdict, reason="so", checked_at=NOW)
    return {"address_check": replace(check, **changes)}


WAITS = deferred("verification", NOW + timedelta(minutes=5))
PASSES = ("", PASS)


@pytest.mark.parametrize(
    "question, known, expected",
    [
        (Verification.OFF, {}, PASSES),
        (Verification.MX, {}, WAITS),
        (Verification.MX, {"first_contact": False}, PASSES),
        (Verification.MX, checked(AddressVerdict.VALID), PASSES),
        (Verification.MX, checked(AddressVerdict.CATCH_ALL), PASSES),
        (Verification.MX, checked(AddressVerdict.UNKNOWN), WAITS),
        (Verification.MX, checked(AddressVerdict.VALID, address="before@lead.example"), WAITS),
        (Verification.MX, checked(AddressVerdict.VALID, checked_at=NOW - timedelta(days=31)), WAITS),
        (Verification.MX, checked(AddressVerdict.VALID, asked=Verification.RCPT), PASSES),
        (Verification.RCPT, checked(AddressVerdict.VALID), WAITS),
        (Verification.RCPT, checked(AddressVerdict.CATCH_ALL, asked=Verification.RCPT), PASSES),
        (Verification.MX, checked(None, checked_at=None), WAITS),
    ],
)
def test_a_first_message_waits_until_its_address_is_known_to_take_mail(
    question: Verification, known: dict[str, Any], expected: tuple[str, Verdict]
):
    """As thoroughly as the sequence asks, of this very address, and not for ever."""
    assert expected == evaluate(situation(plan=plan(verification=question), **known))


@pytest.mark.parametrize(
    "known, attempts, reason",
    [
        (checked(AddressVerdict.INVALID), 0, StopReason.INVALID_ADDRESS),
        (checked(AddressVerdict.UNKNOWN), 5, StopReason.UNVERIFIED),
        ({}, 5, StopReason.UNVERIFIED),
    ],
)
def test_nobody_is_written_to_whose_address_takes_no_mail_or_cannot_be_judged(
    known: dict[str, Any], attempts: int, reason: StopReason
):
    """The run ends; and a sequence that asks more believes a no that was found out with less."""
    row = enrollment(verification_attempts=attempts)
    gate, verdict = evaluate(situation(plan=plan(verification=Verification.RCPT), enrollment=row, **known))

    assert isinstance(verdict, Stop)
    assert ("verification", reason) == (gate, verdict.reason)


@pytest.mark.parametrize("kind", ["email", "wait"])
def test_nothing_moves_while_a_mailbox_of_the_workspace_is_read_back(kind: str):
    """Who was written to, and who has answered, is not known yet."""
    waits = {"plan": plan(wait("rest", "2d")), "enrollment": enrollment(step="rest", step_kind="wait")}
    at = situation(recovering=True, **(waits if kind == "wait" else {}))

    assert ("recovery", Leave(reason="recovery")) == evaluate(at)
    assert ("recovery", Leave(reason="recovery")) == last_look(at)


def test_every_gate_is_named_once_and_in_order():
    """B7: one list, in one file."""
    expected = (
        "lock step_match status sequence_live recovery suppression lead_hold outcome_unknown verification "
        "reply_freshness frequency_cap recipient_domain_cap window quiet_hours send_time workspace_cap mailbox workday "
        "provider_ceiling daily_cap hourly_cap gap sequence_cap new_leads_cap cooldown"
    )

    assert expected.split() == [gate.name for gate in GATES]
    assert {gate.name for gate in LAST_LOOK} <= {gate.name for gate in GATES}


def test_nothing_in_the_way_means_pass():
    """An active row that is due, a live sequence, an open window, a free mailbox."""
    assert ("", PASS) == evaluate(situation())
    assert {"pass"} == {type(verdict).__name__.lower() for _, verdict in survey(situation())}


@pytest.mark.parametrize(
    "changes,gate,reason",
    [
        ({"enrollment": enrollment(lock_holder="w2", lock_expires_at=LATER)}, "lock", "locked"),
        ({"woken_counter": 2}, "step_match", "moved_on"),
        ({"enrollment": enrollment(next_due_at=LATER)}, "step_match", "not_due"),
        ({"enrollment": enrollment(status=EnrollmentStatus.PAUSED, next_due_at=LATER)}, "status", "paused"),
        ({"enrollment": enrollment(status=EnrollmentStatus.HELD, hold_reason="x")}, "status", "held"),
        ({"sequence": sequence(status=SequenceStatus.PAUSED)}, "sequence_live", "sequence_paused"),
        ({"sequence": sequence(status=SequenceStatus.ARCHIVED)}, "sequence_live", "sequence_archived"),
    ],
)
def test_whoever_comes_too_late_or_too_early_leaves(changes, gate, reason):
    """A8: the lock, the step and the status are looked at before anything else; the row is left untouched."""
    assert (gate, Leave(reason=reason)) == evaluate(situation(**changes))


@pytest.mark.parametrize("status", sorted(TERMINAL))
def test_an_ended_enrollment_is_never_acted_on(status):
    """Whatever else is true, also of a row whose step has vanished."""
    row = enrollment(status=status, next_due_at=None)

    assert ("status", Leave(reason=status)) == evaluate(situation(enrollment=row, step=None))


@pytest.mark.parametrize(
    "row",
    [
        enrollment(lock_holder="w1", lock_expires_at=LATER),
        enrollment(lock_holder="w2", lock_expires_at=NOW),
        enrollment(lock_holder="w2", lock_expires_at=NOW - timedelta(hours=1)),
    ],
)
def test_an_own_or_an_expired_lock_is_no_obstacle(row):
    """An expired lock is taken over."""
    assert ("", PASS) == evaluate(situation(enrollment=row))


def test_a_step_that_does_not_exist_blocks():
    """Structurally broken: a person has to look, and nobody tries for ever."""
    gate, verdict = evaluate(situation(enrollment=enrollment(step="gone")))

    assert "step_match" == gate
    assert isinstance(verdict, Stop)
    assert (EnrollmentStatus.BLOCKED, StopReason.BROKEN_SEQUENCE) == (verdict.status, verdict.reason)


@pytest.mark.parametrize(
    "kind,value,binds",
    [
        (SuppressionKind.ADDRESS, "ada@mail.acme.example", True),
        (SuppressionKind.ADDRESS, "bob@mail.acme.example", False),
        (SuppressionKind.DOMAIN, "mail.acme.example", True),
        (SuppressionKind.DOMAIN, "acme.example", True),
        (SuppressionKind.DOMAIN, "me.example", False),
        (SuppressionKind.DOMAIN, "other.example", False),
        (SuppressionKind.PHONE, "+15550100", True),
        (SuppressionKind.PHONE, "+15550101", False),
        (SuppressionKind.TOMBSTONE, "0a1b", True),
    ],
)
def test_a_suppression_binds_an_address_its_domain_and_the_domains_above(kind, value, binds):
    """`@acme.example` covers mail.acme.example, and never a domain that only ends alike."""
    _, verdict = evaluate(situation(lead=lead(phone="+15550100"), suppressions=(suppressed(kind, value),)))

    assert binds == (isinstance(verdict, Stop) and verdict.status is EnrollmentStatus.SUPPRESSED)


@pytest.mark.parametrize(
    "changes,expected",
    [
        ({"lead": lead(hold_until=LATER)}, deferred("lead_hold", LATER)),
        ({"unknown_attempt_until": LATER}, deferred("outcome_unknown", LATER)),
        ({"unknown_attempt_until": NOW}, deferred("outcome_unknown", NOW + timedelta(minutes=5))),
        (
            {"written": (WRITTEN, replace(WRITTEN, readable=False))},
            deferred("reply_freshness", NOW + timedelta(minutes=5), reason="mailbox_unread"),
        ),
        ({"written": (WRITTEN, replace(WRITTEN, fresh_at=None))}, deferred("reply_freshness", NOW)),
        ({"written": (replace(WRITTEN, fresh_at=NOW - timedelta(seconds=61)),)}, deferred("reply_freshness", NOW)),
        (
            {
                "plan": plan(frequency_cap=FrequencyCap(messages=2, per=delay("2d"))),
                "recent_sends": (NOW - timedelta(days=1), NOW - timedelta(days=1, hours=12), NOW - timedelta(days=9)),
            },
            deferred("frequency_cap", NOW + timedelta(hours=12)),
        ),
        (
            {"now": NOW + timedelta(hours=8), "plan": plan(window=WEEKDAYS)},
            deferred("window", MIDNIGHT.replace(hour=9)),
        ),
        (
            {"plan": plan(quiet_hours=QuietHours(interval=Interval(start=time(8), end=time(12))))},
            deferred("quiet_hours", NOW.replace(hour=12)),
        ),
        (
            {"workspace_quiet_hours": QuietHours(interval=Interval(start=time(8), end=time(12)))},
            deferred("quiet_hours", NOW.replace(hour=12)),
        ),
        (
            {"mailbox": mailbox(status=MailboxStatus.AUTH_ERROR, skip_until=LATER)},
            deferred("mailbox", LATER, Holds.MAILBOX, "mailbox_auth_error"),
        ),
        (
            {"mailbox": mailbox(status=MailboxStatus.PAUSED)},
            deferred("mailbox", NOW + timedelta(minutes=5), Holds.MAILBOX, "mailbox_paused"),
        ),
        (
            {"mailbox": mailbox(skip_until=LATER, last_skip_reason="daily_quota")},
            deferred("mailbox", LATER, Holds.MAILBOX, "daily_quota"),
        ),
        ({"mailbox_usage": Usage(today=40)}, deferred("daily_cap", MIDNIGHT, Holds.MAILBOX)),
        (
            {"mailbox_usage": Usage(today=20), "mailbox_health": Reduced(factor=0.5, reason="")},
            deferred("daily_cap", MIDNIGHT, Holds.MAILBOX),
        ),
        (
            {"mailbox": mailbox(ramp=True), "mailbox_usage": Usage(today=10)},
            deferred("daily_cap", MIDNIGHT, Holds.MAILBOX),
        ),
        ({"mailbox_usage": Usage(this_hour=10)}, deferred("hourly_cap", NOW.replace(hour=11), Holds.MAILBOX)),
        ({"mailbox": mailbox(next_allowed_at=LATER)}, deferred("gap", LATER, Holds.MAILBOX)),
        (
            {"plan": plan(daily_cap=200), "sequence_usage": Usage(today=200)},
            deferred("sequence_cap", MIDNIGHT, Holds.SEQUENCE),
        ),
        ({"sequence": sequence(skip_until=LATER)}, deferred("sequence_cap", LATER, Holds.SEQUENCE)),
        (
            {"plan": plan(max_new_per_day=80), "new_usage": Usage(today=80)},
            deferred("new_leads_cap", MIDNIGHT, Holds.NEW_LEADS),
        ),
        ({"sequence": sequence(new_leads_until=LATER)}, deferred("new_leads_cap", LATER, Holds.NEW_LEADS)),
        ({"enrollment": enrollment(skip_until=LATER)}, deferred("cooldown", LATER)),
        (
            {"enrollment": enrollment(skip_until=LATER, last_skip_reason="greylisted")},
            deferred("cooldown", LATER, reason="greylisted"),
        ),
    ],
)
def test_each_gate_names_the_next_time_it_could_say_yes(changes, expected):
    """B6: reason and until, and whose limit it is."""
    assert expected == evaluate(situation(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"mailbox": None},
        {"lead": lead(hold_until=NOW)},
        {"written": (replace(WRITTEN, fresh_at=NOW - timedelta(seconds=60)),)},
        {"mailbox_usage": Usage(today=39, this_hour=9)},
        {"mailbox": mailbox(next_allowed_at=NOW, skip_until=NOW)},
        {"enrollment": enrollment(skip_until=NOW)},
        {"plan": plan(max_new_per_day=80), "new_usage": Usage(today=80), "first_contact": False},
        {"sequence": sequence(new_leads_until=LATER), "first_contact": False},
        {"plan": plan(window=Window(timezone="mailbox", days=frozenset())), "mailbox": None},
        {
            "plan": plan(frequency_cap=FrequencyCap(messages=1, per=delay("2d"))),
            "recent_sends": (NOW - timedelta(days=2),),
        },
    ],
)
def test_a_limit_that_is_just_reached_or_does_not_apply_lets_pass(changes):
    """Limits end at their end: `until` itself is free."""
    assert ("", PASS) == evaluate(situation(**changes))


def test_the_first_message_needs_no_freshness():
    """Who was never written to cannot have answered: an unread mailbox may open conversations (D6)."""
    assert ("", PASS) == evaluate(situation(mailbox=mailbox(fresh_at=None), written=()))


def test_a_window_in_the_lead_s_zone_opens_by_the_lead_s_clock():
    """10:00 UTC is 05:00 in New York: nine o'clock there is 14:00 UTC."""
    there = situation(plan=plan(window=Window(timezone="lead")), lead=lead(timezone="America/New_York"))

    assert deferred("window", NOW.replace(hour=14)) == evaluate(there)


def test_caps_begin_anew_at_midnight_of_the_mailbox_s_own_zone():
    """A mailbox in Tokyo starts its day at 15:00 UTC; one without a zone by the workspace's."""
    full = {"mailbox_usage": Usage(today=40)}
    tokyo = NOW.replace(hour=15)

    assert deferred("daily_cap", tokyo, Holds.MAILBOX) == evaluate(
        situation(mailbox=mailbox(timezone="Asia/Tokyo"), **full)
    )
    assert deferred("daily_cap", tokyo, Holds.MAILBOX) == evaluate(situation(workspace_timezone="Asia/Tokyo", **full))


def test_a_window_that_never_opens_is_named_as_such():
    """A stall has its real reason."""
    gate, verdict = evaluate(situation(plan=plan(window=Window(days=frozenset()))))

    assert "window" == gate
    assert isinstance(verdict, Defer)
    assert "window_never_opens" == verdict.reason


def test_quiet_hours_that_cover_the_whole_window_are_named_as_such():
    """A day in Tokyo is a night in Paris: neither gate alone would ever tell why this lead waits for ever."""
    tokyo = Window(timezone="lead", intervals=(Interval(start=time(9), end=time(14)),))
    night = QuietHours(interval=Interval(start=time(20), end=time(8)), timezone="Europe/Paris")
    at = situation(plan=plan(window=tokyo, quiet_hours=night), lead=lead(timezone="Asia/Tokyo"))
    in_the_window = replace(at, now=NOW + timedelta(hours=15))

    assert ("window", "quiet_hours_cover_window") == named_reason(at)
    assert ("quiet_hours", "quiet_hours_cover_window") == named_reason(in_the_window)
    assert ("window", "window") == named_reason(replace(at, lead=lead(timezone="America/New_York")))


# --- which one counts ---


def test_never_comes_before_not_now():
    """Someone suppressed is not put off until tomorrow, although the window is closed."""
    at = situation(
        now=NOW + timedelta(hours=8),
        plan=plan(window=WEEKDAYS),
        suppressions=(suppressed(SuppressionKind.DOMAIN, "acme.example"),),
    )

    assert "suppression" == evaluate(at)[0]


def test_the_latest_of_the_lead_s_own_gates_counts():
    """The row is not claimed in vain while another of its gates is still closed."""
    at = situation(
        lead=lead(hold_until=NOW + timedelta(days=9)),
        plan=plan(quiet_hours=QuietHours(interval=Interval(start=time(8), end=time(12)))),
        enrollment=enrollment(skip_until=LATER),
    )

    assert deferred("lead_hold", NOW + timedelta(days=9)) == evaluate(at)


def test_a_mailbox_is_not_read_for_a_message_that_cannot_go_anyway():
    """Freshness counts only when nothing else stands in the way."""
    stale = {"written": (replace(WRITTEN, fresh_at=None),)}

    assert "daily_cap" == evaluate(situation(mailbox_usage=Usage(today=40), **stale))[0]
    assert "lead_hold" == evaluate(situation(lead=lead(hold_until=LATER), **stale))[0]
    assert "reply_freshness" == evaluate(situation(**stale))[0]


def test_a_shared_limit_is_never_written_on_the_lead():
    """Stamping a million rows costs more than the limit is worth: caps of mailbox and sequence are theirs."""
    at = situation(mailbox_usage=Usage(today=40), plan=plan(daily_cap=1), sequence_usage=Usage(today=1))

    assert {Holds.MAILBOX, Holds.SEQUENCE} == {v.holds for _, v in survey(at) if isinstance(v, Defer)}


# --- other steps ---


def test_a_wait_ends_whatever_holds_messages_back():
    """Window, caps and holds are about messages; a wait runs on through them."""
    the_plan = plan(wait("rest", "2d"), window=Window(days=frozenset()))
    at = situation(
        plan=the_plan,
        enrollment=enrollment(step="rest", step_kind="wait", status=EnrollmentStatus.WAITING),
        lead=lead(hold_until=LATER),
        mailbox_usage=Usage(today=40),
        written=(replace(WRITTEN, readable=False),),
    )

    assert ("", PASS) == evaluate(at)
    assert ["lock", "step_match", "status", "sequence_live", "recovery", "suppression", "cooldown"] == [
        g for g, _ in survey(at)
    ]


# --- the last look ---


@pytest.mark.parametrize(
    "changes,gate",
    [
        ({"enrollment": enrollment(status=EnrollmentStatus.STOPPED, next_due_at=None)}, "status"),
        ({"enrollment": enrollment(status=EnrollmentStatus.PAUSED)}, "status"),
        ({"woken_counter": 2}, "step_match"),
        ({"sequence": sequence(status=SequenceStatus.PAUSED)}, "sequence_live"),
        ({"suppressions": (suppressed(SuppressionKind.ADDRESS, "ada@mail.acme.example"),)}, "suppression"),
        ({"lead": lead(hold_until=LATER)}, "lead_hold"),
        ({"written": (replace(WRITTEN, fresh_at=None),)}, "reply_freshness"),
        ({"mailbox": mailbox(status=MailboxStatus.PAUSED)}, "mailbox"),
    ],
)
def test_what_changed_a_moment_ago_wins_at_the_last_look(changes, gate):
    """A reply, a pause or an opt-out that was committed before `begin` keeps the message back."""
    found, verdict = last_look(situation(**changes))

    assert gate == found
    assert not isinstance(verdict, Pass)


def test_the_last_look_does_not_count_the_message_against_itself():
    """Its own slot and gap were taken by the reservation."""
    at = situation(
        mailbox=mailbox(next_allowed_at=LATER, skip_until=LATER, last_skip_reason="gap"),
        mailbox_usage=Usage(today=40, this_hour=10),
        plan=plan(daily_cap=1, max_new_per_day=1, frequency_cap=FrequencyCap(messages=1, per=delay("2d"))),
        sequence_usage=Usage(today=1),
        new_usage=Usage(today=1),
        recent_sends=(NOW,),
    )

    assert ("", PASS) == last_look(at)


# --- properties ---

MOMENTS = st.integers(0, 20_000).map(lambda minutes: NOW + timedelta(minutes=minutes))
SITUATIONS = st.builds(
    situation,
    now=MOMENTS,
    plan=st.builds(
        plan,
        window=st.sampled_from([WEEKDAYS, Window(always=True), Window(timezone="lead")]),
        quiet_hours=st.none() | st.just(QuietHours(interval=Interval(start=time(20), end=time(9, 30)))),
        frequency_cap=st.none() | st.builds(FrequencyCap, messages=st.integers(1, 2), per=st.just(delay("2d"))),
        daily_cap=st.none() | st.just(3),
        send_time=st.sampled_from(SendTime),
    ),
    lead=st.builds(lead, timezone=st.sampled_from([None, "Asia/Tokyo"]), hold_until=st.none() | MOMENTS),
    enrollment=st.builds(enrollment, skip_until=st.none() | MOMENTS),
    mailbox=st.none() | st.builds(mailbox, next_allowed_at=st.none() | MOMENTS, skip_until=st.none() | MOMENTS),
    mailbox_usage=st.builds(Usage, today=st.integers(38, 41), this_hour=st.integers(8, 11)),
    sequence_usage=st.builds(Usage, today=st.integers(0, 4)),
    opens=st.lists(MOMENTS, max_size=6).map(tuple),
    recent_sends=st.lists(MOMENTS, max_size=3).map(lambda moments: tuple(sorted(moments, reverse=True))),
    unknown_attempt_until=st.none() | MOMENTS,
    written=st.lists(
        st.builds(
            Written,
            mailbox_id=st.just(5),
            address=st.just("me@example.com"),
            fresh_at=st.none() | MOMENTS,
            readable=st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
)


@given(SITUATIONS)
def test_no_deferral_looks_back(at: Situation):
    """`until` lies ahead, but for "read the mailbox and ask again", which is now."""
    gate, verdict = evaluate(at)
    if isinstance(verdict, Defer):
        assert verdict.until > at.now or (gate, verdict.until) == ("reply_freshness", at.now)


@given(SITUATIONS)
def test_the_verdict_is_one_of_the_survey_s(at: Situation):
    """What `explain` lists and what the sender obeys are the same."""
    found = evaluate(at)

    assert found in survey(at) or found == ("", PASS)
    assert (found == ("", PASS)) == all(isinstance(verdict, Pass) for _, verdict in survey(at))


@given(SITUATIONS)
def test_a_lead_that_waits_as_long_as_it_is_told_gets_through_its_own_gates(at: Situation):
    """Nobody is abandoned and nobody is put off for ever: a few deferrals lead to a yes, inside the window."""
    at = replace(at, written=(), unknown_attempt_until=None, mailbox=None)
    for _ in range(12):
        match evaluate(at):
            case _, Defer(holds=Holds.LEAD, until=until):
                assert until > at.now
                at = replace(at, now=until)
            case _:
                break
    gate, verdict = evaluate(at)

    named = isinstance(verdict, Defer) and verdict.reason == "quiet_hours_cover_window"
    assert named or not (isinstance(verdict, Defer) and verdict.holds is Holds.LEAD), gate
