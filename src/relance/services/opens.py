"""Opens of messages that were sent, as whatever tracks them tells: what `send_time` goes by.

The product tracks nothing by itself. Who has a tracking source of their own (a relay, a pixel) gives its opens here, by
the Message-ID that left.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from relance.core.attempt import Attempt
from relance.core.events import Event, EventName
from relance.core.send_time import is_machine
from relance.ports.store import Transaction
from relance.services.records import record


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """One open, as its source tells it. `machine`: whether it says that a program did it; None: it does not say."""

    message_id: str  #: With its angle brackets.
    at: datetime
    user_agent: str | None = None
    machine: bool | None = None


class Recorded(StrEnum):
    """What became of one open."""

    OPENED = "opened"  #: A person opened it.
    FETCHED = "fetched"  #: A program did; it tells nothing of a person.
    KNOWN = "known"  #: It was recorded before.
    UNMATCHED = "unmatched"  #: Nothing was sent under this Message-ID.
    AHEAD = "ahead"  #: It lies in the future: the source's clock, or its zone, is wrong.


def record_opens(
    tx: Transaction, opens: Iterable[Open], *, workspace_id: int, source: str, now: datetime
) -> Counter[Recorded]:
    """Record each open once, however often it is told, as an event of its person; return how many became what."""
    return Counter(_record(tx, each, workspace_id=workspace_id, source=source, now=now) for each in opens)


def _record(tx: Transaction, opened: Open, *, workspace_id: int, source: str, now: datetime) -> Recorded:
    if opened.at > now:
        return Recorded.AHEAD
    found = tx.all(Attempt, "attempts.by_message_ids", workspace_id=workspace_id, id_list=[opened.message_id])
    attempt = next((each for each in found if each.sent_at is not None), None)
    if attempt is None or attempt.sent_at is None:
        return Recorded.UNMATCHED
    ids = {"workspace_id": workspace_id, "lead_id": attempt.lead_id}
    tx.one(int, "leads.lock", workspace_id=workspace_id, id=attempt.lead_id)  # two sources at once tell it once
    judged = is_machine(opened.at, sent_at=attempt.sent_at, user_agent=opened.user_agent)
    machine = judged if opened.machine is None else opened.machine
    name = EventName.MESSAGE_FETCHED if machine else EventName.MESSAGE_OPENED
    for told in (EventName.MESSAGE_OPENED, EventName.MESSAGE_FETCHED):
        if tx.one(int, "events.knows_of", **ids, at=opened.at, name=told, attempt_id=attempt.id) is not None:
            return Recorded.KNOWN
    who = "a program fetched" if machine else "the person opened"
    event = Event(
        workspace_id=workspace_id,
        at=opened.at,
        name=name,
        detail=f"{who} step {attempt.step}, by {source}",
        lead_id=attempt.lead_id,
        enrollment_id=attempt.enrollment_id,
        attempt_id=attempt.id,
        mailbox_id=attempt.mailbox_id,
        sequence_id=attempt.sequence_id,
    )
    record(tx, event)
    return Recorded.FETCHED if machine else Recorded.OPENED
