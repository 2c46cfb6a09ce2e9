"""By what one of our messages is recognised in a Sent folder, and from when on it can lie there."""

from datetime import datetime

from relance.core.attempt import Attempt
from relance.core.identifiers import COPY_HEADER, TRACE_HEADER
from relance.ports.connector import Sought


def left_at(attempt: Attempt) -> datetime:
    """Return when a message left, if it did: it cannot lie anywhere before."""
    return attempt.began_at or attempt.planned_at


def sought_of(attempt: Attempt) -> Sought:
    """Return every mark of an attempt's message."""
    ids = (attempt.message_id, attempt.wire_message_id, attempt.provider_message_id)
    return Sought(
        message_ids=tuple(i for i in ids if i),
        trace_header=TRACE_HEADER,
        trace=attempt.trace,
        copy_header=COPY_HEADER,
        recipient=attempt.recipient,
        since=left_at(attempt),
    )
