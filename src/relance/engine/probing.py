"""A message that a mailbox sends to itself: proof of what its route does with mail."""

from collections.abc import Callable
from datetime import datetime

from relance.core.identifiers import COPY_HEADER, message_id, trace_header
from relance.core.mailbox import Mailbox
from relance.mail.compose import Draft, compose
from relance.ports.connector import Connector, Envelope, Sought
from relance.services.situations import Keys

#: Real seconds for body and dot of a probe.
_TIME_LIMIT = 20.0


async def probe(
    connector: Connector, mailbox: Mailbox, *, keys: Keys, now: datetime, may_leave: Callable[[], bool]
) -> Sought:
    """Send one, if it may still leave when its dot is due; return what to look for it by. Raises ConnectorError."""
    uid = f"probe/{mailbox.id}/{now.isoformat()}"
    own_id = message_id(keys.message_id, uid, 0, mailbox.domain)
    name, trace = trace_header(keys.trace, uid, 0)
    draft = Draft(
        from_address=mailbox.address,
        from_name=mailbox.display_name,
        to_address=mailbox.address,
        subject="Connection check",
        text="This message was sent by this mailbox to itself to check its connection. It can be deleted.\n",
        message_id=own_id,
        date=now,
        headers=((name, trace), ("Auto-Submitted", "auto-generated")),
    )
    envelope = Envelope(sender=mailbox.address, recipient=mailbox.address, message_id=own_id, raw=compose(draft))
    staged = await connector.stage(envelope)
    await staged.release(may_leave=may_leave, time_limit=_TIME_LIMIT)
    return Sought(
        message_ids=(own_id,),
        trace_header=name,
        trace=trace,
        copy_header=COPY_HEADER,
        recipient=mailbox.address,
        since=now,
    )
