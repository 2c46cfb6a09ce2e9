"""Checking a mailbox: the message that it writes to itself, and what is kept of what came of it."""

from datetime import datetime

from relance.core.identifiers import TRACE_HEADER
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.mail.compose import Draft, compose
from relance.ports.connector import CheckReport, Envelope
from relance.ports.store import Transaction
from relance.services import mailboxes

_TROUBLED = frozenset({MailboxStatus.AUTH_ERROR, MailboxStatus.UNREACHABLE})


def compose_probe(found: Mailbox, *, now: datetime, token: str) -> Envelope:
    """Return a message from a mailbox to itself that can be recognised by id, by header and by subject."""
    message_id = f"<{token}@{found.domain}>"
    draft = Draft(
        from_address=found.address,
        from_name=found.display_name,
        to_address=found.address,
        subject=f"Mailbox check {token[:8]}",
        text="This message checks that the mailbox can send and be read. It can be deleted.\n",
        message_id=message_id,
        date=now,
        headers=((TRACE_HEADER, token),),
    )
    return Envelope(sender=found.address, recipient=found.address, message_id=message_id, raw=compose(draft))


def learn(tx: Transaction, found: Mailbox, report: CheckReport, now: datetime) -> None:
    """Keep what was learned about a mailbox's server; trouble that a check does not find any more is over."""
    mailboxes.learn(
        tx,
        workspace_id=found.workspace_id,
        mailbox_id=found.id,
        saves_sent=report.saves_sent,
        ids_survive=report.ids_survive,
    )
    if report.ok and found.status in _TROUBLED:
        mailboxes.resume(tx, found, now=now)
