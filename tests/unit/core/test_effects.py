"""What an incoming message does."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.effects import (
    EnrollElsewhere,
    HoldLead,
    HoldRuns,
    Ignore,
    MailboxBlock,
    Note,
    PauseRuns,
    RecordSoftBounce,
    SettleAttempt,
    Standing,
    StopRuns,
    Suppress,
    effects_of,
)
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.events import EventName
from relance.core.inbound import InboundKind, Received
from relance.core.matching import FromOurselves, Match, MatchedBy, Unmatched
from relance.core.sequence import OnAutoReply, OnReply, StopOrContinue, StopScope
from relance.core.suppression import SuppressionReason
from relance.core.transitions import allowed
from unit.core.making import NOW, plan

PARIS = ZoneInfo("Europe/Paris")
NOBODY = Unmatched(reason="nobody that we wrote to")
MATCH = Match(
    enrollment_id=41,
    attempt_id=7,
    lead_id=17,
    recipient="ada@acme.example",
    matched_by=MatchedBy.IN_REPLY_TO,
    evidence="<intro@example.com>",
)
SETTLED = SettleAttempt(attempt_id=7, settled_by="In-Reply-To", at=NOW)
CAUSE = "message <r@acme.example> matched by In-Reply-To"
HUMAN_ANSWERS = [InboundKind.HUMAN_REPLY, InboundKind.ORDINARY, InboundKind.CALENDAR]


def received(kind: InboundKind, **changes) -> Received:
    """Return a message of that class from the lead."""
    message = Received(kind=kind, at=NOW, sender="ada@acme.example", message_id="<r@acme.example>")
    return replace(message, **changes)


def standing(soft_bounces: int = 0, **policies) -> Standing:
    """Return an enrollment under those policies."""
    return Standing(plan=plan(**policies), soft_bounces=soft_bounces, zone=PARIS)


def effects(message: Received, under: Standing | None = None, match: Match = MATCH):
    """Return what the message does beyond settling the attempt it names."""
    first, *others = effects_of(message, match, under or standing())
    assert SETTLED == first
    return others


@pytest.mark.parametrize("kind", HUMAN_ANSWERS)
@pytest.mark.parametrize("scope", StopScope)
def test_a_person_who_writes_stops_the_runs_of_the_policy_s_scope(kind, scope):
    """By default every run of that person; policy: this run, the person, the company."""
    expected = StopRuns(scope=scope, reason=StopReason.REPLIED, event=EventName.REPLY_RECEIVED, cause=CAUSE)

    assert [expected] == effects(received(kind), standing(stop_scope=scope))
    assert StopScope.LEAD is plan().stop_scope


def test_policies_for_a_reply():
    """Stop, pause, hold, or enroll elsewhere after the stop."""
    reply = received(InboundKind.HUMAN_REPLY)
    stop = StopRuns(scope=StopScope.LEAD, reason=StopReason.REPLIED, event=EventName.REPLY_RECEIVED, cause=CAUSE)

    assert [PauseRuns(scope=StopScope.LEAD, event=EventName.REPLY_RECEIVED, cause=CAUSE)] == effects(
        reply, standing(on_reply=OnReply.PAUSE)
    )
    assert [
        HoldRuns(scope=StopScope.LEAD, hold_reason="replied", event=EventName.REPLY_RECEIVED, cause=CAUSE)
    ] == effects(reply, standing(on_reply=OnReply.HOLD))
    assert [stop, EnrollElsewhere(sequence="warm")] == effects(
        reply, standing(on_reply=OnReply.ENROLL, reply_sequence="warm")
    )


@pytest.mark.parametrize(
    "kind,reason,event,suppression",
    [
        (InboundKind.HARD_BOUNCE, StopReason.BOUNCED, EventName.BOUNCE_RECEIVED, SuppressionReason.HARD_BOUNCE),
        (InboundKind.COMPLAINT, StopReason.COMPLAINED, EventName.COMPLAINT_RECEIVED, SuppressionReason.COMPLAINED),
        (
            InboundKind.UNSUBSCRIBE,
            StopReason.UNSUBSCRIBED,
            EventName.UNSUBSCRIBE_RECEIVED,
            SuppressionReason.UNSUBSCRIBED,
        ),
    ],
)
@pytest.mark.parametrize("policy", OnReply)
def test_never_again_means_everywhere_and_is_kept_whatever_the_policy(kind, reason, event, suppression, policy):
    """A hard bounce, a complaint and an opt-out stop every run of the person and stay as a suppression."""
    under = standing(on_reply=policy, reply_sequence="warm", stop_scope=StopScope.ENROLLMENT)

    assert [
        Suppress(address="ada@acme.example", reason=suppression),
        StopRuns(scope=StopScope.LEAD, reason=reason, event=event, cause=CAUSE),
    ] == effects(received(kind), under)


def test_an_opt_out_from_another_address_covers_both():
    """The address we wrote to, and the one they wrote from."""
    suppressed = [
        effect.address
        for effect in effects(received(InboundKind.UNSUBSCRIBE, sender="ada@home.example"))
        if isinstance(effect, Suppress)
    ]

    assert ["ada@acme.example", "ada@home.example"] == suppressed


def test_an_opt_out_of_somebody_unknown_is_kept_too():
    """They may be known under another name tomorrow; a mailbox of ours is not kept from anybody."""
    opt_out = received(InboundKind.UNSUBSCRIBE)

    assert (Suppress(address="ada@acme.example", reason=SuppressionReason.UNSUBSCRIBED),) == effects_of(
        opt_out, NOBODY, None
    )
    assert isinstance(effects_of(opt_out, FromOurselves(), None)[0], Ignore)


def test_soft_bounces_stop_at_the_third_without_a_suppression():
    """Under the threshold they are counted; the address may work again."""
    bounce = received(InboundKind.SOFT_BOUNCE, reason="mailbox_full")
    why = f"mailbox_full: {CAUSE}"

    assert [RecordSoftBounce(count=1, cause=why)] == effects(bounce, standing(0))
    assert [RecordSoftBounce(count=2, cause=why)] == effects(bounce, standing(1))
    counted, stop = effects(bounce, standing(2))
    assert RecordSoftBounce(count=3, cause=why) == counted
    assert (StopReason.BOUNCED, EventName.SOFT_BOUNCE_RECEIVED) == (stop.reason, stop.event)


def test_a_block_rests_the_mailbox_and_leaves_the_person_alone():
    """Refused because of who sends: until the server's own time, or an hour."""
    quota = received(InboundKind.BLOCK, reason="daily_quota", blocked_until=NOW + timedelta(hours=9))
    refused = received(InboundKind.BLOCK)
    past = received(InboundKind.BLOCK, blocked_until=NOW)

    assert MailboxBlock(reason="daily_quota", until=NOW + timedelta(hours=9)) == effects(quota)[0]
    assert MailboxBlock(reason="blocked", until=NOW + timedelta(hours=1)) == effects(refused)[0]
    assert MailboxBlock(reason="blocked", until=NOW + timedelta(hours=1)) == effects(past)[0]
    assert [MailboxBlock, Note] == [type(effect) for effect in effects(quota)]


