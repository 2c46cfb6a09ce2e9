"""A message that a mailbox sends to itself: proof of what its route does with mail."""

from collections.abc import Callable
from datetime import datetime

from relance.core.identifiers import TRACE_HEADER, message_id, trace_header
from relance.core.mailbox import Mailbox
from relance.mail.compose import Draft, compose
from relance.ports.connector import Connector, Envelope
from relance.services.situations import Keys

#: Real seconds for body and dot of a probe.
_TIME_LIMIT = 20.0


def probe_envelope(mailbox: Mailbox, *, keys: Keys, number: int, now: datetime) -> Envelope:
    """Return a message from a mailbox to itself, marked as ours so that reading it changes nothing."""
    uid = f"probe/{mailbox.id}/{now.isoformat()}"
    own_id = message_id(keys.message_id, uid, number, mailbox.domain)
    draft = Draft(
        from_address=mailbox.address,
        from_name=mailbox.display_name,
        to_address=mailbox.address,
        subject="Connection check",
        text="This message was sent by this mailbox to itself to check its connection. It can be deleted.\n",
        message_id=own_id,
        date=now,
        headers=((TRACE_HEADER, trace_header(keys.trace, uid, number)[1]), ("Auto-Submitted", "auto-generated")),
    )
    return Envelope(sender=mailbox.address, recipient=mailbox.address, message_id=own_id, raw=compose(draft))


async def probe(
    connector: Connector, mailbox: Mailbox, *, keys: Keys, number: int, now: datetime, may_leave: Callable[[], bool]
) -> None:
    """Send one, if it may still leave when its dot is due. Raises ConnectorError."""
    staged = await connector.stage(probe_envelope(mailbox, keys=keys, number=number, now=now))
    await staged.release(may_leave=may_leave, time_limit=_TIME_LIMIT)
