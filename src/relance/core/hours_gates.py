"""The gates of hours: the sequence's window, quiet hours, and the hour at which a person reads mail.

Rule 1: each reason of hours that never meet is one of its own: two reasons in turn would hide it.
Rule 2: a moment that is named as the next lies where a message may leave, as far as these gates say.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from relance.core.calendar import (
    HAVE_MET,
    SEARCH_DAYS,
    Never,
    first_zone,
    is_open,
    opens_at,
    quiet_covers,
    quiet_until,
    zone_named,
    zone_of,
)
from relance.core.defaults import SEND_TIME_MOST
from relance.core.send_time import best_moment
from relance.core.sequence import QuietHours, SendTime
from relance.core.situation import Situation
from relance.core.verdict import PASS, Verdict, lead_waits
from relance.core.workday import meets, workday_of


def window_zone(at: Situation) -> ZoneInfo:
    """Return the zone in which a sequence's window is read for this lead and mailbox."""
    return zone_of(
        at.plan.window,
        lead_timezone=at.lead.timezone,
        mailbox_timezone=at.mailbox.timezone if at.mailbox else None,
        workspace_timezone=at.workspace_timezone,
    )


def window(at: Situation) -> Verdict:
    """Pass if the sequence's sending window is open, in its zone (B4)."""
    named = at.plan.window.timezone
    if named == "lead" and zone_named(at.lead.timezone) is None:
        named = at.plan.window.unknown_timezone
    if named == "mailbox" and at.mailbox is None:
        return PASS  # Its zone is not known before a mailbox is.
    match opens_at(at.plan.window, window_zone(at), at.now):
        case Never():
            return lead_waits("window_never_opens", until=at.now + timedelta(days=SEARCH_DAYS))
        case opening:
            return lead_waits(_unless_missed(at), until=opening) if opening > at.now else PASS


def quiet_hours(at: Situation) -> Verdict:
    """Pass outside quiet hours: the sequence's, else the workspace's."""
    until = _quiet_until(at, at.now)
    return PASS if until is None else lead_waits(_unless_covered("quiet_hours", at), until=until)


def send_time(at: Situation) -> Verdict:
    """Pass in the hour at which the person reads mail, by their opens, and a day after it was due at the latest (B12).

    Of the hours in which the window is open and quiet hours are not. Who opened too little to tell waits for nothing.
    """
    due = at.enrollment.next_due_at
    if at.plan.send_time is SendTime.OFF or due is None or due + SEND_TIME_MOST <= at.now:
        return PASS
    zone = zone_named(at.lead.timezone) or window_zone(at)
    best = best_moment(
        at.opens, zone=zone, now=at.now, until=due + SEND_TIME_MOST, may_leave=lambda moment: _may_leave(at, moment)
    )
    return lead_waits("send_time", until=best) if best > at.now else PASS


def _may_leave(at: Situation, moment: datetime) -> datetime | None:
    """Return the first moment from the given one on at which the window is open and quiet hours are over."""
    match opens_at(at.plan.window, window_zone(at), moment):
        case Never():
            return None
        case opening:
            quiet = _quiet_until(at, opening)
    if quiet is None:
        return opening
    return quiet if is_open(at.plan.window, window_zone(at), quiet) else None


def _quiet_until(at: Situation, moment: datetime) -> datetime | None:
    return quiet_until(*_quiet(at), moment)


def _quiet(at: Situation) -> tuple[QuietHours | None, ZoneInfo]:
    quiet = at.plan.quiet_hours or at.workspace_quiet_hours
    return quiet, first_zone(quiet.timezone if quiet else None, at.workspace_timezone)


def _unless_covered(reason: str, at: Situation) -> str:
    """Return `reason`, or that quiet hours cover the whole window of this lead: two reasons in turn would hide it.

    It happens across zones only, such as a window in Tokyo's day and quiet hours in Paris's night.
    """
    covered = quiet_covers(at.plan.window, window_zone(at), *_quiet(at), at=at.now)
    return "quiet_hours_cover_window" if covered else reason


def _unless_missed(at: Situation) -> str:
    """Return `window`, or that this lead's hours never meet those of the mailbox: two reasons in turn would hide it."""
    box = at.mailbox
    if box is not None and box.workday is not None:
        zone = first_zone(box.timezone, at.workspace_timezone)
        hours, opening_zone = workday_of(box.workday), window_zone(at)
        if not meets(
            hours, at.plan.window, zone=zone, window_zone=opening_zone, at=at.now, days=HAVE_MET, key=box.address
        ):
            return "workday_misses_window"
    return _unless_covered("window", at)
