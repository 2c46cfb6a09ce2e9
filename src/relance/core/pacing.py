"""How much a mailbox may send today, and how long it rests between two messages."""

from datetime import date, timedelta
from types import MappingProxyType
from typing import Final

from relance.core import defaults
from relance.core.ceilings import ceiling_of
from relance.core.mailbox import Mailbox, Pacing
from relance.core.splitting import uniform
from relance.core.values import replace

#: What `--preset` offers.
PRESETS: Final = MappingProxyType(
    {
        "default": Pacing(),
        "cautious": Pacing(daily_cap=30, min_gap=8 * 60.0, max_gap=15 * 60.0),
        "human": Pacing(
            daily_cap=30,
            hourly_cap=8,
            min_gap=4 * 60.0,
            max_gap=15 * 60.0,
            workday="08:30-17:30 lunch 12:00-13:00 jitter 20",
        ),
    },
)


def ramp_days(mailbox: Mailbox, *, today: date) -> int:
    """Return how many days the ramp has behind it on that day of the mailbox's zone.

    Days count on which it sent. A week without a message costs nothing; each day more takes one day of the ramp back,
    so that it begins again gently. What it could not climb any higher for is not kept.
    """
    if mailbox.ramp_day is None:
        return 0
    idle = (today - mailbox.ramp_day).days
    if idle <= 0:
        return mailbox.ramp_days
    climbed = min(mailbox.ramp_days + 1, _days_to_cap(mailbox))
    return max(0, climbed - max(0, idle - defaults.RAMP_REST_DAYS))


def _days_to_cap(mailbox: Mailbox) -> int:
    wanting = mailbox.daily_cap - mailbox.ramp_start
    return max(0, -(-wanting // mailbox.ramp_step)) if mailbox.ramp_step > 0 else 0


def cap_today(mailbox: Mailbox, *, today: date, factor: float = 1.0) -> int:
    """Return how many messages the mailbox may send on that day of its own zone.

    The ramp begins on the first day that it sends. `factor` is what its health leaves of the cap; one message a day
    always remains, so that a mailbox can recover.
    """
    cap = mailbox.daily_cap
    if mailbox.ramp:
        cap = min(cap, mailbox.ramp_start + mailbox.ramp_step * ramp_days(mailbox, today=today))
    ceiling = ceiling_of(mailbox)
    if ceiling is not None:
        cap = min(cap, ceiling.daily)
    return max(1, int(cap * factor)) if cap > 0 else 0


def caps_ahead(mailbox: Mailbox, *, today: date, days: int, factor: float = 1.0) -> list[int]:
    """Return what it may send today and on each of the next days, if it sends on all of them."""
    behind = ramp_days(mailbox, today=today)
    return [
        cap_today(replace(mailbox, ramp_days=behind + day, ramp_day=today), today=today, factor=factor)
        for day in range(days)
    ]


def gap(mailbox: Mailbox, *, key: str) -> timedelta:
    """Return how long the mailbox rests after the message of that key, drawn between its least and its most."""
    least, most = mailbox.min_gap, max(mailbox.min_gap, mailbox.max_gap)
    return timedelta(seconds=least + (most - least) * uniform(key, "gap"))