AWAY = received(InboundKind.AUTO_REPLY, return_date=date(2026, 12, 7))
AWAY_NOTE = Note(event=EventName.AUTO_REPLY_RECEIVED, cause=CAUSE)


def test_out_of_office_changes_nothing_by_default():
    """The walk stays active; the history knows."""
    assert [AWAY_NOTE] == effects(AWAY)


def test_out_of_office_holds_the_person_until_the_return_date_where_the_policy_says_so():
    """The hold is the person's, and ends as that day begins in the window's zone."""
    until = datetime(2026, 12, 7, tzinfo=PARIS).astimezone(UTC)

    assert [HoldLead(until=until, reason="away until 2026-12-07"), AWAY_NOTE] == effects(
        AWAY, standing(on_auto_reply=OnAutoReply.HOLD_UNTIL_RETURN)
    )


@pytest.mark.parametrize("return_date", [None, date(2026, 11, 30), date(2025, 1, 1), date(2028, 1, 1)])
def test_a_return_date_that_cannot_be_right_holds_nobody(return_date):
    """None, today, the past, or years ahead."""
    message = replace(AWAY, return_date=return_date)

    assert [AWAY_NOTE] == effects(message, standing(on_auto_reply=OnAutoReply.HOLD_UNTIL_RETURN))


def test_somebody_who_left_for_good_is_stopped_and_not_held():
    """Permanent absence: nobody reads the address any more."""
    (stop,) = effects(replace(AWAY, gone=True), standing(on_auto_reply=OnAutoReply.HOLD_UNTIL_RETURN))

    assert (
        StopRuns(
            scope=StopScope.LEAD, reason=StopReason.NO_LONGER_THERE, event=EventName.AUTO_REPLY_RECEIVED, cause=CAUSE
        )
        == stop
    )


