"""What a provider takes from one mailbox at most, whatever its caps say, and by what it is recognised.

Rule 1: a provider counts over the last 24 hours (and the last minute), not by the calendar's day.
Rule 2: it is the account that is limited, not the way to it: a Google account reached over SMTP has Google's ceiling.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from relance.core.mail_hosts import MailHost
from relance.core.mailbox import Mailbox

DAY: Final = timedelta(hours=24)
MINUTE: Final = timedelta(minutes=1)
#: What `--ceiling` takes where a provider's ceiling is not to hold.
NO_CEILING: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """At most so many messages in any 24 hours, and in any minute."""

    daily: int
    per_minute: int | None = None


#: Google: support.google.com/a/answer/166852. Exchange Online: "Sending limits" of its service description.
CEILINGS: Final = MappingProxyType(
    {
        "google": Ceiling(daily=2000),
        "google_trial": Ceiling(daily=500),
        "microsoft": Ceiling(daily=10_000, per_minute=30),
    },
)
_CONNECTORS: Final = MappingProxyType({"gmail": "google", "graph": "microsoft"})
#: Servers that send for a provider's accounts.
HOSTS: Final = MappingProxyType(
    {
        "smtp.gmail.com": "google",
        "smtp.googlemail.com": "google",
        "smtp.office365.com": "microsoft",
        "outlook.office365.com": "microsoft",
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """At most `messages` in any period of this length."""

    messages: int
    period: timedelta


def provider_behind(mailbox: Mailbox) -> str | None:
    """Return whose ceiling holds: what a person said, else by the connector, else by the server that sends."""
    if mailbox.ceiling is not None:
        return mailbox.ceiling if mailbox.ceiling in CEILINGS else None
    return _recognised(mailbox)


def mail_host(mailbox: Mailbox) -> MailHost:
    """Return who runs a mailbox, for `match_provider`: as a person said with its ceiling, or as it is recognised."""
    named = mailbox.ceiling if mailbox.ceiling in CEILINGS else _recognised(mailbox)
    return MailHost((named or MailHost.OTHER).partition("_")[0])


def _recognised(mailbox: Mailbox) -> str | None:
    host = str(mailbox.settings.get("smtp_host") or "").casefold().rstrip(".")
    return _CONNECTORS.get(mailbox.provider) or HOSTS.get(host)


def ceiling_of(mailbox: Mailbox) -> Ceiling | None:
    """Return the ceiling of the provider behind a mailbox; None: none is known."""
    provider = provider_behind(mailbox)
    return CEILINGS[provider] if provider else None


def allowances(mailbox: Mailbox) -> tuple[Allowance, ...]:
    """Return what has to be counted before a send: only where the mailbox's own caps and gap could exceed it."""
    ceiling = ceiling_of(mailbox)
    if ceiling is None:
        return ()
    found = []
    if 2 * mailbox.daily_cap > ceiling.daily:  # Two of its days reach into any 24 hours.
        found.append(Allowance(messages=ceiling.daily, period=DAY))
    if ceiling.per_minute is not None and mailbox.min_gap * ceiling.per_minute < MINUTE.total_seconds():
        found.append(Allowance(messages=ceiling.per_minute, period=MINUTE))
    return tuple(found)


def free_at(allowance: Allowance, newest: datetime | None) -> datetime | None:
    """Return when one more message fits; `newest`: when the message was sent that has to be out of the period first.

    That is, counted from the last one back, the message whose number is the allowance; None: there are fewer.
    """
    return newest + allowance.period if newest is not None else None
