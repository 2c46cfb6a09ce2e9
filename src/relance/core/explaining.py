"""One sentence that says where an enrollment stands and why, for the command line, the API and the page alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import WALKING, Enrollment, EnrollmentStatus, HistoryEntry, StopReason
from relance.core.verdict import Defer, Leave, Pass, Stop, Verdict

#: Skip reasons in words. What is not here is printed as it is, with spaces.
REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "window": "outside the sending window",
        "window_never_opens": "its sending window never opens; publish the sequence with another",
        "quiet_hours": "quiet hours",
        "quiet_hours_cover_window": "quiet hours cover this person's whole sending window; change one of them",
        "workday_misses_window": "its mailbox never works while this person's window is open; change one of them",
        "lead_hold": "the person is away",
        "outcome_unknown": "it is not known whether the last message left; see `relance stuck`",
        "verification": "the address is being checked, or its server has not said yet whether it takes mail",
        "mailbox_unread": "a mailbox that wrote to this person cannot be read for answers",
        "reply_freshness": "the mailboxes are being read for answers",
        "frequency_cap": "the person got as many messages as allowed in this period",
        "send_time": "waiting for the hour at which the person reads mail, by what they opened before",
        "daily_cap": "the mailbox has sent its messages of today",
        "hourly_cap": "the mailbox has sent its messages of this hour",
        "gap": "the mailbox rests between two messages",
        "workday": "outside the mailbox's working hours",
        "provider_ceiling": "the mailbox's provider takes no more messages for now",
        "health": "too much of what the mailbox sent came back; it rests",
        "blocked": "servers refuse the mailbox's messages as unwanted; it rests",
        "quota": "the mailbox's server says that it has sent its share",
        "mailbox_paused": "the mailbox is paused",
        "mailbox_auth_error": "the mailbox's login is refused; reconnect it",
        "mailbox_unreachable": "the mailbox's server does not answer",
        "mailbox_recovering": "the mailbox is being read back after a restore",
        "recovery": "an older state was put back, and mailboxes are being read back; see `relance mailbox list`",
        "written_before_restore": "perhaps written to since the backup that was put back; look, then resume or stop it",
        "answered_before_restore": "wrote since the backup that was put back; read it, then resume or stop it",
        "refused_as_unwanted": "servers keep refusing its message as unwanted; change the text or see to the mailbox",
        "server_hangs_up": "the server hangs up on its message, and not on others'; see to its address and text",
        "mailbox_removed": "its mailbox was removed",
        "no_mailbox": "no mailbox of its pool can be used",
        "workspace_cap": "the workspace has sent its messages of today",
        "recipient_domain_cap": "the person's company got as many messages as allowed today",
        "sequence_cap": "the sequence has sent its messages of today",
        "new_leads_cap": "the sequence has written to its new people of today",
        "cooldown": "resting after a failure",
        "locked": "a worker is acting on it",
        "not_due": "it is not due yet",
        "sequence_draft": "the sequence is a draft",
        "sequence_awaiting_approval": "the sequence awaits approval",
        "sequence_paused": "the sequence is paused",
        "sequence_archived": "the sequence is archived",
    },
)

_STOPS: Final[Mapping[StopReason, str]] = MappingProxyType(
    {
        StopReason.REPLIED: "replied",
        StopReason.BOUNCED: "bounced",
        StopReason.UNSUBSCRIBED: "unsubscribed",
        StopReason.COMPLAINED: "complained",
        StopReason.MANUAL: "stopped by an operator",
        StopReason.MANUAL_REPLY: "written to by hand",
        StopReason.BRANCHED: "a branch led to stop",
        StopReason.ARCHIVED: "the sequence was archived",
        StopReason.MERGED: "merged with another lead",
        StopReason.ERASED: "erased",
        StopReason.CLOSED: "the record was closed",
        StopReason.DISPATCH_FAILURES: "failed too often in a row",
        StopReason.INVALID_ADDRESS: "the address takes no mail",
        StopReason.UNVERIFIED: "the address could not be checked",
        StopReason.NO_LONGER_THERE: "no longer there",
        StopReason.MEETING_BOOKED: "booked a meeting",
        StopReason.STEP_CEILING: "entered too many steps; the sequence runs in circles",
        StopReason.BROKEN_SEQUENCE: "the step cannot be acted on",
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The message that ended or set aside an enrollment."""

    at: datetime
    step: str | None  #: The step that it answers or is about; None: no particular one.
    matched_by: str


def summary(
    enrollment: Enrollment,
    *,
    verdict: tuple[str, Verdict] | None = None,
    answer: Answer | None = None,
    last: HistoryEntry | None = None,
    mailbox: str | None = None,
    attempt: Attempt | None = None,
    left: bool = False,
) -> str:
    """Return the sentence, and a second one about a message that is under way while the enrollment has moved.

    `verdict` is what `gates.evaluate` says now, for one that is active or waiting; `answer` the message that moved it;
    `last` the last entry of its history that changed its status; `mailbox` the address that sends; `attempt` the open
    one, where there is one. `left`: the step it stands on was sent, as when somebody paused it with the message on the
    wire; resuming it goes on behind that.
    """
    walking = enrollment.status in WALKING
    if attempt is not None and (under_way := _under_way(enrollment, attempt, mailbox)):
        return under_way if walking else f"{_standing(enrollment, answer, last, left=left)} {under_way}"
    return _walking(enrollment, verdict, mailbox) if walking else _standing(enrollment, answer, last, left=left)


