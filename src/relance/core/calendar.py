"""Wall-clock rules: windows, quiet hours, days and business days. The only place that knows time zones.

Rule 1: instants are aware UTC; what people write (09:00, Monday, 3d) is read off the wall clock of a zone.
Rule 2: a window is open at an instant if the wall clock then shows a time inside one of its intervals. Hence an hour
        that the clocks skip is never open, and one that they repeat is open twice.
Rule 3: an interval belongs to the day it starts on: Friday 22:00-06:00 reaches into Saturday, and into no Friday.
Rule 4: no timedelta is ever added to an aware local time: that counts wall-clock time across a change of the clocks.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from relance.core.sequence import Delay, Interval, QuietHours, Unit, Window

#: Days in which hours that ever meet have met: a week, and the day of the other zone.
HAVE_MET = 8
SEARCH_DAYS = 400  #: A window that does not open within these never does: every weekday and holiday came by.
_DAY = timedelta(days=1)
_TICK = timedelta(microseconds=1)
_TIME = re.compile(r"(?P<hour>2[0-3]|[01]?[0-9])(?P<rest>:[0-5][0-9](:[0-5][0-9](\.[0-9]{6})?)?)", re.ASCII)
_UTC_ZONE = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """The window does not open within `SEARCH_DAYS`."""


# --- zones ---


def zone_named(name: str | None) -> ZoneInfo | None:
    """Return the zone of an IANA name, or None if there is none of that name."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # Unknown; not a name but a path; a folder such as `Europe`.
        return None


def first_zone(*names: str | None) -> ZoneInfo:
    """Return the zone of the first name that is one, else UTC."""
    return next((zone for name in names if (zone := zone_named(name))), _UTC_ZONE)


def zone_of(
    window: Window,
    *,
    lead_timezone: str | None,
    mailbox_timezone: str | None,
    workspace_timezone: str | None,
) -> ZoneInfo:
    """Return the zone a window is read in: its own, the lead's or the mailbox's; else the workspace's; else UTC.

    A lead whose zone is not known, or is none, has the one that the window names for that.
    """
    match window.timezone:
        case "lead":
            unknown = mailbox_timezone if window.unknown_timezone == "mailbox" else window.unknown_timezone
            return first_zone(lead_timezone, unknown, workspace_timezone)
        case "mailbox":
            return first_zone(mailbox_timezone, workspace_timezone)
        case fixed:
            return first_zone(fixed, workspace_timezone)


# --- windows and quiet hours ---


def time_of_day(text: str) -> time:
    """Return what people write as `9:00`, `09:00` or `24:00` (the midnight that ends a day).

    Raises ValueError with what to write instead.
    """
    written = text.strip()
    if written == "24:00":
        return time(0)
    found = _TIME.fullmatch(written)
    if found is None:
        raise ValueError(f"{text!r} is no time of day; write it like 09:00")
    return time.fromisoformat(f"{found['hour']:0>2}{found['rest']}")


def is_open(window: Window, zone: ZoneInfo, at: datetime) -> bool:
    """Say whether the window is open at that instant."""
    return window.always or _open_day(window, zone, at) is not None


def opens_at(window: Window, zone: ZoneInfo, at: datetime) -> datetime | Never:
    """Return the first instant from `at` on at which the window is open: `at` itself, or the next opening."""
    if is_open(window, zone, at):
        return at
    today = _wall(at, zone).date()
    for ahead in range(-1, SEARCH_DAYS):
        day = today + ahead * _DAY
        openings = [
            instant
            for start, end in _spans(window, day)
            if (instant := _first_inside(start, end, zone, at)) is not None
        ]
        if openings:
            return min(openings)
    return Never()


def clamped(due: datetime, window: Window, zone: ZoneInfo) -> datetime:
    """Return `due`, or the next opening if the window is closed then (B11).

    A window that never opens leaves it where it is: the window gate will say so, and the lead is not lost.
    """
    match opens_at(window, zone, due):
        case Never():
            return due
        case opening:
            return opening


def quiet_until(quiet: QuietHours | None, zone: ZoneInfo, at: datetime) -> datetime | None:
    """Return when the quiet hours that hold at that instant end; None: it is not quiet."""
    over = None if quiet is None else _quiet_ends(quiet, zone, at)
    if quiet is None or over is None:
        return None
    # The next day's quiet hours follow at once where the clocks skip all the time between the two.
    return _quiet_ends(quiet, zone, over) or over


def quiet_covers(
    window: Window, zone: ZoneInfo, quiet: QuietHours | None, quiet_zone: ZoneInfo, *, at: datetime
) -> bool:
    """Say whether from `at` on quiet hours cover all that the window ever opens; each has its own zone."""
    moment = at
    while moment <= at + timedelta(days=HAVE_MET):
        match opens_at(window, zone, moment):
            case Never():
                return False
            case opening:
                over = quiet_until(quiet, quiet_zone, opening)
        if over is None:
            return False
        moment = over
    return True


def _quiet_ends(quiet: QuietHours, zone: ZoneInfo, at: datetime) -> datetime | None:
    wall = _wall(at, zone)
    for day in (wall.date() - _DAY, wall.date()):
        start, end = _span(quiet.interval, day)
        if start <= wall < end:
            return _leaves(start, end, zone, at)
    return None


# --- delays ---


