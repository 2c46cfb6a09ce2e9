"""The sentence that says where an enrollment stands."""

from datetime import UTC, datetime, timedelta

import pytest

from relance.core.enrollment import EnrollmentStatus, HistoryEntry, StopReason
from relance.core.explaining import REASONS, Answer, in_words, moment, summary
from relance.core.gates import GATES
from relance.core.mailbox import MailboxStatus
from relance.core.sequence import SequenceStatus
from relance.core.verdict import PASS, Defer, Holds, Leave, Stop
from unit.core.making import NOW, enrollment

REPLY = Answer(at=datetime(2026, 11, 30, 8, 47, tzinfo=UTC), step="intro", matched_by="In-Reply-To")
LATER = datetime(2026, 12, 1, 8, tzinfo=UTC)


def ended(status: EnrollmentStatus, reason: StopReason | None = None):
    """Return an enrollment that has ended."""
    return enrollment(status=status, stop_reason=reason, next_due_at=None, ended_at=NOW, step="bump")


def entry(cause: str) -> HistoryEntry:
    """Return the last entry of a history."""
    return HistoryEntry(
        workspace_id=1,
        enrollment_id=41,
        at=NOW,
        from_status=EnrollmentStatus.ACTIVE,
        to_status=EnrollmentStatus.PAUSED,
        event="x",
        cause=cause,
        step="intro",
        step_counter=1,
    )


@pytest.mark.parametrize(
    "row,facts,expected",
    [
        (
            ended(EnrollmentStatus.STOPPED, StopReason.REPLIED),
            {"answer": REPLY},
            "Stopped: replied on 30 Nov 2026 08:47 UTC to step intro, matched by In-Reply-To.",
        ),
        (
            ended(EnrollmentStatus.STOPPED, StopReason.BOUNCED),
            {"answer": REPLY},
            "Stopped: bounced on 30 Nov 2026 08:47 UTC after step intro, matched by In-Reply-To.",
        ),
        (
            ended(EnrollmentStatus.STOPPED, StopReason.MANUAL),
            {"last": entry("relance enrollment stop")},
            "Stopped: stopped by an operator on 30 Nov 2026 10:00 UTC at step bump (relance enrollment stop).",
        ),
        (
            ended(EnrollmentStatus.BLOCKED, StopReason.STEP_CEILING),
            {},
            "Blocked: entered too many steps; the sequence runs in circles on 30 Nov 2026 10:00 UTC at step bump.",
        ),
        (ended(EnrollmentStatus.COMPLETED), {}, "Completed on 30 Nov 2026 10:00 UTC: every step was walked."),
        (
            ended(EnrollmentStatus.SUPPRESSED),
            {"last": entry("domain suppressed (manual, workspace), from cli")},
            "Suppressed on 30 Nov 2026 10:00 UTC: domain suppressed (manual, workspace), from cli.",
        ),
        (ended(EnrollmentStatus.HOLDOUT), {}, "Holdout: in the control group, never written to."),
        (
            enrollment(status=EnrollmentStatus.PAUSED),
            {"last": entry("note added")},
            "Paused: note added (30 Nov 2026 10:00 UTC); resume it to go on with step intro.",
        ),
        (
            enrollment(status=EnrollmentStatus.HELD, hold_reason="missing_value:company"),
            {},
            "Held: the value company is missing at step intro; a person must decide.",
        ),
        (
            enrollment(),
            {"verdict": ("window", Defer(until=LATER, reason="window", holds=Holds.LEAD))},
            "Waiting: outside the sending window, until 1 Dec 2026 08:00 UTC; then step intro.",
        ),
        (
            enrollment(),
            {"verdict": ("sequence_live", Leave(reason="sequence_paused"))},
            "Waiting: the sequence is paused; then step intro.",
        ),
        (
            enrollment(),
            {
                "verdict": (
                    "suppression",
                    Stop(status=EnrollmentStatus.SUPPRESSED, reason=None, cause="address suppressed"),
                )
            },
            "About to end: address suppressed.",
        ),
        (
            enrollment(),
            {"verdict": ("", PASS), "mailbox": "me@x.example"},
            "Ready: step intro is next from me@x.example.",
        ),
        (
            enrollment(next_due_at=LATER),
            {"verdict": ("step_match", Leave(reason="not_due"))},
            "Waiting: step intro is due on 1 Dec 2026 08:00 UTC.",
        ),
        (
            enrollment(status=EnrollmentStatus.WAITING, step="rest", step_kind="wait", next_due_at=LATER),
            {},
            "Waiting: step rest ends on 1 Dec 2026 08:00 UTC.",
        ),
        (
            enrollment(status=EnrollmentStatus.WAITING, step="check", step_kind="branch", next_due_at=LATER),
            {},
            "Waiting: step check is decided on 1 Dec 2026 08:00 UTC.",
        ),
        (
            enrollment(skip_until=LATER, last_skip_reason="cooldown"),
            {},
            "Waiting: resting after a failure, until 1 Dec 2026 08:00 UTC; then step intro.",
        ),
    ],
)
def test_each_status_is_one_sentence_that_a_person_understands(row, facts, expected):
    """A7: where it is, why, since or until when."""
    assert expected == summary(row, **facts)


@pytest.mark.parametrize("reason", StopReason)
def test_every_stop_reason_has_words(reason):
    """A reason that somebody adds cannot come out as an error in `explain`."""
    said = summary(ended(EnrollmentStatus.STOPPED, reason))

    assert said.startswith("Stopped: ")
    assert said.endswith(".")


def test_every_skip_reason_that_the_gates_give_has_words():
    """No bare identifier where a person asks why nothing moves."""
    own = {gate.name for gate in GATES} - {"lock", "step_match", "status", "sequence_live", "suppression", "mailbox"}
    states = {f"mailbox_{status}" for status in MailboxStatus if status is not MailboxStatus.ACTIVE}
    sequences = {f"sequence_{status}" for status in SequenceStatus if status is not SequenceStatus.LIVE}

    assert set() == (own | states | sequences) - set(REASONS)


def test_an_unknown_reason_is_printed_readably():
    """A connector's own reason is shown as it is."""
    assert "daily quota" == in_words("daily_quota")


def test_moments_are_utc_whatever_zone_they_come_in():
    """`explain` never leaves a reader to guess the zone."""
    paris = NOW.astimezone(UTC) + timedelta(0)

    assert "30 Nov 2026 10:00 UTC" == moment(paris)