def _standing(enrollment: Enrollment, answer: Answer | None, last: HistoryEntry | None, *, left: bool) -> str:
    match enrollment.status:
        case EnrollmentStatus.STOPPED | EnrollmentStatus.BLOCKED:
            return _ended(enrollment, answer, last)
        case EnrollmentStatus.PAUSED:
            why = _because(answer, last, "by an operator")
            step = f"what follows step {enrollment.step} (which was sent)" if left else f"step {enrollment.step}"
            return f"Paused: {why}; resume it to go on with {step}."
        case EnrollmentStatus.HELD:
            return f"Held: {_hold(enrollment.hold_reason)} at step {enrollment.step}; a person must decide."
        case EnrollmentStatus.COMPLETED:
            return f"Completed{_on(enrollment.ended_at)}: every step was walked."
        case EnrollmentStatus.SUPPRESSED:
            return f"Suppressed{_on(enrollment.ended_at)}: {last.cause if last else 'on a suppression list when due'}."
        case EnrollmentStatus.HOLDOUT:
            return "Holdout: in the control group, never written to."
        case _:
            return f"{enrollment.status} at step {enrollment.step}."


def _under_way(enrollment: Enrollment, attempt: Attempt, mailbox: str | None) -> str | None:
    """Say what is becoming of an open attempt; None where it only waits to be tried again."""
    what = f"step {attempt.step}{f' from {mailbox}' if mailbox else ''}"
    match attempt.status:
        case AttemptStatus.RESERVED if enrollment.lock_holder is not None:
            return (
                f"Sending: {what} is being prepared by {enrollment.lock_holder}; nothing has left. "
                "If that process is dead, whoever runs next tries it again."
            )
        case AttemptStatus.IN_FLIGHT if attempt.release_by is not None:
            return (
                f"Sending: {what} is on its way; what became of it is known by {moment(attempt.release_by)}, or, "
                "if its process is dead, looked up by whoever runs next."
            )
        case AttemptStatus.UNKNOWN if attempt.next_look_at is not None:
            return (
                f"Unknown: whether {what} left; it is looked for, next on {moment(attempt.next_look_at)}, "
                "and nothing more is sent until that is settled."
            )
        case AttemptStatus.UNKNOWN:
            return (
                f"Unknown: whether {what} left, and it cannot be looked up; say so with "
                f"`relance attempt settle {attempt.id} sent` or `failed`."
            )
        case _:
            return None


def moment(at: datetime) -> str:
    """Return an instant as people read it: `30 Nov 2026 09:14 UTC`."""
    utc = at.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y %H:%M} UTC"


def in_words(reason: str) -> str:
    """Return a skip reason in words."""
    return REASONS.get(reason, reason.replace("_", " "))


def _walking(enrollment: Enrollment, verdict: tuple[str, Verdict] | None, mailbox: str | None) -> str:
    what = f"step {enrollment.step}"
    match verdict:
        case (_, Defer(until=until, reason=reason)):
            return f"Waiting: {in_words(reason)}, until {moment(until)}; then {what}."
        case (_, Stop(cause=cause)):
            return f"About to end: {cause}."
        case (_, Leave(reason="locked")) if enrollment.lock_holder and enrollment.lock_expires_at:
            held = f"claimed by {enrollment.lock_holder} until {moment(enrollment.lock_expires_at)}"
            return f"Waiting: {held}, or, if that process is dead, let go by whoever runs next; then {what}."
        case (_, Leave(reason=reason)) if reason != "not_due":
            return f"Waiting: {in_words(reason)}; then {what}."
        case (_, Pass()):
            return f"Ready: {what} is next{f' from {mailbox}' if mailbox else ''}."
        case _:
            pass
    ready = enrollment.ready_at
    if ready is None:
        return f"Waiting: {what} is next."
    if enrollment.last_skip_reason and enrollment.skip_until == ready:
        return f"Waiting: {in_words(enrollment.last_skip_reason)}, until {moment(ready)}; then {what}."
    verb = {"wait": "ends", "branch": "is decided"}.get(enrollment.step_kind, "is due")
    return f"Waiting: {what} {verb} on {moment(ready)}{f' from {mailbox}' if mailbox else ''}."


def _ended(enrollment: Enrollment, answer: Answer | None, last: HistoryEntry | None) -> str:
    word = "Blocked" if enrollment.status is EnrollmentStatus.BLOCKED else "Stopped"
    why = _STOPS[enrollment.stop_reason] if enrollment.stop_reason else "ended"
    if answer is not None:
        link = "to" if enrollment.stop_reason is StopReason.REPLIED else "after"
        step = f" {link} step {answer.step}" if answer.step else ""
        return f"{word}: {why} on {moment(answer.at)}{step}, matched by {answer.matched_by}."
    cause = f" ({last.cause})" if last else ""
    return f"{word}: {why}{_on(enrollment.ended_at)} at step {enrollment.step}{cause}."


def _because(answer: Answer | None, last: HistoryEntry | None, otherwise: str) -> str:
    if answer is not None:
        return f"replied on {moment(answer.at)}, matched by {answer.matched_by}"
    return f"{last.cause} ({moment(last.at)})" if last else otherwise


def _hold(reason: str | None) -> str:
    name, colon, field = (reason or "").partition(":")
    if name == "missing_value" and colon:
        return f"the value {field} is missing"
    return in_words(name) if name else "undecided"


def _on(at: datetime | None) -> str:
    return f" on {moment(at)}" if at else ""