def test_an_accepted_invitation_is_a_meeting():
    """D10."""
    (stop,) = effects(received(InboundKind.CALENDAR, accepted_invitation=True), standing(on_reply=OnReply.HOLD))

    assert StopReason.MEETING_BOOKED is stop.reason


def test_what_the_owner_wrote_by_hand_stops_unless_the_policy_says_otherwise():
    """on_manual_reply."""
    by_hand = received(InboundKind.MANUAL_OUTGOING)
    (stop,) = effects(by_hand)
    (note,) = effects(by_hand, standing(on_manual_reply=StopOrContinue.CONTINUE))

    assert (StopReason.MANUAL_REPLY, EventName.MANUAL_REPLY_SEEN) == (stop.reason, stop.event)
    assert isinstance(note, Note)


@pytest.mark.parametrize(
    "kind",
    [
        InboundKind.AUTO_REPLY,
        InboundKind.DELAYED,
        InboundKind.BLOCK,
        InboundKind.CHALLENGE_RESPONSE,
        InboundKind.MDN,
        InboundKind.WARMUP,
        InboundKind.OTHER,
        InboundKind.SOFT_BOUNCE,
    ],
)
def test_machine_mail_never_stops_anybody(kind):
    """Only a person, an opt-out, or an address that does not exist does."""
    assert not [e for e in effects(received(kind)) if isinstance(e, StopRuns | PauseRuns | HoldRuns | Suppress)]


# --- properties ---

RECEIVED = st.builds(
    received,
    kind=st.sampled_from(InboundKind),
    gone=st.booleans(),
    accepted_invitation=st.booleans(),
    return_date=st.none() | st.dates(date(2026, 11, 1), date(2027, 12, 31)),
    reason=st.none() | st.just("mailbox_full"),
    blocked_until=st.none() | st.just(NOW + timedelta(hours=3)),
)
STANDINGS = st.builds(
    standing,
    soft_bounces=st.integers(0, 5),
    on_reply=st.sampled_from(OnReply),
    reply_sequence=st.sampled_from([None, "warm"]),
    stop_scope=st.sampled_from(StopScope),
    on_auto_reply=st.sampled_from(OnAutoReply),
    on_manual_reply=st.sampled_from(StopOrContinue),
)


@given(RECEIVED, STANDINGS, st.sampled_from(MatchedBy))
def test_whatever_names_a_message_settles_its_attempt_first(message, under, matched_by):
    """Any answer, notice or copy that names a message proves that it left; nothing else does."""
    found = effects_of(message, replace(MATCH, matched_by=matched_by), under)
    settling = [isinstance(effect, SettleAttempt) for effect in found]

    assert replace(MATCH, matched_by=matched_by).proof == settling[0]
    assert not any(settling[1:])
    assert any(not settles for settles in settling), "every message is at least accounted for"


@given(RECEIVED, STANDINGS)
def test_every_effect_on_a_run_is_legal_in_every_status(message, under):
    """The table knows each stop, pause, hold and note, also after completion: nothing raises while mail is read."""
    for effect in effects_of(message, MATCH, under):
        match effect:
            case StopRuns(event=event):
                for status in EnrollmentStatus:
                    assert allowed(status, event) & {EnrollmentStatus.STOPPED, status}
            case PauseRuns(event=event):
                assert EnrollmentStatus.PAUSED in allowed(EnrollmentStatus.ACTIVE, event)
                assert EnrollmentStatus.PAUSED in allowed(EnrollmentStatus.PAUSED, event)
            case HoldRuns(event=event):
                for status in (EnrollmentStatus.ACTIVE, EnrollmentStatus.WAITING, EnrollmentStatus.PAUSED):
                    assert EnrollmentStatus.HELD in allowed(status, event)
            case Note(event=event):
                for status in EnrollmentStatus:
                    assert status in allowed(status, event)
            case RecordSoftBounce():
                for status in EnrollmentStatus:
                    assert status in allowed(status, EventName.SOFT_BOUNCE_RECEIVED)
            case _:
                pass


@given(RECEIVED)
def test_a_message_of_nobody_touches_no_run(message):
    """Unmatched mail may at most keep an opt-out, or rest the mailbox that was told so."""
    for effect in effects_of(message, NOBODY, None):
        assert isinstance(effect, Ignore | Suppress | MailboxBlock)


def test_a_match_without_its_enrollment_is_a_mistake_of_the_caller():
    """Nothing is decided without the policies."""
    with pytest.raises(ValueError, match="standing"):
        effects_of(received(InboundKind.HUMAN_REPLY), MATCH, None)
