"""When a person reads their mail, by the moments at which they opened earlier messages (B12).

Rule 1: only a person's opens count. What a mail program, a filter or a provider fetched by itself tells when machines
        work.
Rule 2: fewer opens than `OPENS_LEAST`, and the step leaves when it is due.
Rule 3: nobody waits longer than `SEND_TIME_MOST` after the step was due, however strong their habit.
Rule 4: what is chosen lies where a message may leave; who waits for it finds nothing better then.
"""

from collections import Counter
from collections.abc import Callable, Collection
from datetime import datetime
from zoneinfo import ZoneInfo

from relance.core.calendar import hour_ends
from relance.core.defaults import MACHINE_WITHIN, OPENS_LEAST

_HOURS = 24
#: The whole user agent of Apple's Mail Privacy Protection, which fetches pictures whether anybody reads or not:
#: help.socketlabs.com/docs/identifying-apple-mpp-opens-in-notification-api-events
_PREFETCHES = frozenset({"mozilla/5.0"})


def is_machine(opened_at: datetime, *, sent_at: datetime, user_agent: str | None) -> bool:
    """Whether an open tells of a program rather than of a person.

    A filter looks within seconds of arrival, and nothing is opened before it was sent; Apple's proxies have a user
    agent that no browser has.
    """
    return opened_at < sent_at + MACHINE_WITHIN or (user_agent or "").strip().casefold() in _PREFETCHES


def habit(opens: Collection[datetime], zone: ZoneInfo) -> tuple[int, ...] | None:
    """Return the weight of each hour of a person's day, or None if there are too few opens to tell.

    A message that is opened ten times in an hour counts once; half of each open counts for the hours beside its own.
    """
    hours = {(at.astimezone(zone).date(), at.astimezone(zone).hour) for at in opens}
    if len(hours) < OPENS_LEAST:
        return None
    seen = Counter(hour for _, hour in hours)
    return tuple(2 * seen[h] + seen[(h - 1) % _HOURS] + seen[(h + 1) % _HOURS] for h in range(_HOURS))


def best_moment(
    opens: Collection[datetime],
    *,
    zone: ZoneInfo,
    now: datetime,
    until: datetime,
    may_leave: Callable[[datetime], datetime | None],
) -> datetime:
    """Return the first moment of the hour, between now and `until`, in which this person most likely reads mail.

    `may_leave`: the first moment from the given one on at which a message may leave, or None; `zone` is the person's.
    It is `now` where this hour is as good as any, or nothing is known.
    """
    weights = habit(opens, zone)
    if weights is None:
        return now
    best, most, begins = now, weights[now.astimezone(zone).hour] if may_leave(now) == now else 0, now
    while (begins := hour_ends(begins, zone)) < until:
        weight = weights[begins.astimezone(zone).hour]
        if weight > most:
            leaves = may_leave(begins)
            if leaves is not None and leaves < min(hour_ends(begins, zone), until):
                best, most = leaves, weight
    return best
