"""Taking and giving back what a send uses up: the mailbox's day, hour and gap, its sequence's and its workspace's day.

Rule 1: every counter is taken conditionally, in key order, in the transaction that reserves.
Rule 2: a definite failure gives everything back; an unknown outcome keeps it.
Rule 3: what a whole workspace may send is counted from when its cap was set.
"""

from dataclasses import dataclass
from datetime import date, datetime

from relance.core import pacing
from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.core.sequence import Plan
from relance.core.values import replace
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services.limits import Buckets, buckets_for, cap_of, domain_bucket
from relance.services.records import save_attempt
from relance.services.situations import plan_of, workspace_of

_NO_CAP = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """One counter and its limit."""

    scope: str
    scope_id: int
    bucket: str
    cap: int


def counters(  # everything that a send is counted for
    *,
    workspace: Workspace,
    mailbox: Mailbox,
    sequence_id: int,
    plan: Plan,
    recipient: str,
    buckets: Buckets,
    first_contact: bool,
    factor: float = 1.0,
) -> list[Counter]:
    """Return the counters that one send takes, in key order; `factor` is what health leaves of the daily cap."""
    today = pacing.cap_today(mailbox, today=date.fromisoformat(buckets.mailbox_day), factor=factor)
    listed = [
        Counter(scope="mailbox_day", scope_id=mailbox.id, bucket=buckets.mailbox_day, cap=today),
        Counter(scope="mailbox_hour", scope_id=mailbox.id, bucket=buckets.mailbox_hour, cap=mailbox.hourly_cap),
    ]
    domain_cap = cap_of(workspace, "recipient_domain_daily_cap")
    company = domain_bucket(buckets.sequence_day, recipient) if domain_cap is not None else None
    if domain_cap is not None and company is not None:
        listed.append(Counter(scope="recipient_domain_day", scope_id=workspace.id, bucket=company, cap=domain_cap))
    if plan.daily_cap is not None:
        listed.append(
            Counter(scope="sequence_day", scope_id=sequence_id, bucket=buckets.sequence_day, cap=plan.daily_cap)
        )
    if plan.max_new_per_day is not None and first_contact:
        listed.append(
            Counter(
                scope="sequence_new_day", scope_id=sequence_id, bucket=buckets.sequence_day, cap=plan.max_new_per_day
            )
        )
    cap = cap_of(workspace, "daily_cap")
    if cap is not None:
        listed.append(Counter(scope="workspace_day", scope_id=workspace.id, bucket=buckets.sequence_day, cap=cap))
    return listed


def gap_key(enrollment_uid: str, step_counter: int) -> str:
    """Return what the gap after this send is derived from."""
    return f"{enrollment_uid}/{step_counter}"


def take(tx: Transaction, mailbox: Mailbox, wanted: list[Counter], *, key: str, now: datetime) -> Counter | None:
    """Take every counter and the gap, or nothing and return the counter that is used up.

    A gap that is not over counts as the mailbox's hour being used up: the gates said otherwise a moment ago, so the
    caller reads again.
    """
    for position, counter in enumerate(wanted):
        if tx.run("usage.take", **_key(mailbox.workspace_id, counter), cap=counter.cap) != 1:
            _give_back(tx, mailbox.workspace_id, wanted[:position])
            return counter
    today = date.fromisoformat(wanted[0].bucket)
    taken = tx.run(
        "mailboxes.take_gap",
        workspace_id=mailbox.workspace_id,
        id=mailbox.id,
        now=now,
        next_allowed_at=now + pacing.gap(mailbox, key=key),
        ramp_days=pacing.ramp_days(mailbox, today=today),
        ramp_day=max(today, mailbox.ramp_day or today),
    )
    if taken != 1:
        _give_back(tx, mailbox.workspace_id, wanted)
        return wanted[1]
    return None


def count(tx: Transaction, run: Enrollment, mailbox: Mailbox, recipient: str, *, left_at: datetime) -> Buckets:
    """Count a message that left without having been reserved here, whatever the caps say; return where it counts.

    The caller writes `holds_slot=True` on the attempt, with these buckets and `planned_at=left_at`.
    """
    workspace = workspace_of(tx, run.workspace_id)
    buckets = buckets_for(mailbox, workspace, left_at)
    used = counters(
        workspace=workspace,
        mailbox=mailbox,
        recipient=recipient,
        sequence_id=run.sequence_id,
        plan=plan_of(tx, run.workspace_id, run.sequence_id, run.version),
        buckets=buckets,
        first_contact=run.last_sent_at is None,
    )
    for counter in used:
        tx.run("usage.take", **_key(run.workspace_id, counter), cap=_NO_CAP)
    return buckets


def count_as_left(tx: Transaction, attempt: Attempt, left_from: Mailbox | None, *, left_at: datetime) -> Attempt:
    """See to it that what left is counted for the mailbox that it left from; return the attempt as it is then.

    `left_from`: None for the mailbox that was planned.
    """
    ids = {"workspace_id": attempt.workspace_id}
    planned = tx.one(Mailbox, "mailboxes.get", **ids, id=attempt.mailbox_id)
    enrollment = tx.one(Enrollment, "enrollments.get", **ids, id=attempt.enrollment_id)
    mailbox = left_from or planned
    if planned is None or mailbox is None or enrollment is None or (attempt.holds_slot and mailbox.id == planned.id):
        return attempt
    give_back(tx, attempt, mailbox=planned, enrollment=enrollment)
    buckets = count(tx, enrollment, mailbox, attempt.recipient, left_at=left_at)
    counted = replace(
        attempt,
        mailbox_id=mailbox.id,
        planned_at=left_at,
        holds_slot=True,
        slot_day=buckets.mailbox_day,
        slot_hour=buckets.mailbox_hour,
    )
    return save_attempt(tx, attempt, counted)


def give_back(tx: Transaction, attempt: Attempt, *, mailbox: Mailbox, enrollment: Enrollment) -> None:
    """Undo what this attempt took from `mailbox`, if it still holds its slot; the gap only if nobody used it since.

    The caller writes `holds_slot=False` on the attempt, in the same transaction.
    """
    if not attempt.holds_slot:
        return
    workspace = workspace_of(tx, attempt.workspace_id)
    buckets = buckets_for(mailbox, workspace, attempt.planned_at)
    held = counters(
        workspace=workspace,
        mailbox=mailbox,
        recipient=attempt.recipient,
        sequence_id=attempt.sequence_id,
        plan=plan_of(tx, attempt.workspace_id, attempt.sequence_id, attempt.version),
        buckets=replace(buckets, mailbox_day=attempt.slot_day, mailbox_hour=attempt.slot_hour),
        first_contact=enrollment.last_sent_at is None,
    )
    _give_back(tx, attempt.workspace_id, held)
    key = gap_key(enrollment.uid, attempt.step_counter)
    tx.run(
        "mailboxes.give_back_gap",
        workspace_id=attempt.workspace_id,
        id=mailbox.id,
        taken=attempt.planned_at + pacing.gap(mailbox, key=key),
        planned_at=attempt.planned_at,
    )


def _give_back(tx: Transaction, workspace_id: int, taken: list[Counter]) -> None:
    for counter in taken:
        tx.run("usage.give_back", **_key(workspace_id, counter))


def _key(workspace_id: int, counter: Counter) -> dict[str, object]:
    return {
        "workspace_id": workspace_id,
        "scope": counter.scope,
        "scope_id": counter.scope_id,
        "bucket": counter.bucket,
    }