def after(start: datetime, delay: Delay, window: Window, zone: ZoneInfo) -> datetime:
    """Return the instant `delay` after `start`, not yet clamped to the window.

    Seconds, minutes and hours are absolute. Days are wall-clock days: the same time of day, later by as much as the
    clocks were put forward where that time is skipped, and the first of the two where it comes twice. Business days
    are days on which the window opens, after the day of `start`: at the same time of day if `start` lay inside the
    window, at that day's opening if not (Sunday + 1bd is Monday's opening).
    """
    if delay.amount == 0:
        return start
    match delay.unit:
        case Unit.SECONDS:
            return start + timedelta(seconds=delay.amount)
        case Unit.MINUTES:
            return start + timedelta(minutes=delay.amount)
        case Unit.HOURS:
            return start + timedelta(hours=delay.amount)
        case Unit.DAYS:
            return _instant(_wall(start, zone) + delay.amount * _DAY, zone)
        case Unit.BUSINESS_DAYS:
            return _after_business_days(start, delay.amount, window, zone)


def opens_on(window: Window, day: date) -> bool:
    """Say whether the window opens on that day at all."""
    return window.always or any(True for _ in _spans(window, day))


def _after_business_days(start: datetime, amount: int, window: Window, zone: ZoneInfo) -> datetime:
    wall = _wall(start, zone)
    begun = wall.date() if window.always else _open_day(window, zone, start)
    day, left, closed = begun or wall.date(), amount, 0
    while left and closed < SEARCH_DAYS:
        day += _DAY
        left, closed = (left - 1, 0) if opens_on(window, day) else (left, closed + 1)
    if left:  # It never opens: count plain days; the window gate will name the trouble.
        return _instant(wall + amount * _DAY, zone)
    if begun is not None:
        return _instant(wall + (day - begun), zone)
    return min(_first_showing(opening, zone) for opening, _ in _spans(window, day))


# --- days and hours, for caps ---


def day_of(at: datetime, zone: ZoneInfo) -> str:
    """Return the ISO date that the calendar on the wall shows."""
    return _wall(at, zone).date().isoformat()


def hour_of(at: datetime, zone: ZoneInfo) -> str:
    """Return the hour that the clock on the wall shows, with its offset, so that a repeated hour is two hours."""
    return at.astimezone(zone).strftime("%Y-%m-%dT%H%z")


def day_begins(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant of a day; not midnight where the clocks skip it."""
    return _first_showing(datetime(day.year, day.month, day.day), zone)  # noqa: DTZ001 - a wall-clock reading


def day_ends(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant of the next day."""
    return day_begins(_wall(at, zone).date() + _DAY, zone)


def hour_ends(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant after `at` whose `hour_of` is another."""
    wall = _wall(at, zone)
    return _clocks_stay(at, at + (wall.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1) - wall), zone)


# --- wall clocks and instants ---


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    """Return what the wall clock shows: naive on purpose."""
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant at which the clock shows `wall`; if skipped, as far behind the gap as it lay inside."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _first_showing(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant at which the clock shows `wall` or, where that is skipped, anything later."""
    instant = _instant(wall, zone)
    if _wall(instant, zone) == wall:
        return instant
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return _bisect(before - _TICK, instant, lambda moment: _wall(moment, zone) >= wall)


def _last_inside(end: datetime, zone: ZoneInfo) -> datetime:
    """Return the last instant at which the clock shows the moment before `end`."""
    moment = end - _TICK
    instant = moment.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if _wall(instant, zone) == moment:
        return instant
    return _first_showing(end, zone) - _TICK  # The moment is skipped: the gap's beginning ends it.


def _first_inside(start: datetime, end: datetime, zone: ZoneInfo, at: datetime) -> datetime | None:
    """Return the first instant from `at` on whose wall-clock reading is in the span, knowing that `at` is not."""
    first, last = _first_showing(start, zone), _last_inside(end, zone)
    if last < at or not first <= last:
        return None
    if first >= at:
        return first
    # Already over once, but the clocks are put back into it.
    return _bisect(at, last, lambda moment: start <= _wall(moment, zone) < end)


def _leaves(start: datetime, end: datetime, zone: ZoneInfo, at: datetime) -> datetime:
    """Return the first instant whose wall-clock reading is outside the span, knowing that the one of `at` is inside."""
    over = _clocks_stay(at, at + (end - _wall(at, zone)), zone)
    return _leaves(start, end, zone, over) if start <= _wall(over, zone) < end else over


def _clocks_stay(at: datetime, until: datetime, zone: ZoneInfo) -> datetime:
    """Return `until`, or the instant before it at which the clocks are changed. At most a day may lie between."""
    offset = at.astimezone(zone).utcoffset()
    if (until - _TICK).astimezone(zone).utcoffset() == offset:
        return until
    return _bisect(at, until, lambda moment: moment.astimezone(zone).utcoffset() != offset)


def _bisect(before: datetime, holds_at: datetime, holds: Callable[[datetime], bool]) -> datetime:
    """Return the first whole second after `before` from which on `holds`, known to hold at `holds_at`."""
    low, high = int(before.timestamp()) - 1, int(holds_at.timestamp())
    while high - low > 1:
        middle = (low + high) // 2
        moment = datetime.fromtimestamp(middle, UTC)
        low, high = (low, middle) if moment > before and holds(moment) else (middle, high)
    return datetime.fromtimestamp(high, UTC)


# --- spans ---


def _span(interval: Interval, day: date) -> tuple[datetime, datetime]:
    start, end = datetime.combine(day, interval.start), datetime.combine(day, interval.end)
    return start, end if end > start else end + _DAY


def _spans(window: Window, day: date) -> Iterator[tuple[datetime, datetime]]:
    if day.weekday() in window.days and day not in window.holiday_dates and day not in window.blackout:
        for interval in window.intervals:
            yield _span(interval, day)


def _open_day(window: Window, zone: ZoneInfo, at: datetime) -> date | None:
    """Return the day whose interval is open at that instant."""
    wall = _wall(at, zone)
    for day in (wall.date(), wall.date() - _DAY):
        if any(start <= wall < end for start, end in _spans(window, day)):
            return day
    return None
