"""The gates: everything that may keep a step from being acted on, in one list, in order.

Rule 1: a gate is a function of one `Situation`; it reads no clock and no database.
Rule 2: a gate that says no for now names the next time it could say yes. Nobody is abandoned.
Rule 3: `Leave` and `Stop` come before every `Defer`: an ended or suppressed person is not put off until tomorrow.
Rule 4: of several deferrals that are the lead's own the latest is taken, so that the row is not claimed in vain before.
        One that is shared (mailbox, sequence) is written there, and never on the lead. So are hours that are the same
        for everyone in a sequence.
Rule 5: a mailbox is read for fresh answers only when nothing else stands in the way: `reply_freshness` with `until`
        now means "read it and ask again".
Rule 6: a new kind of step runs the same list; a gate that concerns only messages says so in the list.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from relance.core.address_check import MAY_BE_WRITTEN_TO, Verification
from relance.core.calendar import (
    after,
    day_ends,
    first_zone,
)
from relance.core.defaults import RECHECK, VERIFICATION_CAP
from relance.core.enrollment import WALKING, EnrollmentStatus, StopReason
from relance.core.hours_gates import quiet_hours, send_time, window, window_zone
from relance.core.mail_hosts import ANYBODY, ProviderMatch
from relance.core.mailbox_gates import daily_cap, gap, hourly_cap, mailbox, mailbox_status, provider_ceiling, workday
from relance.core.sequence import Plan, SequenceStatus
from relance.core.situation import Situation
from relance.core.suppression import Suppression, SuppressionKind, SuppressionReason
from relance.core.verdict import PASS, Defer, Holds, Leave, Pass, Stop, Verdict, lead_waits

#: Reasons of the window, which is the lead's own where it is read in the lead's zone or the mailbox's.
_HOURS = frozenset({"window", "window_never_opens", "quiet_hours_cover_window"})


def lock(at: Situation) -> Verdict:
    """Pass unless another worker acts on the enrollment; an expired lock is taken over."""
    row = at.enrollment
    held = row.lock_holder is not None and row.lock_expires_at is not None and row.lock_expires_at > at.now
    return Leave(reason="locked") if held and row.lock_holder != at.worker else PASS


def step_match(at: Situation) -> Verdict:
    """Pass if it still stands on the step it was woken for, that step exists, and it is due."""
    row = at.enrollment
    if row.step_counter != at.woken_counter:
        return Leave(reason="moved_on")
    if row.status not in WALKING:
        return PASS  # The next gate says so.
    if at.step is None or at.plan.kind_of(at.step) != row.step_kind:
        return Stop(
            status=EnrollmentStatus.BLOCKED,
            reason=StopReason.BROKEN_SEQUENCE,
            cause=f"step {row.step} is not in version {row.version} of {at.sequence.name}",
        )
    if row.next_due_at is None or row.next_due_at > at.now:
        return Leave(reason="not_due")
    return PASS


def status(at: Situation) -> Verdict:
    """Pass if the enrollment is active or waiting."""
    return PASS if at.enrollment.status in WALKING else Leave(reason=str(at.enrollment.status))


def sequence_live(at: Situation) -> Verdict:
    """Pass if the sequence is live; its own status says why not, so nothing is written on its leads."""
    live = at.sequence.status is SequenceStatus.LIVE
    return PASS if live else Leave(reason=f"sequence_{at.sequence.status}")


def recovery(at: Situation) -> Verdict:
    """Pass unless a mailbox of the workspace is read back after a restore: nobody knows yet who was written to."""
    return Leave(reason="recovery") if at.recovering else PASS


def suppression(at: Situation) -> Verdict:
    """Pass unless the address, its domain, a domain above it or the phone is suppressed, or the person was erased.

    What a person decided about another of their addresses counts too; that it bounced does not.
    """
    for found in at.suppressions:
        if _binds(found, at):
            return Stop(
                status=EnrollmentStatus.SUPPRESSED,
                reason=None,
                cause=f"{found.kind} suppressed ({found.reason}, {found.scope}), from {found.source}",
            )
    return PASS


def lead_hold(at: Situation) -> Verdict:
    """Pass unless the person is away: then all their enrollments wait."""
    until = at.lead.hold_until
    return lead_waits("lead_hold", until=until) if until is not None and until > at.now else PASS


def outcome_unknown(at: Situation) -> Verdict:
    """Pass unless nobody knows whether an earlier message left: nothing more until that is settled."""
    look = at.unknown_attempt_until
    return PASS if look is None else lead_waits("outcome_unknown", until=max(look, at.now + RECHECK))


def verification(at: Situation) -> Verdict:
    """Pass if a first message goes to an address that takes mail, as far as the sequence asks (B16).

    And if it is known who runs the person's mail, where the sequence matches that. Nobody is written to whose address
    is known to take none, or of whom five checks in a row could not tell.
    """
    question, check = at.plan.verification, at.address_check
    if not at.first_contact:
        return PASS
    if question is Verification.OFF:
        waits = at.plan.match_provider is not ProviderMatch.OFF and at.enrollment.lane == ANYBODY
        return lead_waits("verification", until=at.now + RECHECK) if waits else PASS
    if check is not None and check.answers(question, address=at.lead.email, at=at.now):
        if check.verdict in MAY_BE_WRITTEN_TO:
            return PASS
        cause = f"the address takes no mail: {check.reason}"
        return Stop(status=EnrollmentStatus.STOPPED, reason=StopReason.INVALID_ADDRESS, cause=cause)
    if at.enrollment.verification_attempts >= VERIFICATION_CAP:
        cause = f"{VERIFICATION_CAP} checks of the address came to no verdict: {check.reason if check else ''}"
        return Stop(status=EnrollmentStatus.STOPPED, reason=StopReason.UNVERIFIED, cause=cause)
    return lead_waits("verification", until=at.now + RECHECK)


def reply_freshness(at: Situation) -> Verdict:
    """Pass if every mailbox that wrote to the person, who may have answered, was read a moment ago (D6)."""
    if any(not written.readable for written in at.written):
        return lead_waits("mailbox_unread", until=at.now + RECHECK)
    if not all(written.is_fresh(at=at.now, within=at.freshness) for written in at.written):
        return lead_waits("reply_freshness", until=at.now)
    return PASS


def frequency_cap(at: Situation) -> Verdict:
    """Pass if the person got fewer messages in the period than allowed, over all sequences (B13)."""
    cap = at.plan.frequency_cap
    if cap is None or len(at.recent_sends) < cap.messages:
        return PASS
    over = after(at.recent_sends[cap.messages - 1], cap.per, at.plan.window, window_zone(at))
    return lead_waits("frequency_cap", until=over) if over > at.now else PASS


def sequence_cap(at: Situation) -> Verdict:
    """Pass if the sequence has something left of its day, which is the workspace's."""
    put_off = at.sequence.skip_until
    if put_off is not None and put_off > at.now:
        return Defer(until=put_off, reason=at.sequence.last_skip_reason or "sequence_cap", holds=Holds.SEQUENCE)
    if at.plan.daily_cap is None or at.sequence_usage.today < at.plan.daily_cap:
        return PASS
    return Defer(until=_sequence_day_ends(at), reason="sequence_cap", holds=Holds.SEQUENCE)


