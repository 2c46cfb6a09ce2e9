"""How much a mailbox may send today, and how long it rests between two messages."""

from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType
from typing import Final

from relance.core import defaults
from relance.core.mailbox import Mailbox, Pacing
from relance.core.splitting import uniform

#: What `--preset` offers.
PRESETS: Final = MappingProxyType(
    {
        "default": Pacing(),
        "cautious": Pacing(daily_cap=30, min_gap=8 * 60.0, max_gap=15 * 60.0),
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What a provider takes from one mailbox at most, whatever its caps say."""

    daily: int
    per_minute: int | None = None


#: Google: support.google.com/a/answer/166852. Exchange Online: "Sending limits" of its service description.
CEILINGS: Final = MappingProxyType(
    {
        "gmail": Ceiling(daily=2000),
        "gmail_trial": Ceiling(daily=500),
        "graph": Ceiling(daily=10_000, per_minute=30),
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Healthy:
    """Nothing is wrong with what came back, or too little was sent to say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """It sends at `factor` of its cap."""

    factor: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sick:
    """It pauses for `HEALTH_REST`."""

    reason: str


Health = Healthy | Reduced | Sick


def health(*, sends: int, bounces: int, complaints: int) -> Health:
    """Judge a mailbox by what came back in the last `HEALTH_PERIOD` (B17)."""
    if sends < defaults.HEALTH_MIN_SENDS:
        return Healthy()
    found = (
        (complaints, "complaints", defaults.COMPLAINTS_REDUCE, defaults.COMPLAINTS_PAUSE),
        (bounces, "bounces", defaults.BOUNCES_REDUCE, defaults.BOUNCES_PAUSE),
    )
    for count, what, _, pause_at in found:
        if count >= pause_at * sends:
            return Sick(reason=f"{count} {what} in {sends} messages")
    for count, what, reduce_at, _ in found:
        if count >= reduce_at * sends:
            return Reduced(factor=defaults.REDUCED_FACTOR, reason=f"{count} {what} in {sends} messages")
    return Healthy()


def cap_today(mailbox: Mailbox, *, today: date, factor: float = 1.0) -> int:
    """Return how many messages the mailbox may send on that day of its own zone.

    The ramp begins on the first day that it sends (`ramp_started_on`; None: that is today). `factor` is what its health
    leaves of the cap; one message a day always remains, so that a mailbox can recover.
    """
    cap = mailbox.daily_cap
    if mailbox.ramp:
        days = max(0, (today - mailbox.ramp_started_on).days) if mailbox.ramp_started_on else 0
        cap = min(cap, mailbox.ramp_start + mailbox.ramp_step * days)
    if mailbox.provider in CEILINGS:
        cap = min(cap, CEILINGS[mailbox.provider].daily)
    return max(1, int(cap * factor)) if cap > 0 else 0


def gap(mailbox: Mailbox, *, key: str) -> timedelta:
    """Return how long the mailbox rests after the message of that key, drawn between its least and its most."""
    least, most = mailbox.min_gap, max(mailbox.min_gap, mailbox.max_gap)
    return timedelta(seconds=least + (most - least) * uniform(key, "gap"))
