"""A mailbox's working day: it begins, rests at lunch and ends at about the same time each day, as a person's does.

Rule 1: the hours are those of the mailbox's own zone; which weekdays are worked is the sequence's window.
Rule 2: each day's four moments are drawn within `jitter` of what is written, from the mailbox and the date: whoever
        asks again gets the same day, and no two days are alike.
Rule 3: jitter never swallows a part of the day: morning and afternoon keep at least a quarter of an hour.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from relance.core.calendar import Never, day_begins, is_open, opens_at
from relance.core.sequence import Interval, Window
from relance.core.splitting import uniform

_TEXT = re.compile(
    r"(?P<start>\d\d:\d\d)-(?P<end>\d\d:\d\d)(?: lunch (?P<out>\d\d:\d\d)-(?P<back>\d\d:\d\d))?"
    r"(?: jitter (?P<jitter>\d{1,3}))?",
    re.ASCII,
)
_LEAST = 15  #: Minutes that each part of the day keeps.
_LOOK_AHEAD = 8  #: Days; a day's only hours may fall into what the clocks skip, but not a week's.
REMEDY = "write it as '08:30-17:30 lunch 12:00-13:00 jitter 20' (lunch and jitter may be left out)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workday:
    """Minutes after midnight on the wall clock; `parts` are worked, in order."""

    parts: tuple[tuple[int, int], ...]
    jitter: int = 0  #: Minutes, either way.


def workday_of(text: str) -> Workday:
    """Return what people write as `08:30-17:30 lunch 12:00-13:00 jitter 20`. Raises ValueError with what to write."""
    found = _TEXT.fullmatch(" ".join(text.split()))
    if found is None:
        raise ValueError(f"{text!r} is no working day; {REMEDY}")
    start, end = _minutes(found["start"]), _minutes(found["end"])
    parts: tuple[tuple[int, int], ...] = ((start, end),)
    if found["out"]:
        parts = ((start, _minutes(found["out"])), (_minutes(found["back"]), end))
    moments = [moment for part in parts for moment in part]
    jitter = int(found["jitter"] or 0)
    if moments != sorted(moments) or any(last - first < _LEAST + 2 * jitter for first, last in parts):
        raise ValueError(f"{text!r} leaves no time to work before or after lunch, with its jitter; {REMEDY}")
    if moments[0] < jitter or moments[-1] + jitter >= 24 * 60:
        raise ValueError(f"{text!r} reaches past midnight, with its jitter; {REMEDY}")
    if len(parts) > 1 and parts[1][0] - parts[0][1] < 2 * jitter:
        raise ValueError(f"{text!r} has a lunch that its jitter swallows; {REMEDY}")
    return Workday(parts=parts, jitter=jitter)


def intervals_on(workday: Workday, day: str, *, key: str) -> tuple[Interval, ...]:
    """Return the hours of one ISO date for the mailbox of that key."""

    def drawn(moment: int, number: int) -> time:
        shift = round((2 * uniform(f"{key}/{day}/{number}", "workday") - 1) * workday.jitter)
        return time((moment + shift) // 60, (moment + shift) % 60)

    return tuple(
        Interval(start=drawn(start, 2 * n), end=drawn(end, 2 * n + 1)) for n, (start, end) in enumerate(workday.parts)
    )


def works_at(workday: Workday, zone: ZoneInfo, at: datetime, *, key: str) -> datetime:
    """Return the first instant from `at` on in working hours: `at` itself, or the next beginning."""
    today = at.astimezone(zone).date()
    for ahead in range(_LOOK_AHEAD):
        day = today + timedelta(days=ahead)
        hours = intervals_on(workday, day.isoformat(), key=key)
        that_day = Window(days=frozenset({day.weekday()}), intervals=hours)
        match opens_at(that_day, zone, max(at, day_begins(day, zone))):
            case Never():
                continue
            case opening if opening.astimezone(zone).date() == day:
                return opening
            case _:
                continue
    return at


def meets(
    workday: Workday, window: Window, *, zone: ZoneInfo, window_zone: ZoneInfo, at: datetime, days: int, key: str
) -> bool:
    """Say whether within so many days the window is open at an instant of working hours; each has its own zone."""
    moment, until = at, at + timedelta(days=days)
    while moment <= until:
        match opens_at(window, window_zone, moment):
            case Never():
                return False
            case opening:
                moment = works_at(workday, zone, opening, key=key)
        if is_open(window, window_zone, moment):
            return True
    return False


def _minutes(text: str) -> int:
    hours, _, minutes = text.partition(":")
    found = int(hours) * 60 + int(minutes)
    if int(minutes) > 59 or found > 24 * 60:  # noqa: PLR2004 - minutes of an hour
        raise ValueError(f"{text!r} is no time of day; write it like 09:00")
    return found