def new_leads_cap(at: Situation) -> Verdict:
    """Pass if the sequence may write to another person for the first time today."""
    put_off, cap = at.sequence.new_leads_until, at.plan.max_new_per_day
    if not at.first_contact:
        return PASS
    if put_off is not None and put_off > at.now:
        return Defer(until=put_off, reason="new_leads_cap", holds=Holds.NEW_LEADS)
    if cap is None or at.new_usage.today < cap:
        return PASS
    return Defer(until=_sequence_day_ends(at), reason="new_leads_cap", holds=Holds.NEW_LEADS)


def workspace_cap(at: Situation) -> Verdict:
    """Pass if the workspace has something left of its day."""
    if at.workspace_skip_until is not None and at.workspace_skip_until > at.now:
        return Defer(until=at.workspace_skip_until, reason="workspace_cap", holds=Holds.WORKSPACE)
    if at.workspace_cap is None or at.workspace_usage.today < at.workspace_cap:
        return PASS
    return Defer(until=_sequence_day_ends(at), reason="workspace_cap", holds=Holds.WORKSPACE)


def recipient_domain_cap(at: Situation) -> Verdict:
    """Pass if the person's company got fewer messages of the workspace's day than allowed, over all its people."""
    if at.recipient_domain_cap is None or at.recipient_domain_usage.today < at.recipient_domain_cap:
        return PASS
    return lead_waits("recipient_domain_cap", until=_sequence_day_ends(at))


