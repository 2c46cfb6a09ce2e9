"""How long to leave something alone after it failed again: doubling, up to a limit."""

from datetime import timedelta

from relance.core import defaults


def cooldown(failures: int) -> timedelta:
    """Return how long a lead rests after so many failures in a row on one step (B8)."""
    return doubling(failures, first=defaults.COOLDOWN_FIRST, most=defaults.COOLDOWN_MOST)


def mailbox_rest(failures: int) -> timedelta:
    """Return how long a mailbox rests that failed so many times in a row."""
    return doubling(failures, first=defaults.MAILBOX_BACKOFF_FIRST, most=defaults.MAILBOX_BACKOFF_MOST)


def reconnect(failures: int) -> timedelta:
    """Return how long to wait before a lost connection is opened again."""
    return doubling(failures, first=defaults.RECONNECT_FIRST, most=defaults.RECONNECT_MOST)


def look_again(looks: int) -> timedelta:
    """Return how long to wait before a message is looked for again after so many looks."""
    return doubling(looks, first=defaults.LOOK_FIRST, most=defaults.LOOK_MOST)


def growing(passed: timedelta) -> timedelta:
    """Return twice the time since it failed before, within a lead's shortest and longest rest."""
    return min(defaults.COOLDOWN_MOST, max(defaults.COOLDOWN_FIRST, 2 * passed))


def doubling(failures: int, *, first: timedelta, most: timedelta) -> timedelta:
    """Return `first` for one failure, twice that for two, and so on up to `most`; nothing for none."""
    if failures <= 0:
        return timedelta()
    return min(most, first * (1 << min(failures - 1, 30)))
