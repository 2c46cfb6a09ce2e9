"""Letting other mailboxes go on with the people whom a removed one was writing to, each in a new thread.

Rule 1: without this they wait: an answer may lie in a mailbox that nobody can read any more. Going on is a person's
        decision, about one mailbox, and means that such an answer is not waited for.
Rule 2: whose last message may have left, or is on its way, stays until that is known; `go_on` is asked again each hour.
"""

from datetime import datetime

from relance.core.events import Event, EventName
from relance.core.mailbox import Mailbox
from relance.ports.store import Reader, Transaction
from relance.services.records import record
from relance.services.refusals import NotFoundError


def removed(reader: Reader, workspace_id: int, address: str) -> Mailbox:
    """Return a removed mailbox by its address. Raises NotFoundError."""
    wanted = address.strip().casefold()
    found = reader.one(Mailbox, "mailboxes.removed_by_address", workspace_id=workspace_id, address=wanted)
    if found is None:
        raise NotFoundError(f"there is no removed mailbox {address!r}; `relance mailbox remove` comes first")
    return found


def hand_over(tx: Transaction, mailbox: Mailbox, *, now: datetime) -> int:
    """Let others go on with its people, and return how many can do so at once."""
    tx.run("mailboxes.hand_over", workspace_id=mailbox.workspace_id, id=mailbox.id)
    freed = _free(tx, mailbox)
    detail = f"others go on with {freed} of the people that {mailbox.address} was writing to"
    record(
        tx,
        Event(
            workspace_id=mailbox.workspace_id,
            at=now,
            name=EventName.MAILBOX_HANDED_OVER,
            detail=detail,
            mailbox_id=mailbox.id,
        ),
    )
    return freed


def go_on(tx: Transaction) -> int:
    """Free whoever could not be freed when their mailbox was handed over, and return how many."""
    return sum(_free(tx, mailbox) for mailbox in tx.all(Mailbox, "mailboxes.handed_over"))


def _free(tx: Transaction, mailbox: Mailbox) -> int:
    return tx.run("enrollments.hand_over", workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id)
