"""The gates that are a mailbox's own: its trouble, its working day, its caps and its gap.

Rule 1: what they say stands once on the mailbox, never on the leads that wait for it.
Rule 2: every one of them passes while no mailbox is in mind.
"""

from datetime import datetime

from relance.core.calendar import day_ends, first_zone, hour_ends
from relance.core.defaults import RECHECK
from relance.core.health import factor
from relance.core.mailbox import MailboxStatus
from relance.core.pacing import cap_today
from relance.core.situation import Situation
from relance.core.verdict import PASS, Defer, Holds, Verdict
from relance.core.workday import workday_of, works_at


def mailbox_status(at: Situation) -> Verdict:
    """Pass if the mailbox works and nobody paused it; one in trouble is tried again once its rest is over."""
    box = at.mailbox
    if box is None or box.status is MailboxStatus.ACTIVE:
        return PASS
    rested = box.skip_until is not None and box.skip_until <= at.now
    if rested and box.status in {MailboxStatus.AUTH_ERROR, MailboxStatus.UNREACHABLE}:
        return PASS
    later = box.skip_until is not None and box.skip_until > at.now
    until = box.skip_until if later and box.skip_until else at.now + RECHECK
    return _mailbox(box.last_skip_reason or f"mailbox_{box.status}", until=until)


def mailbox(at: Situation) -> Verdict:
    """Pass if the mailbox may send: its status, and whatever limit of its own it was put off for."""
    trouble = mailbox_status(at)
    box = at.mailbox
    if trouble != PASS or box is None or box.skip_until is None or box.skip_until <= at.now:
        return trouble
    return _mailbox(box.last_skip_reason or "mailbox", until=box.skip_until)


def workday(at: Situation) -> Verdict:
    """Pass if the mailbox is at work: its own hours of the day, with lunch and jitter, in its own zone."""
    if at.mailbox is None or at.mailbox.workday is None:
        return PASS
    zone = first_zone(at.mailbox.timezone, at.workspace_timezone)
    begins = works_at(workday_of(at.mailbox.workday), zone, at.now, key=at.mailbox.address)
    return _mailbox("workday", until=begins) if begins > at.now else PASS


def provider_ceiling(at: Situation) -> Verdict:
    """Pass if the mailbox's provider takes one more: what it took in the last 24 hours, and in the last minute."""
    free = at.ceiling_free_at
    return _mailbox("provider_ceiling", until=free) if free is not None and free > at.now else PASS


def daily_cap(at: Situation) -> Verdict:
    """Pass if the mailbox has something left of today, with its ramp and its health, in its own zone."""
    if at.mailbox is None:
        return PASS
    zone = first_zone(at.mailbox.timezone, at.workspace_timezone)
    cap = cap_today(at.mailbox, today=at.now.astimezone(zone).date(), factor=factor(at.mailbox_health))
    return PASS if at.mailbox_usage.today < cap else _mailbox("daily_cap", until=day_ends(at.now, zone))


def hourly_cap(at: Situation) -> Verdict:
    """Pass if the mailbox has something left of this hour."""
    if at.mailbox is None or at.mailbox_usage.this_hour < at.mailbox.hourly_cap:
        return PASS
    zone = first_zone(at.mailbox.timezone, at.workspace_timezone)
    return _mailbox("hourly_cap", until=hour_ends(at.now, zone))


def gap(at: Situation) -> Verdict:
    """Pass if the mailbox has rested since its last message."""
    free = at.mailbox.next_allowed_at if at.mailbox else None
    return _mailbox("gap", until=free) if free is not None and free > at.now else PASS


def _mailbox(reason: str, *, until: datetime) -> Defer:
    return Defer(until=until, reason=reason, holds=Holds.MAILBOX)
