"""Opting out by the link of a message: all that an opt-out by mail does, and nothing when it is done again."""

from datetime import datetime

from relance.core import transitions
from relance.core.attempt import Attempt
from relance.core.counts import Outcome
from relance.core.enrollment import Enrollment, EnrollmentStatus, StopReason
from relance.core.events import EventName
from relance.core.suppression import SuppressionKind, SuppressionReason, tombstone_of
from relance.core.unsubscribe_link import Link
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import counting, moving, suppressions
from relance.services.records import save_enrollment
from relance.services.sending.settle import settle_sent


def opt_out(tx: Transaction, link: Link, *, tombstone_key: bytes, now: datetime) -> bool:
    """Never write to the person of this link again, and stop their runs; return whether that is new.

    Where the attempt is gone or somebody else's (an older state was put back), the hash in the link is suppressed.
    A workspace that is gone writes to nobody.
    """
    ids = {"workspace_id": link.workspace_id}
    if tx.one(Workspace, "workspaces.get", id=link.workspace_id) is None:
        return False
    attempt = tx.one(Attempt, "attempts.get", **ids, id=link.attempt_id)
    if attempt is None or tombstone_of(attempt.recipient, tombstone_key) != link.digest:
        return _by_hash(tx, link, tombstone_key=tombstone_key, now=now)
    tx.one(int, "leads.lock", **ids, id=attempt.lead_id)
    running = tx.all(Enrollment, "enrollments.unfinished_of_lead", **ids, lead_id=attempt.lead_id)
    if not running and tx.all(str, "opt_outs.known", **ids, digests_list=[link.digest]):
        return False
    why = f"the unsubscribe link of step {attempt.step} was used"
    settle_sent(tx, workspace_id=link.workspace_id, attempt_id=attempt.id, by=why, now=now, latest=now)
    counting.came_of_it(tx, attempt, Outcome.OPTED_OUT, now=now)
    suppressions.suppress_address(
        tx,
        **ids,
        address=attempt.recipient,
        reason=SuppressionReason.UNSUBSCRIBED,
        source=why,
        now=now,
        tombstone_key=tombstone_key,
    )
    for enrollment_id in sorted({attempt.enrollment_id, *(run.id for run in running)}):
        _stop(tx, link.workspace_id, enrollment_id, why, now, elsewhere=enrollment_id != attempt.enrollment_id)
    return True


def _by_hash(tx: Transaction, link: Link, *, tombstone_key: bytes, now: datetime) -> bool:
    return suppressions.suppress(
        tx,
        workspace_id=link.workspace_id,
        kind=SuppressionKind.TOMBSTONE,
        value=link.digest,
        reason=SuppressionReason.UNSUBSCRIBED,
        source="the unsubscribe link of a message that this state does not know",
        now=now,
        tombstone_key=tombstone_key,
    )


def _stop(tx: Transaction, workspace_id: int, enrollment_id: int, why: str, now: datetime, *, elsewhere: bool) -> None:
    run = tx.one(Enrollment, "enrollments.lock", workspace_id=workspace_id, id=enrollment_id)
    if run is None:
        return
    event = EventName.UNSUBSCRIBE_RECEIVED
    if run.terminal:
        same, entry = transitions.change(run, event=event, to=run.status, now=now, cause=why)
        save_enrollment(tx, run, same, entry)
        moving.note(tx, run, event, why, now)
        return
    moving.end(
        tx,
        run,
        event=event,
        to=EnrollmentStatus.STOPPED,
        stop_reason=StopReason.UNSUBSCRIBED,
        cause=why,
        now=now,
        elsewhere=elsewhere,
    )
