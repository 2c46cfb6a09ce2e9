"""A person's answer where nobody could find out whether a message left."""

from datetime import datetime

from relance.core.attempt import Attempt, AttemptStatus
from relance.ports.store import Transaction
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.sending.settle import settle_failed, settle_sent


def settle(tx: Transaction, *, workspace_id: int, attempt_id: int, sent: bool, by: str, now: datetime) -> Attempt:
    """Settle an unknown outcome, and return the attempt as it was: sent, it goes on after it; else it tries again.

    Raises NotFoundError, and RefusedError where there is nothing to settle.
    """
    found = tx.one(Attempt, "attempts.get", workspace_id=workspace_id, id=attempt_id)
    if found is None:
        raise NotFoundError(f"there is no attempt {attempt_id}; see `relance stuck`")
    if found.status is not AttemptStatus.UNKNOWN:
        raise RefusedError(f"attempt {attempt_id} is {found.status}, not unknown: there is nothing to settle")
    settle_it = settle_sent if sent else settle_failed
    if not settle_it(tx, workspace_id=workspace_id, attempt_id=found.id, by=by, now=now):
        raise RefusedError(f"attempt {found.id} is {found.status}; it cannot be settled now")
    return found
