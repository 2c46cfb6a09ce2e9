"""A conversation: what one mailbox and one person wrote to each other, and what people make of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from relance.core.inbound import InboundKind


class Interest(StrEnum):
    """What somebody of us reads in an answer; no program says it."""

    UNKNOWN = "unknown"  #: Nobody has said.
    POSITIVE = "positive"  #: Worth going on with; counted as such.
    NEGATIVE = "negative"


#: What somebody ought to look at: a person has written, or is asked to prove something.
OPENING = frozenset(
    {InboundKind.HUMAN_REPLY, InboundKind.ORDINARY, InboundKind.CALENDAR, InboundKind.CHALLENGE_RESPONSE}
)
#: What a person may say that a message is, after all.
CORRECTABLE = (
    InboundKind.HUMAN_REPLY,
    InboundKind.AUTO_REPLY,
    InboundKind.UNSUBSCRIBE,
    InboundKind.HARD_BOUNCE,
    InboundKind.SOFT_BOUNCE,
    InboundKind.COMPLAINT,
    InboundKind.OTHER,
)
#: Longer than this nobody lets a conversation sleep.
LONGEST_SNOOZE = timedelta(days=366)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Unique on (workspace, mailbox, lead); there is one once something came in."""

    workspace_id: int
    id: int
    mailbox_id: int
    lead_id: int
    enrollment_id: int | None = None
    sequence_id: int | None = None
    kind: str  #: Of the newest message of a person, or else of the newest that came in.
    from_address: str | None = None
    subject: str | None = None
    preview: str | None = None
    last_in_at: datetime
    last_out_at: datetime | None = None  #: When somebody of us last wrote by hand.
    open: bool  #: Somebody ought to look at it.
    snoozed_until: datetime | None = None
    assignee_id: int | None = None
    interest: Interest = Interest.UNKNOWN
    revision: int = 0