def cooldown(at: Situation) -> Verdict:
    """Pass unless the enrollment was put off, after a failure or by a gate, and that time is not over."""
    until = at.enrollment.skip_until
    if until is None or until <= at.now:
        return PASS
    return lead_waits(at.enrollment.last_skip_reason or "cooldown", until=until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate of the list."""

    name: str
    judge: Callable[[Situation], Verdict]
    messages_only: bool  #: It does not concern steps that send nothing (wait, branch).


def _every(judge: Callable[[Situation], Verdict], name: str) -> Gate:
    return Gate(name=name, judge=judge, messages_only=False)


def _message(judge: Callable[[Situation], Verdict], name: str) -> Gate:
    return Gate(name=name, judge=judge, messages_only=True)


GATES: tuple[Gate, ...] = (
    _every(lock, "lock"),
    _every(step_match, "step_match"),
    _every(status, "status"),
    _every(sequence_live, "sequence_live"),
    _every(recovery, "recovery"),
    _every(suppression, "suppression"),
    _message(lead_hold, "lead_hold"),
    _message(outcome_unknown, "outcome_unknown"),
    _message(verification, "verification"),
    _message(reply_freshness, "reply_freshness"),
    _message(frequency_cap, "frequency_cap"),
    _message(recipient_domain_cap, "recipient_domain_cap"),
    _message(window, "window"),
    _message(quiet_hours, "quiet_hours"),
    _message(send_time, "send_time"),
    _message(workspace_cap, "workspace_cap"),
    _message(mailbox, "mailbox"),
    _message(workday, "workday"),
    _message(provider_ceiling, "provider_ceiling"),
    _message(daily_cap, "daily_cap"),
    _message(hourly_cap, "hourly_cap"),
    _message(gap, "gap"),
    _message(sequence_cap, "sequence_cap"),
    _message(new_leads_cap, "new_leads_cap"),
    _every(cooldown, "cooldown"),
)

#: What `begin` asks once more, in the transaction that marks the attempt in flight. The limits whose slot the
#: reservation has taken are not among them: they would count the message against itself.
LAST_LOOK: tuple[Gate, ...] = (
    _every(lock, "lock"),
    _every(step_match, "step_match"),
    _every(status, "status"),
    _every(sequence_live, "sequence_live"),
    _every(recovery, "recovery"),
    _every(suppression, "suppression"),
    _message(lead_hold, "lead_hold"),
    _message(reply_freshness, "reply_freshness"),
    _message(window, "window"),
    _message(quiet_hours, "quiet_hours"),
    _message(mailbox_status, "mailbox"),
)


def evaluate(at: Situation, *, gates: tuple[Gate, ...] = GATES) -> tuple[str, Verdict]:
    """Return the verdict that counts and the name of its gate; the name is empty if all pass.

    First any `Leave` or `Stop`, in order; then the latest deferral of the lead's own that lies ahead; then the first
    shared one, in order; then `reply_freshness`, whose `until` is now: read, and ask again.
    """
    own: list[tuple[str, Defer]] = []
    shared: list[tuple[str, Defer]] = []
    for name, verdict in _judge(at, gates):
        match verdict:
            case Pass():
                continue
            case Leave() | Stop():
                return name, verdict
            case Defer(holds=Holds.LEAD):
                own.append((name, verdict))
            case Defer():
                shared.append((name, verdict))
    ahead = [found for found in own if found[1].until > at.now]
    if ahead:
        return max(ahead, key=lambda found: found[1].until)
    return next(iter([*shared, *own]), ("", PASS))


def last_look(at: Situation) -> tuple[str, Verdict]:
    """Return what `evaluate` says over the gates that are asked again just before a message leaves."""
    return evaluate(at, gates=LAST_LOOK)


def holds_for_everyone(plan: Plan, reason: str) -> bool:
    """Whether all who walk this plan wait for that reason of a lead's own, since its hours are in one zone for all."""
    if reason == "quiet_hours":
        return True
    return reason in _HOURS and plan.window.timezone not in {"lead", "mailbox"}


def survey(at: Situation) -> list[tuple[str, Verdict]]:
    """Return what every gate that concerns the step says, in order, for `explain`."""
    return list(_judge(at, GATES))


def _judge(at: Situation, gates: tuple[Gate, ...]) -> Iterator[tuple[str, Verdict]]:
    message = at.enrollment.step_kind == "email"
    return ((gate.name, gate.judge(at)) for gate in gates if message or not gate.messages_only)


def _binds(found: Suppression, at: Situation) -> bool:
    match found.kind:
        case SuppressionKind.ADDRESS:
            another = found.value in at.further_addresses and found.reason is not SuppressionReason.HARD_BOUNCE
            return another or found.value == at.lead.email
        case SuppressionKind.DOMAIN:
            return at.lead.domain == found.value or at.lead.domain.endswith(f".{found.value}")
        case SuppressionKind.PHONE:
            return found.value == at.lead.phone
        case SuppressionKind.TOMBSTONE:
            return True  # Only who holds the key can tell: the caller looked it up by this person's hash.


def _sequence_day_ends(at: Situation) -> datetime:
    return day_ends(at.now, first_zone(at.workspace_timezone))
