"""A mailbox's day for people: what it has sent of what it may, what holds it now, what it may in days to come."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from relance.core.explaining import in_words
from relance.core.health import factor
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.pacing import cap_today, caps_ahead
from relance.core.situation import Usage
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services.health import Examined, examine_all
from relance.services.limits import buckets_for, mailbox_zone
from relance.services.refusals import NotFoundError

AHEAD: Final = 21  #: Days that the picture looks ahead.


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxDay:
    """One mailbox today."""

    mailbox: Mailbox
    health: Examined
    sent: int  #: Today, in its own zone; what may have left counts.
    cap: int
    this_hour: int
    ahead: tuple[int, ...]  #: What it may send today and on the next days, if it sends on each.
    waits_until: datetime | None
    waits_for: str  #: In words; empty: nothing holds it.


def page(reader: Reader, workspace: Workspace, *, after: str, limit: int, now: datetime) -> list[MailboxDay]:
    """Return the next mailboxes by address."""
    found = reader.all(Mailbox, "mailboxes.page", workspace_id=workspace.id, after=after, limit=limit)
    return days_of(reader, workspace, found, now=now)


def by_id(reader: Reader, workspace_id: int, mailbox_id: int) -> Mailbox:
    """Return a connected mailbox of this workspace. Raises NotFoundError."""
    found = reader.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=mailbox_id)
    if found is None or found.status is MailboxStatus.REMOVED:
        raise NotFoundError("there is no such mailbox, or it was removed")
    return found


def days_of(reader: Reader, workspace: Workspace, boxes: Sequence[Mailbox], *, now: datetime) -> list[MailboxDay]:
    """Return the days of several mailboxes; the database is asked once for each zone that they have."""
    by_day: dict[tuple[str, str], list[int]] = defaultdict(list)
    for box in boxes:
        buckets = buckets_for(box, workspace, now)
        by_day[buckets.mailbox_day, buckets.mailbox_hour].append(box.id)
    used = {
        row.mailbox_id: row
        for (day, hour), ids in by_day.items()
        for row in reader.all(
            _UsageOf, "usage.used_by_mailboxes", workspace_id=workspace.id, mailbox_list=ids, day=day, hour=hour
        )
    }
    return [
        _day(workspace, health, used[health.mailbox.id], now)
        for health in examine_all(reader, workspace.id, boxes, now=now)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _UsageOf(Usage):
    mailbox_id: int


def _day(workspace: Workspace, health: Examined, used: Usage, now: datetime) -> MailboxDay:
    box, left = health.mailbox, factor(health.verdict)
    today = now.astimezone(mailbox_zone(box, workspace)).date()
    until, reason = _holds(box, now)
    return MailboxDay(
        mailbox=box,
        health=health,
        sent=used.today,
        cap=cap_today(box, today=today, factor=left),
        this_hour=used.this_hour,
        ahead=tuple(caps_ahead(box, today=today, days=AHEAD, factor=left)),
        waits_until=until,
        waits_for=reason,
    )


def _holds(box: Mailbox, now: datetime) -> tuple[datetime | None, str]:
    """Return until when it is held, and by what; what a person has to do comes first."""
    if box.status is not MailboxStatus.ACTIVE:
        return box.skip_until, box.status_reason or in_words(f"mailbox_{box.status}")
    if box.skip_until is not None and box.skip_until > now:
        return box.skip_until, in_words(box.last_skip_reason or "")
    if box.next_allowed_at is not None and box.next_allowed_at > now:
        return box.next_allowed_at, in_words("gap")
    return None, ""
